import { type RandomBytes, type ZipEntry, ZipError } from '@coffer/core/zip';
import { UnpackedLimit, zipContent } from '../../bytes/unpack.ts';
import { Refusal } from '../../statement/statement-error.ts';
import { SHEET_MARK } from '../../bytes/detect-format.ts';
import { type Content, utf16Of } from '../../bytes/content.ts';
import { htmlText, readHtml } from '../html.ts';
import type { Statement, StatementWarning } from '../../statement/statement.ts';
import type { ReaderOptions } from '../../statement/dates.ts';
import { XmlReader, type Attributes } from '../../bank/camt/xml.ts';
import { addDays } from '@coffer/core/dates';

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
  const { limit } = open();
  let text = `${SHEET_MARK} data-sheet="${escaped(largest.sheet.name)}" data-count="${found.length}">`;
  const flush = (): void => {
    const piece = Buffer.from(text);
    text = '';
    // A text that many cells share can make much of little.
    limit.add(piece.length, archive.length);
    write(piece);
  };
  const add = (more: string): void => {
    text += more;
    if (text.length >= PIECE_LENGTH) flush();
  };
  let line = 1;
  await readSheet(open(), largest.entry, contents, ({ number, cells }) => {
    add('\n'.repeat(number - line));
    line = number;
    add(`<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`);
  });
  add('</table>\n');
  flush();
}

/** The sheets with cells: the visible ones, or all if all are hidden. */
async function countCells(workbook: Workbook, contents: Contents) {
  const visible = contents.sheets.filter(({ isHidden }) => !isHidden);
  const found: { sheet: Sheet; entry: ZipEntry; cellCount: number }[] = [];
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

const WORKBOOK = 'xl/workbook.xml';
const MAX_SHEETS = 1_000;
const MAX_STYLES = 70_000;
const MAX_STRINGS = 2_000_000;
const MAX_STRINGS_LENGTH = 64 * 2 ** 20;

/** A sheet of a workbook. */
export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** The name of its part. */
  readonly part: string;
}

/** What is needed to understand the cells of a workbook. */
export interface Contents {
  readonly sheets: readonly Sheet[];
  /** Whether days are counted from 1904. */
  readonly is1904: boolean;
  /** By the index of a style: whether it shows dates. */
  readonly dateStyles: readonly boolean[];
  readonly strings: readonly string[];
}

/** Reads everything but the sheets. Errors: Refusal if a part is damaged or exceeds a limit. */
async function readContents(workbook: Workbook): Promise<Contents> {
  const targets = await readTargets(workbook);
  const { found, is1904 } = await readSheets(workbook);
  const sheets = found.flatMap(({ id, ...sheet }) => {
    const part = targets.get(id);
    return part === undefined ? [] : [{ ...sheet, part }];
  });
  const dateStyles = await readStyles(workbook);
  return { sheets, is1904, dateStyles, strings: await readStrings(workbook) };
}

