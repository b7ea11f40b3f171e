import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { TSchema } from 'typebox';
import type { Engine } from '../db/engine.ts';
import { RememberedKeys } from '../pages/remembered-keys.ts';
import { Replayed } from '../operations/idempotency.ts';
import type { AnyRequest, Operation } from '../operations/operation.ts';
import type { Identity } from '../operations/caller.ts';
import { requestReader } from '../operations/request/request-reader.ts';
import type { Values } from '../operations/request/request-reader.ts';
import { acceptsKey } from '../operations/declaration.ts';
import { identityOf, visitOf } from './session/auth.ts';
import { forbidden, Problem } from '../operations/problem.ts';
import { EventStream, FileStream, WithCookies } from '../operations/responses.ts';
import type { Upload } from '../operations/upload.ts';
import { followingOf, patiently, sendEvents } from './server/events.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { sendFile } from './server/file.ts';
import { sendBody, sendPieces, asksForAny, entityTag, listsTag } from './server/send.ts';
import { bodyFor, keyOf } from './page-cache/form.ts';
import type { PageCache } from './page-cache/page-cache.ts';
import { isNeverCompressed } from './compression/encoding.ts';
import { setCookies, type Reach } from './session/cookie.ts';
import { OtherResponse } from '../operations/other-response.ts';

/** The parts of a version of the API. */
export interface ApiOptions {
  /** How clients reach the service. */
  readonly reach: Reach;
  /** Run for every request whose routed path begins with the prefix, in this order, routes or not. */
  readonly hooks: readonly onRequestHookHandler[];
  readonly engine: Engine;
  readonly operations: readonly Operation[];
  readonly components: Readonly<Record<string, TSchema>>;
  /** Null to read every body again. */
  readonly pageCache: PageCache | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const jsonType = 'application/json; charset=utf-8';
/** About 150 bytes each: at most 3 MB. */
const rememberedKeysCapacity = 20_000;

/**
 * Adds a version of the API to a scope whose prefix ends in a slash, such as `/v2/`.
 *
 * The router decides by the decoded path which requests belong to the scope. It runs the hooks also for requests
 * without a route, so no request reaches a route or a 404 without being counted.
 */
export function addApi(scope: FastifyInstance, options: ApiOptions): void {
  for (const hook of options.hooks) scope.addHook('onRequest', hook);
  // Never called, because the hooks end the request. Without a handler, unknown paths would leave the scope.
  scope.setNotFoundHandler(() => {
    throw new Problem('pathNotFound');
  });
  const pageKeys = new RememberedKeys(rememberedKeysCapacity);
  for (const operation of options.operations) {
    const { method, declaration } = operation;
    scope.route({
      method: method === 'GET' ? ['GET', 'HEAD'] : [method],
      url: declaration.path.slice(scope.prefix.length - 1).replaceAll(/\{(\w+)\}/g, ':$1'),
      config: {
        multipart: declaration.multipart === true,
        upload: declaration.upload === true,
        open: operation.kind === 'open',
        v1: declaration.v1,
        neverCompressed: isNeverCompressed(operation),
      },
      handler: handlerOf(operation, options, pageKeys),
    });
  }
}

function handlerOf(operation: Operation, options: ApiOptions, pageKeys: RememberedKeys) {
  const { engine, components, now, reach, pageCache } = options;
  const read = requestReader(operation, components);
  const { response, upload: isUpload = false } = operation.declaration;
  const hasKey = acceptsKey(operation);
  const held = operation.isCached === undefined ? null : pageCache;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { text: sent } = request.query as { text: string };
    const text = isUpload ? withFields(sent, request.body as Upload | undefined) : sent;
    const path = request.params as Record<string, string>;
    // The router takes a trailing slash for an empty parameter.
    if (Object.values(path).includes('')) throw new Problem('pathNotFound');
    const identity = callerOf(request, operation);
    const etag = operation.kind === 'read' ? tagOf(operation, identity, request, now()) : '';
    if (held !== null && sendHeld(etag, held, reply)) return reply;
    const key = hasKey ? idempotencyKeyOf(request.raw.rawHeaders) : {};
    const values = await read({ query: text, path, body: request.body });
    const baseUrl = reach.publicUrl?.href ?? `${request.protocol}://${request.host}`;
    const following = (response.events ?? response.files) && {
      following: followingOf(request, reply),
    };
    const visit = visitOf(request, reach);
    const rest = { pageKeys, baseUrl, visit, ...key, ...following };
    const validated = withIdentity(values, identity, rest);
    if (operation.kind === 'read') await respond({ operation, options, etag, validated }, reply);
    else {
      const result = await operation.run(engine, validated);
      const hasCookies = result instanceof WithCookies;
      if (hasCookies) setCookies(request, reply, result.cookies, reach);
      sendResult(reply, response.status, hasCookies ? result.body : result);
    }
    return reply;
  };
}

