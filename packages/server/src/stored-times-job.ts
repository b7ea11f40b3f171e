import { keptTypedMs } from './book/idempotency.ts';
import type { Job } from './jobs/scheduler.ts';
import { mostLeaseMs } from './book/leases.ts';
import { hasTooLate, shorten, type StoredTime } from './book/unlogged.ts';
import type { Engine } from './db/engine.ts';
import {
  books,
  cryptocurrencyPrices,
  idempotencyKeys,
  importPreviews,
  leases,
  passkeyChallenges,
  sessions,
  signInFailures,
  signInLinks,
  webhooks,
} from './db/tables/tables.ts';
import { challengeMs } from './identity/passkeys/actions.ts';
import {
  forgottenAfterMs,
  linkMs,
  longestSessionMs,
  longestSlowingMs,
} from './identity/sessions/actions.ts';
import { importWorkMs } from './identity/users/actions.ts';
import { workerMs } from './imports/operations/import-service.ts';
import { previewMs } from './imports/operations/preview-records.ts';
import { mostKeptSecretHours, retryTiming } from './webhooks/rules.ts';

const hourMs = 3_600_000;

/** Every stored time that others wait for, or that ends what is allowed. */
export const storedTimes: readonly StoredTime[] = [
  { table: sessions, column: 'ends_at', longestMs: longestSessionMs },
  { table: sessions, column: 'seen_at', longestMs: 0 },
  { table: signInLinks, column: 'expires_at', longestMs: linkMs },
  { table: passkeyChallenges, column: 'expires_at', longestMs: challengeMs },
  { table: signInFailures, column: 'blocked_until_ms', longestMs: longestSlowingMs },
  { table: signInFailures, column: 'forgotten_at', longestMs: forgottenAfterMs },
  { table: importPreviews, column: 'expires_at_ms', longestMs: previewMs },
  { table: importPreviews, column: 'worker_until_ms', longestMs: workerMs },
  { table: books, column: 'incomplete_until_ms', longestMs: importWorkMs },
  { table: webhooks, column: 'old_secret_until_ms', longestMs: mostKeptSecretHours * hourMs },
  { table: webhooks, column: 'next_attempt_ms', longestMs: retryTiming.mostRetryAfterMs },
  { table: webhooks, column: 'failing_since_ms', longestMs: 0 },
  { table: cryptocurrencyPrices, column: 'as_of', longestMs: 0 },
  { table: idempotencyKeys, column: 'expires_at_ms', longestMs: keptTypedMs, clock: 'database' },
  { table: leases, column: 'expires_at_ms', longestMs: mostLeaseMs, clock: 'database' },
];

/**
 * The job that shortens stored times that are further ahead than they can be: they were stored before the clock went
 * back. They become as long as the longest, so that nobody waits, and nothing stays allowed, until the clock is there.
 */
export const storedTimesJob: Job = {
  name: 'stored times',
  everyMs: hourMs,
  async run(engine: Engine): Promise<void> {
    // Most runs find nothing, so they lock nothing.
    for (const each of storedTimes)
      if (await engine.read(() => hasTooLate(each))) await engine.write(() => shorten(each));
  },
};
