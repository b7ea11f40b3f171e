import { blockSize } from '../../db/blocks.ts';
import { dateRange } from '../filter.ts';
import type { Selection } from './query.ts';
import type { DayTotal, MonthTotal } from './totals.ts';

/** The dates of a part of the matching rows that has a page, and how many of its first rows precede the page. */
export interface Place {
  readonly range: { readonly start_date: string; readonly end_date: string };
  readonly skip: number;
}

/** Returns the months of a page in a list by date. The page must not be empty. */
export function monthsOfPage(selection: Selection, months: readonly MonthTotal[]): Place {
  const { limit, offset, sort } = selection;
  let before = 0;
  let skip = 0;
  const ofPage: string[] = [];
  for (const { month, count } of sort === 'date' ? months.toReversed() : months) {
    if (before < offset + limit && before + count > offset) {
      if (ofPage.length === 0) skip = offset - before;
      ofPage.push(month);
    }
    before += count;
  }
  const [oldest, newest] = [ofPage.at(0)!, ofPage.at(-1)!].toSorted();
  const { start_date, end_date } = dateRange(selection);
  const [start, end] = [`${oldest}-01`, `${newest}-31`];
  const range = {
    start_date: start > start_date ? start : start_date,
    end_date: end < end_date ? end : end_date,
  };
  return { range, skip };
}

/**
 * Returns the days that have all rows up to the end of a page in a list by amount; null if they are too many.
 *
 * If a page ends with the 200th row, no row of it is smaller than the largest rows of 200 days. So all are on days
 * whose largest row is not smaller than that.
 */
export function daysOfPage(
  { limit, offset, sort }: Selection,
  days: readonly DayTotal[],
): readonly string[] | null {
  const needed = offset + limit;
  if (needed > blockSize || needed > days.length) return null;
  const sign = sort === 'amount' ? 1 : -1;
  const last = days.map(({ first }) => sign * first).toSorted((a, b) => a - b)[needed - 1]!;
  const found = days.filter(({ first }) => sign * first <= last);
  return found.length > blockSize ? null : found.map(({ date }) => date);
}
