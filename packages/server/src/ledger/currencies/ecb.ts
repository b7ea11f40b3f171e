import { shorten } from '@coffer/core/text';
import { isCalendarDate } from '@coffer/core/dates';
import { isCurrencyCode } from '../../operations/currencies.ts';
import { baseCurrency, normalRate } from './rules.ts';
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import {
  damaged,
  isZip,
  readZip,
  ZIP_METHODS,
  zipDataAt,
  ZipError,
  type RandomBytes,
  type ZipEntry,
} from '@coffer/core/zip';

/** A value of a file of rates that is not valid. */
export interface RatesProblem {
  /** From 1; null for a problem with the whole file. */
  readonly line: number | null;
  /** The name in the header, or `column 3`; null for a problem with the whole line. */
  readonly column: string | null;
  /** The cell as it is written, cut after 200 characters; null if the problem is not in one cell. */
  readonly value: string | null;
  readonly reason: string;
}

const mostKept = 100;
const maxShownLength = 200;

/** A file of rates cannot be used. Has the first 100 problems and the number of all. */
export class RatesFileError extends Error {
  override name = 'RatesFileError';
  readonly problems: readonly RatesProblem[];
  readonly problemCount: number;
  constructor(problems: readonly RatesProblem[], problemCount = problems.length) {
    super(problems[0]?.reason ?? 'The file cannot be used');
    this.problems = problems;
    this.problemCount = problemCount;
  }
}

/** The rates of some days: units per euro as stored, by lower-case currency code and then by date. */
export type DayRates = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The content of a file of rates. */
export interface RatesFile {
  readonly rates: DayRates;
  /** The columns that are no supported currencies, as in the header. */
  readonly skippedColumns: readonly string[];
}

/**
 * Parses the rates that the European Central Bank publishes, of one day or of many: CSV, plain or packed.
 *
 * The header is `Date` and currency codes. Each line has a date, as `2026-11-20` or `20 November 2026`, and for each
 * currency its units per euro, or `N/A` or nothing. Blanks around cells and a comma at the end of a line are ignored.
 * Throws {@link RatesFileError}.
 */
export function parseRates(packed: Uint8Array): RatesFile {
  const lines = textOf(packed).split(/\r?\n/);
  const headerAt = lines.findIndex((line) => line.trim() !== '');
  const header = withoutLastComma(cellsOf(lines[headerAt] ?? ''));
  const reading = new Reading(headerAt + 1, header);
  for (const [index, line] of lines.entries())
    if (index > headerAt && line.trim() !== '') reading.take(index + 1, cellsOf(line));
  return reading.finish();
}

function textOf(packed: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(unpack(packed));
  } catch (error) {
    const reason = error instanceof UnpackError ? error.message : 'The file is not UTF-8 text';
    throw new RatesFileError([{ line: null, column: null, value: null, reason }]);
  }
}

/** Cells are never quoted, because they are dates, codes and numbers. */
function cellsOf(line: string): string[] {
  return line.split(',').map((cell) => cell.trim());
}

function withoutLastComma(cells: readonly string[]): readonly string[] {
  return cells.at(-1) === '' ? cells.slice(0, -1) : cells;
}

/** Reads one file, line by line. */
class Reading {
  /** The names in the header after `Date`. */
  readonly #names: readonly string[];
  /** The rates by date of each column; null for a column that is skipped. */
  readonly #columns: readonly (Map<string, string> | null)[];
  readonly #rates = new Map<string, Map<string, string>>();
  /** The line of each date. */
  readonly #lines = new Map<string, number>();
  readonly #problems: RatesProblem[] = [];
  #problemCount = 0;

  constructor(line: number, header: readonly string[]) {
    const [first = '', ...names] = header;
    if (first.toLowerCase() !== 'date' || names.length === 0) {
      const reason = 'Not a header: it must be "Date" and currency codes, as in eurofxref.csv';
      throw new RatesFileError([{ line: Math.max(line, 1), column: null, value: null, reason }]);
    }
    this.#names = names;
    this.#columns = names.map((name) => this.#columnOf(line, name));
  }

