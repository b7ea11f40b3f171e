import sql, { join, raw } from 'sql-template-tag';
import { piecesOf } from './blocks.ts';
import { isListed } from './transaction-counts.ts';
import type { DerivedChanges, DerivedFrom, DerivedTable } from './derived.ts';
import { run } from './engine.ts';
import type { Steps } from './engine.ts';
import { partsOf } from './exact-sum.ts';

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
    if (isListed(before) && isListed(after) && isSame(before, after)) return;
    if (isListed(before)) this.#add(before, -1);
    if (isListed(after)) this.#add(after, 1);
  }

  *apply(): Steps<void> {
    const changes = [...this.#byKey.values()].filter(
      ({ listed, high, low }) => listed !== 0 || high !== 0 || low !== 0,
    );
    this.#byKey.clear();
    yield* put(this.#bookId, changes);
    yield* removeEmpty(
      this.#bookId,
      changes.filter(({ listed }) => listed < 0),
    );
  }

  #add(row: NonNullable<DerivedFrom>, sign: 1 | -1): void {
    const key = keyOf(row);
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

function isSame(a: NonNullable<DerivedFrom>, b: NonNullable<DerivedFrom>): boolean {
  return summed.every((name) => (a[name] ?? null) === (b[name] ?? null));
}

function keyOf(row: NonNullable<DerivedFrom>): readonly [string, number, number, number] {
  const idOf = (name: string) => (row[name] as number | null | undefined) ?? 0;
  return [
    (row['date'] as string).slice(0, 7),
    idOf('category_id'),
    idOf('manual_account_id'),
    idOf('plaid_account_id'),
  ];
}

function* put(bookId: number, changes: readonly SumChange[]): Steps<void> {
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
