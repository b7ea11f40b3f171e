import { addDays, dayOf, daysApart, instantOf } from '@coffer/core/dates';
import { compareCodePoints, payeeKey } from '@coffer/core/text';
import sql from 'sql-template-tag';
import { type Change, changing } from '../../book/change.ts';
import { bookJob } from '../../jobs/scheduler.ts';
import { blockSize } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { find, rowsAs } from '../../db/rows.ts';
import { withSingleBlanks } from '../../db/dialect.ts';
import { integer, nullable, text } from '../../db/table.ts';
import { books, recurringItems } from '../../db/tables/tables.ts';
import { latestToBase } from '../currencies/actions.ts';
import { listRecurring } from './items.ts';
import { type RecurringRow, daysOffAllowed, nearestFree } from './rules.ts';
import type { Schedule } from '@coffer/core/schedule';

/** Payees with more transactions are shops; nothing is suggested for them. */
const mostTransactions = 900;
/** Suggestions of one run. The next run continues. */
const mostSuggestions = 50;
const dayMs = 86_400_000;
/** Longer than the time between two runs, so that a run that failed leaves nothing out. */
const recentMs = 7 * dayMs;

/** What the transactions of a group have in common. */
interface Payee {
  readonly manual_account_id: number | null;
  readonly plaid_account_id: number | null;
  readonly currency: string;
  readonly payee: string;
}

interface PayeeHistory extends Payee {
  readonly occurrences: readonly Occurrence[];
}

/** A pattern that no item of the book has. */
interface Suggestion extends Pattern, Payee {}

/** Suggests recurring items, once a day, in the books that were changed in the last week. */
export const suggestionsJob = bookJob(
  { name: 'recurring suggestions', everyMs: dayMs },
  changedBooks,
  async (engine, bookId, nowMs) => {
    // Most runs find nothing, so they do not lock the book.
    const found = await engine.read(() => suggestionsOf(bookId, dayOf(nowMs)));
    if (found.length === 0) return;
    const cause = { bookId, actor: 'job', operation: 'suggest recurring items' };
    await engine.write(() => changing(cause, findSuggestions));
  },
);

function* changedBooks(nowMs: number, afterId: number): Steps<number[]> {
  const since = instantOf(nowMs - recentMs);
  const changed = yield* rowsAs(
    { id: integer },
    sql`SELECT id FROM books WHERE id > ${afterId} AND changed_at >= ${since} AND incomplete_until_ms IS NULL
      ORDER BY id LIMIT ${blockSize}`,
  );
  return changed.map(({ id }) => id);
}

/**
 * Creates an item with the status `suggested` for each pattern in the transactions of the searched days that no item
 * has. Links no transactions. Returns the number of new items, at most 50.
 */
export function* findSuggestions(change: Change): Steps<number> {
  const { bookId, at } = change;
  const suggestions = yield* suggestionsOf(bookId, at.slice(0, 10));
  if (suggestions.length === 0) return 0;
  const book = yield* find(books, { id: bookId });
  for (const { schedule, amount, tolerance, ...payee } of suggestions)
    yield* change.insert(recurringItems, {
      ...schedule,
      ...payee,
      amount,
      amount_tolerance: tolerance,
      to_base: yield* latestToBase(bookId, amount, payee.currency, at),
      status: 'suggested',
      source: 'system',
      created_by: book!.user_id,
    });
  return suggestions.length;
}

function* suggestionsOf(bookId: number, today: string): Steps<Suggestion[]> {
  const known = yield* listRecurring(bookId);
  const found: Suggestion[] = [];
  for (const { occurrences, ...payee } of yield* historiesOf(bookId, today))
    for (const pattern of findPatterns(occurrences, today)) {
      const suggestion = { ...pattern, ...payee };
      if (known.some((item) => isKnown(item, suggestion))) continue;
      if (found.some((other) => isSame(other, suggestion))) continue;
      found.push(suggestion);
      if (found.length === mostSuggestions) return found;
    }
  return found;
}

/** An item prevents suggestions with a near amount; a dismissed one, with any amount of the same sign. */
function isKnown(item: RecurringRow, suggestion: Suggestion): boolean {
  if (item.payee === null || !isSamePayee({ ...item, payee: item.payee }, suggestion)) return false;
  const isSameSign = Math.sign(item.amount) === Math.sign(suggestion.amount);
  return item.status === 'dismissed' ? isSameSign : areNear(item.amount, suggestion.amount);
}

