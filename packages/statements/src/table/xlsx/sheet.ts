import type { ZipEntry } from '@coffer/core/zip';
import { Refusal } from '../../statement/statement-error.ts';
import { dateText, numberText } from './numbers.ts';
import { readPart, type Workbook } from './parts.ts';
import type { Contents } from './workbook.ts';

/** As many as a row of CSV may have. */
const MAX_COLUMNS = 4096;
const MAX_ROWS = 1_048_576;
/** Characters of a row: many cells may share one long text. */
const MAX_ROW_LENGTH = 1_048_576;

/** A row of a sheet that is not empty. */
export interface SheetRow {
  /** Counted from 1, as the sheet shows it. */
  readonly number: number;
  /** From the first column on. */
  readonly cells: readonly string[];
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
}

/** Reads the rows of a sheet. Errors: Refusal if the sheet is damaged or exceeds a limit. */
export async function readSheet(
  workbook: Workbook,
  entry: ZipEntry,
  contents: Contents,
  take: (row: SheetRow) => void,
): Promise<void> {
  let number = 0;
  let cells: (string | undefined)[] = [];
  let next = 0;
  let length = 0;
  let cell: OpenCell | null = null;
  await readPart(workbook, entry, {
    open(name, { r, t = 'n', s = '0' }) {
      if (name === 'row') {
        const own = Number(r ?? number + 1);
        if (!Number.isInteger(own) || own <= number || own > MAX_ROWS) throw disordered();
        [number, cells, next, length] = [own, [], 0, 0];
      }
      if (name !== 'c') return;
      const column = r === undefined ? next : columnOf(r);
      if (column < next) throw disordered();
      if (column >= MAX_COLUMNS) throw new Refusal(`Row has more than ${MAX_COLUMNS} cells`);
      cell = { column, type: t, style: Number(s), value: '' };
      next = column + 1;
    },
    close(name, text, path) {
      if (cell !== null && (name === 'v' || name === 't') && !path.includes('rPh')) {
        cell.value += text;
      }
      if (name === 'c' && cell !== null) {
        const shown = textOf(cell, contents);
        if (shown !== '') cells[cell.column] = shown;
        length += shown.length;
        if (length > MAX_ROW_LENGTH) {
          throw new Refusal(`Row is longer than ${MAX_ROW_LENGTH} characters`);
        }
        cell = null;
      }
      if (name === 'row' && cells.length > 0) {
        take({ number, cells: Array.from(cells, (one) => one ?? '') });
      }
    },
  });
}

/** The index of a column, from its place such as `AB12`. */
function columnOf(place: string): number {
  const letters = /^([A-Z]{1,3})\d{1,7}$/.exec(place)?.[1];
  if (letters === undefined) throw disordered();
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function textOf({ type, style, value }: OpenCell, contents: Contents): string {
  if (value === '') return '';
  if (type === 's') return contents.strings[Number(value)] ?? '';
  if (type === 'd') return value.replace(/T00:00:00(?:\.0+)?Z?$/, '').replace('T', ' ');
  if (type !== 'n') return type === 'b' ? (value === '1' ? 'TRUE' : 'FALSE') : value;
  const isDate = contents.dateStyles[style] === true;
  return (isDate ? dateText(value, contents.is1904) : null) ?? numberText(value);
}

function disordered(): Refusal {
  return new Refusal('Its cells are not in order');
}
