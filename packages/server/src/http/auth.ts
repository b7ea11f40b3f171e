import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Identity } from '../resources/users/identity.ts';
import type { Engine } from '../db/engine.ts';
import { isDatabaseError } from '../db/errors.ts';
import { authenticate as identityBehind, touchToken } from '../resources/users/actions.ts';
import { isWellFormedToken, tokenHash } from '../resources/users/token.ts';
import { invalidToken, Problem } from '../wire/problem.ts';
import { headerLines } from './header-lines.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated user and book; null outside /v1/ and /v2/. */
    identity: Identity | null;
  }
}

const challenge = 'Bearer realm="coffer"';
const bearerPattern = /^bearer +([^ ]+)$/i;
const touchIntervalMs = 60_000;
/** All are forgotten at once when full; then some last uses are written again. */
const maxRememberedTouches = 10_000;

/**
 * Returns the hook that finds the user and the book of the access token, or ends the request with 401.
 *
 * It runs before routing, so that requests without a token do not reveal which paths exist. A text that cannot be a
 * token is refused without reading the database. After the response, the last use of the token is recorded, at most
 * once a minute. A failure of that is only logged.
 *
 * Source: part 5 of the specification; RFC 6750, 2.1 and 3.
 */
export function authenticate(engine: Engine, now: () => number): onRequestHookHandler {
  const noteUse = lastUse(engine, now);
  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const hash = tokenHash(tokenOf(request));
    const identity = await engine.readStatement(() => identityBehind(hash));
    if (identity === null) throw invalidToken();
    request.identity = identity;
    noteUse(identity, reply);
  };
  return (request, reply, done) => {
    identify(request, reply).then(() => done(), done);
  };
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
  if (!isWellFormedToken(token)) throw invalidToken();
  return token;
}

function missingToken(errMsg?: string): Problem {
  const headers = { 'www-authenticate': challenge };
  return new Problem('missingToken', errMsg ? { headers, details: [{ errMsg }] } : { headers });
}

/** Returns a function that records the use of a token after the response, at most once a minute. */
function lastUse(engine: Engine, now: () => number) {
  const touchedAtMs = new Map<number, number>();
  return ({ token }: Identity, reply: FastifyReply): void => {
    const atMs = now();
    const lastMs = touchedAtMs.get(token.id) ?? Date.parse(token.lastUsedAt ?? '');
    if (Math.abs(atMs - lastMs) < touchIntervalMs) return;
    if (touchedAtMs.size >= maxRememberedTouches) touchedAtMs.clear();
    touchedAtMs.set(token.id, atMs);
    reply.raw.once('close', () => {
      engine
        .write(() => touchToken(token.id), { waitMs: 0 })
        .catch((error: unknown) => {
          // No request waits for this write or fails with it.
          if (!isDatabaseError(error, 'busy'))
            reply.log.warn({ err: error, tokenId: token.id }, 'last use of a token not recorded');
        });
    });
  };
}
