import { OtherResponse, Replayed, type Accepted, type WithCookies } from './responses.ts';
import { randomUUID, hash } from 'node:crypto';
import { changing, type Cause, type Change } from '../book/change.ts';
import type { Engine, Steps } from '../db/engine.ts';
import type { RememberedKeys } from '../pages/remembered-keys.ts';
import type { Declaration, Described, Method, Refuse, ResultOf, ValueOf } from './declaration.ts';
import { OwnRefusal, Problem } from './problem.ts';
import { withinSession, withValidCaller, type Identity } from './caller.ts';
import {
  claimKey,
  earlierRequest,
  keepResponse,
  releaseClaim,
  finishClaim,
} from '../book/idempotency.ts';
import type { EarlierRequest, KeptResponse, RequestKey } from '../book/idempotency.ts';

/** A validated request of an identified caller, typed by the operation's declaration. */
export interface Request<D extends Declaration = Declaration> {
  readonly identity: Identity;
  readonly bookId: number;
  readonly params: ValueOf<D['params']>;
  readonly query: ValueOf<D['query']>;
  readonly body: ValueOf<D['body']>;
  /** Keys that the page engine remembers between the pages of a list. */
  readonly pageKeys: RememberedKeys;
  readonly client: Client;
  /** The address at which the client reached the service, without a slash at the end. */
  readonly baseUrl: string;
  /** Ends the request with one of the operation's own refusals. */
  readonly refuse: Refuse<D>;
}

/** A request of an unknown operation. */
export interface AnyRequest extends Omit<
  Request,
  'params' | 'query' | 'body' | 'refuse' | 'baseUrl' | 'client'
> {
  readonly baseUrl?: string;
  readonly client?: Client;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** The client's key for repetitions of the request; absent if it sent none. */
  readonly idempotencyKey?: string;
  readonly following?: Following;
  /** Aborted when the client has left: a write that still waits for its turn is given up. */
  readonly left?: AbortSignal;
}

/** How the client wants to follow changes. */
export interface Following {
  /** Aborted when the response has ended, or when the client has left. */
  readonly signal: AbortSignal;
  /** Present if the client wants a stream of events. `lastEventId` is the id of the last event it has. */
  readonly events: { readonly lastEventId: string | null } | null;
}

/** An operation of the API: its declaration, its method, and the function that performs it. */
export interface Operation extends Described {
  /** A text of what a response to GET depends on in addition to the book and the URL; the time is in milliseconds. */
  readonly state: (identity: Identity, nowMs: number) => string;
  /** Whether the body of a response to GET can be kept for others with the same ETag; absent for no. */
  readonly isCached?: (query: unknown) => boolean;
  /**
   * Performs the operation and returns the body of its response, or an OwnResponse. Throws a Problem or an OwnRefusal
   * to refuse. Another function can replace its main part.
   */
  readonly run: (engine: Engine, request: AnyRequest, perform?: Perform) => Promise<unknown>;
  /** The main part of the operation: what another thread can do, with nothing but the database. */
  readonly perform: Perform;
}

/** Performs a request. */
export type Perform = (engine: Engine, request: AnyRequest) => Promise<unknown>;

/** Returns an operation with another main part. */
export function withPerform(operation: Operation, perform: Perform): Operation {
  return {
    ...operation,
    perform,
    run: (engine, request, other = perform) => operation.run(engine, request, other),
  };
}

/** Options of a read. */
export interface ReadOptions<Query = unknown> {
  /** For a read whose request has a body. Its response has no ETag. */
  readonly method?: 'POST';
  /** Everything is read by one statement, so no transaction is needed. */
  readonly isOneStatement?: true;
  /** See {@link Operation}. */
  readonly state?: Operation['state'];
  /** The response depends on more than the book, the URL and `state`: no ETag matches an earlier one. */
  readonly isVolatile?: true;
  /**
   * Whether the server keeps bodies in its page cache; by default it does not. It is for reads that take longer than
   * 0.2 ms. Bodies must depend on nothing but the book, the URL and `state`: neither on the address of the service nor
   * on files or tables of the server.
   */
  readonly isCached?: true | ((query: Query) => boolean);
  /** Called first, in the thread of the process. Throws a Problem for a request that must wait for others. */
  readonly admit?: (identity: Identity, signal: AbortSignal) => void;
}

/** The sender of a request, and how it reached the service. */
export interface Client {
  /** The client's address, or its network, as the limiter counts it. */
  readonly source: string;
  readonly userAgent: string | null;
  /** The address of the page that sends it, such as `https://coffer.example`. */
  readonly origin: string;
  /** The name or the address of the host, without a port. */
  readonly host: string;
  /** SHA-256 of the secret in the cookie; null without one. */
  readonly cookieHash: Uint8Array | null;
  /** The cookies of a browser in which users have signed in; they may be of anybody. */
  readonly deviceCookies: readonly string[];
}

/** A validated request that needs no authentication. */
export interface OpenRequest<D extends Declaration = Declaration> extends Omit<
  Request<D>,
  'identity' | 'bookId'
