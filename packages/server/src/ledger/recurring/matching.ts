import { addDays, daysApart } from '@coffer/core/dates';
import { payeeKey } from '@coffer/core/text';
import sql from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { NewRow } from '../../db/table.ts';
import { recurringItems, transactions } from '../../db/tables/tables.ts';
import { linkedTransactions, updateAlike } from './links.ts';
import { daysOffAllowed, mostReachDays, nearestFree } from './rules.ts';
import { shownBy, takenDates } from './rules.ts';
import type { RecurringRow } from './rules.ts';

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
