import { addDays, daysApart, daysIn } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import { expectedDates, type Schedule } from '@coffer/core/schedule';
import { given, type Row } from '../../db/table.ts';
import type { recurringItems } from '../../db/tables/tables.ts';
import { wireNumber } from '../../operations/schema.ts';
import type { RecurringItem, RecurringItemDetails, RecurringMatches } from './schema.ts';

export type RecurringRow = Row<typeof recurringItems>;

/** A range of dates, both inclusive. */
export interface DateRange {
  readonly start_date: string;
  readonly end_date: string;
}

/** A new transaction is linked if it is at most so many days from an expected date. */
const mostDaysOff = 5;
/** Longest range for which transactions are expected, ten years: a daily item then has a few thousand dates. */
export const mostRangeDays = 3660;
/** A linked transaction counts for the nearest expected date within so many days. */
export const mostReachDays = 15;

/** Returns the first and the last day of the month of a date or an instant. */
export function monthOf(date: string): DateRange {
  const month = date.slice(0, 7);
  const last = daysIn(Number(date.slice(0, 4)), Number(date.slice(5, 7)));
  return { start_date: `${month}-01`, end_date: `${month}-${last}` };
}

/** Returns how many days a new transaction may be from an expected date: fewer for short periods. */
export function daysOffAllowed(schedule: Schedule): number {
  return Math.min(mostDaysOff, Math.floor((shortestPeriodDays(schedule) - 1) / 2));
}

/** Returns the expected date nearest to a date that is not taken; undefined if none is within `days`. */
export function nearestFree(
  schedule: Schedule,
  date: string,
  days: number,
  taken: Pick<ReadonlySet<string>, 'has'>,
): string | undefined {
  const near = expectedDates(schedule, addDays(date, -days), addDays(date, days));
  const free = near.filter((each) => !taken.has(each));
  // The sort keeps the earlier of two dates that are equally near.
  return free.toSorted((a, b) => daysApart(a, date) - daysApart(b, date))[0];
}

/** Returns the expected dates for which there are linked transactions, by the dates of these: {@link takersOf}. */
export function takenDates(schedule: Schedule, linked: readonly string[]): Set<string> {
  const dated = linked.map((date) => ({ date }));
  return new Set(takersOf(schedule, dated).keys());
}

/**
 * Returns linked transactions by the expected dates that they count for. In the order of their dates, each transaction
 * takes the nearest free date within half a period, at most {@link mostReachDays}.
 */
export function takersOf<T extends { readonly date: string }>(
  schedule: Schedule,
  linked: readonly T[],
): Map<string, T> {
  const reach = Math.min(mostReachDays, Math.floor(shortestPeriodDays(schedule) / 2));
  const takers = new Map<string, T>();
  for (const each of linked.toSorted((a, b) => Number(a.date > b.date) - Number(a.date < b.date))) {
    const free = nearestFree(schedule, each.date, reach, takers);
    if (free !== undefined) takers.set(free, each);
  }
  return takers;
}

/** A transaction that is linked to a recurring item. */
export interface LinkedTransaction {
  readonly id: number;
  readonly date: string;
}

/**
 * Returns what was expected and found from `start_date` to `end_date`, inclusive. `linked` also has transactions
 * shortly before and after, because a payment can be early or late.
 */
export function matchesOf(
  item: RecurringRow,
  linked: readonly LinkedTransaction[],
  { start_date: start, end_date: end }: DateRange,
): RecurringMatches | null {
  if (item.status === 'suggested') return null;
  const expected = expectedDates(item, start, end);
  const taken = takenDates(
    item,
    linked.map(({ date }) => date),
  );
  const found = linked.filter(({ date }) => date >= start && date <= end);
  return {
    request_start_date: start,
    request_end_date: end,
    expected_occurrence_dates: expected,
    found_transactions: found.map(({ id, date }) => ({ date, transaction_id: id })),
    missing_transaction_dates: expected.filter((date) => !taken.has(date)),
  };
}

/** The text of a transaction as its user wrote it, and its recurring item. */
export interface OwnText {
  readonly recurring_id: number | null;
  readonly payee: string;
  readonly notes: string | null;
  readonly category_id: number | null;
}

/** The columns of a transaction that depend on its recurring item. */
export interface ShownText {
  readonly payee: string;
  readonly notes: string | null;
  readonly category_id: number | null;
  readonly own_payee: string | null;
  readonly own_notes: string | null;
  readonly own_category_id: number | null;
}

