import { shorten } from '@coffer/core/text';
import type { ColumnMap } from './column-map.ts';
import { looksLikeDate } from '../dates.ts';
import { MAX_SHOWN_LENGTH, Refusal } from '../statement-error.ts';
import { columnNumber, readHeader, type Columns, type Header } from './header.ts';
import { RowReader, type Row } from './rows.ts';

const DELIMITERS = [',', ';', '\t'];
/** The header, or else the first row with a date, must be among this many rows, not counting empty lines. */
const SEARCHED_ROWS = 50;

/** The delimiter, the first row and the columns of a table. */
export interface Layout extends Header {
  readonly delimiter: string;
  /** Rows above this line are not entries. */
  readonly firstLine: number;
}

/** The name of a column in messages. */
export function columnName(layout: Layout, index: number): string {
  const name = layout.names[index] ?? '';
  return name === '' ? `column ${index + 1}` : shorten(name, MAX_SHOWN_LENGTH);
}

interface Head {
  delimiter: string;
  rows: Row[];
  /** Why no more rows could be read. */
  refusal: Refusal | null;
}

/**
 * Finds the delimiter and the header row by content: the first row whose cells name a date and an amount (or debit and
 * credit), after the map is applied. A map of column numbers only, with date and amount, needs no header: then the
 * table begins at the first row with a date.
 * Errors: Refusal if there is no such row among the first 50.
 */
export function findLayout(openText: () => Iterable<string>, map: ColumnMap): Layout {
  const heads = DELIMITERS.map((delimiter) => headRows(openText(), delimiter));
  const needsHeader = !isWithoutHeader(map);
  const layouts = heads.flatMap(
    (head) => (needsHeader ? layoutByHeader(head, map) : layoutByDate(head, map)) ?? [],
  );
  const best = layouts.sort((a, b) => certainty(b) - certainty(a))[0];
  if (best !== undefined) return best;
  const refused = heads.find(({ refusal }) => refusal !== null);
  throw refused?.refusal ?? new Refusal(reasonForNone(heads, map, needsHeader), 1);
}

function headRows(text: Iterable<string>, delimiter: string): Head {
  const head: Head = { delimiter, rows: [], refusal: null };
  try {
    for (const row of new RowReader(text, delimiter)) {
      head.rows.push(row);
      if (head.rows.length === SEARCHED_ROWS) break;
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    head.refusal = error;
  }
  return head;
}

function certainty({ columns, width }: Layout): number {
  return Object.keys(columns).length * 1_000_000 + width;
}

function layoutByHeader({ rows, delimiter }: Head, map: ColumnMap): Layout | null {
  for (const { cells, line } of rows) {
    const header = readHeader(cells, map);
    if (header !== null) return { delimiter, firstLine: line + 1, ...header };
  }
  return null;
}

/** Whether the map needs no header. */
function isWithoutHeader(map: ColumnMap): boolean {
  const areNumbers = Object.values(map).every((column) => columnNumber(column) !== null);
  return areNumbers && map.date !== undefined && Boolean(map.amount ?? map.debit ?? map.credit);
}

function layoutByDate({ rows, delimiter }: Head, map: ColumnMap): Layout | null {
  const entries = Object.entries(map).map(([key, column]) => [key, columnNumber(column)!] as const);
  const columns: Columns = Object.fromEntries(entries);
  const first = rows.find(({ cells }) => looksLikeDate((cells[columns.date!] ?? '').trim()));
  if (first === undefined) return null;
  const width = Math.max(first.cells.length, ...entries.map(([, index]) => index + 1));
  const firstLine = first.line;
  return { delimiter, firstLine, width, columns, directionCandidates: [], names: [] };
}

function reasonForNone(heads: readonly Head[], map: ColumnMap, needsHeader: boolean): string {
  const isBlank = ({ cells }: Row) => cells.every((cell) => cell.trim() === '');
  const isEmpty = heads.some(({ rows }) => rows.length < SEARCHED_ROWS && rows.every(isBlank));
  if (isEmpty) return 'File is empty';
  const among = `among the first ${SEARCHED_ROWS} rows`;
  if (!needsHeader) return `No date in column ${map.date} ${among}`;
  const names = Object.values(map).filter((column) => columnNumber(column) === null);
  const mapped = names.map((name) => `"${name}"`).join(', ');
  return names.length > 0
    ? `No header row with a date, an amount and the columns of the map (${mapped}) ${among}`
    : `No header row with a date and an amount ${among}: map the columns by name or number`;
}
