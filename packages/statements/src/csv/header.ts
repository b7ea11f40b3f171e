import { COLUMN_KEYS, type ColumnKey, type ColumnMap } from './column-map.ts';
import { recognised } from './words.ts';

export type Columns = Partial<Record<ColumnKey, number>>;

/** The header of a table. */
export interface Header {
  /** Number of columns. */
  readonly width: number;
  /** Index of each known column. */
  readonly columns: Columns;
  /** Columns that may have the direction, if every cell is a known direction; preferred first. */
  readonly directionCandidates: readonly number[];
  /** By index; empty where the header's cell is empty. */
  readonly names: readonly string[];
}

/** The index of a column given by its number, counted from 1; null if it is given by name. */
export function columnNumber(column: string): number | null {
  return /^[1-9]\d{0,3}$/.test(column.trim()) ? Number(column) - 1 : null;
}

/**
 * Parses a row as a header: mapped columns by number or name, the others by known names.
 * Of two columns with the same name, the first is used. Null if the row lacks a mapped name, a date or an amount.
 */
export function readHeader(cells: readonly string[], map: ColumnMap): Header | null {
  const names = cells.map((cell) => cell.replace(/\uFEFF/g, '').trim());
  const columns = mappedColumns(names, map);
  if (columns === null) return null;
  const free = (key: ColumnKey) =>
    recognised(names, key).filter((index) => !Object.values(columns).includes(index));
  for (const key of COLUMN_KEYS) {
    const index = isRecognisable(key, map) ? free(key)[0] : undefined;
    if (index !== undefined) columns[key] = index;
  }
  if (!isTable(columns, map)) return null;
  const width = Math.max(names.length, ...Object.values(columns).map((index) => index + 1));
  const directionCandidates = map.direction === undefined ? free('direction') : [];
  return { columns, directionCandidates, names, width };
}

function mappedColumns(names: readonly string[], map: ColumnMap): Columns | null {
  const columns: Columns = {};
  for (const key of COLUMN_KEYS) {
    const column = map[key];
    if (column === undefined) continue;
    const index = columnNumber(column) ?? names.map(plain).indexOf(plain(column));
    if (index < 0) return null;
    columns[key] = index;
  }
  return columns;
}

function plain(name: string): string {
  return name.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** A map with debit or credit takes precedence over an amount column of the header. */
function isRecognisable(key: ColumnKey, map: ColumnMap): boolean {
  if (map[key] !== undefined || key === 'direction') return false;
  return key !== 'amount' || (map.debit === undefined && map.credit === undefined);
}

function isTable({ date, amount, debit, credit }: Columns, map: ColumnMap): boolean {
  const isMapped = map.debit !== undefined || map.credit !== undefined;
  const hasBoth = debit !== undefined && credit !== undefined;
  return date !== undefined && (amount !== undefined || hasBoth || isMapped);
}
