import { hash } from 'node:crypto';
import sql from 'sql-template-tag';
import { instantOf } from '@coffer/core/dates';
import { deleteUnlogged, insertUnlessTaken, updateUnlogged } from '../../changes/unlogged.ts';
import { context, dialectOf } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { columnList, rowAs } from '../../db/rows.ts';
import { signInFailures } from '../../db/tables.ts';
import { Problem } from '../../wire/problem.ts';
import { inLowerCase } from '../users/actions.ts';

/** How many wrong passwords are free, and how long the wait becomes: a second, then twice as long each time. */
interface Slowing {
  readonly free: number;
  readonly longestMs: number;
}

/** What is slowed, by its name. */
const slowing = {
  /** Somebody who guesses the password of one account. */
  pair: { free: 10, longestMs: 15 * 60_000 },
  /** Many who guess the password of one account. The wait is short, so that they cannot keep its owner out. */
  account: { free: 100, longestMs: 60_000 },
  /** Somebody who tries one password with many accounts. */
  source: { free: 50, longestMs: 15 * 60_000 },
} as const satisfies Record<string, Slowing>;

const forgottenAfterMs = 24 * 60 * 60_000;

/** Who tries a password for which account. The account need not exist. */
export interface Attempt {
  readonly email: string;
  /** The address of the client, or its network. */
  readonly source: string;
}

type Failure = typeof signInFailures.columns;

/**
 * Counts a password as wrong before it is tried, so that attempts at the same time count too. Throws a Problem, 429,
 * while the account or the source has to wait. {@link forgiveAttempt} takes it back.
 */
export function* countAttempt(attempt: Attempt): Steps<void> {
  const { nowMs } = yield* context();
  const expires = instantOf(nowMs + forgottenAfterMs);
  for (const { subject, free, longestMs } of slowedBy(attempt)) {
    yield* insertUnlessTaken(signInFailures, { subject, forgotten_at: expires });
    const found = yield* lockedFailures(subject);
    const isOld = found === undefined || found.forgotten_at <= instantOf(nowMs);
    if (!isOld && found.blocked_until_ms > nowMs) throw slowed(found.blocked_until_ms - nowMs);
    const failures = (isOld ? 0 : found.failures) + 1;
    const waitMs =
      failures < free ? 0 : Math.min(longestMs, 1000 * 2 ** Math.min(failures - free, 30));
    const blocked_until_ms = waitMs === 0 ? 0 : nowMs + waitMs;
    const values = { failures, blocked_until_ms, forgotten_at: expires };
    yield* updateUnlogged(signInFailures, { subject }, values);
  }
}

/** Takes the count of an attempt back, because the password was right. Its account and source begin at 0 again. */
export function* forgiveAttempt(attempt: Attempt): Steps<void> {
  for (const { name, subject } of slowedBy(attempt)) {
    const found = yield* lockedFailures(subject);
    if (found === undefined) continue;
    if (name === 'pair') yield* deleteUnlogged(signInFailures, { subject });
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
function slowedBy({ email, source }: Attempt) {
  const account = inLowerCase(email);
  const texts = { account, pair: JSON.stringify([account, source]), source };
  return (['account', 'pair', 'source'] as const)
    .map((name) => ({
      ...{ name, ...slowing[name] },
      subject: hash('sha256', `${name} ${texts[name]}`, 'buffer'),
    }))
    .toSorted((one, other) => Buffer.compare(one.subject, other.subject));
}

function slowed(waitMs: number): Problem {
  const seconds = Math.ceil(waitMs / 1000);
  const errMsg = `Too many wrong passwords: wait ${seconds} s before the next one`;
  return new Problem('tooManyRequests', {
    headers: { 'retry-after': String(seconds) },
    details: [{ errMsg }],
  });
}
