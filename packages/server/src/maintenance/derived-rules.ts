import {
  accountSums,
  addPayees,
  daysOfAccounts,
  foldedText,
  searchedText,
  sumParts,
  sumsOfActivity,
  typeOfKey,
} from '../db/derived-tables.ts';
import type { Summing } from '../db/derived-tables.ts';
import sql, { raw, join } from 'sql-template-tag';
import type { Dialect } from '../db/dialect.ts';
import { insertMany, rows, run, dialectOf, type Steps } from '../db/engine.ts';
import { transactions } from '../db/tables/tables.ts';
import { Findings, type Finding } from './finding.ts';
import { nextRows, movedTables } from './tables.ts';
import { quote } from '@coffer/core/text';
import { rowsAs } from '../db/rows.ts';
import { integer, text } from '../db/table.ts';
import { fillDerived, outdatedBooks } from '../db/fill-derived.ts';
import { fillAgain, followBook, unfollowedBooks, wrongInSearch } from '../db/follow-search.ts';

/** Compares the stored JSON of each transaction with its columns. */
export function* checkJson(repair: boolean, { transactionJson }: Dialect): Steps<Finding[]> {
  const findings = new Findings('transaction json', { repaired: repair });
  const stale = yield* rows<{ id: number; book_id: number }>(
    sql`SELECT id, book_id FROM transactions WHERE json IS DISTINCT FROM ${transactionJson}`,
  );
  for (const { id, book_id } of stale) {
    findings.add(
      `The stored JSON of transaction ${id} in book ${book_id} differs from its columns`,
    );
    // Any update of a row makes the engine compute its JSON again.
    if (repair)
      yield* run(
        sql`UPDATE transactions SET date = date WHERE book_id = ${book_id} AND id = ${id}`,
      );
  }
  if (repair) yield* raiseVersions(stale);
  return findings.list();
}

/** A transaction with tags in its row or in the index. */
interface TaggedRow {
  readonly [column: string]: string | number | null;
  readonly id: number;
  readonly book_id: number;
  readonly date: string;
  readonly tag_ids: string;
  /** The tags in the index with their dates, joined by commas. */
  readonly indexed: string | null;
}

const taggedRows = {
  columns: sql`id, book_id, date, tag_ids, (
    SELECT string_agg(k.tag_id || '@' || k.date, ',') FROM transaction_tags k
    WHERE k.book_id = transactions.book_id AND k.transaction_id = transactions.id) AS indexed`,
  // EXISTS instead of IN, for which SQLite would collect the tags of the whole book for every row.
  where: sql`(tag_ids <> '[]' OR EXISTS (SELECT 1 FROM transaction_tags k
    WHERE k.book_id = transactions.book_id AND k.transaction_id = transactions.id))`,
};

/** A JSON array of ids as the program writes it: without spaces, and with at most 15 digits in each id. */
const tagIdsPattern = /^\[([1-9][0-9]{0,14}(,[1-9][0-9]{0,14})*)?\]$/;

/** Compares `transaction_tags`, the index of tags, with the `tag_ids` of the transactions. */
export function* checkTags(repair: boolean): Steps<Finding[]> {
  const malformed = new Findings('metadata');
  const stale = new Findings('transaction_tags', { repaired: repair });
  const repaired: TaggedRow[] = [];
  let found: TaggedRow[] = [];
  do {
    found = yield* nextRows(transactions, taggedRows, found.at(-1));
    for (const each of found) {
      const { id, date, tag_ids } = each;
      if (!tagIdsPattern.test(tag_ids)) {
        malformed.add(`The tag_ids of transaction ${id} are not a JSON array of ids`);
        continue;
      }
      const tags = [...new Set(JSON.parse(tag_ids) as number[])];
      const actual = tags
        .map((tag) => `${tag}@${date}`)
        .toSorted()
        .join(',');
      const kept = (each.indexed ?? '').split(',').toSorted().join(',');
      if (actual === kept) continue;
      stale.add(`Transaction ${id} has the tags "${actual}", but the index has "${kept}"`);
      if (repair) yield* repairTags(each, tags);
      if (repair) repaired.push(each);
    }
  } while (found.length > 0);
  yield* raiseVersions(repaired);
  return [...malformed.list(), ...stale.list()];
}

