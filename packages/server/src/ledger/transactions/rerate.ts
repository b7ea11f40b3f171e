import { maxAmount } from '@coffer/core/money';
import sql, { empty, join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { Change, RecordUpdate } from '../../book/change.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { rowAs, select } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';
import { transactions } from '../../db/tables/tables.ts';
import type { Rating } from '../currencies/actions.ts';
import { baseShares } from './split.ts';
import type { TransactionRow } from './writes.ts';

/** Transactions that one change looks at: few enough for a short lock of the book. */
const mostScanned = 1000;

/** A transaction in the order of dates and ids. */
export interface Place {
  readonly date: string;
  readonly id: number;
}

/** What {@link rerateTransactions} did. */
export interface RatedBlock {
  /** The number of transactions that differ. */
  readonly count: number;
  /** Where the next change continues; null if this was the last one. */
  readonly last: Place | null;
}

/**
 * Sets `to_base` of the transactions of a book that differ at the current rates: of at most 1,000 transactions after
 * `after`, with the parts of splits, and the groups that they are in.
 *
 * Transactions without a rate stay as they are. The parts of a split share its `to_base` as when it was split. The
 * `to_base` of a group is the sum of its members, and so is its amount if they have several currencies.
 */
export function* rerateTransactions(
  change: Change,
  rating: Rating,
  after: Place | null,
): Steps<RatedBlock> {
  const { bookId } = change;
  const first = sql`book_id = ${bookId} AND ${afterPlace(after, rating.since)}`;
  const last = yield* rowAs(
    { date: text, id: integer },
    sql`SELECT date, id FROM transactions WHERE ${first} ORDER BY date, id LIMIT 1 OFFSET ${mostScanned - 1}`,
  );
  const end = last === undefined ? empty : sql` AND (date, id) <= (${last.date}, ${last.id})`;
  const foreign = yield* select(
    transactions,
    { book_id: bookId, is_group_parent: false, split_parent_id: null },
    {
      and: sql`${afterPlace(after, rating.since)}${end} AND currency <> ${rating.primaryCurrency}`,
    },
  );
  const changed = yield* rerateFamilies(change, rating, yield* familiesOf(bookId, foreign));
  const groups = yield* sumGroups(change, changed);
  return { count: changed.length + groups, last: last ?? null };
}

function afterPlace(after: Place | null, since: string): Sql {
  return after === null ? sql`date >= ${since}` : sql`(date, id) > (${after.date}, ${after.id})`;
}

/** A transaction with its parts, by id; none if it is not split. */
interface Family {
  readonly whole: TransactionRow;
  readonly parts: readonly TransactionRow[];
}

/** Adds the parts of split transactions. */
function* familiesOf(bookId: number, wholes: readonly TransactionRow[]): Steps<Family[]> {
  const split = wholes.filter((row) => row.is_split_parent).map(({ id }) => id);
  const parts = yield* selectIn(bookId, sql`split_parent_id`, split);
  const ofParent = Map.groupBy(parts, (row) => row.split_parent_id);
  return wholes.map((whole) => ({ whole, parts: ofParent.get(whole.id) ?? [] }));
}

/** Returns the transactions with one of these values, by id. */
function* selectIn(bookId: number, column: Sql, ids: readonly number[]): Steps<TransactionRow[]> {
  const found: TransactionRow[] = [];
  for (const block of blocksOf(ids)) {
    const and = sql`${column} IN (${join(block)})`;
    found.push(...(yield* select(transactions, { book_id: bookId }, { and })));
  }
  return found;
}

/** Returns the transactions that were changed. */
function* rerateFamilies(
  change: Change,
  rating: Rating,
  families: readonly Family[],
): Steps<TransactionRow[]> {
  const updates: RecordUpdate<typeof transactions>[] = [];
  for (const { whole, parts } of families) {
    const to_base = yield* valueOf(whole, rating);
    const shares = parts.length === 0 ? [] : yield* baseShares({ ...whole, to_base }, parts);
    const values = [to_base, ...shares];
    if (values.some((value) => Math.abs(value) > maxAmount)) continue;
    for (const [index, before] of [whole, ...parts].entries())
      if (values[index] !== before.to_base)
        updates.push({ before, values: { to_base: values[index]! } });
  }
  return yield* change.updateEach(transactions, updates);
}

/** Returns the value at the current rates, or the stored one without a rate. */
function* valueOf(row: TransactionRow, { rates, primaryCurrency }: Rating): Steps<number> {
  const { amount, currency, date, to_base } = row;
  return (yield* rates.convert(amount, currency, primaryCurrency, date)) ?? to_base;
}

/** Sums the groups of changed transactions again. Returns the number of groups that differ. */
function* sumGroups(change: Change, changed: readonly TransactionRow[]): Steps<number> {
  const { bookId } = change;
  const ids = [...new Set(changed.flatMap((row) => row.group_parent_id ?? []))];
  const members = yield* selectIn(bookId, sql`group_parent_id`, ids);
  const ofGroup = Map.groupBy(members, (row) => row.group_parent_id);
  let count = 0;
  for (const group of yield* selectIn(bookId, sql`id`, ids)) {
    const own = ofGroup.get(group.id) ?? [];
    const to_base = sumOf(own.map((row) => row.to_base));
    if (to_base === null) continue;
    const isMixed = new Set(own.map(({ currency }) => currency)).size > 1;
    const amount = isMixed ? to_base : group.amount;
    if (to_base === group.to_base && amount === group.amount) continue;
    yield* change.update(transactions, group, { amount, to_base });
    count += 1;
  }
  return count;
}

/** Returns null for a sum that is no amount. */
function sumOf(amounts: readonly number[]): number | null {
  const sum = amounts.reduce((total, each) => total + BigInt(each), 0n);
  return sum > BigInt(maxAmount) || sum < -BigInt(maxAmount) ? null : Number(sum);
}
