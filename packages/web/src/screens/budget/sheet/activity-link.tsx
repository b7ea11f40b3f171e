import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { isSome } from '../../../books/budget/budget.ts';
import { isMonth } from '../../../books/budget/budget-periods.ts';
import type { Period } from '@coffer/core/budget-periods';

/** A link to the transactions of a category in a period. */
export function ActivityLink(props: {
  /** 0 for those without a category. */
  readonly categoryId: number;
  readonly period: Period;
  readonly amount: string;
  readonly children: ReactNode;
  readonly cell?: string;
  readonly isReached?: boolean;
  readonly onFocus?: () => void;
}): ReactElement {
  const { categoryId, period, amount, children, cell, isReached = false, onFocus } = props;
  const { start, end } = period;
  const dates = isMonth(period) ? start.slice(0, 7) : `${start}..${end}`;
  const query = new URLSearchParams({ q: dates, category: String(categoryId) });
  return (
    <Link
      href={`/transactions?${query}`}
      className={isSome(amount) ? 'budget-activity' : 'budget-activity is-zero'}
      data-cell={cell}
      tabIndex={cell === undefined || isReached ? 0 : -1}
      onFocus={onFocus}
    >
      {children}
    </Link>
  );
}