function* repairTags({ id, book_id, date }: TaggedRow, tags: readonly number[]): Steps<void> {
  yield* run(
    sql`DELETE FROM transaction_tags WHERE book_id = ${book_id} AND transaction_id = ${id}`,
  );
  yield* insertMany(
    'transaction_tags',
    ['book_id', 'tag_id', 'date', 'transaction_id'],
    tags.map((tag) => [book_id, tag, date, id]),
  );
}

/** Raises the versions of books, so that clients do not keep cached pages. The change log gets an entry for each. */
export function* raiseVersions(changed: readonly { readonly book_id: number }[]): Steps<void> {
  for (const id of new Set(changed.map(({ book_id }) => book_id))) {
    yield* run(sql`
      UPDATE books SET version = version + 1,
        derived_version = CASE WHEN derived_version = version THEN version + 1 ELSE derived_version END,
        hidden_counts_version =
          CASE WHEN hidden_counts_version = version THEN version + 1 ELSE hidden_counts_version END,
        activity_version = CASE WHEN activity_version = version THEN version + 1 ELSE activity_version END,
        account_days_version =
          CASE WHEN account_days_version = version THEN version + 1 ELSE account_days_version END
      WHERE id = ${id}`);
    yield* run(sql`INSERT INTO changes (book_id, version, at, actor, operation)
      SELECT id, version, changed_at, 'command', 'doctor' FROM books WHERE id = ${id}`);
  }
}

/**
 * Fills the derived tables of books that lack a change of an older node. That is no fault: it happens before they are
 * read, too.
 */
export function* fillOutdated(): Steps<void> {
  for (const id of yield* outdatedBooks()) yield* fillDerived(id);
  for (const id of yield* unfollowedBooks()) while (yield* followBook(id));
}

const textTable = movedTables.find(({ name }) => name === 'transaction_texts')!;

/** A payee that a book has, or must have. */
interface BookPayee {
  readonly [column: string]: string | number;
  readonly book_id: number;
  readonly text: string;
}

/** The books whose payees are filled. */
const withPayees = raw('book_id IN (SELECT id FROM books WHERE derived_version = version)');

/**
 * Compares `transaction_texts` with the payees of the transactions. Texts that no row has any more are no fault; a
 * repair removes them.
 */
export function* checkPayees(repair: boolean): Steps<Finding[]> {
  const findings = new Findings('transaction_texts', { repaired: repair });
  const missing = yield* missingPayees();
  for (const { book_id, text } of missing)
    findings.add(`The text ${quote(text)} of book ${book_id} is missing`);
  const stale = yield* misfoldedPayees(findings);
  if (repair) {
    for (const { book_id, text } of stale)
      yield* run(sql`DELETE FROM transaction_texts WHERE book_id = ${book_id} AND text = ${text}`);
    for (const { book_id, text } of [...missing, ...stale])
      yield* addPayees(book_id, new Set([text]));
    yield* removeUnused();
    yield* raiseVersions([...missing, ...stale]);
  }
  return findings.list();
}

function* missingPayees(): Steps<BookPayee[]> {
  const { byBytes } = yield* dialectOf();
  const stored = byBytes(searchedText('t.payee'));
  return yield* rowsAs(
    { book_id: integer, text },
    sql`SELECT DISTINCT t.book_id, ${stored} AS text FROM transactions t
      WHERE t.${withPayees} AND NOT EXISTS (SELECT 1 FROM transaction_texts x
        WHERE x.book_id = t.book_id AND x.text = ${stored} AND x.is_payee = 1)
      ORDER BY 1, 2`,
  );
}

/** Returns the payees whose folded form is not that of this program. */
function* misfoldedPayees(findings: Findings): Steps<BookPayee[]> {
  const stale: BookPayee[] = [];
  let found: BookPayee[] = [];
  do {
    found = yield* nextRows(
      textTable,
      { where: sql`is_payee = 1 AND ${withPayees}` },
      found.at(-1),
    );
    for (const each of found) {
      if (each['folded'] === foldedText(each.text)) continue;
      findings.add(`The text ${quote(each.text)} of book ${each.book_id} has a wrong folded form`);
      stale.push(each);
    }
  } while (found.length > 0);
  return stale;
}

function* removeUnused(): Steps<void> {
  const { byBytes } = yield* dialectOf();
  yield* run(sql`DELETE FROM transaction_texts WHERE ${withPayees} AND NOT EXISTS (SELECT 1 FROM transactions t
    WHERE t.book_id = transaction_texts.book_id
      AND ${byBytes(searchedText('t.payee'))} = transaction_texts.text)`);
}

/**
 * Compares `search_blocks` with the transactions, besides those that changed since the blocks were written. A repair
 * fills a book again.
 */
