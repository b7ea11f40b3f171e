import { isCalendarDate, isDateTime } from '@coffer/core/dates';
import { isStorable, quote } from '@coffer/core/text';
import type { Column, Table, Values } from '../../db/table.ts';
import { isCurrencyCode } from '../../operations/currencies.ts';
import { isCarried, referenceOf } from './format.ts';

/** A row, and what is wrong with it; null if nothing is. */
interface ReadRow {
  readonly row: Values;
  readonly problem: string | null;
}

const isOfType: Readonly<Record<Column['type'], (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  text: (value) => typeof value === 'string' && isStorable(value),
  flag: (value) => typeof value === 'boolean',
  // No archive has bytes: all are secrets.
  bytes: () => false,
};

/** Texts with a form of their own, by the names of their columns. Others are free. */
const forms: readonly (readonly [names: RegExp, isValid: (text: string) => boolean])[] = [
  [/^((start_|end_|anchor_|first_|last_)?date|closed_on)$/, isCalendarDate],
  [/^(created_at|updated_at|archived_at)$/, isDateTime],
  [/^month$/, (text) => isCalendarDate(`${text}-01`)],
  [/^currency$/, isCurrencyCode],
  [/^(conditions|actions|plaid_metadata|custom_metadata|settings)$/, isJsonObject],
  [/^tag_ids$/, isJsonIds],
];

/**
 * Reads the record of a line: all columns that an archive has of the table, each with a value of its type. A column
 * that the database fills in may be missing, as it is newer than the archive. Ids are at most `lastId`.
 */
export function readRow(table: Table, values: Values, lastId: number): ReadRow {
  const row: Record<string, unknown> = {};
  let problem: string | null = null;
  for (const name of Object.keys(values))
    if (!Object.hasOwn(table.columns, name) || !isCarried(table, name))
      problem ??= `unknown column ${quote(name)}`;
  for (const [name, column] of Object.entries(table.columns)) {
    if (!isCarried(table, name)) continue;
    const value = values[name];
    if (value === undefined && column.isOptional && name !== 'id') continue;
    row[name] = value;
    if (!isValid(table, name, value, lastId)) problem ??= `invalid ${name}: ${quoteValue(value)}`;
  }
  return { row, problem };
}

function isValid(table: Table, name: string, value: unknown, lastId: number): boolean {
  const { type, isNullable, words } = table.columns[name]!;
  if (value === null) return isNullable;
  if (!isOfType[type](value) || words?.includes(value as string) === false) return false;
  if (name === 'id' || referenceOf(table, name) !== undefined)
    return (value as number) >= 1 && (value as number) <= lastId;
  return forms.every(([names, isOfForm]) => !names.test(name) || isOfForm(value as string));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isJsonObject(text: string): boolean {
  const value = parsed(text);
  return typeof value === 'object' && value !== null;
}

function isJsonIds(text: string): boolean {
  const value = parsed(text);
  return Array.isArray(value) && value.every((each) => Number.isSafeInteger(each));
}

/** Quotes a value of JSON for a message; `nothing` for a missing one. */
export function quoteValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  return quote(typeof value === 'string' ? value : JSON.stringify(value));
}
