import { instantOf } from '@coffer/core/dates';
import type { Job } from '../../book/job.ts';
import { deleteUpTo } from '../../book/unlogged.ts';
import type { Steps } from '../../db/engine.ts';
import {
  passkeyChallenges,
  sessions,
  signInFailures,
  signInLinks,
} from '../../db/tables/tables.ts';
import { pausedSince } from '../../db/live-sessions.ts';

/**
 * The job that deletes sessions, links and challenges that have expired, and wrong passwords that no longer count. They
 * have no effect before it runs either.
 */
export const sessionsJob: Job = {
  name: 'sessions',
  everyMs: 60 * 60 * 1000,
  run: (engine, nowMs) => engine.write(() => deleteExpired(nowMs)),
};

function* deleteExpired(nowMs: number): Steps<void> {
  const at = instantOf(nowMs);
  yield* deleteUpTo(sessions, 'ends_at', at);
  yield* deleteUpTo(sessions, 'seen_at', pausedSince(nowMs));
  yield* deleteUpTo(signInLinks, 'expires_at', at);
  yield* deleteUpTo(passkeyChallenges, 'expires_at', at);
  yield* deleteUpTo(signInFailures, 'forgotten_at', at);
}
