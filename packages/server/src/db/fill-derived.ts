import { countedStatuses, kindColumn } from './derived-counts.ts';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import {
  accountSums,
  addPayees,
  daysOfAccounts,
  searchedText,
  sumsOfActivity,
} from './derived-tables.ts';
import type { Summing } from './derived-tables.ts';
import { dialectOf, run, type Steps } from './engine.ts';
import { rowAs, rowsAs } from './rows.ts';
import { integer, text } from './table.ts';

/** Derived tables of a book lack changes: {@link fillDerived} and `followAll` must run first. */
export class DerivedOutdatedError extends Error {
  override name = 'DerivedOutdatedError';
  readonly bookId: number;

  constructor(bookId: number) {
    super(`The derived tables of book ${bookId} are not up to date`);
    this.bookId = bookId;
  }
}

const versions = { version: integer, derived_version: integer };

/**
 * Returns the version of a book whose sums and payees are read. Throws a {@link DerivedOutdatedError} if they lack a
 * change.
 */
export function* derivedVersion(bookId: number): Steps<number> {
  const book = yield* rowAs(
    versions,
    sql`SELECT version, derived_version FROM books WHERE id = ${bookId}`,
  );
  if (book === undefined) return 0;
  if (book.version !== book.derived_version) throw new DerivedOutdatedError(bookId);
  return book.version;
}

/** Returns the books whose derived tables lack a change. */
export function* outdatedBooks(): Steps<number[]> {
  const outdated = yield* rowsAs(
    { id: integer },
    sql`SELECT id FROM books
      WHERE derived_version <> version OR hidden_counts_version <> version OR activity_version <> version
        OR account_days_version <> version
      ORDER BY id`,
  );
  return outdated.map(({ id }) => id);
}

/**
 * Fills the derived tables of a book that lack a change: when an older node or a development version has written, or
 * the table is new.
 *
 * Each statement reads a part of the book, because a server limits their time.
 */
export function* fillDerived(bookId: number): Steps<void> {
  const { lockingRows } = yield* dialectOf();
  const book = yield* rowAs(
    {
      ...versions,
      hidden_counts_version: integer,
      activity_version: integer,
      account_days_version: integer,
    },
    sql`SELECT version, derived_version, hidden_counts_version, activity_version, account_days_version FROM books
      WHERE id = ${bookId} ${lockingRows}`,
  );
  if (book === undefined) return;
  if (book.version !== book.derived_version) {
    yield* fillPayees(bookId);
    yield* fillSums(bookId, accountSums);
    // A node of the first release searches notes in the texts: it must fill them itself.
    yield* run(sql`UPDATE books SET derived_version = version, texts_version = 0
      WHERE id = ${bookId}`);
  }
  if (book.version !== book.hidden_counts_version) {
    yield* fillHiddenCounts(bookId);
    yield* run(sql`UPDATE books SET hidden_counts_version = version WHERE id = ${bookId}`);
  }
  if (book.version !== book.activity_version) {
    yield* fillStatusCounts(bookId);
    yield* fillSums(bookId, sumsOfActivity);
    yield* run(sql`UPDATE books SET activity_version = version WHERE id = ${bookId}`);
  }
  if (book.version !== book.account_days_version) {
    yield* fillSums(bookId, daysOfAccounts);
    yield* run(sql`UPDATE books SET account_days_version = version WHERE id = ${bookId}`);
  }
}

const payeesAtOnce = 5000;

function* fillPayees(bookId: number): Steps<void> {
  // They may be folded in another way.
  yield* run(sql`DELETE FROM transaction_texts WHERE book_id = ${bookId}`);
  const { byBytes, withIndex } = yield* dialectOf();
  const stored = byBytes(searchedText('t.payee'));
  let last = '';
  for (;;) {
    const found = yield* rowsAs(
      { text },
      sql`SELECT DISTINCT ${stored} AS text FROM transactions t ${withIndex('transactions_by_payee')}
        WHERE t.book_id = ${bookId} AND ${stored} > ${last} ORDER BY 1 LIMIT ${payeesAtOnce}`,
    );
    if (found.length === 0) return;
    yield* addPayees(bookId, new Set(found.map((each) => each.text)));
    last = found.at(-1)!.text;
  }
}

function* fillSums(bookId: number, { table, names, select }: Summing): Steps<void> {
  yield* run(sql`DELETE FROM ${raw(table)} WHERE book_id = ${bookId}`);
  yield* ofEachYear(bookId, (range) =>
    run(sql`INSERT INTO ${raw(table)} (book_id, ${raw(names.join(', '))}, listed, high, low)
      ${select(range)}`),
  );
}

/** Runs a statement for each year with rows, also hidden ones; it gets the condition on `t` for rows of the year. */
function* ofEachYear(bookId: number, fill: (range: Sql) => Steps<void>): Steps<void> {
  const years = yield* rowsAs(
    { year: text },
    sql`SELECT substr(period, 1, 4) AS year FROM transaction_counts
        WHERE book_id = ${bookId} AND granularity = 'month'
      UNION SELECT substr(period, 1, 4) FROM hidden_counts
        WHERE book_id = ${bookId} AND granularity = 'month'`,
  );
  for (const { year } of years)
    yield* fill(
      sql`t.book_id = ${bookId} AND t.date BETWEEN ${`${year}-01-01`} AND ${`${year}-12-31`}`,
    );
}

/** Counts the hidden rows again. Only they are read, as an index has `listed`. */
function* fillHiddenCounts(bookId: number): Steps<void> {
  yield* run(sql`DELETE FROM hidden_counts WHERE book_id = ${bookId}`);
  for (const granularity of ['day', 'month'] as const)
    yield* run(sql`INSERT INTO hidden_counts (book_id, granularity, period, kind, number)
      ${selectHiddenCounts(granularity, sql`t.book_id = ${bookId}`)}`);
}

/** Counts the rows of each counted status again, a status at a time by its index. */
function* fillStatusCounts(bookId: number): Steps<void> {
  yield* run(sql`DELETE FROM status_counts WHERE book_id = ${bookId}`);
  for (const granularity of ['day', 'month'] as const)
    for (const status of countedStatuses)
      yield* run(sql`INSERT INTO status_counts (book_id, granularity, period, kind, status, number)
        ${selectStatusCounts(granularity, sql`t.book_id = ${bookId} AND t.status = ${status}`)}`);
}

const periodLengths = { day: 10, month: 7 };

const countedBy = (granularity: 'day' | 'month'): Sql =>
  sql`t.book_id, ${raw(`'${granularity}'`)} AS granularity,
      ${raw(`substr(t.date, 1, ${periodLengths[granularity]})`)} AS period, ${kindColumn} AS kind`;

/** Returns a SELECT of the counts of hidden rows that match a condition, as they must be. */
export function selectHiddenCounts(granularity: 'day' | 'month', where: Sql): Sql {
  return sql`SELECT ${countedBy(granularity)}, count(*) AS number
    FROM transactions t WHERE ${where} AND t.listed = 0 GROUP BY 1, 3, 4`;
}

/** Returns a SELECT of the counts of rows of counted statuses that match a condition, as they must be. */
export function selectStatusCounts(granularity: 'day' | 'month', where: Sql): Sql {
  return sql`SELECT ${countedBy(granularity)}, t.status AS status, count(*) AS number
    FROM transactions t WHERE ${where} AND t.status IN (${join(countedStatuses)}) GROUP BY 1, 3, 4, 5`;
}
