const vendor = 'https://api.lunchmoney.dev';

/**
 * Sends the requests of this process for the vendor's host to a service of this machine. Clients that know only that
 * host run unchanged. Returns a function that ends it.
 */
export function redirectFetch(baseUrl: string): () => void {
  const original = globalThis.fetch;
  globalThis.fetch = (input, options) => {
    if (typeof input !== 'string' && !(input instanceof URL)) {
      if (!input.url.startsWith(vendor)) return original(input, options);
      return original(new Request(input.url.replace(vendor, baseUrl), input), options);
    }
    return original(String(input).replace(vendor, baseUrl), options);
  };
  return () => {
    globalThis.fetch = original;
  };
}