> {
  /** Null if the client sent no valid cookie or token. */
  readonly identity: Identity | null;
}

/** A read in transactions of its own, one after another. It may wait, or send events, between them. */
export function read<const D extends Declaration>(
  declaration: D,
  handler: (request: Request<D> & Following, engine: Engine) => Promise<ResultOf<D>>,
  options: ReadOptions<ValueOf<D['query']>> & { readonly inParts: true },
): Operation;
/** An operation that reads: GET, or POST without an effect. Its steps see one snapshot. */
export function read<const D extends Declaration>(
  declaration: D,
  handler: (request: Request<D>) => Steps<ResultOf<D>>,
  options?: ReadOptions<ValueOf<D['query']>>,
): Operation;
export function read(
  declaration: Declaration,
  handler: (request: Request & Following, engine: Engine) => unknown,
  options: ReadOptions<never> & { readonly inParts?: true } = {},
): Operation {
  const { method = 'GET', inParts, isOneStatement, isVolatile, isCached, state, admit } = options;
  const own: Perform = (engine, { following = notFollowing, ...request }) => {
    const call = () => handler({ ...typed(request), ...following }, engine);
    if (inParts === true) return call() as Promise<unknown>;
    const steps = call as () => Steps<unknown>;
    return isOneStatement === true ? engine.readStatement(steps) : engine.read(steps);
  };
  return {
    method,
    declaration,
    kind: 'read',
    state: isVolatile === true ? () => randomUUID() : (state ?? noState),
    // The query has passed the schema of the declaration.
    ...(isCached && { isCached: (query) => isCached === true || isCached(query as never) }),
    perform: own,
    run: (engine, request, perform = own) => {
      admit?.(request.identity, (request.following ?? notFollowing).signal);
      return perform(engine, request);
    },
  };
}

const noState = (): string => '';
const notFollowing: Following = { signal: new AbortController().signal, events: null };

/** An operation that changes records of the book: one transaction, one version. */
export function write<const D extends Declaration>(
  method: Exclude<Method, 'GET'>,
  declaration: D,
  handler: (request: Request<D>, change: Change) => Steps<ResultOf<D> | OtherResponse>,
): Operation {
  const own: Perform = (engine, request) => {
    const cause = causeOf(declaration, request);
    const work = (change: Change) => () => handler(typed<D>(request), change);
    return withValidCaller(engine, request.identity).write(
      () => changing(cause, (change) => onceInChange(declaration, request, work(change))),
      { signal: request.left },
    );
  };
  return { method, declaration, kind: 'write', state: noState, perform: own, run: running(own) };
}

function running(own: Perform): Operation['run'] {
  return (engine, request, perform = own) => perform(engine, request);
}

/** What the handler of an operation returns that opens its transactions itself. */
type OutsideResult<D extends Declaration> = ResultOf<D> | Accepted | WithCookies<ResultOf<D>>;

/** Options of an operation that opens its transactions itself. */
export interface OutsideOptions<D extends Declaration = Declaration> {
  /** Other callers wait for the same work, so it does not end with the session or the token of one of them. */
  readonly isShared?: boolean;
  /** Called first, in the thread of the process. A result that is not null is the response; then nothing follows. */
  readonly begin?: (request: Request<D>, engine: Engine) => Promise<OutsideResult<D> | null>;
}

/**
 * An operation that calls another server, and opens its transactions itself. None of them does anything after the
 * session or the token of the caller has ended, until the handler has returned.
 */
export function outside<const D extends Declaration>(
  method: Exclude<Method, 'GET'>,
  declaration: D,
  handler: (request: Request<D>, engine: Engine) => Promise<OutsideResult<D>>,
  { isShared = false, begin }: OutsideOptions<D> = {},
): Operation {
  const { needsSession = false } = declaration;
  const whileValid =
    (work: (request: Request<D>, engine: Engine) => Promise<unknown>): Perform =>
    (engine, request) => {
      const { identity } = request;
      let isOver = false;
      const own = needsSession
        ? withinSession(engine, identity)
        : withValidCaller(engine, identity, () => isOver);
      return work(typed<D>(request), isShared ? engine : own).finally(() => (isOver = true));
    };
  const own = whileValid(handler);
  const beginning = begin === undefined ? null : whileValid(begin);
  return {
    method,
    declaration,
    kind: 'outside',
    state: noState,
    perform: own,
    run: (engine, request, perform = own) => {
      const work = async () =>
        (await beginning?.(engine, request)) ?? (await perform(engine, request));
      return onceOutside(declaration, request, engine, work);
    },
  };
}

/** An operation that needs no authentication, and opens its transactions itself. */
export function open<const D extends Declaration>(
  method: Method,
  declaration: D,
  handler: (
    request: OpenRequest<D>,
    engine: Engine,
  ) => Promise<ResultOf<D> | WithCookies<ResultOf<D>>>,
): Operation {
  const own: Perform = (engine, request) => handler(typed<D>(request), engine);
  return { method, declaration, kind: 'open', state: noState, perform: own, run: running(own) };
}

