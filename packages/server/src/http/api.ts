import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Identity } from '../records/identity.ts';
import { identityOf } from './auth.ts';
import { Problem } from './errors.ts';
import { asksForAny, entityTag, listsTag } from './etag.ts';
import { operationOf, type OpenApiDocument } from './openapi-document.ts';
import { sendPieces } from './send.ts';
import { parameterReader, type ParameterReader, type Parameters } from './validation.ts';

/** A validated request of an identified caller. */
export interface Asked extends Parameters {
  readonly identity: Identity;
}

/** One operation of the API: a method and a path of the API document, and what answers it. */
export interface Route {
  /** GET reads, and HEAD is answered like it. POST does something: each answer is new, and it takes no body. */
  readonly method: 'GET' | 'POST';
  /** As in the API document: `/v2/transactions/{id}`. */
  readonly path: string;
  /** What the answer to GET depends on besides the book and the URL, as text; nothing unless given. */
  readonly state?: (identity: Identity) => string;
  /** The pieces of a JSON body, in UTF-8. Throws a {@link Problem} to refuse. */
  readonly answer: (asked: Asked) => Promise<readonly Uint8Array[]>;
}

/** What a version of the API is made of. */
export interface ApiOptions {
  /** Run for every request whose routed path begins with the prefix, in this order, routes or not. */
  readonly hooks: readonly onRequestHookHandler[];
  readonly document: () => OpenApiDocument;
  readonly routes: readonly Route[];
}

const jsonType = 'application/json; charset=utf-8';

/**
 * Adds a version of the API to a scope whose prefix ends in a slash, such as `/v2/`.
 *
 * The router itself decides which requests belong to the scope, by the decoded path, and runs the hooks also for
 * those that it finds no route for: so nothing can reach a route, or a 404, past the counter.
 */
export function addApi(scope: FastifyInstance, { hooks, document, routes }: ApiOptions): void {
  for (const hook of hooks) scope.addHook('onRequest', hook);
  // The hooks have ended the request before; with a handler of its own the scope keeps its unknown paths.
  scope.setNotFoundHandler(() => {
    throw new Problem('pathNotFound');
  });
  for (const route of routes) {
    scope.route({
      method: route.method === 'GET' ? ['GET', 'HEAD'] : [route.method],
      url: route.path.slice(scope.prefix.length - 1).replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: handlerOf(route, document),
    });
  }
}

function handlerOf(route: Route, document: () => OpenApiDocument) {
  let read: ParameterReader | undefined;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    read ??= parameterReader(document(), operationOf(document(), route.method, route.path));
    const { text } = request.query as { text: string };
    // A body means nothing to GET (RFC 9110, 9.3.1), so what is in it is not looked at.
    const body = route.method === 'GET' ? undefined : request.body;
    const parameters = await read(text, request.params as Record<string, string>, body);
    const asked = { identity: identityOf(request), ...parameters };
    if (route.method === 'GET') await respond(route, asked, request, reply);
    else sendPieces(reply, jsonType, await route.answer(asked));
    return reply;
  };
}

async function respond(
  route: Route,
  asked: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const etag = tagOf(route, asked.identity, request);
  const known = request.headers['if-none-match'];
  if (listsTag(known, etag)) {
    notModified(reply, etag);
    return;
  }
  const pieces = await route.answer(asked);
  if (asksForAny(known)) {
    notModified(reply, etag);
    return;
  }
  sendPieces(reply.header('etag', etag), jsonType, pieces);
}

function tagOf({ state }: Route, identity: Identity, { raw }: FastifyRequest): string {
  const { id: bookId, version: bookVersion } = identity.book;
  return entityTag({ bookId, bookVersion, url: raw.url ?? '', state: state?.(identity) ?? '' });
}

function notModified(reply: FastifyReply, etag: string): void {
  void reply.code(304).header('etag', etag).send();
}
