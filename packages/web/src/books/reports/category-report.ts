import type { Filter } from '../filter/filter.ts';
import type { Category } from '../types.ts';
import type { Column } from './periods.ts';

/** What a report needs of a category. */
export type ReportCategory = Pick<Category, 'id' | 'name' | 'group_id'>;

/** The sum of the transactions of a month that belong to one line of a report. */
export interface LineSum {
  /** `2026-11` */
  readonly month: string;
  /** The line: the id of a category or a tag, `manual:1`, or a payee. */
  readonly key: string;
  /** Ten-thousandths of the primary currency; income received and money spent are both positive. */
  readonly units: bigint;
}

/** What a line is about. */
export interface LineSubject {
  /** Null for what has no category, tag or account, and for payees without a name. */
  readonly name: string | null;
  /** The filter that lists its transactions; null if there is none. */
  readonly filter: Partial<Filter> | null;
  /** The line that it is a member of, if any. */
  readonly group?: { readonly key: string } & LineSubject;
}

/** A line of a report: a category, a group of them, a payee, an account or a tag. */
export interface ReportRow {
  /** Unique in the report. */
  readonly key: string;
  readonly name: string | null;
  readonly filter: Partial<Filter> | null;
  /** Ten-thousandths by the index of the column. */
  readonly units: readonly bigint[];
  readonly total: bigint;
  /** The total of the year before; null if it is not compared. */
  readonly before: bigint | null;
  /** The lines of a group with their sums, the largest first; empty for other lines. */
  readonly members: readonly ReportRow[];
}

/** The sums of a period by line and column. */
export interface Report {
  /** Oldest first, without gaps. */
  readonly columns: readonly Column[];
  /** The largest first. */
  readonly rows: readonly ReportRow[];
  /** Ten-thousandths by the index of the column. */
  readonly totals: readonly bigint[];
  readonly total: bigint;
  readonly before: bigint | null;
}

/** What a report is made of. */
export interface ReportSums {
  readonly columns: readonly Column[];
  readonly sums: readonly LineSum[];
  /** The sums of the year before; null if they are not compared. */
  readonly before?: readonly LineSum[] | null;
  /** Sums of all transactions, if a transaction can count in several lines; by default those of the lines. */
  readonly whole?: {
    readonly sums: readonly LineSum[];
    readonly before: readonly LineSum[] | null;
  };
  readonly subjectOf: (key: string) => LineSubject;
}

/** Returns a report. Sums of other months are left out. */
export function reportOf(options: ReportSums): Report {
  const { columns, sums, before = null, subjectOf } = options;
  const { sums: all, before: allBefore } = options.whole ?? { sums, before };
  const byLine = Map.groupBy(sums, ({ key }) => key);
  const earlier = before === null ? null : Map.groupBy(before, ({ key }) => key);
  const keys = new Set([...byLine.keys(), ...(earlier?.keys() ?? [])]);
  const rows = [...keys].map((key) => {
    const units = byColumn(columns, byLine.get(key) ?? []);
    const compared = earlier === null ? null : totalOf(earlier.get(key) ?? []);
    return { subject: subjectOf(key), row: rowOf(key, subjectOf(key), units, compared) };
  });
  const totals = byColumn(columns, all);
  return {
    columns,
    rows: grouped(rows),
    totals,
    total: added(totals),
    before: allBefore === null ? null : totalOf(allBefore),
  };
}

/** Returns a report of categories, those of groups as members of their group. */
export function categoryReport(
  options: Omit<ReportSums, 'subjectOf'>,
  categories: readonly ReportCategory[],
): Report {
  const byId = new Map(categories.map((category) => [category.id, category]));
  const subjectOf = (key: string): LineSubject => {
    const category = byId.get(Number(key));
    const group = byId.get(category?.group_id ?? 0);
    return {
      name: category?.name ?? null,
      filter: { categoryIds: [Number(key)] },
      ...(group !== undefined && {
        group: {
          key: `group-${group.id}`,
          name: group.name,
          // A group lists the transactions of its categories.
          filter: { categoryIds: [group.id] },
        },
      }),
    };
  };
  return reportOf({ ...options, subjectOf });
}

