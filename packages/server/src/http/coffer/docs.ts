import { fastify } from 'fastify';
import { once, ownFile, type Page } from './page.ts';

const ownScripts = "script-src 'self'";
/** The reader needs style attributes and data: images. It may send requests to this server only. */
const policy = [
  "default-src 'none'",
  ownScripts,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const scriptType = 'text/javascript; charset=utf-8';

/** GET /docs: the API reference for a browser. `basePath` is the beginning of every path, or empty. */
export function docsPage(basePath: string): () => Promise<Page> {
  return once(async () => {
    const html = (await ownFile('docs.html')).toString().replaceAll('{{base}}', basePath);
    return { contentType: 'text/html; charset=utf-8', bytes: Buffer.from(html), policy };
  });
}

/** GET /docs/start.js: the script that starts the reader. */
export const docsStart = once(async () => ({
  contentType: scriptType,
  bytes: await ownFile('docs-start.js'),
}));

/** GET /docs/scalar.js: the reader. */
export const docsReader = once(loadReader);

/**
 * Reads the reader's script from its package.
 *
 * The package has only a plugin of four megabytes, which must be registered before the server starts. So the first
 * request registers it on another Fastify instance, and keeps only the script.
 */
async function loadReader(): Promise<Page> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const host = fastify();
  await host.register(plugin, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, rawPayload } = await host.inject('/docs/js/scalar.js');
  await host.close();
  if (statusCode !== 200) throw new Error(`The API reader's package returned ${statusCode}`);
  return { contentType: scriptType, bytes: rawPayload };
}
