import { createHash } from 'node:crypto';
import { shorten } from '@coffer/core/text';
import type { Content } from '../../bytes/content.ts';
import { inItsEncoding, type FileText } from '../../bytes/encoding.ts';
import { likelyEncoding } from './encodings.ts';
import { looksLikeAmount } from '../../statement/amounts.ts';
import { looksLikeDate } from '../../statement/dates.ts';
import { MAX_SHOWN_LENGTH, Refusal, NotUtf8 } from '../../statement/statement-error.ts';
import type { SeenColumn } from '../../statement/statement.ts';
import type { Row, TableSource } from './rows.ts';
import { folded } from '../../words/fold.ts';
import { findLayout, headsOf } from './layout.ts';
import type { Head } from './header.ts';

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
    const values = rows.map(({ cells }) => trimmed(cells[index]));
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
  return { form, names: rows[at]!.cells.map(trimmed), rows: rows.slice(at + 1) };
}

interface RegularRows {
  readonly form: string;
  readonly rows: readonly Row[];
  readonly cells: number;
}

/** The rows with the commonest number of cells, not counting rows with one cell. */
function regularRows({ form, rows }: Head): RegularRows {
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
  const text = trimmed(cell);
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
    const values = rows.map(({ cells }) => trimmed(cells[index]));
    if (values.every(looksLikeDate)) return 'date';
    return values.every(looksLikeAmount) ? 'number' : 'text';
  });
}

function widthOf({ names, rows }: Pick<Table, 'names' | 'rows'>): number {
  return names?.length ?? rows[0]?.cells.length ?? 0;
}

function trimmed(cell: string | undefined): string {
  return (cell ?? '')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
