import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { TextDecoder } from 'node:util';
import { CryptoRefreshError } from '../records/crypto.ts';

/** Most bytes of an answer's body. */
export const maxAnswerBytes = 1024 * 1024;
/** Longest wait that a provider may ask for and be believed. */
const maxRetryAfterSeconds = 86_400;

/** One request to a provider. */
export interface BoundedRequest {
  /** How the provider is called at the beginning of a sentence: `Kraken`, `The Ethereum node`. */
  readonly who: string;
  readonly method: 'GET' | 'POST';
  /** http or https. */
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends everything that is still under way; its time counts from where it was made. */
  readonly signal: AbortSignal;
}

type Reason = CryptoRefreshError['reason'];

/**
 * Asks a provider and returns the text of its answer, which came with status 200 and is UTF-8.
 *
 * It is read only while it stays below 1 MiB and until the signal ends it, redirects are not followed, and each request
 * has a connection of its own, so that none is sent on one that the provider is just closing.
 *
 * @throws CryptoRefreshError that says nothing of the address, the headers or the body: they hold secrets
 */
export async function boundedFetch(request: BoundedRequest): Promise<string> {
  const response = await sendRequest(request);
  try {
    const refusal = refusalOf(request.who, response);
    if (refusal !== null) throw refusal;
    return await readText(request, response);
  } finally {
    response.destroy();
  }
}

/**
 * The address of a path below a base address, which keeps the query of the base (some have a key there).
 *
 * @throws CryptoRefreshError when the base is not an http or https address, without quoting it
 */
export function addressBelow(who: string, base: string, path: string): URL {
  const url = URL.parse(base);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new CryptoRefreshError('unconfigured', `${who} has no http or https address`);
  }
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '') + path;
  return url;
}

/** That an answer is not one of the protocol; `what` says so in our words, never in those of the answer. */
export function nonsense(who: string, what: string): CryptoRefreshError {
  return new CryptoRefreshError('nonsense', `${who} sent what cannot be understood: ${what}`);
}

async function sendRequest(request: BoundedRequest): Promise<IncomingMessage> {
  const { url, method, signal, body = '' } = request;
  // TLS takes a while to load, and a service that refreshes nothing needs none.
  const http = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'coffer',
    ...(method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}),
    ...request.headers,
  };
  const options: RequestOptions = { method, headers, signal, agent: false };
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(failureOf(request, error));
    try {
      const sent: ClientRequest = http.request(url, options, resolve);
      // It stays for the life of the request: what goes wrong later is told by the response too.
      sent.on('error', fail);
      sent.end(body);
    } catch (error) {
      fail(error as Error);
    }
  });
}

async function readText(request: BoundedRequest, response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxAnswerBytes) throw nonsense(request.who, 'more than 1 MiB');
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof CryptoRefreshError ? error : failureOf(request, error as Error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw nonsense(request.who, 'bytes that are not UTF-8');
  }
}

/** What a status says; null when the body is to be read. */
function refusalOf(who: string, response: IncomingMessage): CryptoRefreshError | null {
  const { statusCode = 0 } = response;
  if (statusCode === 200) return null;
  if (statusCode === 401 || statusCode === 403) {
    return new CryptoRefreshError('refused', `${who} does not take the key (${statusCode})`);
  }
  if (statusCode === 429) {
    const seconds = retryAfterSeconds(response.headers['retry-after']);
    return new CryptoRefreshError('rateLimited', `${who} asks to wait`, seconds);
  }
  if (statusCode >= 500) {
    return new CryptoRefreshError('unreachable', `${who} is out of order (${statusCode})`);
  }
  return nonsense(who, `the status ${statusCode}`);
}

/** Whole seconds of a Retry-After header; null when there is none that is sane. A date is not read: clocks differ. */
function retryAfterSeconds(header: string | undefined): number | null {
  if (header === undefined || !/^\d{1,5}$/.test(header)) return null;
  const seconds = Number(header);
  return seconds <= maxRetryAfterSeconds ? seconds : null;
}

/** Nothing of the error goes on but its code: its text may name the host. */
function failureOf({ who, signal }: BoundedRequest, error: Error): CryptoRefreshError {
  if (signal.aborted) return failure('timeout', `${who} did not answer in full in time`);
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('HPE_')) return nonsense(who, 'an answer that is not HTTP');
  return failure('unreachable', `${who} cannot be reached${code === '' ? '' : ` (${code})`}`);
}

function failure(reason: Reason, message: string): CryptoRefreshError {
  return new CryptoRefreshError(reason, message);
}
