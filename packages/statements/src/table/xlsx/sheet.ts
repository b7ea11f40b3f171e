import type { RandomBytes, ZipEntry } from '@coffer/core/zip';
import { UnpackedLimit } from '../../bytes/unpack.ts';
import { Refusal } from '../../statement/statement-error.ts';
import { SHEET_MARK } from '../../bytes/detect-format.ts';
import {
  partOf,
  type Workbook,
  readPart,
  readContents,
  type Contents,
  type Sheet,
  dateText,
  numberText,
} from './workbook.ts';
import type { Content } from '../../bytes/content.ts';
import { htmlText, readHtml } from '../html.ts';
import type { Statement, StatementWarning } from '../../statement/statement.ts';
import type { ReaderOptions } from '../../statement/dates.ts';

/** As many as a row of CSV may have. */
const MAX_COLUMNS = 4096;
const MAX_ROWS = 1_048_576;
/** Characters of a row: many cells may share one long text. */
const MAX_ROW_LENGTH = 1_048_576;

/** A row of a sheet that is not empty. */
interface SheetRow {
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
async function readSheet(
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
        const shown = cellText(cell, contents);
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

function cellText({ type, style, value }: OpenCell, contents: Contents): string {
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

const PIECE_LENGTH = 32_768;

interface Found {
  readonly sheet: Sheet;
  readonly entry: ZipEntry;
  readonly cellCount: number;
}

/** Whether an archive is an .xlsx file. */
export function isWorkbook(entries: readonly ZipEntry[]): boolean {
  return entries.some(({ name }) => name.toLowerCase() === 'xl/workbook.xml');
}

/**
 * Writes the visible sheet with the most cells as a table in HTML. Each row is on the line of its number, so that
 * messages name the row that a user sees.
 * Errors: Refusal if the workbook is damaged, exceeds a limit, or has no cells.
 */
export async function writeLargestSheet(
  archive: RandomBytes,
  entries: readonly ZipEntry[],
  maxBytes: number,
  write: (piece: Uint8Array) => void,
): Promise<void> {
  // What is read twice, and what is written, each has its own limit.
  const open = (): Workbook => ({ archive, entries, limit: new UnpackedLimit(maxBytes) });
  const workbook = open();
  const contents = await readContents(workbook);
  const found = await countCells(workbook, contents);
  const largest = found.toSorted((a, b) => b.cellCount - a.cellCount)[0];
  if (largest === undefined) throw new Refusal('The spreadsheet has no cells');
  const output = new Output(open(), write);
  output.add(
    `${SHEET_MARK} data-sheet="${escaped(largest.sheet.name)}" data-count="${found.length}">`,
  );
  let line = 1;
  await readSheet(open(), largest.entry, contents, ({ number, cells }) => {
    output.add('\n'.repeat(number - line));
    line = number;
    output.add(`<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`);
  });
  output.add('</table>\n');
  output.flush();
}

/** The sheets with cells: the visible ones, or all if all are hidden. */
async function countCells(workbook: Workbook, contents: Contents): Promise<Found[]> {
  const visible = contents.sheets.filter(({ isHidden }) => !isHidden);
  const found: Found[] = [];
  for (const sheet of visible.length > 0 ? visible : contents.sheets) {
    const entry = partOf(workbook, sheet.part);
    if (entry === undefined) continue;
    let cellCount = 0;
    await readSheet(workbook, entry, contents, ({ cells }) => {
      cellCount += cells.filter((cell) => cell !== '').length;
    });
    if (cellCount > 0) found.push({ sheet, entry, cellCount });
  }
  return found;
}

class Output {
  readonly #workbook: Workbook;
  readonly #write: (piece: Uint8Array) => void;
  #text = '';

  constructor(workbook: Workbook, write: (piece: Uint8Array) => void) {
    this.#workbook = workbook;
    this.#write = write;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE_LENGTH) this.flush();
  }

  /** A text that many cells share can make much of little. */
  flush(): void {
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#workbook.limit.add(piece.length, this.#workbook.archive.length);
    this.#write(piece);
  }
}

/** A text of HTML on one line. */
function escaped(text: string): string {
  const plain = text.replace(/[\s\0]+/g, ' ');
  if (!/[&<>"]/.test(plain)) return plain;
  return plain
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const HEAD_LENGTH = 4096;

/**
 * Reads the sheet of an .xlsx file, which unzip wrote as a table in HTML.
 * Errors: StatementError with every problem of the table, Refusal if reading cannot continue.
 */
export function readXlsx(content: Content, options: ReaderOptions): Statement {
  const statement = readHtml(content, options);
  const head = content.first?.subarray(0, HEAD_LENGTH) ?? new Uint8Array();
  const others = warningOf(Buffer.from(head).toString('utf8'));
  const { warnings = [] } = statement;
  return {
    ...statement,
    format: 'xlsx',
    ...(others !== null && { warnings: [others, ...warnings] }),
  };
}

/** Says that there are other sheets. */
function warningOf(head: string): StatementWarning | null {
  const [, name = '', count = '1'] =
    /^<table class="xlsx" data-sheet="([^"]{0,300})" data-count="(\d{1,4})"/.exec(head) ?? [];
  if (Number(count) < 2) return null;
  const text = `Only the sheet "${htmlText(name)}" is read, the largest of ${count}: save the others as CSV`;
  return { line: null, text };
}
