import { looksLikeAmount } from '../../amounts.ts';
import { parseCurrency } from '../../currencies.ts';
import { looksLikeDate } from '../../dates.ts';
import { COLUMN_KEYS, type ColumnKey, type ColumnMap } from '../column-map.ts';
import { profileOf } from '../profiles/known.ts';
import type { Profile } from '../profiles/profile.ts';
import { DESCRIPTION_RANK, headerName, type HeaderName } from '../words/header-names.ts';
import { folded } from '../words/fold.ts';

export type Columns = Partial<Record<ColumnKey, number>>;

/** The header of a table. */
export interface Header {
  /** Number of columns. */
  readonly width: number;
  /** Index of each known column. */
  readonly columns: Columns;
  /** Columns that are used where the cell of the first one is blank. */
  readonly fallbacks: { readonly date?: number; readonly payee?: number };
  /** Columns that may have the direction, if every cell is a known direction; preferred first. */
  readonly directionCandidates: readonly number[];
  /** By index; empty where the header's cell is empty. */
  readonly names: readonly string[];
  /** The currency that the name of the amount's column contains. */
  readonly currency: string | null;
  /** The bank or application that writes such a header. */
  readonly profile: Profile | null;
}

/** The index of a column given by its number, counted from 1; null if it is given by name. */
export function columnNumber(column: string): number | null {
  return /^[1-9]\d{0,3}$/.test(column.trim()) ? Number(column) - 1 : null;
}

/**
 * Parses a row as a header: mapped columns by number or name, then those of a known bank or application, the others by
 * known names. Of two columns with the same name, the first is used; where a name has several meanings, the `sample`
 * rows below decide. Null if the row lacks a mapped name, a date or an amount.
 */