/** Returns who changes the book in a request, and by which operation. */
export function causeOf({ id }: Declaration, { bookId, identity }: AnyRequest): Cause {
  return { bookId, actor: actorOf(identity), operation: id };
}

/** A user who is signed in is the same actor in every session. */
function actorOf({ token, user }: Identity): string {
  return token === null ? `user ${user.id}` : `token ${token.id}`;
}

/** The request's values have passed the schemas of the declaration, so they have its types. */
function typed<D extends Declaration>(request: AnyRequest): Request<D> {
  const refuse = (status: number, body: unknown): never => {
    throw new OwnRefusal(status, body);
  };
  return { ...request, refuse } as unknown as Request<D>;
}

/**
 * Runs the steps of a request once for each key: an equal request gets the first response again. The response is kept
 * in the transaction of the write, and only if the steps succeed. Call it while the book is locked.
 */
function* onceInChange<T>(
  declaration: Declaration,
  request: AnyRequest,
  work: () => Steps<T>,
): Steps<T | Replayed> {
  const key = keyOf(declaration, request);
  if (key === null) return yield* work();
  const earlier = yield* earlierRequest(key);
  if (earlier !== null) return replay(declaration, earlier);
  const body = yield* work();
  yield* keepResponse(key, responseOf(declaration, body));
  return body;
}

/**
 * Performs a request that opens its transactions itself once for each key. The key is claimed first: while the request
 * is under way, an equal one is refused with 409. A failed request gives the claim back; that of a process that ended
 * expires.
 */
async function onceOutside<T>(
  declaration: Declaration,
  request: AnyRequest,
  engine: Engine,
  work: () => Promise<T>,
): Promise<T | Replayed> {
  const key = keyOf(declaration, request);
  if (key === null) return work();
  const claim = randomUUID();
  const earlier = await engine.write(() => claimKey(key, claim));
  if (earlier !== null) return replay(declaration, earlier);
  let body: T;
  try {
    body = await work();
  } catch (error) {
    // The caller gets the first error. A claim that could not be given back expires.
    await engine.write(() => releaseClaim(key, claim)).catch(() => undefined);
    throw error;
  }
  const response = responseOf(declaration, body);
  // The work is done, whether or not its response could be kept.
  await engine.write(() => finishClaim(key, claim, response)).catch(() => undefined);
  return body;
}

function keyOf({ id }: Declaration, request: AnyRequest): RequestKey | null {
  const { bookId, identity, idempotencyKey: key, params, query, body } = request;
  if (key === undefined) return null;
  const fingerprint = fingerprintOf({ params, query, body });
  return { bookId, callerId: ownerOf(identity), operation: id, key, fingerprint };
}

/** Whose key it is. A session may end while a request waits in the browser; the user's next one sends it. */
function ownerOf({ callerId, session, user }: Identity): number {
  return session === null ? callerId : -user.id;
}

/** The hash of the validated values of a request. Files are hashed on their own, without copying them into a text. */
function fingerprintOf(values: object): string {
  const text = JSON.stringify(values, function (this: Record<string, unknown>, name, value) {
    const part = this[name];
    return part instanceof Uint8Array ? hash('sha256', part, 'base64url') : (value as unknown);
  });
  return hash('sha256', text, 'base64url');
}

function responseOf({ response, isSecret = false }: Declaration, result: unknown): KeptResponse {
  if (result instanceof OtherResponse)
    return { status: result.status, body: jsonText(result.body) };
  return { status: response.status, body: isSecret ? null : jsonText(result) };
}

/** Returns a body as pieces of JSON in UTF-8: the pieces that it is, or the value serialized. */
export function jsonPieces(body: unknown): readonly Uint8Array[] {
  const isPieces = Array.isArray(body) && body[0] instanceof Uint8Array;
  return isPieces ? (body as Uint8Array[]) : [Buffer.from(JSON.stringify(body))];
}

function jsonText(body: unknown): string | null {
  return body === undefined ? null : Buffer.concat(jsonPieces(body)).toString();
}

function replay({ isSecret = false }: Declaration, earlier: EarlierRequest): Replayed {
  if (earlier.is === 'different') throw new Problem('idempotencyKeyReused');
  if (earlier.is === 'under way') {
    // Most requests end long before their claim expires.
    throw new Problem('idempotencyKeyInUse', { headers: { 'retry-after': '1' } });
  }
  if (!isSecret) return new Replayed(earlier.response);
  const errMsg =
    'An equal request with this Idempotency-Key has succeeded. Its response has a secret, so it is not kept';
  throw new Problem('idempotencyKeyInUse', {
    headers: { 'retry-after': '86400' },
    details: [{ errMsg }],
  });
}

/** Operations that are declared together, when a path of theirs is requested for the first time. */
export interface Area {
  /** How their paths begin: `/v2/transactions/{}/attachments`. Braces are any segment. */
  readonly paths: readonly string[];
  /** Declares them if they are not yet. */
  readonly operations: () => readonly Operation[];
}

/** Returns the operations of all areas, in their order. */
export function allOf(areas: readonly Area[]): readonly Operation[] {
  return areas.flatMap((area) => area.operations());
}
