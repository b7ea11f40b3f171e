import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setBaseHeaders } from '../base-headers.ts';
import { Problem } from '../errors.ts';
import type { OpenApiDocument } from '../openapi-document.ts';
import { refuseAmbiguousTarget } from '../routing.ts';
import { docsPage, docsReader, docsStart } from './docs.ts';
import { once, ownFile, sendPage, type Page } from './page.ts';
import { welcomePage } from './welcome.ts';

const favicon = once(async () => ({
  contentType: 'image/svg+xml',
  bytes: await ownFile('favicon.svg'),
}));

/** Adds what is outside /v1/ and /v2/: pages for people, the API document, and 404 for all else. Nothing is counted. */
export function addPages(
  app: FastifyInstance,
  openapi: Uint8Array,
  document: () => OpenApiDocument,
): void {
  const apiDocument: Page = { contentType: 'application/json; charset=utf-8', bytes: openapi };
  const pages: Readonly<Record<string, (request: FastifyRequest) => Promise<Page>>> = {
    '/': (request) => welcomePage(document().info.version, request.raw.socket),
    '/openapi.json': () => Promise.resolve(apiDocument),
    '/docs': docsPage,
    '/docs/scalar.js': docsReader,
    '/docs/start.js': docsStart,
    '/favicon.svg': favicon,
    // Browsers ask for this one unbidden, and read the type, not the name.
    '/favicon.ico': favicon,
  };
  app.addHook('onRequest', (_request, reply, done) => {
    setBaseHeaders(reply);
    done();
  });
  for (const [url, load] of Object.entries(pages)) addPage(app, url, load);
  app.setNotFoundHandler({ preHandler: refuseAmbiguousTarget }, () => {
    throw new Problem('pathNotFound');
  });
}

function addPage(
  app: FastifyInstance,
  url: string,
  load: (request: FastifyRequest) => Promise<Page>,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url,
    onRequest: refuseAmbiguousTarget,
    handler: async (request: FastifyRequest, reply: FastifyReply) =>
      sendPage(request, reply, await load(request)),
  });
}
