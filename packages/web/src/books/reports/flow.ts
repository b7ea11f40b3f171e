import type { Filter } from '../filter/filter.ts';
import { filterOfAll, type Report, type ReportRow } from './category-report.ts';

/** The side of a report on which transactions count. */
export type Side = 'income' | 'spending';

/** A place that money comes from or goes to. */
export interface FlowNode {
  readonly key: string;
  /** Null for what has no category, and for nodes that are no category: see `role`. */
  readonly name: string | null;
  readonly role: 'category' | 'income' | 'saved' | 'reserves';
  readonly side: Side;
  /** The key of the group of a category, which is its own for the others. */
  readonly groupKey: string;
  /** The filter that lists its transactions; null for nodes that are no category. */
  readonly filter: Partial<Filter> | null;
  /** Ten-thousandths, positive. */
  readonly units: bigint;
}

/** Money from one node to another. */
export interface FlowLink {
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
}

/** Where the money of a period came from and went to. */
export interface Flow {
  readonly nodes: readonly FlowNode[];
  readonly links: readonly FlowLink[];
}

/** How much a flow shows. */
export interface FlowOptions {
  /** Whether the categories of groups are shown behind them. */
  readonly hasMembers: boolean;
  /** What a node of small categories is called. */
  readonly restName: string;
}

/** Smaller parts of all income are one node, as far as that is not the largest. */
const leastShare = 80n;

/**
 * Returns the flow from income categories through all income to groups and categories of spending. What was not spent
 * is `saved`; what was spent beyond the income comes from `reserves`.
 *
 * A category whose sum has the other sign, such as one with more refunds than spending, cannot be drawn. It is left out
 * here, and `saved` and `reserves` balance what is drawn; tables have every category and the exact totals.
 */
export function flowOf(income: Report, spending: Report, options: FlowOptions): Flow {
  const nodes: FlowNode[] = [];
  const links: FlowLink[] = [];
  const whole = income.total > spending.total ? income.total : spending.total;
  const sources = joined(membersOf(income.rows), whole, options.restName);
  const targets = joined(spending.rows, whole, options.restName);
  const saved = sum(sources) - sum(targets);
  const hub: FlowNode = { ...plain('income'), units: saved > 0n ? sum(sources) : sum(targets) };
  if (hub.units === 0n) return { nodes, links };
  nodes.push(hub);
  for (const row of sources) {
    const node = nodeOf(row, 'income');
    nodes.push(node);
    links.push({ from: node.key, to: hub.key, units: node.units });
  }
  for (const row of targets) {
    const group = nodeOf(row, 'spending');
    nodes.push(group);
    links.push({ from: hub.key, to: group.key, units: group.units });
    if (!options.hasMembers) continue;
    for (const member of shownMembers(row, whole, options.restName)) {
      const node = nodeOf(member, 'spending', group.key);
      nodes.push(node);
      links.push({ from: group.key, to: node.key, units: node.units });
    }
  }
  if (saved > 0n) {
    nodes.push({ ...plain('saved'), units: saved });
    links.push({ from: hub.key, to: 'saved', units: saved });
  } else if (saved < 0n) {
    nodes.push({ ...plain('reserves'), units: -saved });
    links.push({ from: 'reserves', to: hub.key, units: -saved });
  }
  return { nodes, links };
}

function plain(role: 'income' | 'saved' | 'reserves'): Omit<FlowNode, 'units'> {
  const side = role === 'saved' ? 'spending' : 'income';
  return { key: role, name: null, role, side, groupKey: role, filter: null };
}

function nodeOf(row: ReportRow, side: Side, groupKey?: string): FlowNode {
  const key = `${groupKey ?? side} ${row.key}`;
  const { name, filter, total: units } = row;
  return { key, name, role: 'category', side, groupKey: groupKey ?? key, filter, units };
}

function membersOf(rows: readonly ReportRow[]): ReportRow[] {
  return rows.flatMap((row) => (row.members.length > 0 ? row.members : [row]));
}

/** Lines that can be drawn, with small ones as one, which is not the largest. */
function joined(rows: readonly ReportRow[], whole: bigint, restName: string): ReportRow[] {
  const drawn = rows.filter(({ total }) => total > 0n);
  const [most, ...others] = drawn.toSorted((one, other) => (one.total < other.total ? 1 : -1));
  const small: ReportRow[] = [];
  let total = 0n;
  for (const row of others.toReversed()) {
    if (row.total * leastShare >= whole || total + row.total > most!.total) break;
    small.push(row);
    total += row.total;
  }
  if (small.length < 2) return drawn;
  const filter = filterOfAll(small);
  const shared = { units: [], before: null, members: [] };
  const rest: ReportRow = { key: 'rest', name: restName, filter, total, ...shared };
  return [...drawn.filter((row) => !small.includes(row)), rest];
}

/** The members of a group, if they are more than one and none of them has the other sign. */
function shownMembers(row: ReportRow, whole: bigint, restName: string): ReportRow[] {
  if (row.members.length < 2 || row.members.some(({ total }) => total < 0n)) return [];
  return joined(row.members, whole, restName);
}

function sum(rows: readonly ReportRow[]): bigint {
  return rows.reduce((total, row) => total + row.total, 0n);
}