function isSame(one: Suggestion, other: Suggestion): boolean {
  return isSamePayee(one, other) && areNear(one.amount, other.amount);
}

/** An item without an account is one of any account. */
function isSamePayee(one: Payee, other: Payee): boolean {
  const isAnyAccount = one.manual_account_id === null && one.plaid_account_id === null;
  const isSameAccount =
    one.manual_account_id === other.manual_account_id &&
    one.plaid_account_id === other.plaid_account_id;
  const isSameName = payeeKey(one.payee) === payeeKey(other.payee);
  return (isAnyAccount || isSameAccount) && one.currency === other.currency && isSameName;
}

const historyShape = {
  manual_account_id: nullable(integer),
  plaid_account_id: nullable(integer),
  currency: text,
  payee: text,
  entries: text,
};

/** Returns the transactions of the searched days without an item, by account, currency and payee, in a fixed order. */
function* historiesOf(bookId: number, today: string): Steps<PayeeHistory[]> {
  const groups = yield* rowsAs(
    historyShape,
    sql`SELECT manual_account_id, plaid_account_id, currency, min(payee) AS payee,
        string_agg(date || ' ' || amount, ',') AS entries
      FROM transactions
      WHERE book_id = ${bookId} AND date BETWEEN ${addDays(today, -searchedDays)} AND ${today}
        AND recurring_id IS NULL AND listed = 1 AND split_parent_id IS NULL AND is_group_parent = 0
        AND amount <> 0
      GROUP BY manual_account_id, plaid_account_id, currency, lower(${withSingleBlanks('payee')})
      HAVING count(*) BETWEEN 3 AND ${mostTransactions}`,
  );
  const histories = groups.map(({ entries, ...payee }) => ({
    ...payee,
    occurrences: entries.split(',').map(readEntry),
  }));
  return histories.toSorted(compareHistories);
}

function readEntry(entry: string): Occurrence {
  const [date = '', amount] = entry.split(' ');
  return { date, amount: Number(amount) };
}

function compareHistories(a: PayeeHistory, b: PayeeHistory): number {
  return (
    (a.manual_account_id ?? 0) - (b.manual_account_id ?? 0) ||
    (a.plaid_account_id ?? 0) - (b.plaid_account_id ?? 0) ||
    compareCodePoints(a.currency, b.currency) ||
    compareCodePoints(a.payee, b.payee)
  );
}

/** A transaction of a payee; `amount` in ten-thousandths. */
interface Occurrence {
  readonly date: string;
  readonly amount: number;
}

/** Transactions that come back regularly. `amount` is the middle of their amounts, which differ by `tolerance`. */
interface Pattern {
  readonly schedule: Schedule;
  readonly amount: number;
  readonly tolerance: number;
}

/** A rhythm in which payments come back, with the days between two of them, inclusive. */
interface Cadence extends Pick<Schedule, 'granularity' | 'quantity'> {
  readonly gapDays: readonly [least: number, most: number];
}

const cadences: readonly Cadence[] = [
  { granularity: 'week', quantity: 1, gapDays: [5, 9] },
  { granularity: 'week', quantity: 2, gapDays: [11, 17] },
  { granularity: 'month', quantity: 1, gapDays: [24, 37] },
  // What is too far from the days of months.
  { granularity: 'week', quantity: 4, gapDays: [25, 31] },
  { granularity: 'month', quantity: 3, gapDays: [84, 98] },
];
const yearly: Cadence = { granularity: 'year', quantity: 1, gapDays: [355, 376] };

const fewestOccurrences = 3;
/** Amounts are near each other if they differ by at most a fifth of the smallest. */
const nearShare = 5;
/** How far back payments count that come more often than every year. */
const recentDays = 760;
/** A payment that is late by more than half a period has ended. */
const mostPeriods = 1.5;
/** How far back the first of three yearly payments can be while the fourth is not late. */
const searchedDays = yearly.gapDays[1] * (fewestOccurrences - 1 + mostPeriods);

