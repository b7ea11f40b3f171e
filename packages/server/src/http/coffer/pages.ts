import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../wire/problem.ts';
import { refuseAmbiguousTarget } from '../routing.ts';
import { docsPage, docsReader, docsStart } from './docs.ts';
import { once, ownFile, sendPage, type Page } from './page.ts';
import { welcomePage } from './welcome.ts';

const favicon = once(async () => ({
  contentType: 'image/svg+xml',
  bytes: await ownFile('favicon.svg'),
}));

/** Adds pages for people and the API document, outside /v1/ and /v2/. Nothing is counted. */
export function addPages(app: FastifyInstance, openapi: () => string, version: string): void {
  const pages: Readonly<Record<string, (request: FastifyRequest) => Promise<Page>>> = {
    '/': (request) => welcomePage(version, request.raw.socket),
    '/openapi.json': once(() =>
      Promise.resolve({
        contentType: 'application/json; charset=utf-8',
        bytes: Buffer.from(openapi()),
      }),
    ),
    '/docs': docsPage,
    '/docs/scalar.js': docsReader,
    '/docs/start.js': docsStart,
    '/favicon.svg': favicon,
    // Browsers ask for this one unbidden, and read the type, not the name.
    '/favicon.ico': favicon,
  };
  for (const [url, load] of Object.entries(pages)) addPage(app, url, load);
}

/**
 * Answers what no route outside /v1/ and /v2/ takes: 405 with Allow when `methodsOf` knows the path, else 404.
 *
 * `methodsOf` is given the decoded path.
 */
export function answerUnknownPages(
  app: FastifyInstance,
  methodsOf: (path: string, request: FastifyRequest) => string | undefined,
): void {
  // A hook, because the framework looks at bodies before it calls a handler. Below a prefix, 404 is the prefix's own.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 || request.server !== app) {
      done();
      return;
    }
    refuseAmbiguousTarget.call(app, request, reply, (refusal) => {
      const { '*': rest = '' } = request.params as { '*'?: string };
      done(refusal ?? refusalOf(methodsOf(`/${rest}`, request)));
    });
  });
}

function refusalOf(allow: string | undefined): Problem {
  if (allow === undefined) return new Problem('pathNotFound');
  return new Problem('methodNotAllowed', { headers: { allow } });
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
