import type { StatementOptions, StatementWarning } from '../statement/statement.ts';
import type { Examined } from './meaning/examined.ts';
import { columnName, type Layout } from './table/table.ts';

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

function undated({ undatedCount }: Examined): StatementWarning[] {
  if (undatedCount === 0) return [];
  const rows = `${undatedCount} pending ${undatedCount === 1 ? 'row has' : 'rows have'}`;
  return [{ line: null, text: `${rows} no date: the latest date of the file is used` }];
}

function assumedOrder({ dates }: Examined): StatementWarning[] {
  if (dates.assumed === null) return [];
  const { problem, because } = dates.assumed;
  const text = `"${problem.value}" is read as ${dates.order}, as ${because}: for another order use --date-format`;
  return [{ line: problem.line, text }];
}

function withoutAmounts({ blankLine, leftOut }: Examined): StatementWarning[] {
  const count = leftOut.find(({ what }) => what === 'line without an amount')?.count ?? 0;
  if (count === 0) return [];
  const rows = count === 1 ? 'A row has' : `${count} rows have`;
  return [
    {
      line: blankLine,
      text: `${rows} a date but no amount, and ${count === 1 ? 'is' : 'are'} left out`,
    },
  ];
}

function neutral({ leftOut }: Examined): StatementWarning[] {
  const count = leftOut.find(({ what }) => what === 'neutral transaction')?.count ?? 0;
  if (count === 0) return [];
  const rows = count === 1 ? 'A row is' : `${count} rows are`;
  const text = `${rows} neither money in nor money out by the file's own words, and ${count === 1 ? 'is' : 'are'} left out`;
  return [{ line: null, text }];
}
