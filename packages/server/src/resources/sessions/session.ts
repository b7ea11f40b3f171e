import { instantOf, msOf } from '@coffer/core/dates';
import type { Identity, SessionOfCaller } from '../users/identity.ts';
import { longestPauseMs, recoveryMs } from './rules.ts';

/** Returns when a session ends if it is not used any more: ISO 8601. */
export function endOf({ seenAt, endsAt }: Pick<SessionOfCaller, 'seenAt' | 'endsAt'>): string {
  const paused = instantOf(msOf(seenAt) + longestPauseMs);
  return paused < endsAt ? paused : endsAt;
}

/** Whether a session was made by a link so recently that it may set a password without the old one. */
export function isRecovery({ method, createdAt }: SessionOfCaller, nowMs: number): boolean {
  return method === 'link' && nowMs - msOf(createdAt) < recoveryMs;
}

/** Returns the session of a caller. Throws without one, which is a bug: the operation needs a session. */
export function sessionOf({ session }: Identity): SessionOfCaller {
  if (session === null) throw new Error('The operation needs a session');
  return session;
}
