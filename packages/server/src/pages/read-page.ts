import sql, { join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { Engine, Steps } from '../db/engine.ts';
import { row } from '../db/engine.ts';
import { findPageStart, type PeriodRanks, type RememberedCounts } from './counts.ts';
import type { Counts } from './counts.ts';
import { isCounted, showsListed } from './filter.ts';
import type { ShownKinds } from './filter.ts';
import { countedList, countedPage, filteredPage, listTransactions } from './pages.ts';
import type { BookState } from './pages.ts';
import type { TransactionPage, TransactionQuery } from './query.ts';
import type { RememberedKeys } from './remembered-keys.ts';

/**
 * Reads one page of a book whose state a caller has just seen, such as authentication. The page is of that state or of
 * a later one.
 *
 * It first reads without a transaction, often with one statement. The last statement proves that the book still has the
 * version that was seen. Versions only grow, so the statements before it saw the same state. If the book has changed,
 * the page is read again, in one transaction.
 */
export async function readPage(
  engine: Engine,
  state: BookState,
  query: TransactionQuery,
  remembered: RememberedKeys,
): Promise<TransactionPage> {
  const page = await engine.read(() => pageOfState(state, query, remembered), {
    onSnapshot: false,
  });
  return page ?? engine.read(() => listTransactions(state.bookId, query, remembered));
}

/** Reads a page of a state, and remembers what was read of it. Null if the book has changed. */
function pageOfState(
  state: BookState,
  query: TransactionQuery,
  remembered: RememberedKeys,
): Steps<TransactionPage | null> {
  return isCounted(query) ? byCounts(state, query, remembered) : byFilter(state, query, remembered);
}

function* byCounts(
  state: BookState,
  query: TransactionQuery,
  remembered: RememberedKeys,
): Steps<TransactionPage | null> {
  const list = countedList(state.bookId, query);
  const known = new CountsOfState(state, list.kinds, remembered.counts);
  const start = yield* findPageStart(list, query.offset, known);
  if (start === null) return showsListed(query) ? null : yield* byFilter(state, query, remembered);
  const page = yield* countedPage(state.bookId, query, start, sql`AND ${isUnchanged(state)}`);
  // Counts that were remembered need no proof: they are of the state.
  const isProven =
    start.date === null ? known.isRemembered || (yield* holds(state)) : page.json.length > 0;
  if (!isProven) return null;
  known.remember();
  return page;
}

function* byFilter(
  state: BookState,
  query: TransactionQuery,
  remembered: RememberedKeys,
): Steps<TransactionPage | null> {
  const guard = [isUnchanged(state)];
  const { rememberEnd, ...page } = yield* filteredPage(state, query, remembered, guard);
  if (page.json.length === 0 && !(yield* holds(state))) return null;
  rememberEnd();
  return page;
}

/** A condition that is the same for all rows: the book has the state. */
function isUnchanged({ databaseId, bookId, version }: BookState): Sql {
  return join(
    [
      sql`(SELECT version FROM books WHERE id = ${bookId}) = ${version}`,
      sql`(SELECT value FROM database_identity WHERE name = 'id') = ${databaseId}`,
    ],
    ' AND ',
  );
}

function* holds(state: BookState): Steps<boolean> {
  const found = yield* row(sql`SELECT 1 AS holds WHERE ${isUnchanged(state)}`);
  return found !== undefined;
}

/** The counts of the rows of some kinds, of a state: those remembered, and those that were just read. */
class CountsOfState implements Counts {
  readonly #state: string;
  readonly #remembered: RememberedCounts;
  readonly #read = new Map<number, PeriodRanks>();

  constructor(
    { databaseId, bookId, version }: BookState,
    { mask, bits }: ShownKinds,
    remembered: RememberedCounts,
  ) {
    this.#state = `${databaseId} ${bookId} ${version} ${mask} ${bits}`;
    this.#remembered = remembered;
  }

  get(month: number): PeriodRanks | undefined {
    return this.#read.get(month) ?? this.#remembered.find(`${this.#state} ${month}`);
  }

  set(month: number, ranks: PeriodRanks): void {
    this.#read.set(month, ranks);
  }

  get isRemembered(): boolean {
    return this.#read.size === 0;
  }

  /** Remembers what was read. It must be of the state. */
  remember(): void {
    for (const [month, ranks] of this.#read)
      this.#remembered.remember(`${this.#state} ${month}`, ranks);
  }
}
