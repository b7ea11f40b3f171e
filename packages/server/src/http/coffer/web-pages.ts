import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { Problem } from '../../operations/problem.ts';
import { sendPage, type Page } from './page.ts';
import { compressOnce } from '../compression/compress.ts';
import { sendPieces, listsTag } from '../server/send.ts';
import { addVary } from '../server/vary.ts';
import type { WebBundle, WebBundleOrProblem, WebFile } from './web-bundle.ts';

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
  const policy = policyOf(bundle.styleHashes);
  const page = pageOf(bundle, basePath, policy);
  const addPage = (url: string): void => {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      onRequest: [...hooks],
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        addVary(reply, 'Accept');
        if (url !== '/' && !acceptsHtml(request)) throw new Problem('pathNotFound');
        return sendPage(request, reply.headers(pageHeaders), await page());
      },
    });
  };
  for (const path of bundle.paths) {
    addPage(path);
    if (path !== '/') addPage(`${path}/*`);
  }
  app.route({
    method: ['GET', 'HEAD'],
    url: '/assets/:name',
    onRequest: [...hooks],
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { name } = request.params as { name: string };
      const file = await bundle.file(name);
      if (file === null) throw new Problem('pathNotFound');
      return sendFile(request, reply, file);
    },
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

/** The page; kept until it is bundled again. */
function pageOf(bundle: WebBundle, basePath: string, policy: string): () => Promise<Page> {
  let kept: { readonly template: string; readonly page: Page } | undefined;
  return async () => {
    const template = await bundle.page();
    if (kept?.template === template) return kept.page;
    const bytes = Buffer.from(template.replaceAll('{{base}}', basePath));
    kept = { template, page: { contentType: 'text/html; charset=utf-8', bytes, policy } };
    return kept.page;
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

/**
 * Returns the Content-Security-Policy of the browser UI: nothing but scripts, styles and requests of this server, and
 * the styles with these hashes. No text becomes a script or markup (trusted types).
 */
function policyOf(styleHashes: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ['style-src', "'self'", ...styleHashes].join(' '),
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
