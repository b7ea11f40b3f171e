import { MAX_SHOWN_LENGTH } from '../statement/statement-error.ts';
import type {
  MappedColumn,
  TableMapping,
  ColumnKey,
  StatementOptions,
  StatementWarning,
} from '../statement/statement.ts';
import { shorten } from '@coffer/core/text';
import type { Reading, MoneyRule } from './meaning/entries.ts';
import type { Row } from './table/rows.ts';
import { seenColumns } from './table/layout.ts';
import { type Layout, columnName } from './table/header.ts';
import type { Examined } from './meaning/examine.ts';

const SAMPLED_ROWS = 20;

/** How a table is read, except for the encoding, which the table does not know. */
export function mappingOf(
  rows: Iterable<Row>,
  { layout, dateOrder, decimal, money, isNegated }: Reading,
): Omit<TableMapping, 'encoding'> {
  return {
    columns: mappedColumns(layout, money),
    seen: seenColumns(layout.names, firstRows(rows, layout), layout.width),
    dateOrder,
    decimal,
    delimiter: layout.form === '<' ? null : layout.form.at(-1)!,
    isNegated: isNegated !== money.isNegated,
  };
}

function mappedColumns(layout: Layout, money: MoneyRule): MappedColumn[] {
  const used = Object.entries(layout.columns).filter(([key]) => isUsed(key as ColumnKey, money));
  const direction = money.words === 'none' ? [] : [['direction', money.wordColumn!] as const];
  const columns = [...used, ...direction].map(([key, index]) =>
    mappedColumn(layout, key, index, false),
  );
  const { date, payee } = layout.fallbacks;
  const to = layout.accountSides?.to;
  const fallbackColumns = [...payee, ...payerOf(layout), to];
  const texts = layout.texts.filter((index) => !fallbackColumns.includes(index));
  const fallbacks = [
    ...(date === undefined ? [] : [mappedColumn(layout, 'date', date, true)]),
    ...[...payee, ...payerOf(layout)].map((index) => mappedColumn(layout, 'payee', index, true)),
    ...(to === undefined ? [] : [mappedColumn(layout, 'account', to, true)]),
    ...texts.map((index) => mappedColumn(layout, 'notes', index, true)),
  ];
  return [...columns, ...fallbacks].sort((a, b) => a.number - b.number);
}

/** The column that has the payee of money in, where another one has that of money out. */
function payerOf({ sides }: Layout): number[] {
  return sides?.isPayee === true ? [sides.payer] : [];
}

/** Whether the rule for money uses a column that the header has. */
function isUsed(key: ColumnKey, { from, fee }: MoneyRule): boolean {
  if (key === 'amount') return from === 'amount';
  if (key === 'debit' || key === 'credit') return from === 'columns';
  if (key === 'fee') return fee !== 'none';
  return key !== 'direction';
}

function mappedColumn(
  { names }: Layout,
  key: string,
  index: number,
  isFallback: boolean,
): MappedColumn {
  const name = shorten(names[index] ?? '', MAX_SHOWN_LENGTH);
  return { key: key as ColumnKey, number: index + 1, name, isFallback };
}

function firstRows(rows: Iterable<Row>, { firstLine }: Layout): Row[] {
  const first: Row[] = [];
  for (const row of rows) {
    if (row.line >= firstLine) first.push(row);
    if (first.length === SAMPLED_ROWS) break;
  }
  return first;
}

/** What a user should know about a table that is read. */
export function tableWarnings(
  layout: Layout,
  examined: Examined,
  options: StatementOptions,
): StatementWarning[] {
  const hasEntries = examined.entryCount > 0;
  const given = options.currency?.toLowerCase() ?? null;
  return [
    ...(layout.isInferred ? [inferred(layout)] : []),
    ...examined.currencies.warnings(given, hasEntries),
    ...(hasEntries && !examined.hasPayees ? [withoutPayees(layout)] : []),
    ...overruled(examined),
    ...undated(examined),
    ...assumedOrder(examined),
    ...withoutAmounts(examined),
    ...neutral(examined),
  ];
}

/** The columns of a table as a map of numbers. */
export function mapOf({ columns }: Layout): string {
  return Object.entries(columns)
    .map(([key, index]) => `${key}=${index + 1}`)
    .join(',');
}

function inferred(layout: Layout): StatementWarning {
  const text = `no known header: columns are detected by their content, as with --map ${mapOf(layout)}`;
  return { line: layout.firstLine, text };
}

function withoutPayees(layout: Layout): StatementWarning {
  const names = Array.from(
    { length: Math.min(layout.width, 40) },
    (_, index) => `"${columnName(layout, index)}"`,
  );
  const text = `no payee in any row: the columns are ${names.join(', ')}, use --map payee=COLUMN`;
  return { line: null, text };
}

function overruled({ money }: Examined): StatementWarning[] {
  if (money.overruled === null) return [];
  const { count, line, column } = money.overruled;
  const text = `Column "${column}" contradicts the sign of the amount in ${count} ${count === 1 ? 'row' : 'rows'}: the column decides`;
  return [{ line, text }];
}

function undated({ undatedCount: count }: Examined): StatementWarning[] {
  if (count === 0) return [];
  const rows = `${count} pending ${count === 1 ? 'row has' : 'rows have'}`;
  return [{ line: null, text: `${rows} no date: the latest date of the file is used` }];
}

function assumedOrder({ dates }: Examined): StatementWarning[] {
  if (dates.assumed === null) return [];
  const { problem, because } = dates.assumed;
  const text = `"${problem.value}" is read as ${dates.order}, as ${because}: for another order use --date-format`;
  return [{ line: problem.line, text }];
}

function withoutAmounts(examined: Examined): StatementWarning[] {
  const what = 'a date but no amount';
  return leftOutRows(examined, 'line without an amount', ['has', 'have'], what, examined.blankLine);
}

function neutral(examined: Examined): StatementWarning[] {
  const what = "neither money in nor money out by the file's own words";
  return leftOutRows(examined, 'neutral transaction', ['is', 'are'], what, null);
}

/** Says how many rows of a kind are left out, and why: `2 rows have a date but no amount`. */
function leftOutRows(
  { leftOut }: Examined,
  kind: string,
  [one, many]: readonly [one: string, many: string],
  why: string,
  line: number | null,
): StatementWarning[] {
  const count = leftOut.find(({ what }) => what === kind)?.count ?? 0;
  if (count === 0) return [];
  const rows = count === 1 ? `A row ${one}` : `${count} rows ${many}`;
  return [{ line, text: `${rows} ${why}, and ${count === 1 ? 'is' : 'are'} left out` }];
}
