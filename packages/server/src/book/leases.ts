import sql from 'sql-template-tag';
import { hasToWait } from '@coffer/core/dates';
import { dialectOf, run, type Steps } from '../db/engine.ts';
import { find, rowAs } from '../db/rows.ts';
import { integer, text } from '../db/table.ts';
import { leases } from '../db/tables/tables.ts';
import { deleteUnlogged, insertUnlessTaken, updateUnlogged } from './unlogged.ts';

/** An exclusive right for a limited time, among all nodes of a database. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  /** Greater than that of every earlier holder; at least the database's time in microseconds since 1970. */
  readonly number: number;
}

/** No lease is taken for longer. */
export const mostLeaseMs = 10 * 60_000;

/**
 * Takes a lease for `durationMs` on the clock of the database. Returns null while another holder has it.
 *
 * The lease expires, so a node that dies does not block others for long. A holder that could not end it, because the
 * database was unavailable, can take it again and gets a new number.
 */
export function* takeLease(name: string, holder: string, durationMs: number): Steps<Lease | null> {
  const dialect = yield* dialectOf();
  yield* insertUnlessTaken(leases, { name, holder, expires_at_ms: 0, number: 0 });
  const lease = yield* rowAs(
    { holder: text, expires_at_ms: integer, number: integer, now_ms: integer },
    sql`SELECT holder, expires_at_ms, number, ${dialect.databaseNowMs} AS now_ms FROM leases
      WHERE name = ${name} ${dialect.lockingRows}`,
  );
  if (lease === undefined) return null;
  const isTaken = hasToWait(lease.expires_at_ms, lease.now_ms, mostLeaseMs);
  if (isTaken && lease.holder !== holder) return null;
  const number = Math.max(lease.number + 1, lease.now_ms * 1000);
  const expires_at_ms = lease.now_ms + durationMs;
  yield* updateUnlogged(leases, { name }, { holder, expires_at_ms, number });
  return { name, holder, number };
}

/** Whether no other holder has taken the lease since. Call it in the transaction that depends on the lease. */
export function* holdsLease({ name, holder, number }: Lease): Steps<boolean> {
  return (yield* find(leases, { name, holder, number })) !== undefined;
}

/** Ends a lease. Its number is kept. */
export function* endLease({ name, holder, number }: Lease): Steps<void> {
  yield* updateUnlogged(leases, { name, holder, number }, { expires_at_ms: 0 });
}

/** Deletes a lease for something that no longer exists. */
export function* forgetLease(name: string): Steps<void> {
  yield* deleteUnlogged(leases, { name });
}

/** Forgets every lease whose name begins with `prefix`. */
export function* forgetLeases(prefix: string): Steps<void> {
  yield* run(sql`DELETE FROM leases WHERE substr(name, 1, ${prefix.length}) = ${prefix}`);
}

/** How the names of the leases of a book's crypto accounts begin. */
export function cryptoLeasesOf(bookId: number): string {
  return `crypto ${bookId}/`;
}

/** How the names of the leases of a book's webhooks begin. */
export function webhookLeasesOf(bookId: number): string {
  return `webhook ${bookId}/`;
}
