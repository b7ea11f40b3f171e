import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';

/** The sides on which transactions count. */
export const sides = ['spending', 'income'] as const;
/** The side of sums on which a transaction counts. */
export type Side = (typeof sides)[number];

/** What of a category decides on which side its transactions count. */
export interface SidedCategory {
  readonly is_income: boolean;
  readonly exclude_from_totals: boolean;
}

/**
 * Returns the side of a transaction that lists show; null for one that counts on none.
 *
 * A category that is excluded from totals counts nowhere, an income category is income even if money goes out of it,
 * every other category is spending even if a refund comes in. Without a category, credits are income and debits are
 * spending. {@link countsAs} says the same in SQL.
 */
export function sideOf(category: SidedCategory | undefined, isCredit: boolean): Side | null {
  if (category?.exclude_from_totals === true) return null;
  return (category?.is_income ?? isCredit) ? 'income' : 'spending';
}

/** Returns a condition on row `t`, which lists must show: it counts on this side, as {@link sideOf} says. */
export function countsAs(side: Side, bookId: number): Sql {
  const isIncome = side === 'income';
  // The categories are found once for a statement, and no index is sought by them.
  return sql`CASE WHEN t.category_id IS NULL THEN ${isIncome ? sql`t.to_base < 0` : sql`t.to_base >= 0`}
    ELSE t.category_id IN (SELECT c.id FROM categories c
      WHERE c.book_id = ${bookId} AND c.exclude_from_totals = 0 AND c.is_income = ${isIncome ? 1 : 0}) END`;
}
