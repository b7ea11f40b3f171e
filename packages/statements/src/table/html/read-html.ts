import type { OpenBytes, OpenText } from '../../bytes/encoding.ts';
import { readTableFile } from '../../csv/read-csv.ts';
import type { Row, RowSource, TableSource } from '../../csv/table/rows.ts';
import { outlineIn, type TableOutline } from '../../csv/table/outline.ts';
import { Refusal } from '../../statement/statement-error.ts';
import type { Statement } from '../../statement/statement.ts';
import type { ReaderOptions } from '../../statement/years.ts';
import { htmlText, tokensOf, type Token } from './tokens.ts';

const MAX_CELLS = 4096;
const MAX_CELL_LENGTH = 1_048_576;
const MAX_TABLES = 10_000;
const MAX_DEPTH = 50;

/** A row of a table in HTML. */
interface TableRow {
  /** Number of the table, from 0, in the order of their beginnings. */
  readonly table: number;
  readonly line: number;
  readonly cells: string[];
}

interface OpenTable {
  readonly table: number;
  row: { line: number; cells: string[] } | null;
  cell: { parts: string[]; length: number; span: number } | null;
}

/**
 * The rows of all tables of HTML, as a stream. End tags may be missing. A table inside a cell is a table of its own.
 * Errors: Refusal for too many tables, cells or levels, or a cell that is too long.
 */
function* tableRows(pieces: Iterable<string>): Generator<TableRow> {
  const open: OpenTable[] = [];
  const tables = { count: 0 };
  for (const token of tokensOf(pieces)) {
    const row = addToken(token, open, tables);
    if (row?.cells.some((cell) => cell !== '') === true) yield row;
  }
  for (const table of open) {
    const row = endRow(table);
    if (row !== null) yield row;
  }
}

function addToken(token: Token, open: OpenTable[], tables: { count: number }): TableRow | null {
  const current = open.at(-1);
  if (token.kind === 'text') return addText(current, htmlText(token.text), token.line);
  if (token.text === 'table') return token.kind === 'open' ? begin(open, tables, token) : end(open);
  if (current === undefined) return null;
  if (token.text === 'tr') {
    const row = endRow(current);
    if (token.kind === 'open') current.row = { line: token.line, cells: [] };
    return row;
  }
  if (token.text === 'td' || token.text === 'th') addCell(current, token);
  else if (['br', 'p', 'div', 'li'].includes(token.text)) addText(current, ' ', token.line);
  return null;
}

function begin(open: OpenTable[], tables: { count: number }, { line }: Token): null {
  if (open.length >= MAX_DEPTH)
    throw new Refusal(`Tables are nested more than ${MAX_DEPTH} deep`, line);
  if (tables.count >= MAX_TABLES) throw new Refusal(`More than ${MAX_TABLES} tables`, line);
  open.push({ table: tables.count, row: null, cell: null });
  tables.count += 1;
  return null;
}

function end(open: OpenTable[]): TableRow | null {
  const closed = open.pop();
  return closed === undefined ? null : endRow(closed);
}

function addText(current: OpenTable | undefined, text: string, line: number): null {
  if (current?.cell === undefined || current.cell === null || text === '') return null;
  current.cell.length += text.length;
  if (current.cell.length > MAX_CELL_LENGTH) {
    throw new Refusal(`Cell is longer than ${MAX_CELL_LENGTH} characters`, line);
  }
  current.cell.parts.push(text);
  return null;
}

function addCell(current: OpenTable, { kind, span, line, column = 1 }: Token): void {
  endCell(current);
  if (kind === 'close') return;
  current.row ??= { line, cells: [] };
  if (Math.max(current.row.cells.length, column - 1) + span > MAX_CELLS) {
    throw new Refusal(`Row has more than ${MAX_CELLS} cells`, line);
  }
  while (current.row.cells.length < column - 1) current.row.cells.push('');
  current.cell = { parts: [], length: 0, span };
}

function endCell(current: OpenTable): void {
  const { row, cell } = current;
  current.cell = null;
  if (row === null || cell === null) return;
  row.cells.push(cell.parts.join('').replace(/\s+/g, ' ').trim());
  for (let more = 1; more < cell.span; more += 1) row.cells.push('');
}

function endRow(current: OpenTable): TableRow | null {
  endCell(current);
  const { row, table } = current;
  current.row = null;
  return row === null ? null : { table, ...row };
}

/**
 * Reads the largest table of an HTML file, which banks also name `.xls`, like delimited text.
 * Edges: the encoding is UTF-8 if the whole file is, whatever it declares.
 * Errors: StatementError with every problem of the table, Refusal if reading cannot continue.
 */
export function readHtml(openBytes: OpenBytes, options: ReaderOptions): Statement {
  return readTableFile('html', openBytes, options, largestTable);
}

/** What the largest table of an HTML file looks like; null if it has no row with two cells. */
export function outlineHtml(openBytes: OpenBytes): TableOutline | null {
  return outlineIn(openBytes, largestTable);
}

/** The table with the most cells; the rows of others are left out. */
function largestTable(openText: OpenText): TableSource {
  const cells = new Map<number, number>();
  for (const row of tableRows(openText())) {
    cells.set(row.table, (cells.get(row.table) ?? 0) + row.cells.length);
  }
  const [largest] = [...cells].sort((a, b) => b[1] - a[1]);
  if (largest === undefined) throw new Refusal('No table in the HTML file');
  return { forms: ['<'], open: () => new HtmlRows(openText(), largest[0]) };
}

class HtmlRows implements RowSource {
  readonly #pieces: Iterable<string>;
  readonly #table: number;
  #line = 1;

  constructor(pieces: Iterable<string>, table: number) {
    this.#pieces = pieces;
    this.#table = table;
  }

  get line(): number {
    return this.#line;
  }

  *[Symbol.iterator](): Generator<Row> {
    let last = 0;
    for (const { table, line, cells } of tableRows(this.#pieces)) {
      this.#line = line;
      if (table !== this.#table) continue;
      // Lines distinguish rows, but several may be on one line: they are counted on.
      last = Math.max(line, last + 1);
      yield { line: last, cells, badCell: null };
    }
  }
}