export function* checkSearch(repair: boolean): Steps<Finding[]> {
  const findings = new Findings('search_blocks', { repaired: repair });
  const books = yield* rowsAs({ id: integer }, sql`SELECT id FROM books ORDER BY id`);
  for (const { id } of books) {
    const wrong = yield* wrongInSearch(id);
    for (const each of wrong)
      findings.add(`Transaction ${each} of book ${id} is not in the search as it is`);
    if (!repair || wrong.length === 0) continue;
    yield* run(sql`DELETE FROM search_blocks WHERE book_id = ${id}`);
    yield* raiseVersions([{ book_id: id }]);
    yield* fillAgain(id);
  }
  return findings.list();
}

/** A table of sums of rows. */
interface SumTable extends Summing {
  /** Says which sum it is. */
  readonly place: (sum: Difference) => string;
}

const placeOfMonth = ({ month, category_id }: Difference): string =>
  `month ${month}, category ${category_id}`;

const sumTables: readonly SumTable[] = [
  { ...accountSums, place: placeOfMonth },
  { ...sumsOfActivity, place: placeOfMonth },
  {
    ...daysOfAccounts,
    place: ({ manual_account_id: manual, plaid_account_id: plaid, date }) =>
      `${manual === 0 ? 'plaid' : 'manual'} account ${manual === 0 ? plaid : manual}, day ${date}`,
  },
];

/** Compares the sums of rows with the transactions. */
export function* checkSums(repair: boolean): Steps<Finding[]> {
  const found: Finding[] = [];
  for (const table of sumTables) found.push(...(yield* checkSumTable(table, repair)));
  return found;
}

function* checkSumTable(table: SumTable, repair: boolean): Steps<Finding[]> {
  const findings = new Findings(table.table, { repaired: repair });
  const different = yield* compareSums(table);
  for (const each of different) {
    const { book_id, stored, listed } = each;
    findings.add(
      `Book ${book_id}, ${table.place(each)}: the stored sum of ${stored} rows is not that of the ${listed} rows`,
    );
  }
  if (repair) yield* repairSums(table, different);
  return findings.list();
}

/** A sum for which the table and the rows differ. */
interface Difference {
  readonly [keyColumn: string]: string | number;
  readonly book_id: number;
  readonly listed: number;
  readonly high: number;
  readonly low: number;
}

function* compareSums({ table, version, names, select }: SumTable): Steps<Difference[]> {
  const inStep = raw(`book_id IN (SELECT id FROM books WHERE ${version} = version)`);
  const columns = raw(`book_id, ${names.join(', ')}`);
  const ofKey = Object.fromEntries(names.map((column) => [column, typeOfKey(column)]));
  return yield* rowsAs(
    {
      ...{ book_id: integer, stored: integer, listed: integer, ...sumParts },
      ...(ofKey as Record<string, typeof integer>),
    },
    sql`WITH actual AS (${select(sql`t.${inStep}`)})
      SELECT ${columns}, CAST(sum(stored) AS BIGINT) AS stored, CAST(sum(listed) AS BIGINT) AS listed,
        CAST(sum(high) AS BIGINT) AS high, CAST(sum(low) AS BIGINT) AS low FROM (
        SELECT ${columns}, 0 AS stored, listed, high, low, 0 AS stored_high, 0 AS stored_low FROM actual
        UNION ALL
        SELECT ${columns}, listed, 0, 0, 0, high, low FROM ${raw(table)} WHERE ${inStep}
      ) both_sums GROUP BY ${columns}
      HAVING sum(stored) <> sum(listed) OR sum(stored_high) <> sum(high) OR sum(stored_low) <> sum(low)
        OR (sum(listed) = 0 AND count(*) > 0)
      ORDER BY ${columns}`,
  );
}

function* repairSums({ table, names }: SumTable, different: readonly Difference[]): Steps<void> {
  const columns = ['book_id', ...names];
  for (const each of different) {
    const isSame = columns.map((column) => sql`${raw(column)} = ${each[column]}`);
    yield* run(sql`DELETE FROM ${raw(table)} WHERE ${join(isSame, ' AND ')}`);
  }
  yield* insertMany(
    table,
    [...columns, 'listed', 'high', 'low'],
    different
      .filter(({ listed }) => listed > 0)
      .map((each) => [...columns, 'listed', 'high', 'low'].map((column) => each[column])),
  );
  yield* raiseVersions(different);
}