  take(line: number, cells: readonly string[]): void {
    const width = this.#names.length + 1;
    const own = cells.length > width ? withoutLastComma(cells) : cells;
    const [written = '', ...values] = own;
    const date = dateOf(written);
    if (date === null) this.#refuse(line, 'Date', written, 'Not a date');
    else this.#takeDate(line, date);
    // The end of a file may be missing, in the middle of a number.
    if (own.length !== width)
      this.#refuse(line, null, null, `Has ${own.length} cells, but the header has ${width}`);
    for (const [index, name] of this.#names.entries())
      this.#takeCell(line, name, this.#columns[index] ?? null, date, values[index] ?? '');
  }

  finish(): RatesFile {
    if (this.#problemCount > 0) throw new RatesFileError(this.#problems, this.#problemCount);
    const skippedColumns = this.#names.filter((_, index) => this.#columns[index] === null);
    return { rates: this.#rates, skippedColumns };
  }

  #columnOf(line: number, name: string): Map<string, string> | null {
    const code = name.toLowerCase();
    if (!isCurrencyCode(code) || code === baseCurrency) return null;
    if (this.#rates.has(code)) this.#refuse(line, name, null, 'The header has this column twice');
    const column = new Map<string, string>();
    this.#rates.set(code, column);
    return column;
  }

  #takeDate(line: number, date: string): void {
    const first = this.#lines.get(date);
    if (first === undefined) this.#lines.set(date, line);
    else this.#refuse(line, 'Date', date, `Is also on line ${first}`);
  }

  #takeCell(
    line: number,
    name: string,
    column: Map<string, string> | null,
    date: string | null,
    cell: string,
  ): void {
    if (column === null || cell === '' || cell === 'N/A') return;
    const rate = normalRate(cell);
    if (rate === null) this.#refuse(line, name, cell, 'Not a rate');
    else if (date !== null) column.set(date, rate);
  }

  #refuse(line: number, column: string | null, value: string | null, reason: string): void {
    this.#problemCount += 1;
    if (this.#problems.length >= mostKept) return;
    const shown = value === null ? null : shorten(value, maxShownLength);
    this.#problems.push({ line, column, value: shown, reason });
  }
}

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** Returns a date as `YYYY-MM-DD`; null for a text that is no date. */
function dateOf(text: string): string | null {
  const [, day = '', month = '', year = ''] = /^(\d{1,2}) ([A-Za-z]+) (\d{4})$/.exec(text) ?? [];
  const number = String(months.indexOf(month.toLowerCase()) + 1).padStart(2, '0');
  const date = year === '' ? text : `${year}-${number}-${day.padStart(2, '0')}`;
  return isCalendarDate(date) ? date : null;
}

/** Why the content of a file cannot be unpacked; a sentence for people. */
class UnpackError extends Error {
  override name = 'UnpackError';
}

/** The rates of all days since 1999 are about 2 MB. */
const maxContentBytes = 64 * 2 ** 20;

const gzipMagic = [0x1f, 0x8b];

/**
 * Returns the content of a file: of a ZIP archive the only CSV file in it, of a gzip file what it packs, else the bytes
 * as they are. Throws {@link UnpackError} for damaged data, and for content above {@link maxContentBytes}.
 *
 * Archives that are encrypted, in parts, or in the Zip64 format are refused.
 */
function unpack(packed: Uint8Array): Uint8Array {
  if (isZip(packed)) return unzip(packed);
  const content = gzipMagic.every((byte, at) => packed[at] === byte)
    ? inflated('The gzip file', () => gunzipSync(packed, { maxOutputLength: maxContentBytes }))
    : packed;
  if (content.length > maxContentBytes) throw tooLong();
  return content;
}

function unzip(packed: Uint8Array): Uint8Array {
  const { length } = packed;
  const archive = { length, read: (at: number, count: number) => packed.subarray(at, at + count) };
  try {
    return contentOf(archive, onlyCsv(readZip(archive)));
  } catch (error) {
    throw error instanceof ZipError ? new UnpackError(error.message) : error;
  }
}

function onlyCsv(entries: readonly ZipEntry[]): ZipEntry {
  const files = entries.filter(({ name }) => /\.csv$/i.test(name));
  const [file] = files;
  if (file !== undefined && files.length === 1) return file;
  const found = files.length === 0 ? 'no CSV file' : `${files.length} CSV files`;
  throw new UnpackError(`The ZIP archive has ${found}, but must have one: extract it with unzip`);
}

function contentOf(archive: RandomBytes, entry: ZipEntry): Uint8Array {
  const { method, packedBytes } = entry;
  if (entry.bytes > maxContentBytes) throw tooLong();
  const data = archive.read(zipDataAt(archive, entry), packedBytes);
  const content =
    method === ZIP_METHODS.stored
      ? data
      : inflated('The ZIP archive', () =>
          inflateRawSync(data, { maxOutputLength: maxContentBytes }),
        );
  if (content.length !== entry.bytes || crc32(content) !== entry.checksum) throw damaged();
  return content;
}

function inflated(what: string, work: () => Buffer): Buffer {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLong();
    throw new UnpackError(`${what} is damaged`);
  }
}

function tooLong(): UnpackError {
  return new UnpackError(`The file is longer than ${maxContentBytes / 2 ** 20} MiB unpacked`);
}
