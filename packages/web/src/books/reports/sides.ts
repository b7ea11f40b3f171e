import type { Category } from '../types.ts';

/** What of a category decides on which side its transactions count. */
export type SidedCategory = Pick<
  Category,
  'id' | 'name' | 'is_group' | 'group_id' | 'is_income' | 'exclude_from_totals'
>;

/** The side of a report on which transactions count. */
export type Side = 'income' | 'spending';

/** The sum of the transactions of a month and a category. */
export interface CategorySum {
  /** `2026-11` */
  readonly month: string;
  /** Null for transactions without a category. */
  readonly categoryId: number | null;
  /** Ten-thousandths of the primary currency; money out is positive. */
  readonly units: bigint;
}

/** The transactions of a month without a category, by side; ten-thousandths, money out is positive. */
export interface UncategorizedSum {
  readonly month: string;
  readonly income: bigint;
  readonly spending: bigint;
}

/** A sum on the side where it counts: income received and money spent are both positive. */
export interface SidedSum extends CategorySum {
  readonly side: Side;
}

/**
 * Returns the side of a transaction; null for one that counts on none.
 *
 * The rules are those of `totals` in GET /v2/summary, so that every figure agrees with the budget: a category that is
 * excluded from totals counts nowhere, an income category is income even where money goes out of it, every other
 * category is spending even where a refund comes in. Without a category the sign decides: credits are income, debits
 * are spending. `exclude_from_budget` has no effect here.
 */
export function sideOf(category: SidedCategory | null, isCredit: boolean): Side | null {
  if (category?.exclude_from_totals === true) return null;
  return (category?.is_income ?? isCredit) ? 'income' : 'spending';
}

/**
 * Returns the sums with their sides. Sums without a category mix credits and debits, so those of `uncategorized` take
 * their place.
 */
export function sidedSums(
  sums: readonly CategorySum[],
  uncategorized: readonly UncategorizedSum[],
  categories: readonly SidedCategory[],
): SidedSum[] {
  const byId = new Map(categories.map((category) => [category.id, category]));
  const sided = sums.flatMap(({ month, categoryId, units }): SidedSum[] => {
    const category = byId.get(categoryId ?? -1);
    if (category === undefined) return [];
    const side = sideOf(category, false);
    return side === null ? [] : [{ month, categoryId, side, units: signed(units, side) }];
  });
  for (const { month, income, spending } of uncategorized) {
    const shared = { month, categoryId: null };
    if (income !== 0n) sided.push({ ...shared, side: 'income', units: -income });
    if (spending !== 0n) sided.push({ ...shared, side: 'spending', units: spending });
  }
  return sided;
}

function signed(units: bigint, side: Side): bigint {
  return side === 'income' ? -units : units;
}
