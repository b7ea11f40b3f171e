import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { Problem } from '../operations/problem.ts';
import { addGet, sendPage, type Page } from './pages.ts';
import { compressOnce } from './compress.ts';
import { sendPieces, listsTag, entityTagOfBytes, addVary } from './send.ts';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** What the browser UI is served with. */
export interface WebOptions {
  /** Null, or a problem, to serve nothing. */
  readonly web: WebBundleOrProblem | null;
  /** The beginning of every path, or empty. */
  readonly basePath: string;
  /** Run for every request, in this order. */
  readonly hooks: readonly onRequestHookHandler[];
}

/** Names change with the content, so browsers need not request a file again. */
const immutable = 'public, max-age=31536000, immutable';

/**
 * Adds the browser UI: its page under the path of every screen and below it, for requests that accept HTML, and its
 * files under `/assets/`. Other paths stay unknown.
 */
export function addWeb(app: FastifyInstance, { web: bundle, basePath, hooks }: WebOptions): void {
  if (bundle === null || 'problem' in bundle) return;
  const filled = (name: string, contentType: string, policy?: string) =>
    pageOf(() => bundle.page(name), {
      basePath,
      contentType,
      ...(policy !== undefined && { policy }),
    });
  const page = filled('index.html', 'text/html; charset=utf-8', policy);
  const addPage = (url: string): void =>
    addGet(app, url, hooks, async (request, reply) => {
      addVary(reply, 'Accept');
      if (url !== '/' && !acceptsHtml(request)) throw new Problem('pathNotFound');
      return sendPage(request, reply.headers(pageHeaders), await page());
    });
  if (bundle.paths.includes('/')) addPage('/');
  // A route for all screens: each takes 0.1 ms of a start.
  const names = bundle.paths.map((path) => path.slice(1)).filter((name) => name !== '');
  const screen = `/:screen(^(?:${names.join('|')})$)`;
  addPage(screen);
  addPage(`${screen}/*`);
  const others = {
    '/worker.js': filled('worker.js', contentTypes['js']!, workerPolicy),
    '/manifest.webmanifest': filled('manifest.webmanifest', 'application/manifest+json'),
  };
  for (const [url, load] of Object.entries(others))
    addGet(app, url, hooks, async (request, reply) => sendPage(request, reply, await load()));
  addGet(app, '/assets/:name', hooks, async (request, reply) => {
    const { name } = request.params as { name: string };
    const file = await bundle.file(name);
    if (file === null) throw new Problem('pathNotFound');
    return sendFile(request, reply, file);
  });
}

/**
 * Whether a browser opens a page. Other programs get 404, as for every path without a version: a client that forgot
 * `/v2` must not get a page for a list. Source: rule 9.2 of the specification.
 */
function acceptsHtml({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.toLowerCase().includes('text/html');
}

/** Nothing of another origin shares its window, embeds it or reads it. */
const pageHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** A page with the base path filled in; cached until it is bundled again. */
function pageOf(
  read: () => Promise<string>,
  { basePath, ...page }: Omit<Page, 'bytes'> & { readonly basePath: string },
): () => Promise<Page> {
  let cached: { readonly template: string; readonly page: Page } | undefined;
  return async () => {
    const template = await read();
    if (cached?.template === template) return cached.page;
    const bytes = Buffer.from(template.replaceAll('{{base}}', basePath));
    cached = { template, page: { ...page, bytes } };
    return cached.page;
  };
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile): FastifyReply {
  const { contentType, bytes, gzip, etag } = file;
  reply.headers({
    'cache-control': immutable,
    'cross-origin-resource-policy': 'same-origin',
    etag,
  });
  if (listsTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  sendPieces(reply, 200, contentType, [bytes], (_pieces, encoding) =>
    encoding === 'gzip' && gzip !== null ? gzip : compressOnce(bytes, encoding),
  );
  return reply;
}

/** The service worker requests files of this server, and nothing else. */
const workerPolicy = "default-src 'none'; connect-src 'self'";

/**
 * The Content-Security-Policy of the browser UI: nothing but scripts, styles and requests of this server. No text
 * becomes a script or markup (trusted types), but the address of the service worker by a policy with a name.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types coffer-worker',
].join('; ');

/** A file of the browser UI. */
export interface WebFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The same by gzip. */
  readonly gzip: Uint8Array | null;
  readonly etag: string;
}

/** What the bundler says about its output. */
interface About {
  /** The first parts of the paths of pages, such as `/transactions`. */
  readonly paths: readonly string[];
}

/** The bundled browser UI in a folder. */
export interface WebBundle extends About {
  /** A page by its name, before its base path is filled in. Read again after the UI was bundled again. */
  readonly page: (name: string) => Promise<string>;
  /** A file of `assets` by its name; null when there is none. */
  readonly file: (name: string) => Promise<WebFile | null>;
}

/** The bundle, or why there is none. */
export type WebBundleOrProblem = WebBundle | { readonly problem: string };

/** In a package, next to the bundle of the command in a clone, and from the sources of the server. */
const folders = ['./web/', '../../web/dist/', '../../../web/dist/'].map(
  (path) => new URL(path, import.meta.url),
);
const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
};
const missing = 'The browser UI was not bundled: run npm start, which does that';

/** Finds the bundle of the browser UI. Reads no more than its description until a file is requested. */
export function findWebBundle(places: readonly URL[] = folders): WebBundleOrProblem {
  for (const folder of places) {
    const about = new URL('web.json', folder);
    if (existsSync(about))
      return bundleIn(folder, JSON.parse(readFileSync(about, 'utf8')) as About);
    const problem = new URL('problem.txt', folder);
    if (existsSync(problem)) return { problem: readFileSync(problem, 'utf8') };
  }
  return { problem: missing };
}

function bundleIn(folder: URL, { paths }: About): WebBundle {
  const page = (name: string): Promise<string> => readFile(new URL(name, folder), 'utf8');
  return { paths, page, file: assetsIn(new URL('assets/', folder)) };
}

/** Reads files when they are first requested and keeps them: their names change with their content. */
function assetsIn(folder: URL): WebBundle['file'] {
  const cached = new Map<string, WebFile>();
  return async (name) => {
    const known = cached.get(name);
    if (known !== undefined) return known;
    // The name comes from a request, so it is compared with the names that exist and never put into a path first.
    const names = await readdir(folder);
    const contentType = contentTypes[name.split('.').at(-1) ?? ''];
    if (contentType === undefined || !names.includes(name)) return null;
    const bytes = await readFile(new URL(name, folder));
    const gzip = names.includes(`${name}.gz`)
      ? await readFile(new URL(`${name}.gz`, folder))
      : null;
    const file = { contentType, bytes, gzip, etag: entityTagOfBytes(bytes) };
    cached.set(name, file);
    return file;
  };
}
