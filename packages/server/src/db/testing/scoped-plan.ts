import type { Sql } from 'sql-template-tag';
import type { BulkInsert } from '../engine.ts';

/** The column with the id of a row's book, by the name of the table. */
export type BookColumns = ReadonlyMap<string, string>;

/** A node of a plan, as PostgreSQL's EXPLAIN (VERBOSE, FORMAT JSON) returns it. */
export interface PlanNode {
  readonly Alias?: string;
  readonly Operation?: string;
  readonly Plans?: readonly PlanNode[];
  readonly [property: string]: unknown;
}

const scanConditions = ['Index Cond', 'Recheck Cond', 'Filter'];
const joinConditions = ['Join Filter', 'Hash Cond', 'Merge Cond'];
/** Joins that return only rows for which their condition holds. */
const strictJoins = ['Inner', 'Semi'];

interface Equality {
  readonly sides: readonly string[];
  /** The fields that belong to the book if another side does. */
  readonly fields: readonly string[];
}

/**
 * Returns the tables of books that a plan reads without comparing the book column with the book's id, each once.
 *
 * A comparison counts if it holds for every row that is read. It may compare with the id itself, or with the book
 * column of another table for which such a comparison was found. A comparison within OR does not count.
 */
export function unscopedScans(plan: PlanNode, columns: BookColumns, bookId: number): string[] {
  const nodes = nodesOf(plan);
  const scans = nodes.map((node) => scanOf(node, columns)).filter((scan) => scan !== null);
  const equalities = nodes.flatMap((node) => {
    const scan = scanOf(node, columns);
    if (scan !== null) return equalitiesOf(node, scanConditions, [scan.field]);
    if (!strictJoins.includes(node['Join Type'] as string)) return [];
    return equalitiesOf(node, joinConditions, null);
  });
  const scoped = new Set([`'${bookId}'::bigint`]);
  for (let before = 0; before !== scoped.size;) {
    before = scoped.size;
    for (const { sides, fields } of equalities) {
      if (!sides.some((side) => scoped.has(side))) continue;
      for (const field of fields) if (sides.includes(field)) scoped.add(field);
    }
  }
  return [...new Set(scans.filter(({ field }) => !scoped.has(field)).map(({ table }) => table))];
}

export function tablesOf(plan: PlanNode): string[] {
  return nodesOf(plan).flatMap((node) => (node['Relation Name'] ?? []) as string[] | string);
}

/** The table of books that a node reads, if any. A node that writes has a child node that reads. */
function scanOf(node: PlanNode, columns: BookColumns): { table: string; field: string } | null {
  const table = (node['Relation Name'] ?? '') as string;
  const column = columns.get(table);
  if (column === undefined || node.Operation !== undefined) return null;
  return { table, field: `${node.Alias ?? table}.${column}` };
}

/** The equalities in the conditions with those names. They apply to `fields`, or to both sides if it is null. */
function equalitiesOf(
  node: PlanNode,
  names: readonly string[],
  fields: readonly string[] | null,
): Equality[] {
  return names
    .flatMap((name) => conjuncts((node[name] ?? '') as string))
    .map((comparison) => comparison.split(' = '))
    .filter(({ length }) => length === 2)
    .map((sides) => ({ sides, fields: fields ?? sides }));
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Splits a condition at AND, and removes the parentheses around each part. */
function conjuncts(condition: string): string[] {
  const inner = withoutParentheses(condition);
  const parts = split(inner, ' AND ');
  return parts.length === 1 ? [inner] : parts.flatMap(conjuncts);
}

function withoutParentheses(text: string): string {
  const isWrapped = text.startsWith('(') && split(text.slice(1), ')').length === 2;
  return isWrapped && text.endsWith(')') ? withoutParentheses(text.slice(1, -1)) : text;
}

/** Splits a text at separators outside of parentheses and quotes. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let [depth, from, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "'") isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(from, at));
      from = at + separator.length;
    }
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
  }
  return [...parts, text.slice(from)];
}

const insert = /^\s*INSERT INTO (\w+)\s*\(([^)]*)\)\s*(VALUES|SELECT)\s*(.*)$/s;

/** Returns the table of books if an INSERT adds rows without the book's id; otherwise null. */
export function unscopedInsert(
  step: Sql | BulkInsert,
  columns: BookColumns,
  bookId: number,
): string | null {
  const { table, values } =
    'insertInto' in step ? bulkValues(step, columns) : sqlValues(step, columns);
  if (!columns.has(table)) return null;
  return values.length > 0 && values.every((value) => value === bookId) ? null : table;
}

interface Inserted {
  readonly table: string;
  readonly values: readonly unknown[];
}

function bulkValues(
  { insertInto: table, columns: names, rows }: BulkInsert,
  columns: BookColumns,
): Inserted {
  const at = names.indexOf(columns.get(table) ?? '');
  return { table, values: rows.map((row) => row[at]) };
}

function sqlValues(statement: Sql, columns: BookColumns): Inserted {
  const [, table = '', names = '', kind, rest = ''] = insert.exec(statement.text) ?? [];
  const other = /^\s*INSERT INTO (\w+)/.exec(statement.text)?.[1] ?? '';
  if (table === '') return { table: other, values: [] };
  const at = names.split(',').findIndex((name) => name.trim() === columns.get(table));
  const rows =
    kind === 'SELECT'
      ? [`(${rest})`]
      : split(rest, ',').filter((row) => row.trim().startsWith('('));
  const values = rows.map((row) => {
    const inner = split(row.slice(row.indexOf('(') + 1), ')')[0] ?? '';
    const item = split(inner, ',')[at]?.trim() ?? '';
    return statement.values[Number(/^\$(\d+)$/.exec(item)?.[1]) - 1];
  });
  return { table, values };
}
