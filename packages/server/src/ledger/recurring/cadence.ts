import { daysApart } from '@coffer/core/dates';
import type { Schedule } from '@coffer/core/schedule';
import { daysOffAllowed, nearestFree } from './rules.ts';

/** A transaction of a payee; `amount` in ten-thousandths. */
export interface Occurrence {
  readonly date: string;
  readonly amount: number;
}

/** Transactions that come back regularly. `amount` is the middle of their amounts, which differ by `tolerance`. */
export interface Pattern {
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
export const searchedDays = yearly.gapDays[1] * (fewestOccurrences - 1 + mostPeriods);

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
export function areNear(one: number, other: number): boolean {
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
