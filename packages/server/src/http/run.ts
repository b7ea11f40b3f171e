import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { quote } from '@coffer/core/text';
import type { Engine } from '../db/engine.ts';
import type { Identity } from '../operations/caller.ts';
import { acceptsKey } from '../operations/declaration.ts';
import { jsonPieces } from '../operations/operation.ts';
import type { AnyRequest, Following, Operation } from '../operations/operation.ts';
import { forbidden, Problem } from '../operations/problem.ts';
import { requestReader } from '../operations/request/request-reader.ts';
import { RememberedKeys } from '../pages/remembered-keys.ts';
import { type ProxyOptions, headerLines } from './client.ts';
import { clientOf, identityOf } from './identify.ts';
import { bodyFor, cacheKey, type PageCache } from './page-cache.ts';
import { routedOf, type Handler } from './routes.ts';
import { ApiReply, entityTag, followingOf } from './send.ts';

/** The parts of the API. */
export interface ApiOptions {
  readonly proxy: ProxyOptions;
  readonly engine: Engine;
  /** Null to read every body again. */
  readonly pageCache: PageCache | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** About 150 bytes each: at most 3 MB. */
const rememberedKeysCapacity = 20_000;

/**
 * Adds the API below each prefix of `hooks`, such as `/v2/`: the hooks run for every request whose decoded path begins
 * with it, in this order. They end those that have no operation.
 */
export function addApi(
  app: FastifyInstance,
  hooks: ReadonlyMap<string, readonly onRequestHookHandler[]>,
  options: ApiOptions,
): void {
  const pageKeys = new RememberedKeys(rememberedKeysCapacity);
  const handlers = new Map<Operation, Handler>();
  const handler: Handler = (request, reply) => {
    const { operation } = routedOf(request)!.route;
    let handle = handlers.get(operation);
    if (handle === undefined) {
      handle = handlerOf(operation, options, pageKeys);
      handlers.set(operation, handle);
    }
    return handle(request, reply);
  };
  const method = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
  for (const [prefix, onRequest] of hooks)
    app.route({ method, url: `${prefix}*`, onRequest: [...onRequest], handler });
}

function handlerOf(operation: Operation, options: ApiOptions, pageKeys: RememberedKeys): Handler {
  const { engine, now, proxy } = options;
  const { method, kind, declaration, isCached } = operation;
  const { size, response: declared } = declaration;
  const { status, events, files } = declared;
  const canLeave = (events ?? files ?? size) !== undefined;
  const read = requestReader(operation);
  const cache = isCached === undefined ? null : options.pageCache;
  const isTagged = kind === 'read' && method === 'GET';
  const hasKey = acceptsKey(operation);
  return async (request, reply) => {
    const received = receivedOf(request);
    const identity = callerOf(request, operation);
    const etag = isTagged ? tagOf(operation, identity, request, now()) : null;
    const response = new ApiReply(reply, { status, etag, proxy });
    const key = cache === null ? '' : cacheKey(etag!, reply);
    // The URL of a body in the cache is valid, and the body of GET is ignored.
    const cached = cache?.find(key);
    if (cached !== undefined) return response.sendPrepared(cached);
    const context = {
      identity,
      bookId: (identity as Identity | null)?.book.id ?? 0,
      pageKeys,
      client: clientOf(request, proxy),
      baseUrl: proxy.publicUrl?.href ?? `${request.protocol}://${request.host}`,
      ...(hasKey && idempotencyKeyOf(request.raw.rawHeaders)),
      ...(canLeave && { following: followingOf(request, reply) }),
      ...(kind === 'write' && { left: leftBy(reply) }),
    };
    const values = await read(received);
    if (response.isKnown) return response.sendNotModified();
    const run = () => runPatiently(operation, engine, { ...context, ...values }, request);
    if (cache === null || isCached?.(values.query) !== true) return response.send(await run());
    const prepare = async () => bodyFor(reply, jsonPieces(await run()));
    return response.sendPrepared(await cache.read(key, prepare));
  };
}

/** Returns a signal that is aborted if the client leaves before it has the response. */
function leftBy({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort();
  });
  return left.signal;
}

/** Returns the path, the query and the body of a request, as its reader takes them. */
function receivedOf(request: FastifyRequest) {
  const { query, body } = request;
  const path = routedOf(request)!.params;
  if (Object.values(path).includes('')) throw new Problem('pathNotFound');
  return { path, query: (query as { text: string }).text, body };
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
    // A change of the currency of a book without amounts is no version.
    state: `${book.primaryCurrency} ${state(identity, nowMs)}`,
  });
}

/**
 * Runs an operation. One that waits, for changes, a thread or its turn to write, may take longer than a connection may
 * be silent.
 */
async function runPatiently(
  operation: Operation,
  engine: Engine,
  request: AnyRequest & { readonly following?: Following },
  { raw: { socket } }: FastifyRequest,
): Promise<unknown> {
  const mayWait = request.following !== undefined || operation.method !== 'GET';
  // An injected request has no connection.
  if (!mayWait || !('setTimeout' in socket)) return operation.run(engine, request);
  const { timeout = 0 } = socket;
  socket.setTimeout(0);
  try {
    return await operation.run(engine, request);
  } finally {
    socket.setTimeout(timeout);
  }
}

const maxKeyLength = 255;

/**
 * Returns the Idempotency-Key of a request, if it has one: 1 to 255 characters without control characters. Throws a
 * {@link Problem} for another value, and for more than one.
 */
function idempotencyKeyOf(rawHeaders: readonly string[]): { idempotencyKey?: string } {
  const lines = headerLines(rawHeaders, 'idempotency-key');
  const [key] = lines;
  if (key === undefined) return {};
  if (lines.length > 1) throw invalidKey(`once, not ${lines.length} times`);
  if (key.length > 0 && key.length <= maxKeyLength && !/\p{Cc}/u.test(key))
    return { idempotencyKey: key };
  throw invalidKey(
    `with 1 to ${maxKeyLength} characters and no control characters, not ${quote(key)} (${key.length} characters)`,
  );
}

function invalidKey(expected: string): Problem {
  const errMsg = `The header Idempotency-Key must be sent ${expected}`;
  return new Problem('malformedRequest', {
    details: [{ errMsg, instancePath: '/header/Idempotency-Key' }],
  });
}
