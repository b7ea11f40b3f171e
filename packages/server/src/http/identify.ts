import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Identity } from '../operations/caller.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { touchSession, bookOfSession, identityOfSession } from '../identity/sessions/actions.ts';
import {
  touchToken,
  bookOfToken,
  identityOfToken,
  isWellFormedToken,
  sha256,
} from '../identity/users/actions.ts';
import { endedSession, invalidToken, Problem, forbidden } from '../operations/problem.ts';
import {
  cookieHashOf,
  deviceCookiesOf,
  originOf,
  sourceOf,
  refuseUnknownHost,
  hostnameOf,
  headerLines,
} from './client.ts';
import type { ProxyOptions, KnownHosts } from './client.ts';
import type { KnownSessions } from './limit.ts';
import { prefixOf, routeOf } from './routes.ts';
import { isDatabaseError } from '../db/errors.ts';
import type { Client } from '../operations/operation.ts';
import { instantOf } from '@coffer/core/dates';

/** All are forgotten at once when full; then their books are looked up again. */
const maxRemembered = 10_000;

/**
 * Finds callers by statements that name their book, so that a database spread by book asks one shard only.
 *
 * The first request of a token or a session looks up its book, in a table that belongs to no book; the book is
 * remembered, because it never changes. Whether the caller is valid is read each time.
 */
export class CallerBooks {
  readonly #engine: Pick<Engine, 'readStatement'>;
  /** By the text of the hash. */
  readonly #books = new Map<string, number>();

  constructor(engine: Pick<Engine, 'readStatement'>) {
    this.#engine = engine;
  }

  /** Returns the identity of the hash of a token, or null when it is unknown, revoked or expired. */
  ofToken(hash: Uint8Array): Promise<Identity | null> {
    return this.#identity(hash, bookOfToken, identityOfToken);
  }

  /** Returns the identity of the hash of a session's secret, or null when it is unknown or has ended. */
  ofSession(hash: Uint8Array): Promise<Identity | null> {
    return this.#identity(hash, bookOfSession, identityOfSession);
  }

  async #identity(
    hash: Uint8Array,
    bookOf: (hash: Uint8Array) => Steps<number | null>,
    identityOf: (hash: Uint8Array, bookId: number) => Steps<Identity | null>,
  ): Promise<Identity | null> {
    const key = Buffer.from(hash).toString('latin1');
    const known = this.#books.get(key);
    const bookId = known ?? (await this.#engine.readStatement(() => bookOf(hash)));
    if (bookId === null) return null;
    const identity = await this.#engine.readStatement(() => identityOf(hash, bookId));
    if (identity === null) this.#books.delete(key);
    else if (known === undefined) this.#remember(key, bookId);
    return identity;
  }

  #remember(key: string, bookId: number): void {
    if (this.#books.size >= maxRemembered) this.#books.clear();
    this.#books.set(key, bookId);
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated user and book; null outside /v1/, /v2/ and /coffer/, and for nobody in open operations. */
    identity: Identity | null;
  }
}

const challenge = 'Bearer realm="coffer"';
const bearerPattern = /^bearer +([^ ]+)$/i;

/** What authentication depends on. */
export interface AuthOptions extends ProxyOptions, KnownHosts {
  readonly engine: Engine;
  readonly now: () => number;
  readonly knownSessions: KnownSessions;
}

/**
 * Returns the hook that finds the user and the book of the access token, or of the cookie, or ends the request with
 * 401. A route that is open goes on without either. Under /v1/, the token can be in the query.
 *
 * It runs before routing, so that requests without a token do not reveal which paths exist. A text that cannot be a
 * token is refused without reading the database. After the response, the last use of the token or of the session is
 * recorded, at most once a minute. A failure of that is only logged.
 *
 * A request with a cookie, and an open one, must be for a name of the service (421) and not from a page of another site
 * (403). A token takes precedence over a cookie, and needs neither: browsers never add it by themselves.
 *
 * Source: part 5 of the specification; RFC 6750, 2.1 and 3.
 */
export function authenticate(options: AuthOptions): onRequestHookHandler {
  const { engine, now } = options;
  const noteUse = lastUse(engine, now);
  const callers = new CallerBooks(engine);
  const find = async (request: FastifyRequest): Promise<Identity | null> => {
    const isOpen = routeOf(request)?.isOpen === true;
    const hasHeader = headerLines(request.raw.rawHeaders, 'authorization').length > 0;
    const parameter = hasHeader ? null : tokenInQuery(request);
    if (parameter !== null) return ofToken(callers, wellFormed(parameter));
    const cookie = hasHeader ? null : cookieHashOf(request, options);
    if (isOpen || cookie !== null) {
      refuseUnknownHost(request.raw.headers.host, options);
      refuseOtherSites(request, originOf(request, options), cookie !== null);
    }
    if (cookie !== null) {
      refuseForms(request);
      return ofSession(callers, cookie, isOpen, options);
    }
    return isOpen && !hasHeader ? null : ofToken(callers, tokenOf(request));
  };
  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.identity = await find(request);
    if (request.identity !== null) noteUse(request.identity, reply);
  };
  return (request, reply, done) => {
    identify(request, reply).then(() => done(), done);
  };
}

const touchIntervalMs = 60_000;
/** All are forgotten at once when full; then some last uses are written again. */
const maxRememberedTouches = 10_000;

/**
 * Returns a function that records the use of a token or a session after the response, at most once a minute.
 *
 * While others hold the lock of the database, uses are collected in memory and then written together. No request waits
 * for that or fails with it.
 */
