import type { FileText } from '../../bytes/content.ts';
import { UnreadText } from '../../bytes/text-lines.ts';
import { Kept, type Notation, type Scratch } from '../../statement/kept.ts';
import { Refusal } from '../../statement/statement-error.ts';

/** The rows of a table, and the line that is reached. */
export interface RowSource extends Iterable<Row> {
  readonly line: number;
}

/** A file with a table. Its rows may be cut in several ways, of which one gives the table. */
export interface TableSource {
  /** For text: a delimiter, a quote and a delimiter if each row is one quoted cell, or {@link BLOCKS}. */
  readonly forms: readonly string[];
  /** The rows from the first one on, as far as the caller goes. */
  head(form: string): RowSource;
  /** All rows in one form, which may be gone through again. */
  rows(form: string): RowSource;
}

const DELIMITERS = [',', ';', '\t', '|'];
/** The form of text with a line for each cell, such as `Amount: -12.30`. */
const BLOCKS = '::';

/** Delimited text. */
export function delimitedText(text: FileText, scratch: Scratch | undefined): TableSource {
  return {
    forms: [...DELIMITERS, ...DELIMITERS.map((delimiter) => `"${delimiter}`), BLOCKS],
    head: (form) => cutRows(text.head(), form),
    rows: (form) => keptRows(cutRows(text.whole(), form), scratch),
  };
}

function cutRows(text: Iterable<string>, form: string): RowSource {
  const rows = new RowReader(text, form.slice(-1));
  if (form === BLOCKS) return new BlockRows(rows);
  return form.length === 1 ? rows : unwrappedRows(rows, form.slice(1));
}

/** Rows on consecutive lines, with the same number of cells; a row with a bad cell is alone. */
type Run = [line: number, width: number, badCell: number | null, rows: number];

/** The cells of all rows, between NULs, which no cell has; before them the runs of the rows, as JSON. */
const AS_CELLS: Notation<Row> = {
  lengthOf: ({ cells }) => {
    let length = cells.length;
    for (const cell of cells) length += cell.length;
    return length;
  },
  write: (rows) => {
    const runs: Run[] = [];
    const cells: string[] = [];
    for (const row of rows) {
      addTo(runs, row);
      for (const cell of row.cells) cells.push(cell);
    }
    return `${JSON.stringify(runs)}\0${cells.join('\0')}`;
  },
  read: (text) => {
    const parts = text.split('\0');
    const rows: Row[] = [];
    let at = 1;
    for (const [line, width, badCell, count] of JSON.parse(parts[0]!) as Run[])
      for (let nth = 0; nth < count; nth += 1, at += width)
        rows.push({ line: line + nth, cells: parts.slice(at, at + width), badCell });
    return rows;
  },
};

function addTo(runs: Run[], { line, cells, badCell }: Row): void {
  const last = runs.at(-1);
  const isLike = last !== undefined && badCell === null && last[2] === null;
  if (isLike && last[1] === cells.length && last[0] + last[3] === line) last[3] += 1;
  else runs.push([line, cells.length, badCell, 1]);
}

/** The rows of a table, which are cut once. Its line is the one that was reached when they were cut. */
function keptRows(rows: RowSource, scratch: Scratch | undefined): RowSource {
  const kept = new Kept(rows, AS_CELLS, scratch);
  return {
    get line() {
      return rows.line;
    },
    [Symbol.iterator]: () => kept[Symbol.iterator](),
  };
}

/** Rows that are one quoted cell each, such as `"2024-01-31,""Shop"",5"`. */
function unwrappedRows(rows: RowReader, delimiter: string): RowSource {
  return {
    get line() {
      return rows.line;
    },
    *[Symbol.iterator]() {
      for (const row of rows) {
        const [inner] = row.cells.length === 1 ? new RowReader(row.cells, delimiter) : [];
        yield inner === undefined ? row : { ...inner, line: row.line };
      }
    },
  };
}

type NamedCell = readonly [line: number, name: string, text: string];

/** The cells of a row in such text: at least a date, an amount and a text. */
const MIN_BLOCK = 3;
const MAX_BLOCK = 40;

/**
 * Rows of which each cell has a line with its name, as in texts of Santander UK: `Date: 31/01/2024`. A row ends at an
 * empty line, or before a name that it has. Fewer lines are no row; they stay as they are.
 */
