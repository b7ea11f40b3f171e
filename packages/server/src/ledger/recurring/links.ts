import { addDays, daysApart } from '@coffer/core/dates';
import sql, { join } from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { rowAs, rowsAs, select } from '../../db/rows.ts';
import { integer, text, type Row, type RowUpdate, type NewRow } from '../../db/table.ts';
import { recurringItems, transactions } from '../../db/tables/tables.ts';
import {
  matchesOf,
  mostReachDays,
  ownTextOf,
  shownBy,
  type DateRange,
  type LinkedTransaction,
  type OwnText,
  type RecurringRow,
  type ShownText,
  daysOffAllowed,
  nearestFree,
  takenDates,
} from './rules.ts';
import type { RecurringMatches } from './schema.ts';
import { payeeKey } from '@coffer/core/text';

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
function* updateAlike(
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

type NewTransaction = NewRow<typeof transactions>;

/** How far back the transactions are that a newly approved item is linked to. */
const linkedBackDays = 731;

/**
 * Links new transactions to the reviewed recurring items that they fit. Returns all rows in their order, with the
 * columns of {@link shownBy} if the book has such items; then all have the same additional columns. Linked rows that
 * were not reviewed become reviewed.
 *
 * A row fits an item if account, currency, payee and amount match, and its date is close to an expected date for which
 * no transaction is linked yet. The nearest row gets the date. Rows with a `recurring_id` keep it; pending rows, and
 * rows of splits and groups, are never linked. Runs at most one statement for the items unless they are given, and one
 * for each 500 of them.
 */
export function* matchRecurring(
  change: Change,
  rows: readonly NewTransaction[],
  given?: readonly RecurringRow[],
): Steps<NewTransaction[]> {
  const items = given ?? (yield* reviewedItems(change.bookId));
  if (items.length === 0) return [...rows];
  const links = yield* findLinks(change.bookId, items, rows);
  return rows.map((row) => {
    const item = links.get(row);
    return { ...row, ...textColumns(row), ...(item && linkColumns(item, row)) };
  });
}

/** Returns the recurring items that new transactions are linked to. */
export function* reviewedItems(bookId: number): Steps<RecurringRow[]> {
  return yield* select(recurringItems, { book_id: bookId, status: 'reviewed' });
}

/** Links existing transactions of the last two years to an item that is new, newly approved or changed. */
export function* linkExisting(change: Change, item: RecurringRow): Steps<void> {
  const since = addDays(change.at.slice(0, 10), -linkedBackDays);
  const { currency, amount, amount_tolerance: tolerance } = item;
  const and = sql`date >= ${since} AND amount BETWEEN ${amount - tolerance} AND ${amount + tolerance}`;
  const where = {
    book_id: change.bookId,
    recurring_id: null,
    currency,
    is_pending: false,
    ...(item.manual_account_id !== null && { manual_account_id: item.manual_account_id }),
    ...(item.plaid_account_id !== null && { plaid_account_id: item.plaid_account_id }),
  };
  const rows = yield* select(transactions, where, { and });
  const links = yield* findLinks(change.bookId, [item], rows);
  const linked = rows.filter((row) => links.has(row));
  yield* updateAlike(change, linked, (row) => linkColumns(item, row));
}

/** A row that fits an item, and its expected date. */
interface Fit<R> {
  readonly row: R;
  readonly item: RecurringRow;
  readonly expected: string;
  readonly daysOff: number;
  readonly amountOff: number;
}

/** Decides which rows are linked to which items: the closest dates first, then the closest amounts. */
function* findLinks<R extends NewTransaction>(
  bookId: number,
  items: readonly RecurringRow[],
  rows: readonly R[],
): Steps<Map<R, RecurringRow>> {
  const fitting = items.map((item) => ({ item, rows: rowsThatFit(item, rows) }));
  const wanted = fitting.filter((each) => each.rows.length > 0);
  const dates = wanted.flatMap((each) => each.rows.map(({ date }) => date)).toSorted();
  const links = new Map<R, RecurringRow>();
  if (dates.length === 0) return links;
  const linked = yield* linkedTransactions(
    bookId,
    wanted.map(({ item }) => item.id),
    addDays(dates[0]!, -2 * mostReachDays),
    addDays(dates.at(-1)!, 2 * mostReachDays),
  );
  const taken = new Map(
    wanted.map(({ item }) => {
      const before = linked.get(item.id) ?? [];
      const known = before.map(({ date }) => date);
      return [item.id, takenDates(item, known)] as const;
    }),
  );
  const fits = wanted.flatMap((each) =>
    each.rows.flatMap((row) => fitsOf(each.item, row, taken.get(each.item.id)!)),
  );
  // The sort is stable, so equal fits keep the order of the items and rows.
  fits.sort((a, b) => a.daysOff - b.daysOff || a.amountOff - b.amountOff);
  for (const { row, item, expected } of fits) {
    const dates = taken.get(item.id)!;
    if (links.has(row) || dates.has(expected)) continue;
    links.set(row, item);
    dates.add(expected);
  }
  return links;
}

/** The expected dates that a row may take, one for each that is close enough. */
function fitsOf<R extends NewTransaction>(
  item: RecurringRow,
  row: R,
  taken: ReadonlySet<string>,
): Fit<R>[] {
  const fits: Fit<R>[] = [];
  const tried = new Set(taken);
  for (;;) {
    const expected = nearestFree(item, row.date, daysOffAllowed(item), tried);
    if (expected === undefined) return fits;
    tried.add(expected);
    const amountOff = Math.abs(row.amount - item.amount);
    fits.push({ row, item, expected, daysOff: daysApart(expected, row.date), amountOff });
  }
}

function rowsThatFit<R extends NewTransaction>(item: RecurringRow, rows: readonly R[]): R[] {
  const key = item.payee === null ? null : payeeKey(item.payee);
  return rows.filter(
    (row) =>
      row.currency === item.currency &&
      Math.abs(row.amount - item.amount) <= item.amount_tolerance &&
      isOfAccount(item, row) &&
      isLinkable(row) &&
      (key === null || isOfPayee(key, row)),
  );
}

/** An item without an account matches transactions of any account. */
function isOfAccount(item: RecurringRow, row: NewTransaction): boolean {
  const { manual_account_id: manual, plaid_account_id: synced } = item;
  if (manual !== null) return row.manual_account_id === manual;
  return synced === null || row.plaid_account_id === synced;
}

/** A rule may have changed the payee, so the name as first received counts, too. */
function isOfPayee(key: string, { payee, original_name: original }: NewTransaction): boolean {
  return payeeKey(payee) === key || payeeKey(original ?? '') === key;
}

function isLinkable(row: NewTransaction): boolean {
  const { recurring_id = null, split_parent_id = null, group_parent_id = null } = row;
  if (recurring_id !== null || split_parent_id !== null || group_parent_id !== null) return false;
  const { is_pending, is_split_parent, is_group_parent, status } = row;
  const isWhole = is_split_parent !== true && is_group_parent !== true;
  return isWhole && is_pending !== true && status !== 'delete_pending';
}

function linkColumns(item: RecurringRow, row: NewTransaction) {
  const { payee, notes = null, category_id = null } = row;
  const own = { recurring_id: item.id, payee, notes, category_id };
  return { ...shownBy(item, own), recurring_id: item.id, status: 'reviewed' };
}

function textColumns(row: NewTransaction) {
  const { recurring_id = null, notes = null, category_id = null } = row;
  const { own_payee = null, own_notes = null, own_category_id = null } = row;
  return { recurring_id, notes, category_id, own_payee, own_notes, own_category_id };
}