function lastUse(engine: Engine, now: () => number) {
  const touchedAtMs = new Map<number, number>();
  const unwritten = new Map<number, string>();
  let isWriting = false;
  const write = async (log: FastifyReply['log']): Promise<void> => {
    isWriting = true;
    try {
      while (unwritten.size > 0) {
        const written = await engine.write(() => touchAll([...unwritten]));
        for (const [callerId, at] of written)
          if (unwritten.get(callerId) === at) unwritten.delete(callerId);
      }
    } catch (error) {
      // The next use writes them.
      if (!isDatabaseError(error, 'busy')) log.warn({ err: error }, 'last uses not recorded');
    }
    isWriting = false;
  };
  return (identity: Identity, reply: FastifyReply): void => {
    const { callerId, token, session } = identity;
    const atMs = now();
    const lastAt = token?.lastUsedAt ?? session?.seenAt ?? '';
    const lastMs = touchedAtMs.get(callerId) ?? Date.parse(lastAt);
    if (Math.abs(atMs - lastMs) < touchIntervalMs) return;
    if (touchedAtMs.size >= maxRememberedTouches) touchedAtMs.clear();
    touchedAtMs.set(callerId, atMs);
    reply.raw.once('close', () => {
      if (unwritten.size >= maxRememberedTouches) unwritten.clear();
      unwritten.set(callerId, instantOf(atMs));
      if (!isWriting) void write(reply.log);
    });
  };
}

/** Stores when callers were used, and returns them. */
function* touchAll(uses: readonly (readonly [callerId: number, at: string])[]): Steps<typeof uses> {
  for (const [id, at] of uses) yield* id < 0 ? touchSession(-id, at) : touchToken(id, at);
  return uses;
}

async function ofSession(
  callers: CallerBooks,
  hash: Uint8Array,
  isOpen: boolean,
  { knownSessions }: AuthOptions,
): Promise<Identity | null> {
  const identity = await callers.ofSession(hash);
  knownSessions.note(hash, identity !== null);
  if (identity === null && !isOpen) throw endedSession();
  return identity;
}

async function ofToken(callers: CallerBooks, token: string): Promise<Identity> {
  const identity = await callers.ofToken(sha256(token));
  if (identity === null) throw invalidToken();
  return identity;
}

/** Returns the identity that {@link authenticate} found. Throws when the hook did not run, which is a bug. */
export function identityOf(request: FastifyRequest): Identity {
  if (request.identity === null) throw new Error('The request was not authenticated');
  return request.identity;
}

/** Returns the access token of a request. Throws a {@link Problem} when it is missing or cannot be a token. */
export function tokenOf(request: FastifyRequest): string {
  const lines = headerLines(request.raw.rawHeaders, 'authorization');
  if (lines.length > 1) throw missingToken('More than one authorization header');
  const token = bearerPattern.exec(lines[0] ?? '')?.[1];
  if (token === undefined) throw missingToken();
  return wellFormed(token);
}

function wellFormed(token: string): string {
  if (!isWellFormedToken(token)) throw invalidToken();
  return token;
}

/** v1 also has the token as a parameter of the query, which its documents discourage. Null without one. */
function tokenInQuery(request: FastifyRequest): string | null {
  if (prefixOf(request) !== '/v1/') return null;
  // The router parses no query after a path that it cannot decode.
  const { text } = (request.query ?? {}) as { text?: string };
  return new URLSearchParams(text).get('access_token');
}

function missingToken(errMsg?: string): Problem {
  const headers = { 'www-authenticate': challenge };
  return new Problem('missingToken', errMsg ? { headers, details: [{ errMsg }] } : { headers });
}

/** Returns what a request says about its client. */
export function clientOf(request: FastifyRequest, proxy: ProxyOptions): Client {
  const { headers } = request.raw;
  const origin = originOf(request, proxy);
  return {
    source: sourceOf(request, proxy.trustedProxies),
    userAgent: headers['user-agent'] ?? null,
    origin,
    host: hostnameOf(new URL(origin).host),
    cookieHash: cookieHashOf(request, proxy),
    deviceCookies: deviceCookiesOf(request, proxy),
  };
}

const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses a request that a page of another site made a browser send, with 403: one that is not from a page of this
 * origin, by `Sec-Fetch-Site` or else by `Origin`. Methods that change nothing are allowed.
 *
 * A request with neither header is of no current browser. It is refused if it has a cookie.
 */
function refuseOtherSites(
  { method, headers }: FastifyRequest,
  origin: string,
  hasCookie: boolean,
): void {
  if (safeMethods.includes(method)) return;
  const { 'sec-fetch-site': site, origin: sent } = headers;
  if (site === undefined && sent === undefined && !hasCookie) return;
  const isOwn = site === undefined ? hostOf(sent) === hostOf(origin) : site === 'same-origin';
  if (!isOwn) throw new Problem('forbidden');
}

/**
 * Refuses what a form of another site can send without a preflight, with 403: a body, or a POST, that is neither
 * `application/json` nor has the header `x-coffer-upload`.
 */
function refuseForms({ method, headers }: FastifyRequest): void {
  if (safeMethods.includes(method)) return;
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody && method !== 'POST') return;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === 'application/json') return;
  if (headers['x-coffer-upload'] !== undefined) return;
  throw forbidden(
    'A request with a cookie must have the type application/json, or the header x-coffer-upload',
  );
}

function hostOf(origin: string | undefined): string | undefined {
  return origin === undefined ? undefined : URL.parse(origin)?.host;
}
