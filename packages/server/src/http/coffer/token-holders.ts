import type { FastifyRequest } from 'fastify';
import type { Engine } from '../../db/engine.ts';
import { authenticate } from '../../identity/users/actions.ts';
import { tokenHash } from '../../identity/users/token.ts';
import { tokenOf } from '../session/auth.ts';

const keptMs = 1000;
const maxLookUpsPerSecond = 5;
const maxKept = 100;

/**
 * Returns a function that checks whether a request has a valid access token, with at most five queries a second: it is
 * for paths without a rate limit.
 *
 * A valid token stays valid for a second, and for as long as the database does not respond. `now` in milliseconds.
 */
export function tokenHolders(engine: Pick<Engine, 'readStatement'>, now: () => number) {
  /** When each token was last found valid, by its hash in hexadecimal, the latest last. */
  const goodAtMs = new Map<string, number>();
  const mayLookUp = allowance(now);
  return async (request: FastifyRequest): Promise<boolean> => {
    const hash = hashIn(request);
    if (hash === undefined) return false;
    const key = Buffer.from(hash).toString('hex');
    const knownAtMs = goodAtMs.get(key);
    if (knownAtMs !== undefined && Math.abs(now() - knownAtMs) < keptMs) return true;
    const isKnown = knownAtMs !== undefined;
    if (!mayLookUp()) return isKnown;
    const isGood = await isTokenOfUser(engine, hash, isKnown);
    goodAtMs.delete(key);
    if (isGood) goodAtMs.set(key, now());
    for (const oldest of goodAtMs.keys()) if (goodAtMs.size > maxKept) goodAtMs.delete(oldest);
    return isGood;
  };
}

function hashIn(request: FastifyRequest): Uint8Array | undefined {
  try {
    return tokenHash(tokenOf(request));
  } catch {
    return undefined;
  }
}

async function isTokenOfUser(
  engine: Pick<Engine, 'readStatement'>,
  hash: Uint8Array,
  otherwise: boolean,
): Promise<boolean> {
  try {
    return (await engine.readStatement(() => authenticate(hash))) !== null;
  } catch {
    return otherwise;
  }
}

/** True at most {@link maxLookUpsPerSecond} times in a second. */
function allowance(now: () => number): () => boolean {
  let second = NaN;
  let taken = 0;
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, taken] = [current, 0];
    taken += 1;
    return taken <= maxLookUpsPerSecond;
  };
}
