import { maxAmount } from '@coffer/core/money';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Change, RecordUpdate } from '../../book/change.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { rowAs, rowsAs, select } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';
import { transactions } from '../../db/tables/tables.ts';
import { ratedValue, refuseTooLarge, type Rating } from '../currencies/actions.ts';
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
  const last = yield* lastOfBlock(first);
  const foreign = sql`currency <> ${rating.primaryCurrency}`;
  const wholes = yield* wholesOf(
    bookId,
    sql`${afterPlace(after, rating.since)}${upTo(last)} AND ${foreign}`,
  );
  const changed = yield* rerateFamilies(change, rating, yield* familiesOf(bookId, wholes));
  const ids = [...new Set(changed.flatMap((row) => row.group_parent_id ?? []))];
  const groups = yield* sumGroups(change, rating, ids);
  return { count: changed.length + groups, last };
}

/** Sets `to_base` of all transactions of a book whose primary currency is new. Throws a Problem for one too large. */
export function* revalueTransactions(change: Change, rating: Rating): Steps<void> {
  const { bookId } = change;
  for (let after: Place | null = null, isLast = false; !isLast;) {
    const range: Sql = afterPlace(after, rating.since);
    const last: Place | null = yield* lastOfBlock(sql`book_id = ${bookId} AND ${range}`);
    const wholes = yield* wholesOf(bookId, sql`${range}${upTo(last)}`);
    yield* rerateFamilies(change, rating, yield* familiesOf(bookId, wholes));
    // What derived tables keep of each row does not grow.
    yield* change.updateDerived();
    isLast = last === null;
    after = last;
  }
  const groups = yield* rowsAs(
    { id: integer },
    sql`SELECT id FROM transactions WHERE book_id = ${bookId} AND is_group_parent = 1`,
  );
  // Only now all members have their values.
  for (const block of blocksOf(groups))
    yield* sumGroups(
      change,
      rating,
      block.map(({ id }) => id),
    );
}

/** The same for some transactions, with those that share their values: see {@link revalueTransactions}. */
export function* revalueSome(
  change: Change,
  rating: Rating,
  ids: ReadonlySet<number>,
): Steps<void> {
  const { bookId } = change;
  const groups = new Set<number>();
  for (const block of blocksOf([...ids])) {
    const rows = yield* selectIn(bookId, sql`id`, block);
    const wholeIds = rows.map(({ id, split_parent_id }) => split_parent_id ?? id);
    const wholes = (yield* selectIn(bookId, sql`id`, [...new Set(wholeIds)])).filter(
      (row) => !row.is_group_parent,
    );
    yield* rerateFamilies(change, rating, yield* familiesOf(bookId, wholes));
    for (const row of rows) if (row.is_group_parent) groups.add(row.id);
    for (const { group_parent_id: id } of wholes) if (id !== null) groups.add(id);
  }
  for (const block of blocksOf([...groups])) yield* sumGroups(change, rating, block);
}

function* lastOfBlock(first: Sql): Steps<Place | null> {
  const last = yield* rowAs(
    { date: text, id: integer },
    sql`SELECT date, id FROM transactions WHERE ${first} ORDER BY date, id LIMIT 1 OFFSET ${mostScanned - 1}`,
  );
  return last ?? null;
}

function upTo(last: Place | null): Sql {
  return last === null ? empty : sql` AND (date, id) <= (${last.date}, ${last.id})`;
}

/** Returns the transactions that are neither parts nor groups. */
function* wholesOf(bookId: number, and: Sql): Steps<TransactionRow[]> {
  const of = { book_id: bookId, is_group_parent: false, split_parent_id: null };
  return yield* select(transactions, of, { and });
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
  const tooLarge: TransactionRow[] = [];
  for (const { whole, parts } of families) {
    const to_base = yield* ratedValue(rating, whole, whole.date);
    const shares =
      to_base === null || parts.length === 0 ? [] : yield* baseShares({ ...whole, to_base }, parts);
    const values = [to_base, ...shares];
    if (values.some((value) => value === null || Math.abs(value) > maxAmount)) tooLarge.push(whole);
    else
      for (const [index, before] of [whole, ...parts].entries())
        if (values[index] !== before.to_base)
          updates.push({ before, values: { to_base: values[index]! } });
  }
  if (rating.isNewCurrency === true) refuseTooLarge(rating, 'transaction', tooLarge);
  return yield* change.updateEach(transactions, updates);
}

/** Sums groups again, and returns how many differ. A sum that is no amount stays, or throws if the currency is new. */
function* sumGroups(change: Change, rating: Rating, ids: readonly number[]): Steps<number> {
  const { bookId } = change;
  const members = yield* selectIn(bookId, sql`group_parent_id`, ids);
  const ofGroup = Map.groupBy(members, (row) => row.group_parent_id);
  let count = 0;
  for (const group of yield* selectIn(bookId, sql`id`, ids)) {
    const own = ofGroup.get(group.id) ?? [];
    const to_base = sumOf(own.map((row) => row.to_base));
    if (to_base === null && rating.isNewCurrency === true)
      refuseTooLarge(rating, 'transaction group', [group]);
    if (to_base === null) continue;
    const isMixed = new Set(own.map(({ currency }) => currency)).size > 1;
    const total = isMixed
      ? { amount: to_base, currency: rating.primaryCurrency }
      : { amount: group.amount, currency: group.currency };
    const changed = yield* change.updateAll(transactions, [group], { ...total, to_base });
    count += changed.length;
  }
  return count;
}

/** Returns null for a sum that is no amount. */
function sumOf(amounts: readonly number[]): number | null {
  const sum = amounts.reduce((total, each) => total + BigInt(each), 0n);
  return sum > BigInt(maxAmount) || sum < -BigInt(maxAmount) ? null : Number(sum);
}
