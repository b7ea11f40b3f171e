import { hash } from 'node:crypto';
import sql from 'sql-template-tag';
import { instantOf } from '@coffer/core/dates';
import { deleteUnlogged, insertUnlessTaken, updateUnlogged } from '../../book/unlogged.ts';
import { context, dialectOf } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { columnList, rowAs } from '../../db/rows.ts';
import { signInFailures } from '../../db/tables/tables.ts';
import { Problem } from '../../operations/problem.ts';
import { inLowerCase } from '../users/actions.ts';
import { forgottenAfterMs, longestSlowingMs } from './rules.ts';

/** How many wrong passwords are free, and how long the wait becomes: a second, then twice as long each time. */
interface Slowing {
  readonly free: number;
  readonly longestMs: number;
}

/** What is slowed, by its name. */
const slowing = {
  /** Somebody who guesses in a browser in which the user has signed in. Strangers cannot keep its owner out. */
  device: { free: 10, longestMs: longestSlowingMs },
  /** Somebody who guesses the password of one account. */
  pair: { free: 10, longestMs: longestSlowingMs },
  /** Many who guess the password of one account. The wait is short, for owners in a new browser. */
  account: { free: 100, longestMs: 60_000 },
  /** Somebody who tries one password with many accounts. */
  source: { free: 50, longestMs: longestSlowingMs },
} as const satisfies Record<string, Slowing>;

/** Who tries a password for which account. The account need not exist. */
export interface Attempt {
  readonly email: string;
  /** The address of the client, or its network. */
  readonly source: string;
  /** The id of a browser in which the user of the account has signed in; null for any other. */
  readonly device: string | null;
}

type Failure = typeof signInFailures.columns;

/**
 * Counts a password as wrong before it is tried, so that attempts at the same time count too. Returns how long the
 * account or the source has to wait before the next one; then nothing is counted. {@link forgiveAttempt} takes it back.
 */
export function* countAttempt(attempt: Attempt): Steps<number> {
  const { nowMs } = yield* context();
  const forgotten_at = instantOf(nowMs + forgottenAfterMs);
  const all = [];
  for (const each of slowedBy(attempt)) {
    yield* insertUnlessTaken(signInFailures, { subject: each.subject, forgotten_at });
    all.push({ ...each, ...(yield* failuresOf(each.subject, each.longestMs, nowMs)) });
  }
  const waitMs = Math.max(...all.map((each) => each.waitMs));
  if (waitMs > 0) return waitMs;
  for (const { subject, free, longestMs, failures: before } of all) {
    const failures = before + 1;
    const nextMs =
      failures < free ? 0 : Math.min(longestMs, 1000 * 2 ** Math.min(failures - free, 30));
    const blocked_until_ms = nextMs === 0 ? 0 : nowMs + nextMs;
    yield* updateUnlogged(
      signInFailures,
      { subject },
      { failures, blocked_until_ms, forgotten_at },
    );
  }
  return 0;
}

/** Locks the failures of a subject, and returns how many count and how long it has to wait. */
function* failuresOf(subject: Uint8Array, longestMs: number, nowMs: number) {
  const found = yield* lockedFailures(subject);
  if (found === undefined || found.forgotten_at <= instantOf(nowMs))
    return { failures: 0, waitMs: 0 };
  const { failures, blocked_until_ms: untilMs } = found;
  // A longer wait was stored before the clock went back.
  const blocked_until_ms = Math.min(untilMs, nowMs + longestMs);
  if (blocked_until_ms < untilMs)
    yield* updateUnlogged(signInFailures, { subject }, { blocked_until_ms });
  return { failures, waitMs: blocked_until_ms - nowMs };
}

/** Takes the count of an attempt back, because the password was right. Its device or account and source begin again. */
export function* forgiveAttempt(attempt: Attempt): Steps<void> {
  for (const { name, subject } of slowedBy(attempt)) {
    const found = yield* lockedFailures(subject);
    if (found === undefined) continue;
    if (name === 'pair' || name === 'device') yield* deleteUnlogged(signInFailures, { subject });
    else {
      const failures = Math.max(0, found.failures - 1);
      yield* updateUnlogged(signInFailures, { subject }, { failures, blocked_until_ms: 0 });
    }
  }
}

function* lockedFailures(subject: Uint8Array) {
  const { lockingRows } = yield* dialectOf();
  return yield* rowAs<Failure>(
    signInFailures.columns,
    sql`SELECT ${columnList(signInFailures)} FROM sign_in_failures WHERE subject = ${subject} ${lockingRows}`,
  );
}

/** In the same order for all attempts, so that two never wait for each other. */
function slowedBy({ email, source, device }: Attempt) {
  const account = inLowerCase(email);
  const pair = JSON.stringify([account, source]);
  const texts = { account, pair, source, device: JSON.stringify([account, device]) };
  const names = device === null ? (['account', 'pair', 'source'] as const) : (['device'] as const);
  return names
    .map((name) => ({
      name,
      ...slowing[name],
      subject: hash('sha256', `${name} ${texts[name]}`, 'buffer'),
    }))
    .toSorted((one, other) => Buffer.compare(one.subject, other.subject));
}

/** Returns the response while somebody has to wait. */
export function slowed(waitMs: number): Problem {
  const seconds = Math.ceil(waitMs / 1000);
  const errMsg = `Too many wrong passwords: wait ${seconds} s before the next one`;
  return new Problem('tooManyRequests', {
    headers: { 'retry-after': String(seconds) },
    details: [{ errMsg }],
  });
}
