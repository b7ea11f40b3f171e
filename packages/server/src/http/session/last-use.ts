import type { FastifyReply } from 'fastify';
import type { Engine } from '../../db/engine.ts';
import { isDatabaseError } from '../../db/errors.ts';
import { touchSession } from '../../identity/sessions/actions.ts';
import { touchToken } from '../../identity/users/actions.ts';
import type { Identity } from '../../operations/caller.ts';

const touchIntervalMs = 60_000;
/** All are forgotten at once when full; then some last uses are written again. */
const maxRememberedTouches = 10_000;

/** Returns a function that records the use of a token or a session after the response, at most once a minute. */
export function lastUse(engine: Engine, now: () => number) {
  const touchedAtMs = new Map<number, number>();
  return (identity: Identity, reply: FastifyReply): void => {
    const { callerId, token, session } = identity;
    const atMs = now();
    const lastAt = token?.lastUsedAt ?? session?.seenAt ?? '';
    const lastMs = touchedAtMs.get(callerId) ?? Date.parse(lastAt);
    if (Math.abs(atMs - lastMs) < touchIntervalMs) return;
    if (touchedAtMs.size >= maxRememberedTouches) touchedAtMs.clear();
    touchedAtMs.set(callerId, atMs);
    const touch = () =>
      token === null ? touchSession(identity.session!.id) : touchToken(token.id);
    reply.raw.once('close', () => {
      engine.write(touch, { waitMs: 0 }).catch((error: unknown) => {
        // No request waits for this write or fails with it.
        if (!isDatabaseError(error, 'busy'))
          reply.log.warn({ err: error, callerId }, 'last use of a caller not recorded');
      });
    });
  };
}
