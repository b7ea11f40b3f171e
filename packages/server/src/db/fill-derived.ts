import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import {
  activityKey,
  activityKind,
  addTexts,
  countedStatuses,
  exactSum,
  hiddenBy,
  searchedText,
  sumKey,
} from './derived-tables.ts';
import { dialectOf, run } from './engine.ts';
import type { Engine, Steps } from './engine.ts';
import { rowAs, rowsAs } from './rows.ts';
import { integer, text } from './table.ts';

/** `transaction_texts` or `transaction_sums` of a book lack changes: {@link fillDerived} must run first. */
export class DerivedOutdatedError extends Error {
  override name = 'DerivedOutdatedError';
  readonly bookId: number;

  constructor(bookId: number) {
    super(`The derived tables of book ${bookId} are not up to date`);
    this.bookId = bookId;
  }
}

const versions = { version: integer, derived_version: integer, texts_version: integer };

/**
 * Returns the version of a book whose derived tables are read. Throws a {@link DerivedOutdatedError} if they lack a
 * change.
 */
export function* derivedVersion(bookId: number): Steps<number> {
  const book = yield* rowAs(
    versions,
    sql`SELECT version, derived_version, texts_version FROM books WHERE id = ${bookId}`,
  );
  if (book === undefined) return 0;
  const { version, derived_version, texts_version } = book;
  if (version !== derived_version || version !== texts_version)
    throw new DerivedOutdatedError(bookId);
  return version;
}

/** Returns the books whose derived tables lack a change. */
export function* outdatedBooks(): Steps<number[]> {
  const outdated = yield* rowsAs(
    { id: integer },
    sql`SELECT id FROM books
      WHERE derived_version <> version OR hidden_counts_version <> version OR activity_version <> version
        OR texts_version <> version ORDER BY id`,
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
    { ...versions, hidden_counts_version: integer, activity_version: integer },
    sql`SELECT version, derived_version, texts_version, hidden_counts_version, activity_version FROM books
      WHERE id = ${bookId} ${lockingRows}`,
  );
  if (book === undefined) return;
  const isWithoutSums = book.version !== book.derived_version;
  if (isWithoutSums || book.version !== book.texts_version) {
    yield* fillTexts(bookId);
    yield* run(sql`UPDATE books SET texts_version = version WHERE id = ${bookId}`);
  }
  if (isWithoutSums) {
    yield* fillSums(bookId);
    yield* run(sql`UPDATE books SET derived_version = version WHERE id = ${bookId}`);
  }
  if (book.version !== book.hidden_counts_version) {
    yield* fillHiddenCounts(bookId);
    yield* run(sql`UPDATE books SET hidden_counts_version = version WHERE id = ${bookId}`);
  }
  if (book.version !== book.activity_version) {
    yield* fillStatusCounts(bookId);
    yield* fillActivity(bookId);
    yield* run(sql`UPDATE books SET activity_version = version WHERE id = ${bookId}`);
  }
}

/** Texts that are read at once. */
const textsAtOnce = 5000;

function* fillTexts(bookId: number): Steps<void> {
  // They may be folded in another way: see books.texts_version.
  yield* run(sql`DELETE FROM transaction_texts WHERE book_id = ${bookId}`);
  const { byBytes, withIndex } = yield* dialectOf();
  for (const column of ['payee', 'notes']) {
    const stored = byBytes(searchedText(`t.${column}`));
    let last = '';
    for (;;) {
      const found = yield* rowsAs(
        { text },
        sql`SELECT DISTINCT ${stored} AS text FROM transactions t ${withIndex(`transactions_by_${column}`)}
          WHERE t.book_id = ${bookId} AND t.${raw(column)} IS NOT NULL AND ${stored} > ${last}
          ORDER BY 1 LIMIT ${textsAtOnce}`,
      );
      if (found.length === 0) break;
      const texts = found.map((each) => each.text);
      yield* addTexts(bookId, new Map(texts.map((each) => [each, column === 'payee'])));
      last = texts.at(-1)!;
    }
  }
}

/** Computes the sums again. */
function* fillSums(bookId: number): Steps<void> {
  yield* run(sql`DELETE FROM transaction_sums WHERE book_id = ${bookId}`);
  yield* ofEachYear(bookId, (range) =>
    run(sql`INSERT INTO transaction_sums (book_id, ${raw(sumKey.join(', '))}, listed, high, low)
      ${selectSums(range)}`),
  );
}

