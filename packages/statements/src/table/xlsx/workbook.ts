import { Refusal } from '../../statement/statement-error.ts';
import { ZipError, type RandomBytes, type ZipEntry } from '@coffer/core/zip';
import { utf16Of } from '../../bytes/content.ts';
import { type UnpackedLimit, zipContent } from '../../bytes/unpack.ts';
import { XmlReader, type Attributes } from '../../bank/camt/xml.ts';
import { addDays } from '@coffer/core/dates';

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
export async function readContents(workbook: Workbook): Promise<Contents> {
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
export function partOf({ entries }: Workbook, name: string): ZipEntry | undefined {
  return entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase());
}

/**
 * Reads a part, element by element. Nothing happens if it is missing. `flush` is called after each piece.
 * Errors: Refusal if it is not well-formed or exceeds a limit.
 */
export async function readPart(
  workbook: Workbook,
  entry: ZipEntry | undefined,
  events: PartEvents,
  flush: () => void = () => undefined,
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
    for await (const text of decodedPart(workbook, entry)) {
      reader.write(text);
      flush();
    }
    reader.end();
    flush();
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
