import { foldText } from '@coffer/core/fold';
import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { blocksOf, padded, piecesOf } from './blocks.ts';
import { run, insertMany } from './engine.ts';
import type { Steps } from './engine.ts';
import { rowsAs } from './rows.ts';
import { integer, text } from './table.ts';
import type { DerivedChanges, DerivedFrom, DerivedTable } from './table.ts';

/** What hides a transaction from plain lists, as bits. A row for which several hold has the sum of their bits. */
export const hiddenBy = { isPending: 1, isSplitParent: 2, isGroupMember: 4 } as const;

/** The sum of the bits of {@link hiddenBy}. */
export const everyBit = 7;

/** The kind of the rows that plain lists show. */
export const listedKind = 0;

/** Returns the kind of a transaction: what hides it, or {@link listedKind}. */
function kindOf(row: NonNullable<DerivedFrom>): number {
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
export const transactionCounts: DerivedTable = {
  begin: (bookId) => new CountChanges(bookId, kindCounts),
};

/**
 * `status_counts`: the number of rows in each month and on each day of a book, by their kind and their status, of
 * {@link countedStatuses}.
 */
export const statusCounts: DerivedTable = {
  begin: (bookId) => new CountChanges(bookId, countsByStatus),
};

/** How rows are counted. A series is the number of a kind, or of a kind and a status; null does not count. */
interface Counting {
  readonly seriesOf: (row: NonNullable<DerivedFrom>) => number | null;
  readonly countsOf: (bookId: number, granularity: 'day' | 'month', series: number) => Counts;
}

class CountChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #counting: Counting;
  /** The changes of each day, by the series of the rows. */
  readonly #bySeries = new Map<number, Map<string, number>>();

  constructor(bookId: number, counting: Counting) {
    this.#bookId = bookId;
    this.#counting = counting;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    const [from, to] = [this.#seriesOf(before), this.#seriesOf(after)];
    if (from === to && before?.['date'] === after?.['date']) return;
    if (from !== null) this.#add(from, before!, -1);
    if (to !== null) this.#add(to, after!, 1);
  }

  /** Writes each day and month of a series once, however many rows changed. */
  *apply(): Steps<void> {
    const { countsOf } = this.#counting;
    for (const [series, byDay] of this.#bySeries) {
      const byMonth = new Map<string, number>();
      for (const [date, change] of byDay) {
        const month = date.slice(0, 7);
        byMonth.set(month, (byMonth.get(month) ?? 0) + change);
      }
      yield* changeCounts(countsOf(this.#bookId, 'day', series), byDay);
      yield* changeCounts(countsOf(this.#bookId, 'month', series), byMonth);
    }
    this.#bySeries.clear();
  }

  #seriesOf(row: DerivedFrom): number | null {
    return row === null ? null : this.#counting.seriesOf(row);
  }

  #add(series: number, row: NonNullable<DerivedFrom>, change: number): void {
    const date = row['date'] as string;
    let byDay = this.#bySeries.get(series);
    if (byDay === undefined) this.#bySeries.set(series, (byDay = new Map<string, number>()));
    byDay.set(date, (byDay.get(date) ?? 0) + change);
  }
}

/** The stored counts of the periods of a book, of one series and granularity. */
interface Counts {
  readonly table: Sql;
  /** The column of the numbers. */
  readonly number: Sql;
  /** The columns of the key before the period, their values, and the condition that they have these values. */
  readonly names: Sql;
  readonly values: Sql;
  readonly where: Sql;
}

const kindCounts: Counting = {
  seriesOf: kindOf,
  countsOf(book_id, granularity, kind) {
    const key = { book_id, granularity };
    return kind === listedKind
      ? countsWith('transaction_counts', 'listed', key)
      : countsWith('hidden_counts', 'number', { ...key, kind });
  },
};

/** The statuses that `status_counts` has: most new rows are unreviewed, and these are the other rows. */
export const countedStatuses: readonly string[] = ['reviewed', 'delete_pending'];

const countsByStatus: Counting = {
  seriesOf(row) {
    const at = countedStatuses.indexOf(row['status'] as string);
    return at === -1 ? null : at * (everyBit + 1) + kindOf(row);
  },
  countsOf(book_id, granularity, series) {
    const status = countedStatuses[Math.trunc(series / (everyBit + 1))];
    const key = { book_id, granularity, status, kind: series & everyBit };
    return countsWith('status_counts', 'number', key);
  },
};

function countsWith(table: string, number: string, key: Readonly<Record<string, unknown>>): Counts {
  const columns = Object.entries(key);
  return {
    table: raw(table),
    number: raw(number),
    names: raw(Object.keys(key).join(', ')),
    values: join(Object.values(key)),
    where: join(
      columns.map(([name, value]) => sql`${raw(name)} = ${value}`),
      ' AND ',
    ),
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
function partsOf(amount: number): SumParts {
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
export const transactionSums: DerivedTable = {
  begin: (bookId) => new SumChanges(bookId, 'transaction_sums', sumKey, sumKeyOf),
};

/** The columns that make the key of a sum, besides the book. */
export const sumKey = ['month', 'category_id', 'manual_account_id', 'plaid_account_id'] as const;

/**
 * `activity_sums`: the number and the sum of the listed rows of a book in each month and category, as a summary divides
 * them: by the kinds of {@link activityKind}.
 */
export const activitySums: DerivedTable = {
  begin: (bookId) => new SumChanges(bookId, 'activity_sums', activityKey, activityKeyOf),
};

/** The columns that make the key of a sum of activity, besides the book. */
export const activityKey = ['month', 'category_id', 'kind'] as const;

/** The kinds of activity, as bits: of a recurring item; without a category and money in. */
export const activityKind = { isRecurring: 1, isInflow: 2 } as const;

type SumKey = readonly (string | number)[];

/** A change of one sum. */
interface SumChange {
  readonly key: SumKey;
  listed: number;
  high: number;
  low: number;
}

class SumChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #table: string;
  readonly #names: readonly string[];
  readonly #keyOf: (row: NonNullable<DerivedFrom>) => SumKey;
  readonly #byKey = new Map<string, SumChange>();

  constructor(
    bookId: number,
    table: string,
    names: readonly string[],
    keyOf: (row: NonNullable<DerivedFrom>) => SumKey,
  ) {
    this.#bookId = bookId;
    this.#table = table;
    this.#names = names;
    this.#keyOf = keyOf;
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
    yield* this.#put(changes);
    yield* this.#removeEmpty(changes.filter(({ listed }) => listed < 0));
  }

  #add(row: NonNullable<DerivedFrom>, sign: 1 | -1): void {
    const key = this.#keyOf(row);
    const name = key.join();
    const { high, low } = partsOf(row['to_base'] as number);
    const change = this.#byKey.get(name) ?? { key, listed: 0, high: 0, low: 0 };
    change.listed += sign;
    change.high += sign * high;
    change.low += sign * low;
    this.#byKey.set(name, change);
  }

  *#put(changes: readonly SumChange[]): Steps<void> {
    const [table, names] = [raw(this.#table), raw(this.#names.join(', '))];
    for (const piece of piecesOf(changes)) {
      const values = piece.map(
        ({ key, listed, high, low }) =>
          sql`(${this.#bookId}, ${join(key)}, ${listed}, ${high}, ${low})`,
      );
      yield* run(sql`
        INSERT INTO ${table} (book_id, ${names}, listed, high, low) VALUES ${join(values)}
        ON CONFLICT (book_id, ${names}) DO UPDATE SET
          listed = ${table}.listed + excluded.listed,
          high = ${table}.high + excluded.high, low = ${table}.low + excluded.low`);
    }
  }

  /** Removes the sums of no row among those that had more before. */
  *#removeEmpty(shrunk: readonly SumChange[]): Steps<void> {
    for (const piece of piecesOf(shrunk)) {
      const keys = piece.map(
        ({ key: [month, ...ids] }) =>
          sql`(${month}, ${join(ids.map((id) => sql`CAST(${id} AS BIGINT)`))})`,
      );
      yield* run(sql`
        DELETE FROM ${raw(this.#table)} WHERE book_id = ${this.#bookId}
          AND (${raw(this.#names.join(', '))}) IN (VALUES ${join(keys)}) AND listed <= 0`);
    }
  }
}

/** The columns that any sum depends on, of listed rows. */
const summed = [
  ...(['date', 'category_id', 'manual_account_id', 'plaid_account_id'] as const),
  ...(['recurring_id', 'to_base'] as const),
];

function isSameSum(a: NonNullable<DerivedFrom>, b: NonNullable<DerivedFrom>): boolean {
  return summed.every((name) => (a[name] ?? null) === (b[name] ?? null));
}

function sumKeyOf(row: NonNullable<DerivedFrom>): SumKey {
  return [
    monthOf(row),
    idIn(row, 'category_id'),
    idIn(row, 'manual_account_id'),
    idIn(row, 'plaid_account_id'),
  ];
}

function activityKeyOf(row: NonNullable<DerivedFrom>): SumKey {
  const categoryId = idIn(row, 'category_id');
  const isInflow = categoryId === 0 && (row['to_base'] as number) < 0;
  const kind =
    (idIn(row, 'recurring_id') === 0 ? 0 : activityKind.isRecurring) +
    (isInflow ? activityKind.isInflow : 0);
  return [monthOf(row), categoryId, kind];
}

function monthOf(row: NonNullable<DerivedFrom>): string {
  return (row['date'] as string).slice(0, 7);
}

/** The id in a column; 0 for none. */
function idIn(row: NonNullable<DerivedFrom>, name: string): number {
  return (row[name] as number | null | undefined) ?? 0;
}

/**
 * How many characters of a payee and of notes are searched. An entry of an index of PostgreSQL has at most 2704 bytes,
 * a character has up to 4, and one index has both.
 */
export const searchedLength = 300;

/** Returns the expression for the searched text of a column, as it is in the indexes. */
export function searchedText(column: string): string {
  return `substr(${column}, 1, ${searchedLength})`;
}

/**
 * `transaction_texts`: the different payees and notes of a book, each with the form in which search compares it, and
 * whether it is, or was, a payee.
 *
 * A text stays when its last row is gone: every result comes from rows, so it is only read in vain.
 */
export const transactionTexts: DerivedTable = { begin: (bookId) => new TextChanges(bookId) };

/** Texts, and whether each is a payee. */
type Texts = Map<string, boolean>;

class TextChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #texts: Texts = new Map();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (after === null) return;
    const { payee, notes = null } = after as { payee: string; notes?: string | null };
    if (payee !== before?.['payee']) this.#texts.set(payee, true);
    if (notes === null || notes === before?.['notes'] || this.#texts.has(notes)) return;
    this.#texts.set(notes, false);
  }

  *apply(): Steps<void> {
    if (this.#texts.size === 0) return;
    const heads: Texts = new Map();
    for (const [text, isPayee] of this.#texts) {
      const head = headOf(text);
      heads.set(head, isPayee || heads.get(head) === true);
    }
    this.#texts.clear();
    yield* addTexts(this.#bookId, heads);
  }
}

/**
 * Adds texts that a book may already have. None is longer than {@link searchedLength}.
 *
 * In the order of the table they take a quarter less time: neighbours are in the same pages.
 */
export function* addTexts(bookId: number, texts: ReadonlyMap<string, boolean>): Steps<void> {
  const sorted = [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const piece of piecesOf(sorted)) {
    const values = piece.map(
      ([text, isPayee]) => sql`(${bookId}, ${text}, ${foldedText(text)}, ${Number(isPayee)})`,
    );
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

/** Returns the searched characters of a text, as the database stores them. */
function headOf(text: string): string {
  const stored = text.toWellFormed();
  if (stored.length <= searchedLength) return stored;
  // A character beyond U+FFFF has two UTF-16 units.
  return [...stored.slice(0, 2 * searchedLength)].slice(0, searchedLength).join('');
}
