import { looksLikeAmount } from '../../statement/amounts.ts';
import { looksLikeDate } from '../../statement/dates.ts';
import type { Layout } from './table.ts';
import { trimmedCell } from './cells.ts';
import { dateCell } from './lines.ts';

/**
 * The cells of a row that has more than the table, because a text contains the delimiter: the text's cells are joined.
 * Null if it is not clear which cells belong together.
 */
export function fittedCells(cells: readonly string[], layout: Layout): readonly string[] | null {
  const { columns, width } = layout;
  if (cells.slice(width).every((cell) => cell.trim() === '')) return cells;
  const { payee } = layout.fallbacks;
  const texts = [columns.payee, columns.notes, ...payee].filter((index) => index !== undefined);
  if (isRow(cells, layout))
    return texts.includes(width - 1) ? joined(cells, width - 1, width) : null;
  const fitting = texts
    .map((index) => joined(cells, index, width))
    .filter((row) => isRow(row, layout));
  return fitting[0] ?? null;
}

/** Joins the cells that are too many to the one at `index`. */
function joined(cells: readonly string[], index: number, width: number): string[] {
  const next = index + 1 + cells.length - width;
  const comma = layoutText(cells.slice(index, next));
  return [...cells.slice(0, index), comma, ...cells.slice(next)];
}

function layoutText(parts: readonly string[]): string {
  return parts.map((part) => part.trim()).join(', ');
}

function isRow(cells: readonly string[], layout: Layout): boolean {
  const { amount, debit, credit } = layout.columns;
  const money = [amount, debit, credit].map((index) => trimmedCell(cells, index));
  const filled = money.filter((cell) => cell !== '');
  return (
    looksLikeDate(dateCell(cells, layout)) && filled.length > 0 && filled.every(looksLikeAmount)
  );
}
