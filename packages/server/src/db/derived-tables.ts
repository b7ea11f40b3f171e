import { foldText } from '@coffer/core/fold';
import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { blocksOf, padded, piecesOf } from './blocks.ts';
import { run, insertMany } from './engine.ts';
import type { Steps } from './engine.ts';
import { rowsAs } from './rows.ts';
import { headOf, searchedLength } from './search-blocks.ts';
import { integer, text } from './table.ts';
import type { DerivedChanges, DerivedFrom, DerivedTable } from './table.ts';

/** What hides a transaction from plain lists, as bits. A row for which several hold has the sum of their bits. */
export const hiddenBy = { isPending: 1, isSplitParent: 2, isGroupMember: 4 } as const;

/** The sum of the bits of {@link hiddenBy}. */
export const everyBit = 7;

/** The kind of the rows that plain lists show. */
export const listedKind = 0;

/** Returns the kind of a transaction: what hides it, or {@link listedKind}. */
export function kindOf(row: NonNullable<DerivedFrom>): number {
  const { is_pending, is_split_parent, group_parent_id } = row;
  return (
    (is_pending === true ? hiddenBy.isPending : 0) +
    (is_split_parent === true ? hiddenBy.isSplitParent : 0) +
    ((group_parent_id ?? null) === null ? 0 : hiddenBy.isGroupMember)
  );
}

/** Whether a plain list shows the transaction. Same rule as the generated column `listed`. */
function isListed(row: DerivedFrom): row is NonNullable<DerivedFrom> {
  return row !== null && kindOf(row) === listedKind;
}

/**
 * `transaction_counts`: the number of listed rows in each month and on each day of a book. `hidden_counts`: the same
 * for the rows that plain lists hide, by their kind.
 */
export const transactionCounts: DerivedTable = { begin: (bookId) => new CountChanges(bookId) };

