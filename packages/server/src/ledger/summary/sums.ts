import type { Category } from '../categories/schema.ts';
import type { Layout } from './layout.ts';
import type { ExpectedRecurring } from './recurring.ts';
import type { ActivitySum } from './sql.ts';

/** Activity in ten-thousandths of the primary currency; money out is positive. */
export interface Activity {
  other: bigint;
  recurring: bigint;
}

/** What recurring items expect, in the same form. */
export interface Expectation {
  remaining: bigint;
  expected: bigint;
}

/** The sums of one category or group, or of all transactions of one side. */
export interface Sums extends Expectation {
  /** In the requested range. */
  readonly range: Activity;
  /** By the index of the occurrence. */
  readonly occurrences: readonly Activity[];
}

/** The sums of one side of all transactions: inflow or outflow. */
export interface SideSums extends Activity, Expectation {
  readonly uncategorized: Activity;
  uncategorizedCount: number;
}

const noActivity = (): Activity => ({ other: 0n, recurring: 0n });

function add(to: Activity, { isRecurring, toBase }: ActivitySum): void {
  if (isRecurring) to.recurring += toBase;
  else to.other += toBase;
}

function addExpected(to: Expectation, { toBase, isMatched }: ExpectedRecurring): void {
  to.expected += BigInt(toBase);
  if (!isMatched) to.remaining += BigInt(toBase);
}

/** Returns the sums of each category by id. A group has the sums of its members. */
export function sumsByCategory(
  categories: readonly Category[],
  { segments, occurrences }: Layout,
  activity: readonly ActivitySum[],
  expected: readonly ExpectedRecurring[],
): ReadonlyMap<number, Sums> {
  const sums = new Map(
    categories.map(({ id }): [number, Sums] => [
      id,
      {
        ...{ range: noActivity(), occurrences: occurrences.map(noActivity) },
        ...{ remaining: 0n, expected: 0n },
      },
    ]),
  );
  const groups = new Map(categories.map(({ id, group_id }) => [id, group_id]));
  const sumsOf = (id: number | null): Sums[] =>
    [id, groups.get(id ?? 0) ?? null].flatMap((each) => sums.get(each ?? 0) ?? []);
  for (const each of activity) {
    const { isInRange, occurrence } = segments[each.range]!;
    for (const to of sumsOf(each.categoryId)) {
      if (isInRange) add(to.range, each);
      if (occurrence !== -1) add(to.occurrences[occurrence]!, each);
    }
  }
  for (const each of expected) for (const to of sumsOf(each.categoryId)) addExpected(to, each);
  return sums;
}

/**
 * Returns the sums of the requested range by side. A category is inflow if it is income; without a category, credits
 * and expected income are inflow. Categories that are excluded from totals are left out.
 */
export function sumsBySide(
  categories: readonly Category[],
  { segments }: Layout,
  activity: readonly ActivitySum[],
  expected: readonly ExpectedRecurring[],
): Readonly<Record<'inflow' | 'outflow', SideSums>> {
  const byId = new Map(categories.map((category) => [category.id, category]));
  const sides = { inflow: noSums(), outflow: noSums() };
  const sideOf = (id: number | null, isInflow: boolean): SideSums | null => {
    const category = byId.get(id ?? 0);
    if (category?.exclude_from_totals === true) return null;
    return (category?.is_income ?? isInflow) ? sides.inflow : sides.outflow;
  };
  for (const each of activity) {
    const side = sideOf(each.categoryId, each.isInflow);
    if (side === null || !segments[each.range]!.isInRange) continue;
    add(each.categoryId === null ? side.uncategorized : side, each);
    if (each.categoryId === null) side.uncategorizedCount += each.count;
  }
  for (const each of expected) {
    const side = sideOf(each.categoryId, each.isIncome);
    if (side !== null) addExpected(side, each);
  }
  return sides;
}

function noSums(): SideSums {
  return {
    ...{ ...noActivity(), remaining: 0n, expected: 0n },
    ...{ uncategorized: noActivity(), uncategorizedCount: 0 },
  };
}
