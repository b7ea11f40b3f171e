import { listOf } from '../../statement/texts.ts';
import type { TextLine } from '../../bytes/text-lines.ts';
import { DATES, GIVEN_DATES, parseDate } from '../../statement/dates.ts';
import type { DateOrder, Decimal } from '../../statement/statement.ts';
import { Refusal } from '../../statement/statement-error.ts';
import { AMOUNTS, ConventionFinder, type Conventions } from '../../statement/amounts.ts';

/** Maximum fields and characters of a record. */
const MAX_FIELDS = 4096;
const MAX_RECORD_LENGTH = 1_048_576;

/** One line of a record: a letter and its value. */
export interface QifField {
  readonly code: string;
  readonly line: number;
  readonly value: string;
}

/** What a section holds. */
export type SectionKind = 'money' | 'investment' | 'account' | 'list' | 'unknown';

/** The part of a file behind a header. */
export interface Section {
  readonly kind: SectionKind;
  /** The type of account in Coffer's words, such as `credit card`; empty if the section has no entries. */
  readonly type: string;
  /** Position in the file, from 0. */
  readonly index: number;
}

/** The fields up to a `^`. */
export interface QifRecord {
  /** Physical line on which it begins. */
  readonly line: number;
  readonly section: Section;
  readonly fields: readonly QifField[];
}

/** Types of sections with money, also as programs in other languages write them. */
const MONEY: ReadonlyMap<string, string> = new Map([
  ...['bank', 'banque', 'banco', 'banca'].map((name) => [name, 'checking'] as const),
  ...['cash', 'bar', 'bargeld', 'caisse', 'efectivo'].map((name) => [name, 'cash'] as const),
  ...['ccard', 'kreditkarte', 'carte'].map((name) => [name, 'credit card'] as const),
  ['oth a', 'asset'],
  ['oth l', 'loan'],
  ['other', 'account'],
]);
const INVESTMENTS: ReadonlySet<string> = new Set(['invst', 'port', '401(k)', 'mutual']);
const LISTS: ReadonlySet<string> = new Set(
  listOf(
    'cat class memorized security prices budget tag tax bill template invitem customer vendor',
    'employee',
  ),
);
const DATE_OPTIONS: ReadonlyMap<string, DateOrder> = new Map([
  ['mdy', 'm/d/y'],
  ['dmy', 'd/m/y'],
  ['ymd', 'y-m-d'],
]);

/** The type of an account in Coffer's words, from the name that QIF gives it. */
export function accountType(name: string): string {
  const type = name.trim().toLowerCase();
  return INVESTMENTS.has(type) ? 'investment' : (MONEY.get(type) ?? 'account');
}

/** Splits a file into the records of its sections, one record at a time. Lists, such as categories, are skipped. */
export class RecordReader {
  readonly #lines: Iterable<TextLine>;
  #section: Section | null = null;
  #sectionCount = 0;
  #fields: QifField[] = [];
  #length = 0;
  /** The order of dates that an `!Option:` states. */
  dateOrder: DateOrder | undefined;
  /** Records of unknown sections. */
  unknownCount = 0;

  constructor(lines: Iterable<TextLine>) {
    this.#lines = lines;
  }

  /** Whether the file has a header of a section with records. */
  get hasSections(): boolean {
    return this.#sectionCount > 0;
  }

  *records(): Generator<QifRecord> {
    for (const { line, text } of this.#lines) {
      const code = text.trimStart()[0];
      if (code === undefined) continue;
      // Some old programs write the sign twice.
      const isEnd = code === '^' && /^\^{1,9}$/.test(text.trim());
      if (isEnd || (code === '!' && isHeader(text))) {
        const record = this.#close();
        if (record !== null) yield record;
        if (!isEnd) this.#begin(text.trim().slice(1).toLowerCase());
      } else this.#add(line, text);
    }
    const last = this.#close();
    if (last !== null) yield last;
  }

