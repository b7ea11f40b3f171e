import sql, { join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { DerivedChanges, DerivedFrom, DerivedTable } from './derived.ts';
import { run } from './engine.ts';
import type { Steps } from './engine.ts';

/** `transaction_counts`: the number of listed rows in each month and on each day of a book. */
export const transactionCounts: DerivedTable = { begin: (bookId) => new CountChanges(bookId) };

class CountChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #byDay = new Map<string, number>();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (isListed(before)) this.#add(before!['date'] as string, -1);
    if (isListed(after)) this.#add(after!['date'] as string, 1);
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

/** Whether a plain list shows the row. Same rule as the generated column `listed`. */
function isListed(row: DerivedFrom): boolean {
  if (row === null) return false;
  const { is_pending, is_split_parent, group_parent_id } = row;
  return is_pending !== true && is_split_parent !== true && (group_parent_id ?? null) === null;
}

function* changeCounts(
  bookId: number,
  granularity: string,
  changes: ReadonlyMap<string, number>,
): Steps<void> {
  const grown: Sql[] = [];
  for (const [period, change] of changes) {
    if (change > 0) grown.push(sql`(${bookId}, ${granularity}, ${period}, ${change})`);
    if (change < 0) yield* shrink(bookId, granularity, period, -change);
  }
  while (grown.length > 0) yield* grow(grown.splice(0, grown.length < atOnce ? 1 : atOnce));
}

/** Periods in one statement. The rest is written one by one, so that only two statements are prepared. */
const atOnce = 50;

function* grow(periods: readonly Sql[]): Steps<void> {
  yield* run(sql`
    INSERT INTO transaction_counts (book_id, granularity, period, listed)
    VALUES ${join(periods)}
    ON CONFLICT (book_id, granularity, period) DO UPDATE SET listed = transaction_counts.listed + excluded.listed`);
}

function* shrink(bookId: number, granularity: string, period: string, by: number): Steps<void> {
  const place = sql`book_id = ${bookId} AND granularity = ${granularity} AND period = ${period}`;
  yield* run(sql`DELETE FROM transaction_counts WHERE ${place} AND listed = ${by}`);
  yield* run(sql`UPDATE transaction_counts SET listed = listed - ${by} WHERE ${place}`);
}