export function readHeader(
  cells: readonly string[],
  map: ColumnMap,
  sample: readonly (readonly string[])[] = [],
): Header | null {
  const names = cells.map((cell) =>
    cell
      .replace(/[\p{Cf}]/gu, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  const columns = mappedColumns(names, map);
  if (columns === null) return null;
  const profile = profileOf(names.map(folded));
  const known = names.map(headerName);
  const free = freeColumns(known, columns, sample);
  addKnown(columns, profile, names, map);
  for (const key of COLUMN_KEYS) {
    const index = isRecognisable(key, map, columns, profile) ? free(key)[0] : undefined;
    if (index !== undefined) columns[key] = index;
  }
  if (!isTable(columns, map)) return null;
  const width = Math.max(names.length, ...Object.values(columns).map((index) => index + 1));
  const money = columns.amount ?? columns.debit ?? columns.credit!;
  return {
    ...{ columns, names, width, profile },
    fallbacks: fallbacksOf(columns, profile, names, map, free),
    directionCandidates: directionCandidates(columns, map, names, free),
    currency: known[money]?.currency ?? profile?.currency ?? null,
  };
}

type Free = (key: ColumnKey) => number[];

/** Columns that can have a key and are not used yet, best first. */
function freeColumns(
  known: readonly HeaderName[],
  columns: Columns,
  sample: readonly (readonly string[])[],
): Free {
  return (key) => {
    const ranked = known.flatMap(({ ranks }, index) => {
      const rank = ranks[key];
      if (rank === undefined || Object.values(columns).includes(index)) return [];
      const isFit = fits(key, index, sample);
      if (!isFit && Object.keys(ranks).length > 1) return [];
      return [{ index, rank: isFit ? rank : rank + 1_000_000 }];
    });
    return ranked.sort((a, b) => a.rank - b.rank).map(({ index }) => index);
  };
}

/** Whether the cells of a column can be what its name says. */
function fits(key: ColumnKey, index: number, sample: readonly (readonly string[])[]): boolean {
  const cells = sample.map((row) => (row[index] ?? '').trim()).filter((cell) => cell !== '');
  if (cells.length === 0) return true;
  if (key === 'date') return cells.some(looksLikeDate);
  if (key === 'currency') return cells.some((cell) => typeof parseCurrency(cell) === 'string');
  const isMoney = ['amount', 'debit', 'credit', 'balance', 'fee'].includes(key);
  if (isMoney) return cells.some(looksLikeAmount);
  return key !== 'status' || !cells.every(looksLikeAmount);
}

function mappedColumns(names: readonly string[], map: ColumnMap): Columns | null {
  const columns: Columns = {};
  for (const key of COLUMN_KEYS) {
    const column = map[key];
    if (column === undefined) continue;
    const index = columnNumber(column) ?? indexOfName(names, column);
    if (index < 0) return null;
    columns[key] = index;
  }
  return columns;
}

function indexOfName(names: readonly string[], name: string): number {
  return names.map(plain).indexOf(plain(name));
}

function plain(name: string): string {
  return name.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Adds the columns of a known bank or application, unless the map has others. */
function addKnown(
  columns: Columns,
  profile: Profile | null,
  names: readonly string[],
  map: ColumnMap,
): void {
  for (const [key, list] of Object.entries(profile?.columns ?? {}) as [ColumnKey, string][]) {
    if (map[key] !== undefined || (key === 'amount' && (map.debit ?? map.credit))) continue;
    const index = profileColumns(list, names)[0];
    if (index !== undefined && !Object.values(columns).includes(index)) columns[key] = index;
  }
}

function profileColumns(list: string, names: readonly string[]): number[] {
  const foldedNames = names.map(folded);
  return list.split('|').flatMap((name) => {
    const index = foldedNames.indexOf(name);
    return index < 0 ? [] : [index];
  });
}

/** A map with debit or credit takes precedence over an amount column of the header. */
function isRecognisable(
  key: ColumnKey,
  map: ColumnMap,
  columns: Columns,
  profile: Profile | null,
): boolean {
  if (columns[key] !== undefined || key === 'direction') return false;
  if (profile?.ignored?.includes(key) === true) return false;
  return key !== 'amount' || (map.debit === undefined && map.credit === undefined);
}

function isTable({ date, amount, debit, credit }: Columns, map: ColumnMap): boolean {
  const isMapped = map.debit !== undefined || map.credit !== undefined;
  const hasBoth = debit !== undefined && credit !== undefined;
  return date !== undefined && (amount !== undefined || hasBoth || isMapped);
}

function fallbacksOf(
  columns: Columns,
  profile: Profile | null,
  names: readonly string[],
  map: ColumnMap,
  free: Free,
): Header['fallbacks'] {
  const date = map.date === undefined ? fallback('date', profile, names, columns, free) : undefined;
  const payee =
    map.payee === undefined ? fallback('payee', profile, names, columns, free) : undefined;
  return { ...(date === undefined ? {} : { date }), ...(payee === undefined ? {} : { payee }) };
}

function fallback(
  key: 'date' | 'payee',
  profile: Profile | null,
  names: readonly string[],
  columns: Columns,
  free: Free,
): number | undefined {
  const own = profile?.columns?.[key];
  const listed = own === undefined ? [] : profileColumns(own, names);
  const next = listed.find((index) => index !== columns[key]) ?? free(key)[0];
  if (next !== undefined || key === 'date') return next;
  const { notes } = columns;
  // The description that became the notes.
  const rank = notes === undefined ? undefined : headerName(names[notes]!).ranks.payee;
  return rank !== undefined && rank >= DESCRIPTION_RANK ? notes : undefined;
}

/** Also columns without a name, which may mark credits. */
function directionCandidates(
  { direction }: Columns,
  map: ColumnMap,
  names: readonly string[],
  free: Free,
): number[] {
  if (map.direction !== undefined) return [];
  if (direction !== undefined) return [direction];
  const nameless = names.flatMap((name, index) => (name === '' ? [index] : []));
  return [...free('direction'), ...nameless].slice(0, 8);
}
