import { lastDayOf } from '../formats/dates.ts';

/** Money spent on a day. */
export interface DaySpending {
  /** `2026-11-23` */
  readonly date: string;
  /** Ten-thousandths; a refund is negative. */
  readonly units: bigint;
}

/**
 * Returns what was spent from the first of a month up to each of its days, by the index of the day. It ends with
 * `until`, or with the month.
 */
export function cumulative(
  month: string,
  spending: readonly DaySpending[],
  until: string,
): bigint[] {
  const last = lastDayOf(month);
  const end = until < last ? until : last;
  if (end < `${month}-01`) return [];
  const days = Array.from({ length: Number(end.slice(8)) }, () => 0n);
  for (const { date, units } of spending)
    if (date.startsWith(`${month}-`) && date <= end) days[Number(date.slice(8)) - 1]! += units;
  let sum = 0n;
  return days.map((units) => (sum += units));
}
