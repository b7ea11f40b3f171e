import sql, { join, raw, type Sql } from 'sql-template-tag';
import { blocksOf, padded, piecesOf } from './blocks.ts';
import { run, context, type Steps } from './engine.ts';
import { rowsAs, rowAs } from './rows.ts';
import { integer, nullable, text } from './table.ts';
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

const { isPending, isSplitParent, isGroupMember } = hiddenBy;

/** The kind of a transaction `t` in SQL. */
export const kindColumn = raw(`t.is_pending * ${isPending} + t.is_split_parent * ${isSplitParent}
  + CASE WHEN t.group_parent_id IS NULL THEN 0 ELSE ${isGroupMember} END`);

/** The columns that decide the kind of a row. */
export const hidingColumns = ['is_pending', 'is_split_parent', 'group_parent_id'] as const;

/** Whether a plain list shows the transaction. Same rule as the generated column `listed`. */
export function isListed(row: DerivedFrom): row is NonNullable<DerivedFrom> {
  return row !== null && kindOf(row) === listedKind;
}

/**
 * `transaction_counts`: the number of listed rows in each month and on each day of a book. `hidden_counts`: the same
 * for the rows that plain lists hide, by their kind.
 */
export const transactionCounts: DerivedTable = {
  reads: ['date', ...hidingColumns],
  begin: (bookId) => new CountChanges(bookId, kindCounts),
};

/**
 * `status_counts`: the number of rows in each month and on each day of a book, by their kind and their status, of
 * {@link countedStatuses}.
 */
export const statusCounts: DerivedTable = {
  reads: ['date', 'status', ...hidingColumns],
  begin: (bookId) => new CountChanges(bookId, countsByStatus),
};

/** How rows are counted. A series is the number of a kind, or of a kind and a status; null does not count. */
interface Counting {
  readonly seriesOf: (row: NonNullable<DerivedFrom>) => number | null;
  /** The series of row `t` in SQL. */
  readonly series: Sql;
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
    if (from !== null) this.#add(from, before!['date'] as string, -1);
    if (to !== null) this.#add(to, after!['date'] as string, 1);
  }

  *noteSet(rows: Sql, sign: 1 | -1): Steps<void> {
    const found = yield* rowsAs(
      { series: nullable(integer), date: text, number: integer },
      sql`SELECT ${this.#counting.series} AS series, t.date, count(*) AS number FROM (${rows}) t GROUP BY 1, 2`,
    );
    for (const { series, date, number } of found)
      if (series !== null) this.#add(series, date, sign * number);
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

  #add(series: number, date: string, change: number): void {
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
  series: kindColumn,
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
  series: sql`CASE ${join(
    countedStatuses.map((status, at) =>
      raw(`WHEN t.status = '${status}' THEN ${at * (everyBit + 1)}`),
    ),
    ' ',
  )} END + ${kindColumn}`,
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

/** Where a transaction remembers the primary currency of a book. */
export const currencyKey = (bookId: number): string => `primary currency of ${bookId}`;

/** `books.primary_currency`, of a book whose currency is a record: see `book_settings`. */
export const primaryCurrencies: DerivedTable = {
  reads: ['primary_currency', 'first_currency'],
  begin: (bookId) => new CurrencyChanges(bookId),
};

class CurrencyChanges implements DerivedChanges {
  readonly #bookId: number;
  #currency: unknown;

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    this.#currency = after?.['primary_currency'] ?? before?.['first_currency'];
  }

  *noteSet(rows: Sql, sign: 1 | -1): Steps<void> {
    const found = yield* rowAs(
      { primary_currency: text, first_currency: text },
      sql`SELECT t.primary_currency, t.first_currency FROM (${rows}) t`,
    );
    if (found === undefined) return;
    if (sign > 0) this.note(null, found);
    else this.note(found, null);
  }

  *apply(): Steps<void> {
    if (this.#currency === undefined) return;
    yield* run(
      sql`UPDATE books SET primary_currency = ${this.#currency} WHERE id = ${this.#bookId}`,
    );
    (yield* context()).memory.delete(currencyKey(this.#bookId));
    this.#currency = undefined;
  }
}