function* fillActivity(bookId: number): Steps<void> {
  yield* run(sql`DELETE FROM activity_sums WHERE book_id = ${bookId}`);
  yield* ofEachYear(bookId, (range) =>
    run(sql`INSERT INTO activity_sums (book_id, ${raw(activityKey.join(', '))}, listed, high, low)
      ${selectActivity(range)}`),
  );
}

/** Runs a statement for each year that has listed rows. It is given the condition on `t` for rows of that year. */
function* ofEachYear(bookId: number, fill: (range: Sql) => Steps<void>): Steps<void> {
  const years = yield* rowsAs(
    { year: text },
    sql`SELECT DISTINCT substr(period, 1, 4) AS year FROM transaction_counts
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

/** The expression for the kind of row `t`. */
const kind =
  raw(`t.is_pending * ${hiddenBy.isPending} + t.is_split_parent * ${hiddenBy.isSplitParent}
  + CASE WHEN t.group_parent_id IS NULL THEN 0 ELSE ${hiddenBy.isGroupMember} END`);

/** Returns a SELECT of the counts of hidden rows that match a condition, as they must be. */
export function selectHiddenCounts(granularity: 'day' | 'month', where: Sql): Sql {
  const period = raw(`substr(t.date, 1, ${periodLengths[granularity]})`);
  return sql`SELECT t.book_id, ${raw(`'${granularity}'`)} AS granularity, ${period} AS period, ${kind} AS kind,
      count(*) AS number
    FROM transactions t WHERE ${where} AND t.listed = 0 GROUP BY 1, 3, 4`;
}

/** Returns a SELECT of the counts of rows of counted statuses that match a condition, as they must be. */
export function selectStatusCounts(granularity: 'day' | 'month', where: Sql): Sql {
  const period = raw(`substr(t.date, 1, ${periodLengths[granularity]})`);
  return sql`SELECT t.book_id, ${raw(`'${granularity}'`)} AS granularity, ${period} AS period, ${kind} AS kind,
      t.status AS status, count(*) AS number
    FROM transactions t WHERE ${where} AND t.status IN (${join(countedStatuses)}) GROUP BY 1, 3, 4, 5`;
}

/** The expression for the kind of activity of row `t`. */
const activityOf: Sql =
  raw(`CASE WHEN t.recurring_id IS NULL THEN 0 ELSE ${activityKind.isRecurring} END
  + CASE WHEN t.category_id IS NULL AND t.to_base < 0 THEN ${activityKind.isInflow} ELSE 0 END`);

/** Returns a SELECT of the sums of activity of listed rows that match a condition, as they must be. */
export function selectActivity(where: Sql): Sql {
  return sql`SELECT t.book_id, substr(t.date, 1, 7) AS month, coalesce(t.category_id, 0) AS category_id,
      ${activityOf} AS kind, count(*) AS listed, ${exactSum('t.to_base')}
    FROM transactions t
    WHERE ${where} AND t.is_pending = 0 AND t.is_split_parent = 0 AND t.group_parent_id IS NULL
    GROUP BY 1, 2, 3, 4`;
}

/** Returns a SELECT of the sums of listed rows that match a condition, as they must be. */
export function selectSums(where: Sql): Sql {
  return sql`SELECT t.book_id, substr(t.date, 1, 7) AS month, coalesce(t.category_id, 0) AS category_id,
      coalesce(t.manual_account_id, 0) AS manual_account_id, coalesce(t.plaid_account_id, 0) AS plaid_account_id,
      count(*) AS listed, ${exactSum('t.to_base')}
    FROM transactions t
    WHERE ${where} AND t.is_pending = 0 AND t.is_split_parent = 0 AND t.group_parent_id IS NULL
    GROUP BY 1, 2, 3, 4, 5`;
}

/** Attempts to fill the tables, in case an older node writes in between. */
const attempts = 5;

/** Runs work that may throw a {@link DerivedOutdatedError}, and fills the tables first when it does. */
export async function withDerived<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DerivedOutdatedError) || attempt === attempts) throw error;
      await engine.write(() => fillDerived(error.bookId));
    }
  }
}