/** The parts of sheets, by the id of their relation. */
async function readTargets(workbook: Workbook): Promise<ReadonlyMap<string, string>> {
  const targets = new Map<string, string>();
  await readPart(workbook, partOf(workbook, 'xl/_rels/workbook.xml.rels'), {
    open(name, { Id = '', Target = '', Type = '' }) {
      if (name !== 'Relationship' || !Type.endsWith('/worksheet')) return;
      targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`);
    },
  });
  return targets;
}

async function readSheets(workbook: Workbook) {
  const found: { name: string; isHidden: boolean; id: string }[] = [];
  let is1904 = false;
  await readPart(workbook, partOf(workbook, WORKBOOK), {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = /^(?:1|true|on)$/.test(attributes['date1904'] ?? '');
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      const state = attributes['state'] ?? 'visible';
      found.push({ name: attributes['name'] ?? '', isHidden: state !== 'visible', id });
      limit(found.length, MAX_SHEETS, 'sheets');
    },
  });
  return { found, is1904 };
}

async function readStyles(workbook: Workbook): Promise<boolean[]> {
  const codes = new Map<number, string>();
  const styles: boolean[] = [];
  await readPart(workbook, partOf(workbook, 'xl/styles.xml'), {
    open(name, { numFmtId = '0', formatCode = '' }, path) {
      if (name === 'numFmt') codes.set(Number(numFmtId), formatCode);
      if (name !== 'xf' || path.at(-1) !== 'cellXfs') return;
      const id = Number(numFmtId);
      styles.push(isDateFormat(id, codes.get(id)));
      limit(styles.length + codes.size, MAX_STYLES, 'styles');
    },
  });
  return styles;
}

async function readStrings(workbook: Workbook): Promise<string[]> {
  const strings: string[] = [];
  let parts: string[] = [];
  let length = 0;
  await readPart(workbook, partOf(workbook, 'xl/sharedStrings.xml'), {
    close(name, text, path) {
      // A text in `rPh` shows how another one is pronounced.
      if (name === 't' && !path.includes('rPh')) parts.push(text);
      if (name !== 'si') return;
      const string = parts.join('');
      parts = [];
      length += string.length;
      strings.push(string);
      limit(strings.length, MAX_STRINGS, 'texts');
      limit(length, MAX_STRINGS_LENGTH, 'characters');
    },
  });
  return strings;
}

function limit(count: number, most: number, what: string): void {
  if (count > most) throw new Refusal(`More than ${most} ${what}`);
}

/** An .xlsx file. */
export interface Workbook {
  readonly archive: RandomBytes;
  readonly entries: readonly ZipEntry[];
  readonly limit: UnpackedLimit;
}

/** Receives the elements of a part, each with the names of the elements around it. */
export interface PartEvents {
  open?(name: string, attributes: Attributes, path: readonly string[]): void;
  close?(name: string, text: string, path: readonly string[]): void;
}

/** The part of a name, which is a path in the archive; undefined if there is none. */
function partOf({ entries }: Workbook, name: string): ZipEntry | undefined {
  return entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase());
}

/**
 * Reads a part, element by element. Nothing happens if it is missing.
 * Errors: Refusal if it is not well-formed or exceeds a limit.
 */
async function readPart(
  workbook: Workbook,
  entry: ZipEntry | undefined,
  events: PartEvents,
): Promise<void> {
  if (entry === undefined) return;
  const path: string[] = [];
  const reader = new XmlReader({
    open(name, attributes) {
      events.open?.(name, attributes, path);
      path.push(name);
    },
    close(text) {
      const name = path.pop()!;
      events.close?.(name, text, path);
    },
  });
  try {
    for await (const text of decodedPart(workbook, entry)) reader.write(text);
    reader.end();
  } catch (error) {
    if (!(error instanceof Refusal) || error instanceof ZipError) throw error;
    throw new Refusal(`The spreadsheet is damaged or too large: ${error.message}`);
  }
}

async function* decodedPart({ archive, limit }: Workbook, entry: ZipEntry): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  for await (const piece of zipContent(archive, entry)) {
    limit.add(piece.length, archive.length);
    decoder ??= new TextDecoder(utf16Of(piece) ?? 'utf-8');
    yield decoder.decode(piece, { stream: true });
  }
}

/** Day 0 of the two calendars of workbooks. */
const DAY_ZERO = { of1900: '1899-12-30', of1904: '1904-01-01' } as const;
/** The first day after 29 February 1900, which the calendar of 1900 has although the year has none. */
const FIRST_TRUE_DAY = 61;
/** 31 December 9998 in the calendar of 1904. */
const LAST_DAY = 2_956_637;
const DAY_SECONDS = 86_400;
const NUMBER = /^[-+]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][-+]?\d{1,3})?$/;

/**
 * The number of a cell as people see it: 15 significant digits, which removes what binary fractions add, such as
 * 12.299999999999999 for 12.3. A fraction never has three digits, which could be taken for thousands.
 * Edges: the text itself if it is not a number.
 */
export function numberText(text: string): string {
  if (!NUMBER.test(text)) return text;
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  const [mantissa = '', exponent = '0'] = value.toExponential(14).split('e');
  const isNegative = mantissa.startsWith('-');
  const digits = mantissa.replace(/\D/g, '');
  const point = 1 + Number(exponent);
  const whole = digits.slice(0, Math.max(0, point)).padEnd(point, '0') || '0';
  const fraction = '0'.repeat(Math.max(0, -point)) + digits.slice(Math.max(0, point));
  const shown = fraction.replace(/(?<!0)0+$/, '');
  const size =
    shown === '' ? whole : `${whole}.${shown.length === 3 ? `${shown}0` : shown.padEnd(2, '0')}`;
  return isNegative && /[1-9]/.test(size) ? `-${size}` : size;
}

/** The date of a serial number, with its time if it has one; null if the number is not one of a date. */
export function dateText(text: string, is1904: boolean): string | null {
  const serial = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!(serial >= 0 && serial < LAST_DAY)) return null;
  const seconds = Math.round(serial * DAY_SECONDS);
  const days = Math.floor(seconds / DAY_SECONDS);
  const time = timeText(seconds % DAY_SECONDS);
  if (days === 0 && !is1904) return time;
  const shift = !is1904 && days < FIRST_TRUE_DAY ? 1 : 0;
  const date = addDays(is1904 ? DAY_ZERO.of1904 : DAY_ZERO.of1900, days + shift);
  return time === '00:00:00' ? date : `${date} ${time}`;
}

function timeText(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** Whether a number format shows dates. Source: ECMA-376, 18.8.30 and 18.8.31. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) {
    return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  }
  const [positive = ''] = code.replace(/"[^"]{0,255}"|\\.|_.|\*./g, '').split(';');
  // A length of time, such as `[h]:mm`.
  if (/\[[hms]{1,9}\]/i.test(positive)) return false;
  // Colours and conditions are in brackets, too.
  return /[dmy]/i.test(positive.replace(/\[[^[\]]{0,255}\]/g, '').replace(/general/i, ''));
}