class BlockRows implements RowSource {
  readonly #rows: RowReader;
  #names: readonly string[] | null = null;
  /** The cells since the last row. */
  #cells: NamedCell[] = [];

  constructor(rows: RowReader) {
    this.#rows = rows;
  }

  get line(): number {
    return this.#rows.line;
  }

  *[Symbol.iterator](): Generator<Row> {
    for (const row of this.#rows) {
      const { line } = row;
      const [name = '', ...rest] = row.cells;
      const known = this.#cells.findIndex(([, own]) => own === name);
      const isNext = this.#cells.at(-1)?.[0] === line - 1 && this.#cells.length < MAX_BLOCK;
      if (!isNext || known >= 0 || rest.length === 0) yield* this.#take(Math.max(known, 0));
      if (rest.length > 0) this.#cells.push([line, name, rest.join(':')]);
      else yield row;
    }
    yield* this.#take(0);
  }

  /** The cells as a row, after that of their names if it is the first. Those before `first` are no part of it. */
  *#take(first: number): Generator<Row> {
    const own = this.#cells.slice(first);
    const above = own.length < MIN_BLOCK ? this.#cells : this.#cells.slice(0, first);
    for (const [line, ...cells] of above) yield { line, cells, badCell: null };
    this.#cells = [];
    if (own.length >= MIN_BLOCK) yield* this.#rowOf(own);
  }

  *#rowOf(own: readonly NamedCell[]): Generator<Row> {
    const [[line] = [1]] = own;
    const names = this.#names ?? own.map(([, name]) => name);
    if (this.#names === null) yield { line: line - 1, cells: [...names], badCell: null };
    this.#names = names;
    const texts = new Map(own.map(([, name, text]) => [name, text]));
    const others = own.flatMap(([, name, text]) => (names.includes(name) ? [] : [text]));
    const cells = names.map((name) => texts.get(name) ?? '');
    yield { line, cells: [...cells, ...others], badCell: null };
  }
}

/** Maximum characters of a row, including quoted line breaks. */
export const MAX_ROW_LENGTH = 1_048_576;
/** Maximum cells of a row. */
const MAX_CELLS = 4096;

const TAB = 9;
const LF = 10;
const CR = 13;
const QUOTE = 34;

/** One row, split into cells. */
export interface Row {
  /** Physical line on which the row begins, counted from 1. */
  line: number;
  cells: string[];
  /** Index of a cell with text after its closing quote, or null. */
  badCell: number | null;
}

/**
 * Splits text into rows of cells, one at a time.
 * Lines end with LF, CRLF or CR. A quoted cell may contain delimiters, line breaks and doubled quotes, and may have
 * spaces or tabs around its quotes. A quote inside a bare cell is an ordinary character. An empty line is not a row.
 * Errors: Refusal at a row longer than MAX_ROW_LENGTH or of more than 4,096 cells, a quote that is never closed, or a
 * NUL character. Source: RFC 4180.
 */
export class RowReader extends UnreadText<Row> {
  readonly #delimiter: string;
  #nextQuote = 0;

  constructor(pieces: Iterable<string>, delimiter: string) {
    super(pieces);
    this.#delimiter = delimiter;
  }

  protected override append(piece: string): void {
    super.append(piece);
    this.#nextQuote = this.find('"');
    const nul = this.find('\0');
    if (nul === this.text.length) return;
    const line = this.reached + countLineBreaks(this.text.slice(0, nul));
    throw new Refusal('NUL character: this is not a text file', line);
  }

