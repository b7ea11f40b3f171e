import type { Content, FileText } from '../bytes/content.ts';
import { readTableFile } from '../csv/read-table.ts';
import type { RowSource, TableSource } from '../csv/table/rows.ts';
import { outlineIn, type TableOutline } from '../csv/table/layout.ts';
import { asJson, Kept, type Scratch } from '../statement/kept.ts';
import { Refusal } from '../statement/statement-error.ts';
import type { Statement } from '../statement/statement.ts';
import type { ReaderOptions } from '../statement/dates.ts';
import { listOf } from '../statement/texts.ts';

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
export function readHtml(content: Content, options: ReaderOptions): Statement {
  return readTableFile('html', content, options, largestTable);
}

/** What the largest table of an HTML file looks like; null if it has no row with two cells. */
export function outlineHtml(content: Content): TableOutline | null {
  return outlineIn(content, (text) => largestTable(text, undefined));
}

/** The table with the most cells; the rows of others are left out. Only the end of the file shows which it is. */
function largestTable(text: FileText, scratch: Scratch | undefined): TableSource {
  const all = new Kept(tableRows(text.whole()), asJson<TableRow>(), scratch);
  const cells = new Map<number, number>();
  for (const row of all) cells.set(row.table, (cells.get(row.table) ?? 0) + row.cells.length);
  const [largest] = [...cells].sort((a, b) => b[1] - a[1]);
  if (largest === undefined) throw new Refusal('No table in the HTML file');
  const rows = rowsOf(all, largest[0]);
  return { forms: ['<'], head: () => rows, rows: () => rows };
}

/** The rows of one table. */
function rowsOf(all: Iterable<TableRow>, wanted: number): RowSource {
  let reached = 1;
  return {
    get line() {
      return reached;
    },
    *[Symbol.iterator]() {
      let last = 0;
      for (const { table, line, cells } of all) {
        reached = line;
        if (table !== wanted) continue;
        // Lines distinguish rows, but several may be on one line: they are counted on.
        last = Math.max(line, last + 1);
        yield { line: last, cells, badCell: null };
      }
    },
  };
}

/** A tag without its attributes, or the text before the next tag. */
export interface Token {
  readonly kind: 'open' | 'close' | 'text';
  /** The lower-case name of a tag, or the text as written. */
  readonly text: string;
  /** How many columns a cell takes; 1 for other tags. */
  readonly span: number;
  readonly line: number;
  /** The number of a cell's column, from 1, if cells before it are left out. */
  readonly column?: number;
}

/** Maximum characters of a tag, of a comment or of the text between two tags. */
const MAX_TOKEN_LENGTH = 1_048_576;
const MAX_SPAN = 100;
/** Elements of a spreadsheet in the XML of Excel 2003, which banks name `.xls`. */
const SPREADSHEET_TAGS = new Map([
  ['row', 'tr'],
  ['cell', 'td'],
]);
/** Elements whose content is no text. */
const RAW = new Set(['script', 'style', 'template', 'noscript']);

/**
 * Splits HTML into tags and texts, as a stream. Comments, declarations, scripts and styles are skipped.
 * Errors: Refusal for a NUL character or a token that is too long.
 */
function* tokensOf(pieces: Iterable<string>): Generator<Token> {
  const state = { text: '', line: 1, raw: null as string | null };
  for (const piece of pieces) {
    if (piece.includes('\0'))
      throw new Refusal('NUL character: this is not a text file', state.line);
    state.text += piece;
    yield* take(state, false);
    if (state.text.length > MAX_TOKEN_LENGTH) {
      throw new Refusal(
        `Text between two tags is longer than ${MAX_TOKEN_LENGTH} characters`,
        state.line,
      );
    }
  }
  yield* take(state, true);
}

interface State {
  text: string;
  line: number;
  raw: string | null;
}

function* take(state: State, isWhole: boolean): Generator<Token> {
  const { text } = state;
  let at = 0;
  while (at < text.length) {
    const end = tokenEnd(text, at, state.raw, isWhole);
    if (end < 0) break;
    const source = text.slice(at, end);
    const token = tokenOf(source, state);
    if (token !== null) yield token;
    if (/[\r\n]/.test(source)) state.line += source.match(/\r\n?|\n/g)?.length ?? 0;
    at = end;
  }
  state.text = text.slice(at);
}

