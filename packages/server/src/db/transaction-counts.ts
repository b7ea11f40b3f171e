import sql, { join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { blocksOf, padded, piecesOf } from './blocks.ts';
import type { DerivedChanges, DerivedFrom, DerivedTable } from './derived.ts';
import { run } from './engine.ts';
import type { Steps } from './engine.ts';
import { isListed } from './listed.ts';
import { rowsAs } from './rows.ts';
import { integer, text } from './table.ts';

/** `transaction_counts`: the number of listed rows in each month and on each day of a book. */
export const transactionCounts: DerivedTable = { begin: (bookId) => new CountChanges(bookId) };

class CountChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #byDay = new Map<string, number>();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (isListed(before)) this.#add(before['date'] as string, -1);
    if (isListed(after)) this.#add(after['date'] as string, 1);
  }

  /** Writes each day and month once, however many rows changed. */
  *apply(): Steps<void> {
    const byMonth = new Map<string, number>();
    for (const [date, change] of this.#byDay) {
      const month = date.slice(0, 7);
      byMonth.set(month, (byMonth.get(month) ?? 0) + change);
    }
    yield* changeCounts(this.#bookId, 'day', this.#byDay);
    yield* changeCounts(this.#bookId, 'month', byMonth);
    this.#byDay.clear();
  }

  #add(date: string, change: number): void {
    this.#byDay.set(date, (this.#byDay.get(date) ?? 0) + change);
  }
}

function* changeCounts(
  bookId: number,
  granularity: string,
  changes: ReadonlyMap<string, number>,
): Steps<void> {
  const grown = [...changes].filter(([, change]) => change > 0);
  const shrunk = [...changes].filter(([, change]) => change < 0);
  for (const block of blocksOf(shrunk)) yield* shrink(bookId, granularity, block);
  yield* put(bookId, granularity, grown, sql`transaction_counts.listed + excluded.listed`);
}

/** A period with a number of listed rows. */
type Period = readonly [period: string, listed: number];

/** Deletes counts that become 0 and sets the others. The lock on the book keeps them as they were read. */
function* shrink(bookId: number, granularity: string, changes: readonly Period[]): Steps<void> {
  const byPeriod = new Map(changes);
  const periods = [...byPeriod.keys()].toSorted();
  const place = sql`book_id = ${bookId} AND granularity = ${granularity}`;
  // PostgreSQL compares each row with a whole list of parameters, so a range is faster.
  const stored = yield* rowsAs(
    { period: text, listed: integer },
    sql`SELECT period, listed FROM transaction_counts
      WHERE ${place} AND period >= ${periods[0]} AND period <= ${periods.at(-1)}`,
  );
  const left = stored
    .filter(({ period }) => byPeriod.has(period))
    .map(({ period, listed }) => [period, listed + byPeriod.get(period)!] as const);
  const gone = left.filter(([, listed]) => listed <= 0).map(([period]) => period);
  if (gone.length > 0)
    yield* run(sql`
      DELETE FROM transaction_counts WHERE ${place} AND period IN (${join(padded(gone, gone[0]!))})`);
  const rest = left.filter(([, listed]) => listed > 0);
  yield* put(bookId, granularity, rest, sql`excluded.listed`);
}

/** Inserts counts. A period that has one gets `listed`. */
function* put(
  bookId: number,
  granularity: string,
  periods: readonly Period[],
  listed: Sql,
): Steps<void> {
  for (const piece of piecesOf(periods)) {
    const values = piece.map(
      ([period, count]) => sql`(${bookId}, ${granularity}, ${period}, ${count})`,
    );
    yield* run(sql`
      INSERT INTO transaction_counts (book_id, granularity, period, listed)
      VALUES ${join(values)}
      ON CONFLICT (book_id, granularity, period) DO UPDATE SET listed = ${listed}`);
  }
}
