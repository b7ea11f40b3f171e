import sql, { join, raw, type Sql } from 'sql-template-tag';
import { blocksOf, padded, piecesOf } from './blocks.ts';
import type { DerivedChanges, DerivedFrom, DerivedTable } from './derived.ts';
import { run, type Steps } from './engine.ts';
import { rowsAs } from './rows.ts';
import { integer, text } from './table.ts';

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
export function isListed(row: DerivedFrom): row is NonNullable<DerivedFrom> {
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
    if (before !== null && after !== null && isSame(before, after)) return;
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

function isSame(before: NonNullable<DerivedFrom>, after: NonNullable<DerivedFrom>): boolean {
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
  yield* put(counts, grown, sql`${table}.${number} + excluded.${number}`);
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
  yield* put(counts, rest, sql`excluded.${number}`);
}

/** Inserts counts. A period that has one gets `merged`. */
function* put(counts: Counts, periods: readonly Period[], merged: Sql): Steps<void> {
  const { table, number, names, values } = counts;
  for (const piece of piecesOf(periods)) {
    const rows = piece.map(([period, count]) => sql`(${values}, ${period}, ${count})`);
    yield* run(sql`
      INSERT INTO ${table} (${names}, period, ${number}) VALUES ${join(rows)}
      ON CONFLICT (${names}, period) DO UPDATE SET ${number} = ${merged}`);
  }
}
