import { MAX_SHOWN_LENGTH } from '../statement/statement-error.ts';
import type { MappedColumn, TableMapping } from '../statement/statement.ts';
import { shorten } from '@coffer/core/text';
import type { ColumnKey } from '../statement/column-map.ts';
import type { Reading } from './meaning/entries.ts';
import type { MoneyRule } from './meaning/money.ts';
import type { Row } from './table/rows.ts';
import { seenColumns } from './table/outline.ts';
import type { TableSource } from './table/source.ts';
import type { Layout } from './table/table.ts';

const SAMPLED_ROWS = 20;

/** How a table is read, except for the encoding, which the table does not know. */
export function mappingOf(
  source: TableSource,
  { layout, dateOrder, decimal, money, isNegated }: Reading,
): Omit<TableMapping, 'encoding'> {
  return {
    columns: mappedColumns(layout, money),
    seen: seenColumns(layout.names, firstRows(source, layout), layout.width),
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

function firstRows(source: TableSource, layout: Layout): Row[] {
  const rows: Row[] = [];
  for (const row of source.open(layout.form)) {
    if (row.line >= layout.firstLine) rows.push(row);
    if (rows.length === SAMPLED_ROWS) break;
  }
  return rows;
}
