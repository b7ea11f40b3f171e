import { Refusal } from '../statement-error.ts';
import { quotedRow } from './quoted-row.ts';

/** The most characters of one row, its quoted line breaks included. */
export const LONGEST_ROW = 1_048_576;
/** The most cells of one row. */
const MOST_CELLS = 4096;

const LF = 10;
const CR = 13;

/** One row of a table, split but not read. */
export interface Row {
  /** Physical line on which the row begins, counted from 1. */
  line: number;
  cells: string[];
  /** Index of a cell with text behind its closing quote; null: none. */
  badCell: number | null;
}

/**
 * Splits text into rows of cells, one at a time.
 * Lines end with LF, CRLF or CR; a cell in quotes may hold delimiters, line breaks and doubled
 * quotes, and may have blanks around its quotes; a quote inside a bare cell is an ordinary
 * character. An empty line is no row.
 * Errors: Refusal at a row longer than LONGEST_ROW or of more than 4,096 cells, a quote that is never closed, or a NUL
 * character. Source: RFC 4180.
 */
export class RowReader implements Iterable<Row> {
  readonly #pieces: Iterable<string>;
  readonly #delimiter: string;
  #line = 1;
  // The text that is not read yet begins at #at; the next of each sign in it, its length if there is none.
  #text = '';
  #at = 0;
  #isWhole = false;
  #nextLf = 0;
  #nextCr = 0;
  #nextQuote = 0;

  constructor(pieces: Iterable<string>, delimiter: string) {
    this.#pieces = pieces;
    this.#delimiter = delimiter;
  }

  /** The line reached: where the row begins that is read next. */
  get line(): number {
    return this.#line;
  }

  *[Symbol.iterator](): Generator<Row> {
    for (const piece of this.#pieces) {
      this.#append(piece);
      for (let row = this.#next(); row !== null; row = this.#next()) yield row;
      this.#checkLength(this.#text.length - this.#at);
    }
    this.#isWhole = true;
    for (let row = this.#next(); row !== null; row = this.#next()) yield row;
  }

  #append(piece: string): void {
    this.#text = this.#text.slice(this.#at) + piece;
    this.#at = 0;
    this.#nextLf = this.#find('\n');
    this.#nextCr = this.#find('\r');
    this.#nextQuote = this.#find('"');
    const nul = this.#find('\0');
    if (nul === this.#text.length) return;
    const line = this.#line + countLineBreaks(this.#text.slice(0, nul));
    throw new Refusal('NUL character: this is not a text file', line);
  }

  #find(sign: string): number {
    const found = this.#text.indexOf(sign, this.#at);
    return found < 0 ? this.#text.length : found;
  }

  /** The next row, or null if its end is not in the text. */
  #next(): Row | null {
    this.#skipEmptyLines();
    const begin = this.#at;
    if (begin === this.#text.length) return null;
    if (this.#nextLf < begin) this.#nextLf = this.#find('\n');
    if (this.#nextCr < begin) this.#nextCr = this.#find('\r');
    if (this.#nextQuote < begin) this.#nextQuote = this.#find('"');
    const end = Math.min(this.#nextLf, this.#nextCr);
    // Without a line break the row goes on: its cells are not read again with every piece.
    if (end === this.#text.length && !this.#isWhole) return null;
    if (this.#nextQuote < end) return this.#nextQuoted();
    if (!this.#isRowEnd(end)) return null;
    const cells = this.#text.slice(begin, end).split(this.#delimiter, MOST_CELLS + 1);
    return this.#finish(cells, end, null);
  }

  /** A small packed file can hold gigabytes of empty lines: they must cost next to nothing. */
  #skipEmptyLines(): void {
    for (; this.#at < this.#text.length; this.#line += 1) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== LF && code !== CR) return;
      const isCrLf = code === CR && this.#text.charCodeAt(this.#at + 1) === LF;
      const end = isCrLf ? this.#at + 1 : this.#at;
      if (!this.#isRowEnd(end)) return;
      this.#at = end + 1;
    }
  }

  #nextQuoted(): Row | null {
    const row = quotedRow(this.#text, this.#at, this.#delimiter);
    if (typeof row === 'object') {
      return this.#isRowEnd(row.end) ? this.#finish(row.cells, row.end, row.badCell) : null;
    }
    if (!this.#isWhole) return null;
    const line = this.#line + countLineBreaks(this.#text.slice(this.#at, row));
    throw new Refusal('Quote is never closed', line);
  }

  /** Whether a row ends here for sure: a CR at the end of the text may be half of a CRLF. */
  #isRowEnd(end: number): boolean {
    const last = this.#text.length - 1;
    return this.#isWhole || end < last || (end === last && this.#text[end] === '\n');
  }

  #finish(cells: string[], end: number, badCell: number | null): Row {
    const line = this.#line;
    this.#checkLength(end - this.#at);
    if (cells.length > MOST_CELLS) {
      throw new Refusal(`Row has more than ${MOST_CELLS} cells`, line);
    }
    this.#line += 1 + (this.#nextLf < end || this.#nextCr < end ? this.#breaksBefore(end) : 0);
    this.#at = end + (this.#text.startsWith('\r\n', end) ? 2 : 1);
    if (this.#at > this.#text.length) this.#at = this.#text.length;
    return { line, cells, badCell };
  }

  #breaksBefore(end: number): number {
    return countLineBreaks(this.#text.slice(this.#at, end));
  }

  #checkLength(length: number): void {
    if (length <= LONGEST_ROW) return;
    const hint = this.#nextQuote < this.#text.length ? ': perhaps a quote is not closed' : '';
    throw new Refusal(`Row is longer than ${LONGEST_ROW} characters${hint}`, this.#line);
  }
}

function countLineBreaks(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0;
}
