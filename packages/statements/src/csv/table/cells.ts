import type { Layout } from './header.ts';
import { folded } from '../../words/vocabulary.ts';
import { isNeutral, lineMeaning, parseStatus } from '../../words/meanings.ts';
import { looksLikeAmount } from '../../statement/amounts.ts';
import { looksLikeDate } from '../../statement/dates.ts';

/** The kind of a row: an entry, more text for the previous entry, or neither. */
export type RowKind = 'entry' | 'continuation' | 'none';

/**
 * Classifies a row by its filled cells. A single filled cell in a table of three or more columns is not an entry: in
 * the payee's column it continues the text of the previous entry, elsewhere it is a heading.
 */
export function rowKind(cells: readonly string[], layout: Layout): RowKind {
  let filled = -1;
  for (let index = 0; index < cells.length; index += 1) {
    if (isBlank(cells[index]!)) continue;
    if (filled >= 0 || layout.width < 3) return 'entry';
    filled = index;
  }
  return filled >= 0 && filled === layout.columns.payee ? 'continuation' : 'none';
}

function isBlank(cell: string): boolean {
  return cell === '' || cell.trim() === '';
}

/** The cell of a column, trimmed; empty if the row or the table has none. */
export function trimmedCell(cells: readonly string[], index: number | undefined): string {
  return index === undefined ? '' : (cells[index] ?? '').trim();
}

/**
 * An apostrophe before what a spreadsheet may run as a formula: `=`, `+`, `-` or `@`, also full-width, and after
 * spaces or invisible characters; or TAB, CR or LF. Source: OWASP, CSV Injection.
 */
const PROTECTED = /^'(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@＝＋－＠])/u;

// What some files write for no text.
const NO_TEXT = /^[-\u2013\u2014/]+$/;

/**
 * The text of a cell, or null if it is blank, or has only dashes and is not `exact`, as in exports of applications. An
 * apostrophe that protects a spreadsheet from a formula is removed; the text after it is not trimmed.
 */
export function textCell(
  cells: readonly string[],
  index: number | undefined,
  exact = false,
): string | null {
  const cell = index === undefined ? '' : (cells[index] ?? '');
  const text = cell.startsWith("'") && PROTECTED.test(cell) ? cell.slice(1) : cell.trim();
  return isBlank(text) || (!exact && NO_TEXT.test(text)) ? null : text;
}

/**
 * The text of a cell of an export of Coffer, with its blanks; null if the cell is empty. An apostrophe precedes a
 * possible formula, an empty text, and one with blanks at an end. Other cells are trimmed.
 */
export function ownCell(cells: readonly string[], index: number | undefined): string | null {
  const cell = index === undefined ? '' : (cells[index] ?? '');
  const text = cell.slice(1);
  const isMarked = text === '' || text.trim() !== text || PROTECTED.test(cell);
  if (cell.startsWith("'") && isMarked) return text;
  return cell.trim() || null;
}

// More than single spaces between words: runs of spaces, line breaks, no-break spaces, marks of direction.
const UNEVEN = /\s\s|[^\S ]|^\s|\s$|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * Like textCell, but every run of spaces or line breaks becomes one space, and a blank cell is empty instead of null.
 */
export function payeeCell(
  cells: readonly string[],
  index: number | undefined,
  exact = false,
): string {
  const text = textCell(cells, index, exact) ?? '';
  if (!UNEVEN.test(text)) return text;
  return text
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

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
  if (isBalanceOfAccount(cells, layout)) return 'balance line';
  if (layout.profile?.isApplication === true) return 'entry';
  const isNeither = (index: number) => isNeutral(trimmedCell(cells, index));
  if (layout.directionColumns.some(isNeither)) return 'neutral transaction';
  const line = lineMeaning(payeeText(cells, layout), isWithAmount);
  return line === null || (line === 'total line' && isWithAmount) ? 'entry' : line;
}

/** Like `31/12/2023;1734,56;;01234 123456A`. */
const ACCOUNT_NUMBER = /^(?=(?:\D*\d){8})[A-Z\d][A-Z\d ]*$/;

/** Whether a row of a table without names ends before its payee with the number of an account: LCL's last line. */
export function isBalanceOfAccount(
  cells: readonly string[],
  { isInferred, columns }: Layout,
): boolean {
  const isShort = isInferred && columns.payee !== undefined && cells.length <= columns.payee;
  return isShort && ACCOUNT_NUMBER.test(cells.at(-1)!.trim());
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
