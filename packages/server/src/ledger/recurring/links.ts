import { addDays } from '@coffer/core/dates';
import sql, { join } from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { rowAs, rowsAs, select } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';
import type { Row, RowUpdate } from '../../db/table.ts';
import { recurringItems, transactions } from '../../db/tables/tables.ts';
import { matchesOf, mostReachDays, ownTextOf, shownBy } from './rules.ts';
import type { DateRange, LinkedTransaction, OwnText } from './rules.ts';
import type { RecurringRow, ShownText } from './rules.ts';
import type { RecurringMatches } from './schema.ts';

export type TransactionRow = Row<typeof transactions>;

/**
 * Returns the text columns of a transaction. With a recurring item, payee, notes and category are those of the item,
 * and the `own_` columns keep the transaction's own; without one the `own_` columns are null.
 */
export function* shownText(bookId: number, own: OwnText): Steps<ShownText> {
  const [shown] = yield* shownTexts(bookId, [own]);
  return shown!;
}

/** Returns the text columns of many transactions, in their order, as {@link shownText} does. */
export function* shownTexts(bookId: number, all: readonly OwnText[]): Steps<ShownText[]> {
  const ids = all.map(({ recurring_id: id }) => id).filter((id) => id !== null);
  const items = new Map((yield* itemsWith(bookId, ids)).map((item) => [item.id, item]));
  return all.map((own) => shownBy(items.get(own.recurring_id ?? 0), own));
}

/** Returns which of the ids are recurring items to which a transaction can be linked: all but dismissed ones. */
export function* knownRecurringIds(
  bookId: number,
  ids: readonly number[],
): Steps<ReadonlySet<number>> {
  const items = yield* itemsWith(bookId, ids);
  return new Set(items.filter(({ status }) => status !== 'dismissed').map(({ id }) => id));
}

function* itemsWith(bookId: number, ids: readonly number[]): Steps<RecurringRow[]> {
  const items: RecurringRow[] = [];
  for (const block of blocksOf([...new Set(ids)]))
    items.push(
      ...(yield* select(recurringItems, { book_id: bookId }, { and: sql`id IN (${join(block)})` })),
    );
  return items;
}

/** Makes the linked transactions of an item show its present values. Their own text stays. */
export function* relink(change: Change, item: RecurringRow): Steps<void> {
  yield* updateAlike(change, yield* linkedRows(change, item), (row) => {
    const { payee, notes, category_id } = shownBy(item, ownTextOf(row));
    return { payee, notes, category_id };
  });
}

/** Ends the links of an item: its transactions show their own text again. */
export function* detachAll(change: Change, item: RecurringRow): Steps<void> {
  yield* updateAlike(change, yield* linkedRows(change, item), (row) => {
    const own = { ...ownTextOf(row), recurring_id: null };
    return { ...shownBy(undefined, own), recurring_id: null };
  });
}

/** Returns the number of transactions that are linked to an item. */
export function* countLinked(item: RecurringRow): Steps<number> {
  const found = yield* rowAs(
    { linked: integer },
    sql`SELECT count(*) AS linked FROM transactions
      WHERE book_id = ${item.book_id} AND recurring_id = ${item.id}`,
  );
  return found?.linked ?? 0;
}

function* linkedRows({ bookId }: Change, { id }: RecurringRow): Steps<TransactionRow[]> {
  return yield* select(transactions, { book_id: bookId, recurring_id: id });
}

/** Updates transactions, with one statement for each block of those that get the same columns. */
export function* updateAlike(
  change: Change,
  rows: readonly TransactionRow[],
  columnsOf: (row: TransactionRow) => RowUpdate<typeof transactions>,
): Steps<void> {
  const alike = Map.groupBy(rows, (row) => JSON.stringify(columnsOf(row)));
  for (const group of alike.values())
    yield* change.updateAll(transactions, group, columnsOf(group[0]!));
}

/** Returns the transactions from `start` to `end`, inclusive, that are linked to items, by the id of the item. */
export function* linkedTransactions(
  bookId: number,
  itemIds: readonly number[],
  start: string,
  end: string,
): Steps<Map<number, LinkedTransaction[]>> {
  const linked: (LinkedTransaction & { readonly recurring_id: number })[] = [];
  for (const block of blocksOf(itemIds))
    linked.push(
      ...(yield* rowsAs(
        { recurring_id: integer, id: integer, date: text },
        sql`SELECT recurring_id, id, date FROM transactions
          WHERE book_id = ${bookId} AND recurring_id IN (${join(block)})
            AND date BETWEEN ${start} AND ${end} ORDER BY recurring_id, date, id`,
      )),
    );
  return Map.groupBy(linked, ({ recurring_id: id }) => id);
}

/** Returns transactions by their ids. */
export function* transactionsById(
  bookId: number,
  ids: Iterable<number>,
): Steps<Map<number, TransactionRow>> {
  const rows: TransactionRow[] = [];
  for (const block of blocksOf([...new Set(ids)]))
    rows.push(
      ...(yield* select(transactions, { book_id: bookId }, { and: sql`id IN (${join(block)})` })),
    );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns what each item expected and found in a range, in the order of the items; null for suggestions. */
export function* matchesIn(
  bookId: number,
  items: readonly RecurringRow[],
  range: DateRange,
): Steps<(RecurringMatches | null)[]> {
  const linked = yield* linkedTransactions(
    bookId,
    items.map(({ id }) => id),
    addDays(range.start_date, -2 * mostReachDays),
    addDays(range.end_date, 2 * mostReachDays),
  );
  return items.map((item) => matchesOf(item, linked.get(item.id) ?? [], range));
}

/** A date on which a reviewed item expects a transaction. */
export interface ExpectedOccurrence {
  readonly item: RecurringRow;
  readonly date: string;
  /** Whether a linked transaction counts for the date. */
  readonly isFound: boolean;
}

/** Returns every date in a range on which a reviewed item of the book expects a transaction, by item and date. */
export function* expectedOccurrences(
  bookId: number,
  range: DateRange,
): Steps<ExpectedOccurrence[]> {
  const items = yield* select(recurringItems, { book_id: bookId, status: 'reviewed' });
  const matches = yield* matchesIn(bookId, items, range);
  return items.flatMap((item, at) => {
    const missing = new Set(matches[at]!.missing_transaction_dates);
    const dates = matches[at]!.expected_occurrence_dates;
    return dates.map((date) => ({ item, date, isFound: !missing.has(date) }));
  });
}
