import { foldText } from '@coffer/core/fold';
import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { blocksOf, padded, piecesOf } from './blocks.ts';
import { dialectOf, insertMany, run } from './engine.ts';
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

const { isPending, isSplitParent, isGroupMember } = hiddenBy;

/** The kind of a transaction `t` in SQL. */
export const kindColumn = raw(`t.is_pending * ${isPending} + t.is_split_parent * ${isSplitParent}
  + CASE WHEN t.group_parent_id IS NULL THEN 0 ELSE ${isGroupMember} END`);

const hidingColumns = ['is_pending', 'is_split_parent', 'group_parent_id'] as const;

/** Whether a plain list shows the transaction. Same rule as the generated column `listed`. */
function isListed(row: DerivedFrom): row is NonNullable<DerivedFrom> {
  return row !== null && kindOf(row) === listedKind;
}

/**
 * `transaction_counts`: the number of listed rows in each month and on each day of a book. `hidden_counts`: the same
 * for the rows that plain lists hide, by their kind.
 */
export const transactionCounts: DerivedTable = {
  reads: ['date', ...hidingColumns],
  begin: (bookId) => new CountChanges(bookId),
};

class CountChanges implements DerivedChanges {
  readonly #bookId: number;
  /** The changes of each day, by the kind of the rows. */
  readonly #byKind = new Map<number, Map<string, number>>();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (before !== null && after !== null && isSameCount(before, after)) return;
    if (before !== null) this.#add(kindOf(before), before['date'] as string, -1);
    if (after !== null) this.#add(kindOf(after), after['date'] as string, 1);
  }

  *noteSet(rows: Sql, sign: 1 | -1): Steps<void> {
    const found = yield* rowsAs(
      { kind: integer, date: text, number: integer },
      sql`SELECT ${kindColumn} AS kind, t.date, count(*) AS number FROM (${rows}) t GROUP BY 1, 2`,
    );
    for (const { kind, date, number } of found) this.#add(kind, date, sign * number);
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

  #add(kind: number, date: string, change: number): void {
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
export const transactionTags: DerivedTable = {
  reads: ['date', 'tag_ids'],
  begin: (bookId) => new TagChanges(bookId),
};

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

  *noteSet(rows: Sql, sign: 1 | -1): Steps<void> {
    const tagged = sql`(${rows}) t WHERE t.tag_ids <> '[]'`;
    const { elementsOf } = yield* dialectOf();
    yield* run(
      sign < 0
        ? sql`DELETE FROM transaction_tags
            WHERE book_id = ${this.#bookId} AND transaction_id IN (SELECT t.id FROM ${tagged})`
        : sql`INSERT INTO transaction_tags (${raw(tagColumns.join(', '))})
            SELECT DISTINCT CAST(${this.#bookId} AS BIGINT), CAST(elements.value AS BIGINT), t.date, t.id
            FROM (SELECT * FROM ${tagged}) t, ${elementsOf(sql`t.tag_ids`)}`,
    );
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
  reads: [
    'date',
    'category_id',
    'manual_account_id',
    'plaid_account_id',
    'to_base',
    ...hidingColumns,
  ],
  begin: (bookId) => new SumChanges(bookId),
};

/** The columns that make the key of a sum, besides the book. */
export const sumKey = ['month', 'category_id', 'manual_account_id', 'plaid_account_id'] as const;

/** Returns a SELECT of the sums of listed rows of a relation `t` that match a condition, as they must be. */
export function selectSums(where: Sql, from: Sql = sql`transactions t`): Sql {
  return sql`SELECT t.book_id, substr(t.date, 1, 7) AS month, coalesce(t.category_id, 0) AS category_id,
      coalesce(t.manual_account_id, 0) AS manual_account_id, coalesce(t.plaid_account_id, 0) AS plaid_account_id,
      count(*) AS listed, ${exactSum('t.to_base')}
    FROM ${from}
    WHERE ${where} AND t.is_pending = 0 AND t.is_split_parent = 0 AND t.group_parent_id IS NULL
    GROUP BY 1, 2, 3, 4, 5`;
}

const sumShape = {
  month: text,
  category_id: integer,
  manual_account_id: integer,
  plaid_account_id: integer,
  listed: integer,
  ...sumParts,
};

/** A number of rows and their sum. */
interface Sum extends SumParts {
  readonly listed: number;
}

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
    if (isListed(before)) this.#addRow(before, -1);
    if (isListed(after)) this.#addRow(after, 1);
  }

  *noteSet(rows: Sql, sign: 1 | -1): Steps<void> {
    const sums = selectSums(sql`t.book_id = ${this.#bookId}`, sql`(${rows}) t`);
    for (const sum of yield* rowsAs(sumShape, sums))
      this.#add(
        [sum.month, sum.category_id, sum.manual_account_id, sum.plaid_account_id],
        sum,
        sign,
      );
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

  #addRow(row: NonNullable<DerivedFrom>, sign: 1 | -1): void {
    this.#add(sumKeyOf(row), { listed: 1, ...partsOf(row['to_base'] as number) }, sign);
  }

  #add(key: SumChange['key'], { listed, high, low }: Sum, sign: 1 | -1): void {
    const name = key.join();
    const change = this.#byKey.get(name) ?? { key, listed: 0, high: 0, low: 0 };
    change.listed += sign * listed;
    change.high += sign * high;
    change.low += sign * low;
    this.#byKey.set(name, change);
  }
}

const summed = ['date', 'category_id', 'manual_account_id', 'plaid_account_id', 'to_base'] as const;

function isSameSum(a: NonNullable<DerivedFrom>, b: NonNullable<DerivedFrom>): boolean {
  return summed.every((name) => (a[name] ?? null) === (b[name] ?? null));
}

function sumKeyOf(row: NonNullable<DerivedFrom>): SumChange['key'] {
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

/** Removes the sums of no row in the months of those that had more before. */
function* removeEmpty(bookId: number, shrunk: readonly SumChange[]): Steps<void> {
  const months = [...new Set(shrunk.map(({ key: [month] }) => month))];
  for (const block of blocksOf(months))
    yield* run(sql`
      DELETE FROM transaction_sums
      WHERE book_id = ${bookId} AND month IN (${join(padded(block, block[0]!))}) AND listed <= 0`);
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
export const transactionTexts: DerivedTable = {
  reads: ['payee', 'notes'],
  begin: (bookId) => new TextChanges(bookId),
};

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

  *noteSet(rows: Sql, sign: 1 | -1): Steps<void> {
    if (sign < 0) return;
    for (const column of ['notes', 'payee']) {
      const found = yield* rowsAs(
        { text },
        sql`SELECT DISTINCT ${raw(searchedText(`t.${column}`))} AS text FROM (${rows}) t
          WHERE t.${raw(column)} IS NOT NULL`,
      );
      const isPayee = column === 'payee';
      for (const each of found)
        this.#texts.set(each.text, isPayee || this.#texts.get(each.text) === true);
    }
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
