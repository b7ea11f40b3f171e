import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { PublicUrl } from '../server/routing.ts';
import type { WebBundleOrProblem } from './web-bundle.ts';
import { docsPage, docsReader, docsStart } from './docs.ts';
import { once, ownFile, sendPage, type Page } from './page.ts';
import { welcomePage } from './welcome.ts';

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
  /** The browser UI, which has the first page, or why there is none; null when it is turned off. */
  readonly web: WebBundleOrProblem | null;
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
  const { documents, version, publicUrl, web } = options;
  const webProblem = web !== null && 'problem' in web ? web.problem : null;
  const docs = docsPage(publicUrl?.basePath ?? '');
  const pages: Readonly<Record<string, (request: FastifyRequest) => Promise<Page>>> = {
    ...((web === null || webProblem !== null) && {
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
    addPage(app, url, url.startsWith('/v1/') ? [count, ...hooks] : hooks, load);
  }
}

function jsonPage(text: () => string): () => Promise<Page> {
  const contentType = 'application/json; charset=utf-8';
  return once(() => Promise.resolve({ contentType, bytes: Buffer.from(text()) }));
}

function addPage(
  app: FastifyInstance,
  url: string,
  hooks: PageOptions['hooks'],
  load: (request: FastifyRequest) => Promise<Page>,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url,
    onRequest: [...hooks],
    handler: async (request: FastifyRequest, reply: FastifyReply) =>
      sendPage(request, reply, await load(request)),
  });
}