/** The end of the token that begins at a position; -1 if it is not in the text. */
function tokenEnd(text: string, at: number, raw: string | null, isWhole: boolean): number {
  const rest = isWhole ? text.length : -1;
  if (raw !== null) return endOfRaw(text, at, raw, rest);
  if (text[at] !== '<') {
    const next = text.indexOf('<', at);
    return next < 0 ? rest : next;
  }
  if (!isWhole && text.length - at < 4) return -1;
  if (text.startsWith('<!--', at)) return after(text.indexOf('-->', at + 4), 3, rest);
  // A sign that is no tag is text.
  if (!/[a-z/!?]/i.test(text[at + 1] ?? '')) return at + 1;
  return after(text.indexOf('>', at), 1, rest);
}

function endOfRaw(text: string, at: number, raw: string, rest: number): number {
  const close = text.toLowerCase().indexOf(`</${raw}`, at);
  if (close === at) return after(text.indexOf('>', at), 1, rest);
  return close < 0 ? rest : close;
}

function after(found: number, length: number, rest: number): number {
  return found < 0 ? rest : found + length;
}

function tokenOf(source: string, state: State): Token | null {
  const { line } = state;
  if (!source.startsWith('<') || source === '<') {
    return state.raw === null ? { kind: 'text', text: source, span: 1, line } : null;
  }
  const name = /^<(\/?)([a-z][a-z0-9:]*)/i.exec(source);
  if (name === null) return null;
  const written = name[2]!.toLowerCase();
  const bare = written.replace(/^ss:(?=(?:table|row|cell)$)/, '');
  const tag = SPREADSHEET_TAGS.get(bare) ?? bare;
  const isClose = name[1] === '/';
  if (state.raw !== null) {
    if (isClose && tag === state.raw) state.raw = null;
    return null;
  }
  if (!isClose && RAW.has(tag)) state.raw = tag;
  const token = { kind: isClose ? 'close' : 'open', text: tag, span: 1, line } as const;
  if (tag !== 'td' && tag !== 'th') return token;
  const span = /\bcolspan\s*=\s*["']?(\d{1,4})/i.exec(source)?.[1];
  const column = /\bss:Index\s*=\s*["'](\d{1,4})["']/.exec(source)?.[1];
  const columns = Math.min(Math.max(1, Number(span ?? 1)), MAX_SPAN);
  return { ...token, span: columns, ...(column !== undefined && { column: Number(column) }) };
}

/** Names of references, each before its character. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['nbsp', ' '],
  ['quot', '"'],
  ['apos', "'"],
  ...listOf(
    'amp& lt< gt> euro€ pound£ yen¥ cent¢ copy© reg® ndash– mdash— hellip… minus−',
    'aumlä oumlö uumlü AumlÄ OumlÖ UumlÜ szligß eacuteé egraveè ecircê eumlë EacuteÉ agraveà',
    'acircâ aacuteá atildeã aringå aeligæ ccedilç CcedilÇ iacuteí icircî iumlï ntildeñ',
    'NtildeÑ oacuteó ocircô otildeõ oslashø uacuteú ugraveù ucircû AacuteÁ OacuteÓ UacuteÚ',
    'IacuteÍ AtildeÃ OtildeÕ AringÅ OslashØ ordmº ordfª',
  ).map((pair) => [pair.slice(0, -1), pair.slice(-1)] as const),
]);

/** The text of HTML between two tags: named and numeric references become characters; unknown ones stay. */
export function htmlText(source: string): string {
  if (!source.includes('&')) return source;
  return source.replace(/&(#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,8});?/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return NAMED.get(name) ?? whole;
    const isHex = /^#x/i.test(name);
    return character(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10)) ?? whole;
  });
}

function character(code: number): string | null {
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code === 0 || code > 0x10ffff || isSurrogate ? null : String.fromCodePoint(code);
}
