import { looksLikeAmount } from '../../statement/amounts.ts';
import { parseCurrency } from '../../statement/currencies.ts';
import { looksLikeDate } from '../../statement/dates.ts';
import type { ColumnKey } from '../../statement/column-map.ts';
import type { HeaderName } from './header-names.ts';
import { parseDirection } from '../../words/meanings.ts';

/** Index of each known column. */
export type Columns = Partial<Record<ColumnKey, number>>;

/** Columns that can have a key and are not used yet, best first. */
export type Free = (key: ColumnKey) => number[];

/** The cells of rows. */
export type Rows = readonly (readonly string[])[];

const LATE = 1_000_000;
// The number of an account is not a name.
const ACCOUNT = /^(?:[A-Z]{2}\d{2}[A-Z0-9 ]{10,40}|[\d ./-]{6,40})$/;
// Of two columns with one name, the one that is filled in more rows.
const IS_FULL: ReadonlySet<ColumnKey> = new Set(['amount', 'date', 'balance', 'currency']);

/** Finds the columns by their names; where a name has several meanings, by the `sample` rows below. */
export function freeColumns(known: readonly HeaderName[], columns: Columns, sample: Rows): Free {
  return (key) => {
    const ranked = known.flatMap(({ ranks }, index) => {
      const rank = ranks[key];
      if (rank === undefined || Object.values(columns).includes(index)) return [];
      const isFit = fits(key, index, sample, known);
      if (!isFit && Object.keys(ranks).length > 1) return [];
      return [{ index, rank: isFit ? rank : rank + LATE }];
    });
    const blanks = (index: number) => (IS_FULL.has(key) ? blankCount(sample, index) : 0);
    return ranked
      .sort((a, b) => a.rank - b.rank || blanks(a.index) - blanks(b.index))
      .map(({ index }) => index);
  };
}

/** Whether the cells of a column can be what its name says. */
function fits(key: ColumnKey, index: number, sample: Rows, known: readonly HeaderName[]): boolean {
  const cells = filledCells(sample, index);
  if (cells.length === 0) return true;
  if (key === 'date') return cells.some(looksLikeDate);
  if (key === 'currency') return cells.some((cell) => typeof parseCurrency(cell) === 'string');
  const isMoney = ['amount', 'debit', 'credit', 'balance', 'fee'].includes(key);
  if (isMoney) {
    const next = known[index + 1]?.isBlank === true ? filledCells(sample, index + 1) : [];
    return [...cells, ...next].some(looksLikeAmount);
  }
  if (key === 'payee') return !areAccounts(cells);
  return key !== 'status' || !cells.every(looksLikeAmount);
}

/** Whether all cells are numbers of accounts; false if there is none. */
export function areAccounts(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => ACCOUNT.test(cell));
}

function blankCount(sample: Rows, index: number): number {
  return sample.filter((row) => index < row.length && row[index]!.trim() === '').length;
}

/** The cells of a column that have a text, trimmed. */
export function filledCells(sample: Rows, index: number): string[] {
  return sample.map((row) => (row[index] ?? '').trim()).filter((cell) => cell !== '');
}

/** Whether every cell is a word for the direction of money, and both directions occur. */
export function hasBothDirections(cells: readonly string[]): boolean {
  const found = new Set(cells.map(parseDirection));
  return found.size === 2 && !found.has(null);
}
