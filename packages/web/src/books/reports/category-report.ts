import { sideOf, type Side, type SidedCategory, type SidedSum } from './sides.ts';

/** A line of a report: a category, a group of them, or what has no category. */
export interface ReportRow {
  /** Unique in the report. */
  readonly key: string;
  /** Null for transactions without a category. */
  readonly name: string | null;
  /** The categories and groups whose transactions it sums, as a filter of transactions; 0 for none. Ascending. */
  readonly categoryIds: readonly number[];
  /** Ten-thousandths by the index of the month. */
  readonly months: readonly bigint[];
  readonly total: bigint;
  /** The categories of a group with their sums, the largest first; empty for other lines. */
  readonly members: readonly ReportRow[];
}

/** One side of a period by category and month. */
export interface CategoryReport {
  /** Oldest first, without gaps. */
  readonly months: readonly string[];
  /** Groups, categories outside of groups, and transactions without a category; the largest first. */
  readonly rows: readonly ReportRow[];
  /** Ten-thousandths by the index of the month. */
  readonly totals: readonly bigint[];
  readonly total: bigint;
}

/** Returns one side of a report. Sums of other months are left out. */
export function categoryReport(
  months: readonly string[],
  side: Side,
  sums: readonly SidedSum[],
  categories: readonly SidedCategory[],
): CategoryReport {
  const places = new Map(months.map((month, place) => [month, place]));
  const inRange = sums.filter((sum) => sum.side === side && places.has(sum.month));
  const byCategory = Map.groupBy(inRange, ({ categoryId }) => categoryId ?? 0);
  const names = new Map(categories.map((category) => [category.id, category]));
  const rows = [...byCategory].map(([id, all]) => {
    const values = months.map(() => 0n);
    for (const { month, units } of all) values[places.get(month)!]! += units;
    return rowOf(String(id), names.get(id)?.name ?? null, [id], values);
  });
  const tops = grouped(rows, names, side);
  const totals = months.map((_, place) => tops.reduce((sum, row) => sum + row.months[place]!, 0n));
  return { months, rows: tops, totals, total: totals.reduce((sum, each) => sum + each, 0n) };
}

function rowOf(
  key: string,
  name: string | null,
  categoryIds: readonly number[],
  months: readonly bigint[],
  members: readonly ReportRow[] = [],
): ReportRow {
  const total = months.reduce((sum, each) => sum + each, 0n);
  return { key, name, categoryIds, months, total, members };
}

function grouped(
  rows: readonly ReportRow[],
  names: ReadonlyMap<number, SidedCategory>,
  side: Side,
): ReportRow[] {
  const groupOf = (row: ReportRow): number | null =>
    names.get(row.categoryIds[0] ?? 0)?.group_id ?? null;
  const single = rows.filter((row) => groupOf(row) === null);
  const inGroups = Map.groupBy(
    rows.filter((row) => groupOf(row) !== null),
    groupOf,
  );
  const groups = [...inGroups].map(([id, all]) => {
    const name = names.get(id ?? 0)?.name ?? null;
    const row = summed(`group-${id}`, name, all.toSorted(largestFirst));
    return isOfOneSide(id, names, side) ? { ...row, categoryIds: [id!] } : row;
  });
  return [...single, ...groups].toSorted(largestFirst);
}

/** Whether all categories of a group count on a side, so that the group is a filter for them. */
function isOfOneSide(
  groupId: number | null,
  names: ReadonlyMap<number, SidedCategory>,
  side: Side,
): boolean {
  const members = [...names.values()].filter(({ group_id: id }) => id === groupId);
  return members.every((category) => sideOf(category, false) === side);
}

/** One line for several. */
function summed(key: string, name: string | null, members: readonly ReportRow[]): ReportRow {
  const ids = members.flatMap(({ categoryIds }) => categoryIds).toSorted((a, b) => a - b);
  const length = members[0]?.months.length ?? 0;
  const months = Array.from({ length }, (_, place) =>
    members.reduce((sum, row) => sum + row.months[place]!, 0n),
  );
  return rowOf(key, name, ids, months, members);
}

function largestFirst(one: ReportRow, other: ReportRow): number {
  return one.total === other.total ? 0 : one.total > other.total ? -1 : 1;
}

/** Returns the largest lines, and one with the key `rest` for all others. */
export function largest(rows: readonly ReportRow[], most: number, restName: string): ReportRow[] {
  if (rows.length <= most) return [...rows];
  return [...rows.slice(0, most - 1), summed('rest', restName, rows.slice(most - 1))];
}
