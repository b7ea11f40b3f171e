import type { StatementOptions, StatementWarning } from '../statement.ts';
import type { Examined } from './meaning/examine.ts';
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
    ...assumedOrder(layout, examined),
  ];
}

function inferred(layout: Layout): StatementWarning {
  const columns = Object.entries(layout.columns)
    .map(([key, index]) => `${key}=${index + 1}`)
    .join(',');
  const text = `no known header: columns are detected by their content, as with --map ${columns}`;
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

function assumedOrder(layout: Layout, { assumedDate, dateOrder }: Examined): StatementWarning[] {
  if (assumedDate === null) return [];
  const { line, value } = assumedDate;
  const text = `"${value}" is read as ${dateOrder}, as ${layout.profile?.name} writes dates: for another order use --date-format`;
  return [{ line, text }];
}