/**
 * Returns the patterns in the transactions of one payee that are still active at `today`, by amount.
 *
 * Amounts that are near each other are one pattern if a cadence fits them all. Otherwise each of these amounts can be
 * one, if such patterns have at least half of the transactions: less would be every third payment of a monthly bill. A
 * pattern has at least three transactions, each close to the next expected date, none of which is left out. Its next
 * transaction is not overdue by more than half a period.
 */
export function findPatterns(occurrences: readonly Occurrence[], today: string): Pattern[] {
  return nearGroups(occurrences).flatMap((group) => {
    const whole = patternOf(group, today);
    if (whole !== undefined) return [whole];
    const equal = [...Map.groupBy(group, ({ amount }) => amount).values()];
    const found = equal.flatMap((each) => {
      const pattern = patternOf(each, today);
      return pattern === undefined ? [] : [{ pattern, count: each.length }];
    });
    const count = found.reduce((sum, each) => sum + each.count, 0);
    return count * 2 >= group.length ? found.map(({ pattern }) => pattern) : [];
  });
}

/** Groups transactions by ascending amount: the amounts of a group are near its first one. */
function nearGroups(occurrences: readonly Occurrence[]): Occurrence[][] {
  const groups: Occurrence[][] = [];
  for (const each of occurrences.toSorted((a, b) => a.amount - b.amount)) {
    const last = groups.at(-1);
    if (last !== undefined && areNear(last[0]!.amount, each.amount)) last.push(each);
    else groups.push([each]);
  }
  return groups;
}

function recentOf(occurrences: readonly Occurrence[], today: string): Occurrence[] {
  return occurrences.filter(({ date }) => daysApart(date, today) <= recentDays);
}

/** Whether two amounts have the same sign and differ by at most a fifth. */
function areNear(one: number, other: number): boolean {
  if (Math.sign(one) !== Math.sign(other)) return false;
  return Math.abs(one - other) * nearShare <= Math.min(Math.abs(one), Math.abs(other));
}

function patternOf(occurrences: readonly Occurrence[], today: string): Pattern | undefined {
  const recent = recentOf(occurrences, today);
  return patternBy(cadences, recent, today) ?? patternBy([yearly], occurrences, today);
}

function patternBy(
  among: readonly Cadence[],
  occurrences: readonly Occurrence[],
  today: string,
): Pattern | undefined {
  if (occurrences.length < fewestOccurrences) return undefined;
  const dates = occurrences.map(({ date }) => date).toSorted();
  let schedule: Schedule | undefined;
  for (const cadence of among) schedule ??= scheduleOf(cadence, dates, today);
  if (schedule === undefined) return undefined;
  const amounts = occurrences.map(({ amount }) => amount);
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)];
  const amount = Math.floor((least + most) / 2);
  const tolerance = Math.max(most - amount, amount - least);
  return { schedule, amount, tolerance };
}

/** Returns the schedule of a cadence that dates, ascending, follow without a gap; undefined if they follow none. */
function scheduleOf(
  { granularity, quantity, gapDays: [least, most] }: Cadence,
  dates: readonly string[],
  today: string,
): Schedule | undefined {
  const gaps = dates.slice(1).map((date, at) => daysApart(dates[at]!, date));
  if (!gaps.every((gap) => gap >= least && gap <= most)) return undefined;
  if (daysApart(dates.at(-1)!, today) > most * mostPeriods) return undefined;
  const candidates = dates.map((anchor_date) => {
    const schedule = { granularity, quantity, anchor_date, start_date: null, end_date: null };
    return { schedule, daysOff: daysOffOf(schedule, dates) };
  });
  // The latest of the best dates: the sort keeps their order.
  const [best] = candidates.toReversed().toSorted((a, b) => a.daysOff - b.daysOff);
  return best!.daysOff === Infinity ? undefined : best!.schedule;
}

/** Returns the days between all dates and their expected dates; infinite if a date is too far from its own. */
function daysOffOf(schedule: Schedule, dates: readonly string[]): number {
  const taken = new Set<string>();
  let sum = 0;
  for (const date of dates) {
    const expected = nearestFree(schedule, date, daysOffAllowed(schedule), taken);
    if (expected === undefined) return Infinity;
    taken.add(expected);
    sum += daysApart(expected, date);
  }
  return sum;
}