/** Returns the caller; null for nobody, which only open operations accept. */
function callerOf(request: FastifyRequest, { kind, declaration }: Operation): Identity {
  // Open operations declare that there may be no caller, and their requests have the type for it.
  if (kind === 'open') return request.identity!;
  const identity = identityOf(request);
  if (declaration.needsSession === true && identity.session === null)
    throw forbidden('This needs a user who is signed in with a browser, not an access token');
  return identity;
}

/** The fields of a form are read as parameters of the query. */
function withFields(query: string, upload: Upload | undefined): string {
  if (upload === undefined || upload.fields.length === 0) return query;
  const fields = new URLSearchParams(
    upload.fields.map(([name, value]): [string, string] => [name, value]),
  );
  return `${query}&${fields.toString()}`;
}

function withIdentity(
  values: Values,
  identity: Identity,
  rest: Omit<AnyRequest, keyof Values | 'identity' | 'bookId'>,
): AnyRequest {
  return { ...values, identity, bookId: (identity as Identity | null)?.book.id ?? 0, ...rest };
}

/**
 * Sends a body that the page cache holds, or 304. Returns whether it did. The URL of such a body is valid, and the body
 * of GET is ignored, so the request needs no validation.
 */
function sendHeld(etag: string, pageCache: PageCache, reply: FastifyReply): boolean {
  const { request } = reply;
  const body = pageCache.find(keyOf(etag, reply));
  if (body === undefined) return false;
  const known = request.headers['if-none-match'];
  if (listsTag(known, etag) || asksForAny(known)) notModified(reply, etag);
  else sendBody(reply.header('etag', etag), jsonType, body);
  return true;
}

interface Reading {
  readonly operation: Operation;
  readonly options: ApiOptions;
  readonly etag: string;
  readonly validated: AnyRequest;
}

async function respond(reading: Reading, reply: FastifyReply): Promise<void> {
  const { operation, options, etag, validated } = reading;
  const { request } = reply;
  const known = request.headers['if-none-match'];
  if (listsTag(known, etag)) {
    notModified(reply, etag);
    return;
  }
  const { pageCache } = options;
  const run = () => operation.run(options.engine, validated);
  if (pageCache !== null && operation.isCached?.(validated.query) === true) {
    const read = async () => bodyFor(reply, piecesOf(await run()));
    const body = await pageCache.read(keyOf(etag, reply), read);
    if (asksForAny(known)) notModified(reply, etag);
    else sendBody(reply.header('etag', etag), jsonType, body);
    return;
  }
  const body = await (validated.following === undefined ? run() : patiently(request, run));
  if (asksForAny(known)) notModified(reply, etag);
  else if (body instanceof EventStream) sendEvents(request, reply, body);
  else if (body instanceof FileStream) sendFile(request, reply.header('etag', etag), body);
  else send(reply.header('etag', etag), operation.declaration.response.status, body);
}

/** `result` is a body, or the response to an earlier request. */
function sendResult(reply: FastifyReply, status: number, result: unknown): void {
  if (result instanceof OtherResponse) {
    send(reply, result.status, result.body);
    return;
  }
  if (!(result instanceof Replayed)) {
    send(reply, status, result);
    return;
  }
  const { status: first, text } = result;
  void reply.header('idempotency-replayed', 'true');
  send(reply, first, text === undefined ? undefined : [Buffer.from(text)]);
}

/** `body` is a value to serialize, or pieces of serialized JSON; undefined for no body. */
function send(reply: FastifyReply, status: number, body: unknown): void {
  if (body === undefined) void reply.code(status).send();
  else sendPieces(reply, status, jsonType, piecesOf(body));
}

function piecesOf(body: unknown): readonly Uint8Array[] {
  const isPieces = Array.isArray(body) && body[0] instanceof Uint8Array;
  return isPieces ? (body as Uint8Array[]) : [Buffer.from(JSON.stringify(body))];
}

function tagOf(
  { state }: Operation,
  identity: Identity,
  { raw }: FastifyRequest,
  nowMs: number,
): string {
  const { book, databaseId } = identity;
  return entityTag({
    databaseId,
    bookId: book.id,
    bookVersion: book.version,
    url: raw.url ?? '',
    state: state(identity, nowMs),
  });
}

function notModified(reply: FastifyReply, etag: string): void {
  void reply.code(304).header('etag', etag).send();
}
