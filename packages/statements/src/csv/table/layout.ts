import { looksLikeDate } from '../../statement/dates.ts';
import { Refusal, MAX_SHOWN_LENGTH, NotUtf8 } from '../../statement/statement-error.ts';
import type { ColumnMap, SeenColumn } from '../../statement/statement.ts';
import type { Row, TableSource } from './rows.ts';
import { type Columns, likelyEncoding } from './header-names.ts';
import {
  columnNumber,
  NO_HEADER,
  readHeader,
  type Head,
  type Layout,
  textAbove,
} from './header.ts';
import type { Parties } from './parties.ts';
import { inferLayout, suggestedMap } from './infer.ts';
import { looksLikeAmount } from '../../statement/amounts.ts';
import { createHash } from 'node:crypto';
import { shorten, withSingleBlanks } from '@coffer/core/text';
import { type Content, inItsEncoding, type FileText } from '../../bytes/content.ts';
import { folded } from '../../words/vocabulary.ts';
import headerless from '../../../headerless.json' with { type: 'json' };

/**
 * Tables that banks and applications write without a header: the names that their columns have in files with one, and
 * what the cells of each of the first columns are: like an expression, an amount, or anything.
 */
const HEADERLESS = headerless.map(({ names, cells }) => ({ names, cells: cells.map(testOf) }));

function testOf(kind: string | null): (cell: string) => boolean {
  if (kind === null) return () => true;
  const pattern = new RegExp(kind, 'u');
  return kind === 'amount' ? looksLikeAmount : (cell) => pattern.test(cell);
}

/** The layout of a table without a header that all of the first rows fit; null for any other table. */
function headerlessLayout(
  { rows, form }: Head,
  map: ColumnMap,
  parties: Parties | null,
): Layout | null {
  const at = rows.findIndex(({ cells }) => cells.length > 1);
  const data = rows.slice(at).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const first = data[0];
  const known = HEADERLESS.find((each) => data.every((row) => fits(row, each)));
  if (first === undefined || known === undefined) return null;
  const sample = data.map(({ cells }) => cells);
  const header = readHeader(known.names, map, sample, parties);
  if (header === null) return null;
  return {
    ...header,
    form,
    firstLine: first.line,
    isInferred: true,
    currency: null,
    ...textAbove(rows.slice(0, at)),
  };
}

function fits({ cells }: Row, { cells: kinds }: (typeof HEADERLESS)[number]): boolean {
  return cells.length >= kinds.length && kinds.every((is, index) => is(cells[index]!.trim()));
}

/** The header, or else the first row with a date, must be among this many rows, not counting empty lines. */
const SEARCHED_ROWS = 50;

/**
 * Finds the delimiter and the header row by content: the first row whose cells name a date and an amount (or debit and
 * credit), after the map is applied. A map of column numbers only, with date and amount, needs no header: then the
 * table begins at the first row with a date. Without a map, a table whose header has unknown names or is missing is
 * recognised by its cells, where they leave no choice. `parties` is what all rows of the table have shown.
 * Errors: Refusal if there is no such row among the first 50.
 */
export function findLayout(
  heads: readonly Head[],
  map: ColumnMap,
  parties: Parties | null = null,
): Layout {
  const needsHeader = !isWithoutHeader(map);
  const plain = heads.filter(({ form }) => form.length < 2);
  const find = (head: Head) =>
    (needsHeader ? layoutByHeader(head, map, parties) : layoutByDate(head, map)) ?? [];
  const best = mostCertain(plain.flatMap(find)) ?? mostCertain(heads.flatMap(find));
  if (best !== undefined) return best;
  const widest = plain.toSorted((a, b) => cellCount(b) - cellCount(a))[0];
  const refusal = plain.every((head) => head.refusal !== null)
    ? plain[0]?.refusal
    : widest?.refusal;
  if (refusal) throw refusal;
  const isMapped = Object.values(map).some((column) => column !== '');
  const inferred = isMapped
    ? undefined
    : mostCertain(
        plain.flatMap(
          (head) => headerlessLayout(head, map, parties) ?? inferLayout(head, map, parties) ?? [],
        ),
      );
  if (inferred !== undefined) return inferred;
  throw new Refusal(reasonForNone(plain, map, needsHeader), 1, null, true);
}

