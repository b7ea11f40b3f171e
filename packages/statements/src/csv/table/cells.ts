import type { Layout } from './table.ts';

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