/**
 * Returns the text columns of a transaction with this item, or without one. The payee is the override of the item,
 * else the payee of its criteria. Notes are those of the item, even if it has none. Without an override, the category
 * is the transaction's own.
 */
export function shownBy(item: RecurringRow | undefined, own: OwnText): ShownText {
  const { payee, notes, category_id } = own;
  if (item === undefined)
    return { payee, notes, category_id, own_payee: null, own_notes: null, own_category_id: null };
  return {
    payee: item.override_payee ?? item.payee ?? payee,
    notes: item.override_notes,
    category_id: item.override_category_id ?? category_id,
    own_payee: payee,
    own_notes: notes,
    own_category_id: category_id,
  };
}

/** Returns a transaction's own text from its row. A linked row without `own_payee` has only the text that it shows. */
export function ownTextOf(row: OwnText & ShownText): OwnText {
  const { recurring_id, payee, notes, category_id } = row;
  if (recurring_id === null || row.own_payee === null)
    return { recurring_id, payee, notes, category_id };
  const { own_payee, own_notes, own_category_id } = row;
  return { recurring_id, payee: own_payee, notes: own_notes, category_id: own_category_id };
}

/** Returns an item as in a response of v2. */
export function toWire(item: RecurringRow, matches: RecurringMatches | null): RecurringItem {
  const { id, description, status, created_by, created_at, updated_at, source } = item;
  return {
    id,
    description,
    status: status === 'suggested' ? status : 'reviewed',
    transaction_criteria: criteriaOf(item),
    overrides: overridesOf(item),
    matches,
    created_by,
    created_at,
    updated_at,
    source,
  };
}

/** Returns an item as in a response of Coffer's own operations. */
export function detailsOf(item: RecurringRow): RecurringItemDetails {
  const { id, description, status, created_by, created_at, updated_at, source } = item;
  const amount_tolerance = formatAmount(item.amount_tolerance);
  return {
    id,
    description,
    status,
    transaction_criteria: { ...criteriaOf(item), amount_tolerance },
    overrides: overridesOf(item),
    created_by,
    created_at,
    updated_at,
    source,
  };
}

function criteriaOf(item: RecurringRow): RecurringItem['transaction_criteria'] {
  const { start_date, end_date, granularity, quantity, anchor_date, payee, currency } = item;
  return {
    start_date,
    end_date,
    granularity,
    quantity,
    anchor_date,
    payee,
    amount: formatAmount(item.amount),
    to_base: wireNumber(item.to_base),
    currency: currency as RecurringItem['transaction_criteria']['currency'],
    plaid_account_id: item.plaid_account_id,
    manual_account_id: item.manual_account_id,
  };
}

function overridesOf(item: RecurringRow): RecurringItem['overrides'] {
  return given({
    payee: item.override_payee ?? undefined,
    notes: item.override_notes ?? undefined,
    category_id: item.override_category_id ?? undefined,
  });
}

/** The words of v1 for a number of units. */
const cadences: Readonly<Record<string, string>> = {
  '1 week': 'once a week',
  '2 week': 'every 2 weeks',
  '1 month': 'monthly',
  '2 month': 'every 2 months',
  '3 month': 'every 3 months',
  '4 month': 'every 4 months',
  '6 month': 'twice a year',
  '1 year': 'yearly',
};

/** Returns the payee of an item for lists that need one. */
export function shownPayee({ override_payee, payee, description }: RecurringRow): string {
  return override_payee ?? payee ?? description ?? '';
}

/** Returns the cadence of an item as v1 names it; null if v1 has no word for it. */
export function cadenceV1({ quantity, granularity }: Schedule): string | null {
  return cadences[`${quantity} ${granularity}`] ?? null;
}

/** Returns the expected dates in a range, ascending, with the last one before and the first after it, as v1 shows. */
export function datesAround(
  schedule: Schedule,
  { start_date: start, end_date: end }: DateRange,
): string[] {
  const { quantity, granularity } = schedule;
  const days = quantity * { day: 1, week: 7, month: 31, year: 366 }[granularity];
  const before = expectedDates(schedule, addDays(start, -days), start);
  const after = expectedDates(schedule, end, addDays(end, days));
  return [
    ...before.filter((date) => date < start).slice(-1),
    ...expectedDates(schedule, start, end),
    ...after.filter((date) => date > end).slice(0, 1),
  ];
}

function shortestPeriodDays({ granularity, quantity }: Schedule): number {
  return quantity * { day: 1, week: 7, month: 28, year: 365 }[granularity];
}
