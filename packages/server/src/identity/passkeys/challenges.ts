import { randomBytes } from 'node:crypto';
import sql from 'sql-template-tag';
import { hasToWait, instantOf, msOf } from '@coffer/core/dates';
import { deleteUnlogged, deleteUpTo, insertUnlogged } from '../../book/unlogged.ts';
import { context, dialectOf, row } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { columnList, rowAs } from '../../db/rows.ts';
import { passkeyChallenges } from '../../db/tables/tables.ts';
import { challengeBytes, challengeMs, mostChallenges } from './rules.ts';

/** Makes a challenge: for the user who creates a passkey, or null for one who signs in. */
export function* createChallenge(userId: number | null): Steps<Uint8Array> {
  const { nowMs } = yield* context();
  const challenge: Uint8Array = randomBytes(challengeBytes);
  const expires_at = instantOf(nowMs + challengeMs);
  if (userId === null) yield* dropOldest();
  yield* insertUnlogged(passkeyChallenges, { challenge, user_id: userId, expires_at });
  return challenge;
}

/** Anybody can ask for challenges to sign in: the newest are kept, so that they need a bounded place. */
function* dropOldest(): Steps<void> {
  const last = yield* row<{ id: number }>(
    sql`SELECT id FROM passkey_challenges WHERE user_id IS NULL
      ORDER BY id DESC LIMIT 1 OFFSET ${mostChallenges - 1}`,
  );
  if (last !== undefined) yield* deleteUpTo(passkeyChallenges, 'id', last.id, { user_id: null });
}

/** Uses a challenge up, whatever follows. Returns false if it is unknown, used, expired, or of another user. */
export function* takeChallenge(challenge: Uint8Array, userId: number | null): Steps<boolean> {
  const { nowMs } = yield* context();
  const { lockingRows } = yield* dialectOf();
  const found = yield* rowAs(
    passkeyChallenges.columns,
    sql`SELECT ${columnList(passkeyChallenges)} FROM passkey_challenges
      WHERE challenge = ${challenge} ${lockingRows}`,
  );
  if (found === undefined) return false;
  yield* deleteUnlogged(passkeyChallenges, { id: found.id });
  // One that lasts longer was made before the clock went back.
  return found.user_id === userId && hasToWait(msOf(found.expires_at), nowMs, challengeMs);
}
