import sql, { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { hiddenBy, exactSum, sumKey, addPayees, searchedText } from './derived-tables.ts';
import { dialectOf, run } from './engine.ts';
import type { Steps } from './engine.ts';
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
      WHERE derived_version <> version OR hidden_counts_version <> version ORDER BY id`,
  );
  return outdated.map(({ id }) => id);
}

/**
 * Fills `transaction_texts` and `transaction_sums` of a book if they lack a change, and so `hidden_counts`: when an
 * older node or a development version has written.
 *
 * Each statement reads a part of the book, because a server limits their time.
 */
export function* fillDerived(bookId: number): Steps<void> {
  const { lockingRows } = yield* dialectOf();
  const book = yield* rowAs(
    { ...versions, hidden_counts_version: integer },
    sql`SELECT version, derived_version, hidden_counts_version FROM books
      WHERE id = ${bookId} ${lockingRows}`,
  );
  if (book === undefined) return;
  if (book.version !== book.derived_version) {
    yield* fillPayees(bookId);
    yield* fillSums(bookId);
    // A node of the first release searches notes in the texts: it must fill them itself.
    yield* run(sql`UPDATE books SET derived_version = version, texts_version = 0
      WHERE id = ${bookId}`);
  }
  if (book.version !== book.hidden_counts_version) {
    yield* fillHiddenCounts(bookId);
    yield* run(sql`UPDATE books SET hidden_counts_version = version WHERE id = ${bookId}`);
  }
}

/** Payees that are read at once. */
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

/** Computes the sums again, a year at a time. */
function* fillSums(bookId: number): Steps<void> {
  yield* run(sql`DELETE FROM transaction_sums WHERE book_id = ${bookId}`);
  const years = yield* rowsAs(
    { year: text },
    sql`SELECT DISTINCT substr(period, 1, 4) AS year FROM transaction_counts
      WHERE book_id = ${bookId} AND granularity = 'month'`,
  );
  for (const { year } of years) {
    const range = sql`t.book_id = ${bookId} AND t.date BETWEEN ${`${year}-01-01`} AND ${`${year}-12-31`}`;
    yield* run(sql`
      INSERT INTO transaction_sums (book_id, ${raw(sumKey.join(', '))}, listed, high, low)
      ${selectSums(range)}`);
  }
}

/** Counts the hidden rows again. Only they are read, as an index has `listed`. */
function* fillHiddenCounts(bookId: number): Steps<void> {
  yield* run(sql`DELETE FROM hidden_counts WHERE book_id = ${bookId}`);
  for (const granularity of ['day', 'month'] as const)
    yield* run(sql`INSERT INTO hidden_counts (book_id, granularity, period, kind, number)
      ${selectHiddenCounts(granularity, sql`t.book_id = ${bookId}`)}`);
}

const periodLengths = { day: 10, month: 7 };

/** Returns a SELECT of the counts of hidden rows that match a condition, as they must be. */
export function selectHiddenCounts(granularity: 'day' | 'month', where: Sql): Sql {
  const period = raw(`substr(t.date, 1, ${periodLengths[granularity]})`);
  return sql`SELECT t.book_id, ${raw(`'${granularity}'`)} AS granularity, ${period} AS period,
      t.is_pending * ${raw(String(hiddenBy.isPending))} + t.is_split_parent * ${raw(String(hiddenBy.isSplitParent))}
        + CASE WHEN t.group_parent_id IS NULL THEN 0 ELSE ${raw(String(hiddenBy.isGroupMember))} END AS kind,
      count(*) AS number
    FROM transactions t WHERE ${where} AND t.listed = 0 GROUP BY 1, 3, 4`;
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
