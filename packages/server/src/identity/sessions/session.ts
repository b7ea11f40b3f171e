import { instantOf, msOf } from '@coffer/core/dates';
import type { Identity, SessionOfCaller } from '../../operations/caller.ts';
import { longestPauseMs } from '../../db/live-sessions.ts';

/** Returns when a session ends if it is not used any more: ISO 8601. */
export function endOf({ seenAt, endsAt }: Pick<SessionOfCaller, 'seenAt' | 'endsAt'>): string {
  const paused = instantOf(msOf(seenAt) + longestPauseMs);
  return paused < endsAt ? paused : endsAt;
}

/** Returns the session of a caller. Throws without one, which is a bug: the operation needs a session. */
export function sessionOf({ session }: Identity): SessionOfCaller {
  if (session === null) throw new Error('The operation needs a session');
  return session;
}
