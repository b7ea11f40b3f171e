import { noFilter, writeFilter } from './filter.ts';
import type { Filter } from './filter.ts';
import type { Period } from '../reports/periods.ts';

/** The address of the transactions that pass a filter. */
export function transactionsHref(filter: Partial<Filter>): string {
  const search = writeFilter({ ...noFilter, ...filter });
  return search === '' ? '/transactions' : `/transactions?${search}`;
}

/** The address of the transactions of some months, and of some categories (0 is none). */
export function periodHref(period: Period, categoryIds: readonly number[] = []): string {
  return transactionsHref({
    text: period.first === period.last ? period.first : `${period.first}..${period.last}`,
    categoryIds,
  });
}