function byColumn(columns: readonly Column[], sums: readonly LineSum[]): bigint[] {
  const units = columns.map(() => 0n);
  // A column is a month or a year.
  const places = new Map(columns.map(({ key }, place) => [key, place]));
  for (const { month, units: each } of sums) {
    const place = places.get(month) ?? places.get(month.slice(0, 4));
    if (place !== undefined) units[place]! += each;
  }
  return units;
}

function totalOf(sums: readonly LineSum[]): bigint {
  return added(sums.map(({ units }) => units));
}

function added(units: readonly bigint[]): bigint {
  return units.reduce((sum, each) => sum + each, 0n);
}

function rowOf(
  key: string,
  { name, filter }: LineSubject,
  units: readonly bigint[],
  before: bigint | null,
  members: readonly ReportRow[] = [],
): ReportRow {
  return { key, name, filter, units, total: added(units), before, members };
}

function grouped(
  lines: readonly { readonly subject: LineSubject; readonly row: ReportRow }[],
): ReportRow[] {
  const groups = Map.groupBy(lines, ({ subject }) => subject.group?.key);
  const single = (groups.get(undefined) ?? []).map(({ row }) => row);
  groups.delete(undefined);
  const rows = [...groups].map(([key, members]) =>
    summed(key!, members[0]!.subject.group!, members.map(({ row }) => row).toSorted(largestFirst)),
  );
  return [...single, ...rows].toSorted(largestFirst);
}

/** One line for several. */
function summed(key: string, subject: LineSubject, members: readonly ReportRow[]): ReportRow {
  const units = (members[0]?.units ?? []).map((_, place) =>
    added(members.map((row) => row.units[place]!)),
  );
  const before = members.map((row) => row.before);
  const compared = before.some((each) => each === null) ? null : added(before as bigint[]);
  return rowOf(key, subject, units, compared, members);
}

function largestFirst(one: ReportRow, other: ReportRow): number {
  return one.total === other.total ? 0 : one.total > other.total ? -1 : 1;
}

/** Returns the filter that lists the transactions of several lines of categories; null for other lines. */
export function filterOfAll(rows: readonly ReportRow[]): Partial<Filter> | null {
  const ids = rows.flatMap(({ filter }) => filter?.categoryIds ?? []);
  return rows.every(({ filter }) => filter?.categoryIds !== undefined)
    ? { categoryIds: ids.toSorted((a, b) => a - b) }
    : null;
}

/** How many lines a chart draws: at first so many, and up to the most while all others are the largest of them. */
const drawn = { first: 5, most: 18 };

/**
 * Returns the largest lines, and one with the key `rest` for all others, and for those of `restKey`. Null if even with
 * the most lines that one would be the largest, in all or in a column: then it is no part of a chart.
 */
export function largest(
  rows: readonly ReportRow[],
  restName: string,
  restKey?: string,
): readonly ReportRow[] | null {
  const own = rows.filter(({ key }) => key !== restKey);
  const most = Math.min(own.length, drawn.most);
  for (let count = Math.min(own.length, drawn.first); count <= most; count += 1) {
    const shown = own.slice(0, count);
    const others = rows.filter((row) => !shown.includes(row));
    if (others.length === 0) return own;
    // Another one has a name of its own.
    if (others.length === 1 && count < most) continue;
    const rest = summed('rest', { name: restName, filter: filterOfAll(others) }, others);
    if (!isLargest(rest, shown)) return [...shown, rest];
  }
  return null;
}

function isLargest(rest: ReportRow, others: readonly ReportRow[]): boolean {
  const isMost = (sumOf: (row: ReportRow) => bigint): boolean =>
    sumOf(rest) > 0n && others.every((row) => sumOf(row) < sumOf(rest));
  return (
    isMost(({ total }) => total) ||
    rest.units.some((_, column) => isMost((row) => row.units[column]!))
  );
}