class CountChanges implements DerivedChanges {
  readonly #bookId: number;
  /** The changes of each day, by the kind of the rows. */
  readonly #byKind = new Map<number, Map<string, number>>();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (before !== null && after !== null && isSameCount(before, after)) return;
    if (before !== null) this.#add(before, -1);
    if (after !== null) this.#add(after, 1);
  }

  /** Writes each day and month of a kind once, however many rows changed. */
  *apply(): Steps<void> {
    for (const [kind, byDay] of this.#byKind) {
      const byMonth = new Map<string, number>();
      for (const [date, change] of byDay) {
        const month = date.slice(0, 7);
        byMonth.set(month, (byMonth.get(month) ?? 0) + change);
      }
      yield* changeCounts(countsOf(this.#bookId, kind, 'day'), byDay);
      yield* changeCounts(countsOf(this.#bookId, kind, 'month'), byMonth);
    }
    this.#byKind.clear();
  }

  #add(row: NonNullable<DerivedFrom>, change: number): void {
    const kind = kindOf(row);
    const date = row['date'] as string;
    let byDay = this.#byKind.get(kind);
    if (byDay === undefined) this.#byKind.set(kind, (byDay = new Map<string, number>()));
    byDay.set(date, (byDay.get(date) ?? 0) + change);
  }
}

function isSameCount(before: NonNullable<DerivedFrom>, after: NonNullable<DerivedFrom>): boolean {
  return before['date'] === after['date'] && kindOf(before) === kindOf(after);
}

/** The stored counts of the periods of a book, of one kind and granularity. */
interface Counts {
  readonly table: Sql;
  /** The column of the numbers. */
  readonly number: Sql;
  /** The columns of the key before the period, their values, and the condition that they have these values. */
  readonly names: Sql;
  readonly values: Sql;
  readonly where: Sql;
}

function countsOf(bookId: number, kind: number, granularity: 'day' | 'month'): Counts {
  const where = sql`book_id = ${bookId} AND granularity = ${granularity}`;
  const values = sql`${bookId}, ${granularity}`;
  if (kind === listedKind) {
    const [table, number] = [raw('transaction_counts'), raw('listed')];
    return { table, number, names: raw('book_id, granularity'), values, where };
  }
  return {
    table: raw('hidden_counts'),
    number: raw('number'),
    names: raw('book_id, granularity, kind'),
    values: sql`${values}, ${kind}`,
    where: sql`${where} AND kind = ${kind}`,
  };
}

function* changeCounts(counts: Counts, changes: ReadonlyMap<string, number>): Steps<void> {
  const grown = [...changes].filter(([, change]) => change > 0);
  const shrunk = [...changes].filter(([, change]) => change < 0);
  for (const block of blocksOf(shrunk)) yield* shrink(counts, block);
  const { table, number } = counts;
  yield* putCounts(counts, grown, sql`${table}.${number} + excluded.${number}`);
}

/** A period with a number of rows. */
type Period = readonly [period: string, number: number];

/** Deletes counts that become 0 and sets the others. The lock on the book keeps them as they were read. */
function* shrink(counts: Counts, changes: readonly Period[]): Steps<void> {
  const { table, number, where } = counts;
  const byPeriod = new Map(changes);
  const periods = [...byPeriod.keys()].toSorted();
  // PostgreSQL compares each row with a whole list of parameters, so a range is faster.
  const stored = yield* rowsAs(
    { period: text, number: integer },
    sql`SELECT period, ${number} AS number FROM ${table}
      WHERE ${where} AND period >= ${periods[0]} AND period <= ${periods.at(-1)}`,
  );
  const left = stored
    .filter(({ period }) => byPeriod.has(period))
    .map((each) => [each.period, each.number + byPeriod.get(each.period)!] as const);
  const gone = left.filter(([, rest]) => rest <= 0).map(([period]) => period);
  if (gone.length > 0)
    yield* run(sql`
      DELETE FROM ${table} WHERE ${where} AND period IN (${join(padded(gone, gone[0]!))})`);
  const rest = left.filter(([, each]) => each > 0);
  yield* putCounts(counts, rest, sql`excluded.${number}`);
}

/** Inserts counts. A period that has one gets `merged`. */
function* putCounts(counts: Counts, periods: readonly Period[], merged: Sql): Steps<void> {
  const { table, number, names, values } = counts;
  for (const piece of piecesOf(periods)) {
    const rows = piece.map(([period, count]) => sql`(${values}, ${period}, ${count})`);
    yield* run(sql`
      INSERT INTO ${table} (${names}, period, ${number}) VALUES ${join(rows)}
      ON CONFLICT (${names}, period) DO UPDATE SET ${number} = ${merged}`);
  }
}

const tagColumns = ['book_id', 'tag_id', 'date', 'transaction_id'];

/** `transaction_tags`: an index of the `tag_ids` of transactions. */
export const transactionTags: DerivedTable = { begin: (bookId) => new TagChanges(bookId) };

class TagChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #stale = new Set<number>();
  readonly #tagged = new Map<number, { date: string; tagIds: string }>();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (isUntagged(before) && isUntagged(after)) return;
    if (before?.['tag_ids'] === after?.['tag_ids'] && before?.['date'] === after?.['date']) return;
    const id = (after ?? before)!['id'] as number;
    if (!isUntagged(before)) this.#stale.add(id);
    if (isUntagged(after)) this.#tagged.delete(id);
    else
      this.#tagged.set(id, { date: after!['date'] as string, tagIds: after!['tag_ids'] as string });
  }

  *apply(): Steps<void> {
    const stale = [...this.#stale];
    this.#stale.clear();
    for (const ids of blocksOf(stale))
      yield* run(sql`
        DELETE FROM transaction_tags WHERE book_id = ${this.#bookId} AND transaction_id IN (${join(ids)})`);
    const rows = [...this.#tagged].flatMap(([id, { date, tagIds }]) =>
      [...new Set(JSON.parse(tagIds) as number[])].map((tagId) => [this.#bookId, tagId, date, id]),
    );
    this.#tagged.clear();
    yield* insertMany('transaction_tags', tagColumns, rows);
  }
}

function isUntagged(row: DerivedFrom): boolean {
  return row === null || (row['tag_ids'] ?? '[]') === '[]';
}

/** Divides amounts in two parts, so that no sum of less than 60 million of them leaves the range of integers. */
const divisor = 2 ** 27;

/** A sum of amounts in two parts, each a safe integer. */
export interface SumParts {
  readonly high: number;
  readonly low: number;
}

/** The columns `high` and `low` of {@link exactSum}, for `rowsAs`. */
export const sumParts = { high: integer, low: integer };

/** Returns the columns `high` and `low`: the exact sum of an integer column, for {@link sumOf}. */
export function exactSum(column: string): Sql {
  // The divisor as text, because SQLite gets numbers as floating-point values, by which it does not divide integers.
  return raw(
    `CAST(sum(${column} / ${divisor}) AS BIGINT) AS high, CAST(sum(${column} % ${divisor}) AS BIGINT) AS low`,
  );
}

/** Returns the parts of one amount, as {@link exactSum} computes them. Parts can be added. */
export function partsOf(amount: number): SumParts {
  return { high: Math.trunc(amount / divisor), low: amount % divisor };
}

/** Returns the sum that two parts make. */
export function sumOf({ high, low }: SumParts): bigint {
  return BigInt(high) * BigInt(divisor) + BigInt(low);
}

/**
 * `transaction_sums`: the number and the sum of the listed rows of a book in each month, category and account; 0 is no
 * category or account.
 */
export const transactionSums: DerivedTable = { begin: (bookId) => new SumChanges(bookId) };

/** The columns that make the key of a sum, besides the book. */
export const sumKey = ['month', 'category_id', 'manual_account_id', 'plaid_account_id'] as const;

/** A change of one sum. */
interface SumChange {
  readonly key: readonly [string, number, number, number];
  listed: number;
  high: number;
  low: number;
}

class SumChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #byKey = new Map<string, SumChange>();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (isListed(before) && isListed(after) && isSameSum(before, after)) return;
    if (isListed(before)) this.#add(before, -1);
    if (isListed(after)) this.#add(after, 1);
  }

  *apply(): Steps<void> {
    const changes = [...this.#byKey.values()].filter(
      ({ listed, high, low }) => listed !== 0 || high !== 0 || low !== 0,
    );
    this.#byKey.clear();
    yield* putSums(this.#bookId, changes);
    yield* removeEmpty(
      this.#bookId,
      changes.filter(({ listed }) => listed < 0),
    );
  }

  #add(row: NonNullable<DerivedFrom>, sign: 1 | -1): void {
    const key = sumKeyOf(row);
    const name = key.join();
    const { high, low } = partsOf(row['to_base'] as number);
    const change = this.#byKey.get(name) ?? { key, listed: 0, high: 0, low: 0 };
    change.listed += sign;
    change.high += sign * high;
    change.low += sign * low;
    this.#byKey.set(name, change);
  }
}

const summed = ['date', 'category_id', 'manual_account_id', 'plaid_account_id', 'to_base'] as const;

function isSameSum(a: NonNullable<DerivedFrom>, b: NonNullable<DerivedFrom>): boolean {
  return summed.every((name) => (a[name] ?? null) === (b[name] ?? null));
}

function sumKeyOf(row: NonNullable<DerivedFrom>): readonly [string, number, number, number] {
  const idOf = (name: string) => (row[name] as number | null | undefined) ?? 0;
  return [
    (row['date'] as string).slice(0, 7),
    idOf('category_id'),
    idOf('manual_account_id'),
    idOf('plaid_account_id'),
  ];
}

function* putSums(bookId: number, changes: readonly SumChange[]): Steps<void> {
  for (const piece of piecesOf(changes)) {
    const values = piece.map(
      ({ key, listed, high, low }) => sql`(${bookId}, ${join(key)}, ${listed}, ${high}, ${low})`,
    );
    yield* run(sql`
      INSERT INTO transaction_sums (book_id, ${raw(sumKey.join(', '))}, listed, high, low)
      VALUES ${join(values)}
      ON CONFLICT (book_id, ${raw(sumKey.join(', '))}) DO UPDATE SET
        listed = transaction_sums.listed + excluded.listed,
        high = transaction_sums.high + excluded.high, low = transaction_sums.low + excluded.low`);
  }
}

/** Removes the sums of no row among those that had more before. */
function* removeEmpty(bookId: number, shrunk: readonly SumChange[]): Steps<void> {
  for (const piece of piecesOf(shrunk)) {
    const keys = piece.map(
      ({ key: [month, ...ids] }) =>
        sql`(${month}, ${join(ids.map((id) => sql`CAST(${id} AS BIGINT)`))})`,
    );
    yield* run(sql`
      DELETE FROM transaction_sums
      WHERE book_id = ${bookId} AND (${raw(sumKey.join(', '))}) IN (VALUES ${join(keys)}) AND listed <= 0`);
  }
}

/**
 * Returns the expression for the searched text of a column, as it is in the indexes. An entry of an index of PostgreSQL
 * has at most 2704 bytes, a character has up to 4, and one index has two texts.
 */
export function searchedText(column: string): string {
  return `substr(${column}, 1, ${searchedLength})`;
}

/**
 * `transaction_texts`: the different payees of a book, each with the form in which search compares it. Those with
 * `is_payee` 0 are notes that the first release has written.
 *
 * A payee stays when its last row is gone: every result comes from rows, so it is only read in vain.
 */
export const transactionPayees: DerivedTable = { begin: (bookId) => new PayeeChanges(bookId) };

class PayeeChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #payees = new Set<string>();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (after !== null && after['payee'] !== before?.['payee'])
      this.#payees.add(after['payee'] as string);
  }

  *apply(): Steps<void> {
    const heads = new Set([...this.#payees].map(headOf));
    this.#payees.clear();
    yield* addPayees(this.#bookId, heads);
  }
}

/**
 * Adds payees that a book may already have. None is longer than {@link searchedLength}.
 *
 * In the order of the table they take a quarter less time: neighbours are in the same pages.
 */
export function* addPayees(bookId: number, payees: ReadonlySet<string>): Steps<void> {
  const sorted = [...payees].toSorted((a, b) => (a < b ? -1 : 1));
  for (const piece of piecesOf(sorted)) {
    const values = piece.map((text) => sql`(${bookId}, ${text}, ${foldedText(text)}, 1)`);
    yield* run(sql`
      INSERT INTO transaction_texts (book_id, text, folded, is_payee) VALUES ${join(values)}
      ON CONFLICT (book_id, text) DO UPDATE SET is_payee = 1
      WHERE transaction_texts.is_payee < excluded.is_payee`);
  }
}

/** Returns the column `folded` of a text. It begins with a space, so that a space precedes each of its words. */
export function foldedText(text: string): string {
  return ` ${foldText(text)}`;
}
