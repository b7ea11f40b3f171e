import type { Layout } from './table.ts';
import { folded } from '../../words/fold.ts';
import { isNeutral, lineMeaning, parseStatus } from '../../words/meanings.ts';
import { trimmedCell } from './cells.ts';

/** A row that is not an entry, in the singular. */
export type LeftOutRow =
  | 'balance line'
  | 'total line'
  | 'repeated header'
  | 'line without an amount'
  | 'neutral transaction'
  | 'reverted transaction'
  | 'declined transaction'
  | 'failed transaction'
  | 'cancelled transaction';

/** `undated`: pending, without a date; `text`: without date and amount, which is fine only below the table. */
export type LineKind = 'entry' | 'pending' | 'undated' | 'text' | LeftOutRow;

/** The date of a row, or its other date if the first is blank. */
export function dateCell(cells: readonly string[], { columns, fallbacks }: Layout): string {
  const cell = trimmedCell(cells, columns.date);
  return cell === '' && fallbacks.date !== undefined ? trimmedCell(cells, fallbacks.date) : cell;
}

/** What a row is, by its status and its texts. */
export function lineKind(cells: readonly string[], layout: Layout, hasDate: boolean): LineKind {
  const { status } = layout.columns;
  const word = status === undefined ? '' : trimmedCell(cells, status);
  // Elsewhere a refund is a row of its own.
  if (layout.profile?.splits === 'wise' && folded(word) === 'refunded')
    return 'reverted transaction';
  const meaning = word === '' ? null : parseStatus(word);
  if (meaning !== null && meaning !== 'pending') return meaning;
  if (!hasDate) return undatedKind(cells, layout);
  const isWithAmount = hasAmount(cells, layout);
  if (!isWithAmount && isWithoutMoney(cells, layout)) return 'line without an amount';
  if (meaning === 'pending') return 'pending';
  if (layout.profile?.isApplication === true) return 'entry';
  const isNeither = (index: number) => isNeutral(trimmedCell(cells, index));
  if (layout.directionCandidates.some(isNeither)) return 'neutral transaction';
  const line = lineMeaning(payeeText(cells, layout), isWithAmount);
  return line === null || (line === 'total line' && isWithAmount) ? 'entry' : line;
}

function payeeText(cells: readonly string[], { columns, fallbacks }: Layout): string {
  const all = [columns.payee, ...fallbacks.payee, columns.notes];
  for (const index of all) {
    const cell = trimmedCell(cells, index);
    if (cell !== '') return cell;
  }
  return '';
}

function undatedKind(cells: readonly string[], layout: Layout): LineKind {
  if (parseStatus(dateCell(cells, layout)) === 'pending' && hasAmount(cells, layout))
    return 'undated';
  if (isHeader(cells, layout)) return 'repeated header';
  for (const cell of cells) {
    const line = lineMeaning(cell.trim());
    if (line !== null) return line;
  }
  return hasAmount(cells, layout) ? 'entry' : 'text';
}

/** Whether every cell for money is present and blank, or has only dashes. */
function isWithoutMoney(cells: readonly string[], { columns, otherMoney }: Layout): boolean {
  const { amount, debit, credit } = columns;
  return [amount, debit, credit, ...otherMoney].every(
    (index) => index === undefined || (index < cells.length && isBlankAmount(cells[index]!.trim())),
  );
}

/** Whether a cell of an amount says that there is none. */
export function isBlankAmount(cell: string): boolean {
  return cell === '' || /^(?:[-\u2013\u2014\u2212]{1,2}|n\/a)$/i.test(cell);
}

function isHeader(cells: readonly string[], { names, columns }: Layout): boolean {
  const date = names[columns.date!] ?? '';
  return date !== '' && names.every((name, index) => name === trimmedCell(cells, index));
}

function hasAmount(cells: readonly string[], { columns }: Layout): boolean {
  const { amount, debit, credit } = columns;
  if (amount !== undefined && debit === undefined) return /\d/.test(cells[amount] ?? '');
  return [amount, debit, credit].some((index) => /\d/.test(trimmedCell(cells, index)));
}