  protected next(): Row | null {
    this.skipEmptyLines();
    const begin = this.at;
    if (begin === this.text.length) return null;
    const end = this.lineEnd();
    if (this.#nextQuote < begin) this.#nextQuote = this.find('"');
    // An incomplete row waits for its line break, so that its cells are not split again with every piece.
    if (end === this.text.length && !this.isWhole) return null;
    if (this.#nextQuote < end) return this.#nextQuoted();
    if (!this.isLineEnd(end)) return null;
    const cells = this.text.slice(begin, end).split(this.#delimiter, MAX_CELLS + 1);
    return this.#finish(cells, end, null);
  }

  #nextQuoted(): Row | null {
    const row = quotedRow(this.text, this.at, this.#delimiter, this.isWhole);
    if (typeof row === 'object') {
      return this.isLineEnd(row.end) ? this.#finish(row.cells, row.end, row.badCell) : null;
    }
    if (!this.isWhole) return null;
    const line = this.reached + countLineBreaks(this.text.slice(this.at, row));
    throw new Refusal('Quote is never closed', line);
  }

  #finish(cells: string[], end: number, badCell: number | null): Row {
    const line = this.reached;
    this.checkLength(end - this.at);
    if (cells.length > MAX_CELLS) {
      throw new Refusal(`Row has more than ${MAX_CELLS} cells`, line);
    }
    const isLong = this.nextLf < end || this.nextCr < end;
    this.reached += 1 + (isLong ? countLineBreaks(this.text.slice(this.at, end)) : 0);
    this.passLineEnd(end);
    return { line, cells, badCell };
  }

  protected checkLength(length: number): void {
    if (length <= MAX_ROW_LENGTH) return;
    const hint = this.#nextQuote < this.text.length ? ': perhaps a quote is not closed' : '';
    throw new Refusal(`Row is longer than ${MAX_ROW_LENGTH} characters${hint}`, this.reached);
  }
}

function countLineBreaks(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0;
}

/** A row and its end in the text. */
interface QuotedRow {
  cells: string[];
  /** Position of the line break that ends the row, or the end of the text. */
  end: number;
  /** Index of the last cell with text after its closing quote, or null. */
  badCell: number | null;
}

/**
 * Splits one row with quotes, from `begin` on.
 * Returns the position of a quote that is not closed in the text. A row that ends with the text may continue when more
 * text follows.
 */
function quotedRow(
  text: string,
  begin: number,
  delimiter: string,
  isWhole: boolean,
): QuotedRow | number {
  const code = delimiter.charCodeAt(0);
  const cells: string[] = [];
  let badCell: number | null = null;
  for (let at = begin; ; at += 1) {
    const quote = afterBlanks(text, at, code);
    if (text.charCodeAt(quote) !== QUOTE) {
      const end = cellEnd(text, at, code);
      cells.push(text.slice(at, end));
      at = end;
    } else {
      let close = closingQuote(text, quote + 1);
      if (close < 0) return quote;
      let end = cellEnd(text, close + 1, code);
      if (afterBlanks(text, close + 1, code) < end) {
        const later = laterClose(text, close + 1, code);
        if (later === text.length && !isWhole) return quote;
        if (later < 0 || later === text.length) badCell = cells.length;
        else [close, end] = [later, cellEnd(text, later + 1, code)];
      }
      cells.push(unquoted(text, quote + 1, close));
      at = end;
    }
    if (text.charCodeAt(at) !== code) return { cells, end: at, badCell };
  }
}

/** Past spaces, and tabs that are not the delimiter. */
function afterBlanks(text: string, from: number, delimiter: number): number {
  let at = from;
  while (text[at] === ' ' || (text[at] === '\t' && delimiter !== TAB)) at += 1;
  return at;
}

/** Where a bare cell ends: at a delimiter, a line break or the end of the text. */
function cellEnd(text: string, from: number, delimiter: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === delimiter || code === LF || code === CR) return at;
  }
  return text.length;
}

/** Position of the closing quote; -1 if it is not in the text. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  return at;
}

/**
 * Finds the closing quote of a cell whose inner quotes are not doubled, such as `"the "Corner" shop"`: a quote before
 * a delimiter or the end of the line. Returns -1 if another quoted cell begins before, or the text's length if the line
 * has no such quote in the text.
 */
function laterClose(text: string, from: number, delimiter: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LF || code === CR) return -1;
    if (code === delimiter && text.charCodeAt(afterBlanks(text, at + 1, delimiter)) === QUOTE)
      return -1;
    if (code !== QUOTE) continue;
    const next = afterBlanks(text, at + 1, delimiter);
    const after = text.charCodeAt(next);
    if (next < text.length && (after === delimiter || after === LF || after === CR)) return at;
  }
  return text.endsWith('"') ? text.length - 1 : text.length;
}

function unquoted(text: string, from: number, to: number): string {
  const cell = text.slice(from, to);
  return cell.includes('"') ? cell.replace(/\\"|""/g, '"') : cell;
}