/** The first rows of a table, in each of its forms. */
export function headsOf(source: TableSource): Head[] {
  return source.forms.map((form) => headRows(source, form));
}

function headRows(source: TableSource, form: string): Head {
  const head: Head = { form, rows: [], refusal: null };
  try {
    for (const row of source.head(form)) {
      head.rows.push(row);
      if (head.rows.length === SEARCHED_ROWS) break;
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    head.refusal = error;
  }
  return head;
}

function cellCount({ rows }: Head): number {
  return rows.reduce((so, { cells }) => so + cells.length, 0);
}

function mostCertain(layouts: readonly Layout[]): Layout | undefined {
  return layouts.toSorted((a, b) => certainty(b) - certainty(a))[0];
}

function certainty({ columns, width }: Layout): number {
  return Object.keys(columns).length * 1_000_000 + width;
}

function layoutByHeader(
  { rows, form }: Head,
  map: ColumnMap,
  parties: Parties | null,
): Layout | null {
  for (const [at, { cells, line }] of rows.entries()) {
    const sample = rows.slice(at + 1).map((row) => row.cells);
    const header = readHeader(cells, map, sample, parties);
    const found = { form, firstLine: line + 1, ...textAbove(rows.slice(0, at)), isInferred: false };
    if (header !== null) return { ...found, ...header };
  }
  return null;
}

/** Whether the map needs no header. */
function isWithoutHeader(map: ColumnMap): boolean {
  const areNumbers = Object.values(map).every(
    (column) => column === '' || columnNumber(column) !== null,
  );
  return areNumbers && map.date !== undefined && Boolean(map.amount ?? map.debit ?? map.credit);
}

function layoutByDate({ rows, form }: Head, map: ColumnMap): Layout | null {
  const given = Object.entries(map).filter(([, column]) => column !== '');
  const entries = given.map(([key, column]) => [key, columnNumber(column)!] as const);
  const columns: Columns = Object.fromEntries(entries);
  const at = rows.findIndex(({ cells }) => looksLikeDate((cells[columns.date!] ?? '').trim()));
  const first = rows[at];
  if (first === undefined) return null;
  return {
    form,
    columns,
    firstLine: first.line,
    names: [],
    isInferred: false,
    width: Math.max(first.cells.length, ...entries.map(([, index]) => index + 1)),
    ...NO_HEADER,
    ...textAbove(rows.slice(0, at)),
  };
}

function reasonForNone(heads: readonly Head[], map: ColumnMap, needsHeader: boolean): string {
  const isBlank = ({ cells }: Row) => cells.every((cell) => cell.trim() === '');
  const isEmpty = heads.some(({ rows }) => rows.length < SEARCHED_ROWS && rows.every(isBlank));
  if (isEmpty) return 'File is empty';
  const among = `among the first ${SEARCHED_ROWS} rows`;
  if (!needsHeader) return `No date in column ${map.date} ${among}`;
  const names = Object.values(map).filter(
    (column) => column !== '' && columnNumber(column) === null,
  );
  const mapped = names.map((name) => `"${name}"`).join(', ');
  if (names.length > 0) {
    return `No header row with a date, an amount and the columns of the map (${mapped}) ${among}`;
  }
  const suggested = heads.map(suggestedMap).find((text) => text !== null);
  const hint = suggested === undefined ? '' : `, such as --map ${suggested}`;
  return `No header row with a date and an amount ${among}: map the columns by name or number${hint}`;
}

/** What a table looks like, whether or not it can be read. */
export interface TableOutline {
  /**
   * A fingerprint: of the header's names without case, accents and digits, in order, and of the delimiter; without a
   * header, of the number and the kinds of the columns. Options do not change it.
   */
  readonly shape: string;
  /** Whether the first row has the names of the columns. */
  readonly hasHeader: boolean;
  readonly columns: readonly SeenColumn[];
}

interface Table {
  readonly form: string;
  /** Null without a header. */
  readonly names: readonly string[] | null;
  readonly rows: readonly Row[];
}

const MAX_SAMPLE_LENGTH = 40;
const MAX_COLUMNS = 200;

/** Outlines a table in the encoding that its first rows show; null if no row has two cells. */
export function outlineIn(
  content: Content,
  tableOf: (text: FileText) => TableSource,
): TableOutline | null {
  return inItsEncoding(content, undefined, likelyEncoding, (text) =>
    outlineOf(headsOf(tableOf(text))),
  );
}

/** Outlines a table by its first rows. */
export function outlineOf(heads: readonly Head[]): TableOutline | null {
  const other = heads.find(({ refusal }) => refusal instanceof NotUtf8);
  if (other?.refusal) throw other.refusal;
  const table = knownTable(heads) ?? likelyTable(heads);
  if (table === null) return null;
  const { names, rows } = table;
  return {
    shape: shapeOf(table),
    hasHeader: names !== null,
    columns: seenColumns(names ?? [], rows, widthOf(table)),
  };
}

/** The columns of a table, with a sample of each. */
export function seenColumns(
  names: readonly string[],
  rows: readonly Row[],
  width: number,
): SeenColumn[] {
  return Array.from({ length: Math.min(width, MAX_COLUMNS) }, (_, index) => {
    const values = rows.map(({ cells }) => withSingleBlanks(cells[index] ?? ''));
    const sample = values.find((value) => value !== '') ?? '';
    const name = shorten(names[index] ?? '', MAX_SHOWN_LENGTH);
    return { number: index + 1, name, sample: shorten(sample, MAX_SAMPLE_LENGTH) };
  });
}

/** The table whose header has known names. */
function knownTable(heads: readonly Head[]): Table | null {
  try {
    const { form, names, firstLine, isInferred } = findLayout(heads, {});
    if (isInferred || names.length === 0) return null;
    const head = heads.find((each) => each.form === form)!;
    return { form, names, rows: head.rows.filter(({ line }) => line >= firstLine) };
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The table with the most cells in rows of equal length. */
function likelyTable(heads: readonly Head[]): Table | null {
  const tables = heads.filter(({ form }) => form.length < 2).map(regularRows);
  const best = tables.reduce((a, b) => (b.cells > a.cells ? b : a));
  if (best.cells === 0) return null;
  const { form, rows } = best;
  const first = rows.findIndex(({ cells }) => cells.some(isValue));
  if (first === 0) return { form, names: null, rows };
  const at = first < 0 ? 0 : first - 1;
  return { form, names: rows[at]!.cells.map(withSingleBlanks), rows: rows.slice(at + 1) };
}

/** The rows with the commonest number of cells, not counting rows with one cell. */
function regularRows({ form, rows }: Head) {
  const byWidth = Map.groupBy(
    rows.filter(({ cells }) => cells.length > 1),
    ({ cells }) => cells.length,
  );
  const [best] = [...byWidth].sort((a, b) => b[1].length - a[1].length || b[0] - a[0]);
  if (best === undefined) return { form, rows: [], cells: 0 };
  const [width, regular] = best;
  return { form, rows: regular, cells: width * regular.length };
}

/** Whether a cell has no name of a column. */
function isValue(cell: string): boolean {
  const text = withSingleBlanks(cell);
  return text !== '' && (looksLikeDate(text) || looksLikeAmount(text));
}

function shapeOf(table: Table): string {
  const { form, names } = table;
  const columns =
    names === null
      ? kindsOf(table)
      : names.map((name) => folded(name).replace(/\d+/g, '0')).slice(0, MAX_COLUMNS);
  const text = JSON.stringify([form, names !== null, widthOf(table), columns]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Columns that have a date or a number in every row; a blank cell may hold a text next month. */
function kindsOf({ rows, ...table }: Table): string[] {
  return Array.from({ length: Math.min(widthOf({ rows, ...table }), MAX_COLUMNS) }, (_, index) => {
    const values = rows.map(({ cells }) => withSingleBlanks(cells[index] ?? ''));
    if (values.every(looksLikeDate)) return 'date';
    return values.every(looksLikeAmount) ? 'number' : 'text';
  });
}

function widthOf({ names, rows }: Pick<Table, 'names' | 'rows'>): number {
  return names?.length ?? rows[0]?.cells.length ?? 0;
}
