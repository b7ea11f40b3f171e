import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
  fastify,
} from 'fastify';
import type { PublicUrl } from './client.ts';
import { readFile } from 'node:fs/promises';
import { compressIfRoom, compressOnce, type Encode } from './compress.ts';
import { sendPieces, entityTagOfBytes, listsTag } from './send.ts';
import { hash } from 'node:crypto';
import type { Socket } from 'node:net';

const favicon = once(async () => ({
  contentType: 'image/svg+xml',
  bytes: await ownFile('favicon.svg'),
}));

/** What the pages show. */
export interface PageOptions {
  /** The texts of the OpenAPI documents by their paths; each is called once. */
  readonly documents: Readonly<Record<string, () => string>>;
  readonly version: string;
  readonly publicUrl: PublicUrl | null;
  /** Why there is no browser UI, or null if it is turned off; absent if there is one, which has the first page. */
  readonly webProblem?: string | null;
  /** Run for every page, in this order. */
  readonly hooks: readonly onRequestHookHandler[];
  /** Counts the requests for the document of v1: its path is one of those that are rate limited. */
  readonly count: onRequestHookHandler;
}

/**
 * Adds pages for people and the API documents. Requests for them are not authenticated, and not counted except those
 * under /v1/.
 */
export function addPages(app: FastifyInstance, options: PageOptions): void {
  const { documents, version, publicUrl, webProblem } = options;
  const docs = docsPage(publicUrl?.basePath ?? '');
  const pages: Readonly<Record<string, (request: FastifyRequest) => Promise<Page>>> = {
    ...(webProblem !== undefined && {
      '/': ({ raw }: FastifyRequest) =>
        welcomePage({ version, publicUrl, webProblem, socket: raw.socket }),
    }),
    '/docs': docs,
    '/docs/': docs,
    '/docs/scalar.js': docsReader,
    '/docs/start.js': docsStart,
    '/favicon.svg': favicon,
    // Browsers request this path without a link to it, and read the type, not the name.
    '/favicon.ico': favicon,
    ...Object.fromEntries(Object.entries(documents).map(([url, text]) => [url, jsonPage(text)])),
  };
  for (const [url, load] of Object.entries(pages)) {
    const { hooks, count } = options;
    addGet(app, url, url.startsWith('/v1/') ? [count, ...hooks] : hooks, async (request, reply) =>
      sendPage(request, reply, await load(request)),
    );
  }
}

function jsonPage(text: () => string): () => Promise<Page> {
  const contentType = 'application/json; charset=utf-8';
  return once(() => Promise.resolve({ contentType, bytes: Buffer.from(text()) }));
}

/** Adds a route outside of the API. */
export function addGet(
  app: FastifyInstance,
  url: string,
  hooks: PageOptions['hooks'],
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  app.route({ method: ['GET', 'HEAD'], url, onRequest: [...hooks], handler });
}

/** A public page or file, the same for every client. */
export interface Page {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The Content-Security-Policy of a page that a browser shows. */
  readonly policy?: string;
  /** It is made for each request, so compressing it must be cheap. */
  readonly isMadeEachTime?: boolean;
}

function once(make: () => Promise<Page>): () => Promise<Page> {
  let made: Promise<Page> | undefined;
  return () => (made ??= make());
}

function ownFile(name: string): Promise<Buffer> {
  return readFile(new URL(name, import.meta.url));
}

const tags = new WeakMap<Uint8Array, string>();

/** Hashing the largest page takes longer than sending it, so each page is hashed once. */
function tagOf(bytes: Uint8Array): string {
  const tag = tags.get(bytes) ?? entityTagOfBytes(bytes);
  tags.set(bytes, tag);
  return tag;
}

/** Sends a page, or 304 when the browser has it. Browsers may keep pages, but must revalidate them each time. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  const etag = tagOf(page.bytes);
  reply.headers({ 'cache-control': 'no-cache', etag });
  if (page.policy !== undefined) reply.header('content-security-policy', page.policy);
  if (listsTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const encodeOnce: Encode = ([bytes], encoding) => compressOnce(bytes!, encoding);
  const encode = page.isMadeEachTime === true ? compressIfRoom : encodeOnce;
  sendPieces(reply, 200, page.contentType, [page.bytes], encode);
  return reply;
}

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
function docsPage(basePath: string): () => Promise<Page> {
  return once(async () => {
    const html = (await ownFile('docs.html')).toString().replaceAll('{{base}}', basePath);
    return { contentType: 'text/html; charset=utf-8', bytes: Buffer.from(html), policy };
  });
}

/** GET /docs/start.js: the script that starts the reader. */
const docsStart = once(async () => ({
  contentType: scriptType,
  bytes: await ownFile('docs-start.js'),
}));

/** GET /docs/scalar.js: the reader. */
const docsReader = once(loadReader);

/**
 * Reads the reader's script from its package.
 *
 * The package has only a plugin of four megabytes, which must be registered before the server starts. So the first
 * request registers it on another Fastify instance, and keeps only the script.
 */
async function loadReader(): Promise<Page> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  // The compilers of the framework are not in the bundle, and the script needs none.
  const compilersFactory = { buildValidator: () => accepting, buildSerializer: () => asJson };
  const host = fastify({ schemaController: { compilersFactory } });
  await host.register(plugin, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, rawPayload } = await host.inject('/docs/js/scalar.js');
  await host.close();
  if (statusCode !== 200) throw new Error(`The API reader's package returned ${statusCode}`);
  return { contentType: scriptType, bytes: rawPayload };
}

/** Accepts everything; the type is that of another package. */
const accepting = (() => () => true) as never;
const asJson = () => JSON.stringify;

const template = once(async () => ({
  contentType: 'text/html; charset=utf-8',
  bytes: await ownFile('welcome.html'),
}));

/** What the welcome page shows. */
export interface WelcomeOptions {
  readonly version: string;
  readonly publicUrl: PublicUrl | null;
  /** Why there is no browser UI; null when it was turned off. */
  readonly webProblem: string | null;
  readonly socket: Socket;
}

/**
 * GET /: shows what Coffer is, that it is running, and how to start.
 *
 * It shows the public URL; without one, the address at which the connection was accepted, never the Host header.
 */
async function welcomePage(options: WelcomeOptions): Promise<Page> {
  const { version, publicUrl, webProblem, socket } = options;
  const { contentType, bytes } = await template();
  const html = bytes
    .toString()
    .replace('{{version}}', version)
    .replaceAll('{{base}}', publicUrl?.basePath ?? '')
    .replaceAll('{{address}}', publicUrl?.href ?? originOf(socket))
    .replace('{{problem}}', () => (webProblem === null ? '' : paragraphOf(webProblem)));
  const policy = policyFor(html);
  return { contentType, bytes: Buffer.from(html), policy, isMadeEachTime: true };
}

function originOf({ localAddress = '127.0.0.1', localPort = 8080 }: Socket): string {
  const address = localAddress.replace(/^::ffff:/, '');
  return `http://${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

function paragraphOf(problem: string): string {
  const escaped = problem.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<p class="problem"><strong>There is no browser UI:</strong> ${escaped}</p>`;
}

/** No scripts, and no styles except the one in the page. */
function policyFor(html: string): string {
  const style = /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? '';
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
