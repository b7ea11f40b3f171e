import { addDays, dayNumber } from '@coffer/core/dates';
import { expectedDates, type Schedule } from '@coffer/core/schedule';
import { addMonths, lastDayOf } from '../formats/dates.ts';
import type { Schemas } from '../types.ts';

type Item = Schemas['RecurringItem'];

/** The state of an item: found by the server, accepted, or hidden. */
export type ItemStatus = RecurringDetails['status'];

/** A recurring item as the API describes it. */
export type RecurringDetails = Pick<
  Schemas['RecurringItemDetails'],
  'id' | 'description' | 'status' | 'transaction_criteria' | 'overrides'
>;

/** What was expected and found of an item in a range. */
export type ItemMatches = Pick<
  NonNullable<Item['matches']>,
  'found_transactions' | 'missing_transaction_dates'
>;

/** An item with what is known of its dates. */
export interface RecurringItem {
  readonly details: RecurringDetails;
  /** What linked transactions show, else what the item looks for; empty when it looks for any payee. */
  readonly name: string;
  /** The next expected date, today included; null when there is none. */
  readonly next: string | null;
  /** The date of the last transaction that was found; null for none. */
  readonly last: string | null;
  /** The last expected date before today without a transaction, if it is after `last`. */
  readonly missed: string | null;
}

const longestUnitDays = { day: 1, week: 7, month: 31, year: 366 } as const;

/** Returns the next date on which a transaction is expected, `today` included; null when there is none. */
export function nextDate(schedule: Schedule, today: string): string | null {
  const from =
    schedule.start_date !== null && schedule.start_date > today ? schedule.start_date : today;
  const days = schedule.quantity * longestUnitDays[schedule.granularity];
  return expectedDates(schedule, from, addDays(from, days)).at(0) ?? null;
}

/** Sorts after all dates, in every collation. */
const never = '9999-99-99';

/** Returns the items in the order of their next dates; those without one are last. */
export function itemsOf(
  details: readonly RecurringDetails[],
  matches: ReadonlyMap<number, ItemMatches>,
  today: string,
): readonly RecurringItem[] {
  const items = details.map((each) => itemOf(each, matches.get(each.id), today));
  return items.toSorted((a, b) => (a.next ?? never).localeCompare(b.next ?? never));
}

/** The name of an item: what linked transactions show, else what it looks for, else its description. */
function nameOf({
  overrides,
  transaction_criteria: criteria,
  description,
}: RecurringDetails): string {
  return overrides.payee ?? criteria.payee ?? description ?? '';
}

function itemOf(
  details: RecurringDetails,
  matches: ItemMatches | undefined,
  today: string,
): RecurringItem {
  const { transaction_criteria: criteria } = details;
  const last = matches?.found_transactions.at(-1)?.date ?? null;
  const missed = matches?.missing_transaction_dates.findLast((date) => date < today) ?? null;
  return {
    details,
    name: nameOf(details),
    last,
    next: nextDate(criteria, today),
    missed: missed !== null && missed > (last ?? '') ? missed : null,
  };
}

/** What an entry of the calendar is: a transaction, one that is missing, one to come, or a suggestion. */
export type EntryKind = 'found' | 'missing' | 'expected' | 'suggested';

/** An item on a day. */
export interface DayEntry {
  readonly item: RecurringItem;
  readonly kind: EntryKind;
  readonly date: string;
}

/** Returns what is on each day from `start` to `end`, inclusive; dismissed items are nowhere. */
export function entriesOf(
  items: readonly RecurringItem[],
  matches: ReadonlyMap<number, ItemMatches>,
  { start, end, today }: { readonly start: string; readonly end: string; readonly today: string },
): ReadonlyMap<string, readonly DayEntry[]> {
  const entries = items.flatMap((item): DayEntry[] => {
    const { details } = item;
    const on = (kind: EntryKind) => (date: string) => ({ item, kind, date });
    if (details.status === 'suggested')
      return expectedDates(details.transaction_criteria, start, end).map(on('suggested'));
    const found = matches.get(details.id);
    if (details.status === 'dismissed' || found === undefined) return [];
    return [
      ...found.found_transactions.map(({ date }) => on('found')(date)),
      ...found.missing_transaction_dates.map((date) =>
        on(date < today ? 'missing' : 'expected')(date),
      ),
    ];
  });
  return Map.groupBy(
    entries.filter(({ date }) => date >= start && date <= end),
    ({ date }) => date,
  );
}

/** Returns the weeks of a month, each with seven days; those of other months fill the first and the last. */
export function weeksOf(month: string, firstWeekday: number): readonly (readonly string[])[] {
  const first = `${month}-01`;
  const start = addDays(first, -((weekdayOf(first) - firstWeekday + 7) % 7));
  const weeks = Array.from({ length: 6 }, (_each, week) =>
    Array.from({ length: 7 }, (_day, day) => addDays(start, week * 7 + day)),
  );
  return weeks.filter((days) => days.some((day) => day.startsWith(month)));
}

/** The day of the week: 1 for Monday to 7 for Sunday. */
export function weekdayOf(date: string): number {
  // 1970-01-01 was a Thursday.
  return ((((dayNumber(date) + 3) % 7) + 7) % 7) + 1;
}

/** The first day of the week in a locale: 1 for Monday to 7 for Sunday; Monday where it is not known. */
export function firstWeekdayOf(locale: string): number {
  const known = new Intl.Locale(
    locale === '' ? new Intl.NumberFormat().resolvedOptions().locale : locale,
  );
  const { getWeekInfo } = known as { getWeekInfo?: () => { readonly firstDay: number } };
  return getWeekInfo?.call(known).firstDay ?? 1;
}

const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
};

/** Returns the day to which a key leads in a calendar; null for keys that are not of it. */
export function dayAfterKey(key: string, date: string, firstWeekday: number): string | null {
  const step = steps[key];
  if (step !== undefined) return addDays(date, step);
  const inWeek = (weekdayOf(date) - firstWeekday + 7) % 7;
  if (key === 'Home') return addDays(date, -inWeek);
  if (key === 'End') return addDays(date, 6 - inWeek);
  if (key === 'PageUp') return inMonth(date, -1);
  if (key === 'PageDown') return inMonth(date, 1);
  return null;
}

/** Returns the same day of another month, or its last day if it is shorter. */
export function inMonth(date: string, months: number): string {
  const month = addMonths(date.slice(0, 7), months);
  const [day, last] = [`${month}${date.slice(7)}`, lastDayOf(month)];
  return day < last ? day : last;
}
