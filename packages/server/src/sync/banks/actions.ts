import { clockSkewMs, hasToWait, instantOf } from '@coffer/core/dates';
import sql from 'sql-template-tag';
import { changing, type Cause, type Change } from '../../book/change.ts';
import { forgetLease } from '../../book/leases.ts';
import { insertUnlessTaken, updateUnlogged } from '../../book/unlogged.ts';
import { context, type Engine, type Steps } from '../../db/engine.ts';
import { find, rowsAs, select } from '../../db/rows.ts';
import { integer, type Row, type RowUpdate } from '../../db/table.ts';
import { connections, plaidAccounts, syncRequests } from '../../db/tables/tables.ts';
import { ownerOf } from '../../identity/users/actions.ts';
import type { BankProvider, DayRange } from './rules.ts';

export type Connection = Row<typeof connections>;

/** A connection to create. */
type NewConnection = Pick<Connection, 'name' | 'sealed_credentials'> & {
  readonly provider: BankProvider;
};

/** Returns the name of the lease that a reading of a connection needs. */
export function connectionLease({ book_id, id }: Pick<Connection, 'book_id' | 'id'>): string {
  return `connection ${book_id}/${id}`;
}

/** Stores a new connection, created by the user of the book. */
export function addConnection(
  engine: Engine,
  cause: Cause,
  connection: NewConnection,
): Promise<Connection> {
  return engine.write(() =>
    changing(cause, function* (change) {
      return yield* change.insert(connections, {
        ...connection,
        status: 'active',
        created_by_name: yield* ownerOf(cause.bookId),
      });
    }),
  );
}

/** Returns the connections of a book by id. */
export function* listConnections(bookId: number): Steps<Connection[]> {
  return yield* select(connections, { book_id: bookId });
}

/** Returns a connection of a book, or undefined. */
export function* findConnection(bookId: number, id: number): Steps<Connection | undefined> {
  return yield* find(connections, { book_id: bookId, id });
}

/**
 * Removes a connection with its credentials; false when the book has no such connection. Its accounts stay, with their
 * transactions and the status `revoked`; another connection to the same bank takes them over.
 */
export function removeConnection(engine: Engine, cause: Cause, id: number): Promise<boolean> {
  return engine.write(() =>
    changing(cause, function* (change) {
      const connection = yield* findConnection(cause.bookId, id);
      if (connection === undefined) return false;
      yield* updateAccounts(change, connection, { status: 'revoked', connection_id: null });
      yield* change.remove(connections, connection);
      yield* forgetLease(connectionLease(connection));
      return true;
    }),
  );
}

/** Sets columns of the accounts of a connection. */
export function* updateAccounts(
  change: Change,
  { book_id, id }: Connection,
  columns: RowUpdate<typeof plaidAccounts>,
): Steps<void> {
  const accounts = yield* select(plaidAccounts, { book_id, connection_id: id });
  yield* change.updateAll(plaidAccounts, accounts, columns);
}

/** How often a book may request to read its connections. */
const requestIntervalMs = 60_000;

/** A request to read the connections of a book soon. */
export interface SyncRequest {
  readonly range: DayRange | null;
  /** The account whose connection to read; null for all connections. */
  readonly accountId: number | null;
}

/** Stores a request to read the connections of a book. Returns false within a minute of the last request. */
export function* requestSync(bookId: number, { range, accountId }: SyncRequest): Steps<boolean> {
  const { nowMs } = yield* context();
  const columns = {
    requested_at_ms: Math.floor(nowMs),
    first_date: range?.from ?? null,
    last_date: range?.to ?? null,
    plaid_account_id: accountId,
    is_done: 0,
  };
  const made = yield* insertUnlessTaken(syncRequests, { book_id: bookId, ...columns });
  if (made !== undefined) return true;
  const last = yield* find(syncRequests, { book_id: bookId });
  if (
    last !== undefined &&
    hasToWait(last.requested_at_ms + requestIntervalMs, nowMs, requestIntervalMs)
  )
    return false;
  yield* updateUnlogged(syncRequests, { book_id: bookId }, columns);
  return true;
}

/** A connection to read now. */
export interface DueConnection {
  readonly connection: Connection;
  /** The requested days; null for the days since the last reading. */
  readonly range: DayRange | null;
  readonly isRequested: boolean;
}

const inBook = { book_id: integer, id: integer };

/**
 * Returns the connections that were requested, and those that were last read before `before` (ISO 8601), or in the
 * future, because the clock went back since.
 */
export function* dueConnections(before: string, nowMs: number): Steps<DueConnection[]> {
  const requested = yield* select(syncRequests, { is_done: 0 });
  const due = yield* rowsAs(
    inBook,
    sql`SELECT book_id, id FROM connections
      WHERE status <> 'relink' AND (last_read IS NULL OR last_read < ${before}
        OR last_read > ${instantOf(nowMs + clockSkewMs)})`,
  );
  const all: DueConnection[] = [];
  for (const request of requested) {
    const { first_date: from, last_date: to } = request;
    const range = from === null || to === null ? null : { from, to };
    for (const connection of yield* requestedOf(request))
      all.push({ connection, range, isRequested: true });
  }
  const isNew = (one: { book_id: number; id: number }): boolean =>
    !all.some(({ connection: { book_id, id } }) => book_id === one.book_id && id === one.id);
  for (const { book_id, id } of due.filter(isNew)) {
    const connection = yield* find(connections, { book_id, id });
    if (connection !== undefined) all.push({ connection, range: null, isRequested: false });
  }
  return all;
}

function* requestedOf({
  book_id,
  plaid_account_id: accountId,
}: Row<typeof syncRequests>): Steps<Connection[]> {
  if (accountId === null) return yield* listConnections(book_id);
  const account = yield* find(plaidAccounts, { book_id, id: accountId });
  return yield* select(connections, { book_id, id: account?.connection_id ?? 0 });
}

/** Marks the requests of books as done, unless a newer one arrived. */
export function* finishRequests(readAtMs: number): Steps<void> {
  const { nowMs } = yield* context();
  for (const { book_id, requested_at_ms } of yield* select(syncRequests, { is_done: 0 }))
    // One of the future was made before the clock went back.
    if (requested_at_ms <= readAtMs || requested_at_ms > nowMs + clockSkewMs)
      yield* updateUnlogged(syncRequests, { book_id, requested_at_ms }, { is_done: 1 });
}