  #begin(header: string): void {
    const [word = '', value = ''] = header.split(/:(.*)/s).map((part) => part.trim());
    if (word === 'option') this.dateOrder ??= DATE_OPTIONS.get(value);
    if (word === 'option' || word === 'clear') return;
    const kind = word === 'account' ? 'account' : kindOf(value);
    const type = kind === 'money' || kind === 'investment' ? accountType(value) : '';
    this.#section = { kind, type, index: this.#sectionCount };
    this.#sectionCount += 1;
  }

  #add(line: number, text: string): void {
    const section = this.#section;
    // Text before the first header is a comment.
    if (section === null || section.kind === 'list') return;
    const field = text.trimStart();
    this.#length += field.length;
    if (this.#fields.length >= MAX_FIELDS || this.#length > MAX_RECORD_LENGTH) {
      const begin = this.#fields[0]?.line ?? line;
      throw new Refusal('Record is too long: perhaps a "^" is missing', begin);
    }
    this.#fields.push({ code: field[0]!, line, value: field.slice(1).trim() });
  }

  #close(): QifRecord | null {
    const fields = this.#fields;
    const section = this.#section;
    const first = fields[0];
    this.#fields = [];
    this.#length = 0;
    if (section === null || first === undefined) return null;
    if (section.kind === 'unknown') this.unknownCount += 1;
    return section.kind === 'unknown' ? null : { line: first.line, section, fields };
  }
}

function isHeader(text: string): boolean {
  return /^\s*!(?:type|account|option|clear)\b/i.test(text);
}

function kindOf(type: string): SectionKind {
  if (MONEY.has(type)) return 'money';
  if (INVESTMENTS.has(type)) return 'investment';
  return LISTS.has(type) ? 'list' : 'unknown';
}

const MAX_DATE_LENGTH = 64;
/** Blanks and separators between the parts of a date, as in ` 1/ 3'04`. */
const SEPARATOR = /(?<=\w) {0,4}([-/.']) {0,4}(?=\w)/g;

/**
 * Writes a date of Quicken as the parser of dates expects it: `1/ 3'04` is 1/3/2004, because a year after an
 * apostrophe is of this century, and `1/31.04` is 1/31/04. Other dates are returned unchanged.
 */
export function plainDate(text: string): string {
  if (text.length > MAX_DATE_LENGTH) return text;
  const parts = /^(\d{1,4})([-/.'])(\d{1,2})([-/.'])(\d{1,4})(?=$|[T ])/.exec(
    text.trim().replace(SEPARATOR, '$1'),
  );
  if (parts === null) return text.trim().replace(/^(\d{1,2})\.(\d{1,2})\.(\d{4})\.$/, '$1.$2.$3');
  const [whole, first, sign, second, yearSign, last = ''] = parts;
  const rest = text.trim().replace(SEPARATOR, '$1').slice(whole.length);
  const year = last.length === 1 ? `0${last}` : last;
  const isCentury = yearSign === "'" && year.length === 2;
  const separator = sign === "'" ? '/' : sign;
  if (first!.length > 2) return `${first}${separator}${second}${separator}${last}${rest}`;
  return `${first}${separator}${second}${separator}${isCentury ? '20' : ''}${year}${rest}`;
}

const QIF_DATES: Conventions<DateOrder, string> = {
  ...DATES,
  read: (text, order) => DATES.read(plainDate(text), order),
};
const GIVEN_QIF_DATES: Conventions<DateOrder, string> = {
  ...GIVEN_DATES,
  read: (text, order) => parseDate(plainDate(text), order),
};

/** Finds the order of the dates of a file, or checks the dates against a given order. */
export function dateFinder(given: DateOrder | undefined): ConventionFinder<DateOrder, string> {
  return new ConventionFinder(given === undefined ? QIF_DATES : GIVEN_QIF_DATES, given);
}

/** Parses a date in the given order; null if it is none. */
export function readDate(text: string, order: DateOrder): string | null {
  return parseDate(plainDate(text), order);
}

const QIF_AMOUNTS: Conventions<Decimal, number> = {
  ...AMOUNTS,
  read: (text, decimal) => AMOUNTS.read(plainAmount(text), decimal),
  fault: (text) => AMOUNTS.fault(plainAmount(text)),
};

/** Finds the decimal sign of the amounts of a file, or checks the amounts against a given one. */
export function amountFinder(given: Decimal | undefined): ConventionFinder<Decimal, number> {
  return new ConventionFinder(QIF_AMOUNTS, given);
}

/** Parses an amount in ten-thousandths; null if it is none. */
export function readQifAmount(text: string, decimal: Decimal): number | null {
  return AMOUNTS.read(plainAmount(text), decimal);
}

/** Whether a text is an amount with either decimal sign. */
export function isAmount(text: string): boolean {
  return AMOUNTS.all.some((decimal) => readQifAmount(text, decimal) !== null);
}

/** Removes a decimal sign without decimals: `5.` is 5. */
function plainAmount(text: string): string {
  return text.replace(/(?<=\d)[.,]$/, '');
}
