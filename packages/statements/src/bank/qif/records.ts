import { listOf, copyOf, joinNotes, singleBlanks, transferNote } from '../../statement/texts.ts';
import type { TextLine } from '../../bytes/text-lines.ts';
import { DATES, GIVEN_DATES, parseDate } from '../../statement/dates.ts';
import type { DateOrder, Decimal, Entry, EntryPart } from '../../statement/statement.ts';
import { Refusal, type WarningList } from '../../statement/statement-error.ts';
import { AMOUNTS, ConventionFinder, type Conventions, negated } from '../../statement/amounts.ts';
import { formatAmount } from '@coffer/core/money';

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

/** The fields of an entry that Coffer uses. */
export interface RawEntry {
  readonly record: QifRecord;
  readonly date: QifField | undefined;
  readonly amount: QifField | undefined;
  readonly splits: readonly Split[];
  /** A second amount outside the splits, which belongs to another entry. */
  readonly secondAmount: QifField | undefined;
  /** The values of the first field with each letter that is not empty. */
  readonly values: ReadonlyMap<string, string>;
}

/** Collects the fields of a record. The first of equal fields counts: programs also write dates within splits. */
export function rawEntry(record: QifRecord): RawEntry {
  const { fields } = record;
  const values = new Map<string, string>();
  for (const { code, value } of fields) {
    if (!values.has(code) && value !== '') values.set(code, value);
  }
  const find = (code: string): QifField | undefined =>
    fields.find((field) => field.code === code && field.value !== '');
  return {
    record,
    date: find('D'),
    amount: find('T') ?? find('U'),
    splits: splitsOf(fields),
    secondAmount: fields.filter(({ code, value }) => code === 'T' && value !== '')[1],
    values,
  };
}

/** How to read the figures of a file. */
export interface QifReading {
  readonly dateOrder: DateOrder;
  readonly decimal: Decimal;
}

/** Actions that move cash into an investment account, or out of it. Others exchange cash and securities. */
const CASH_IN: ReadonlySet<string> = new Set(
  listOf('div intinc cglong cgmid cgshort miscinc rtrncap xin contribx'),
);
const CASH_OUT: ReadonlySet<string> = new Set(['miscexp', 'margint', 'xout', 'withdrwx']);

/** 1 or -1 for an action that moves cash in or out, 0 if the sign of the amount says it; null if it moves no cash. */
export function cashDirection({ values }: RawEntry): number | null {
  const action = (values.get('N') ?? '').toLowerCase();
  if (CASH_IN.has(action)) return 1;
  if (CASH_OUT.has(action)) return -1;
  return action === 'cash' || (action === '' && !values.has('Y')) ? 0 : null;
}

/** Parses an entry; null if a figure is invalid. Adds a warning if its splits cannot be used. */
export function readEntry(
  raw: RawEntry,
  { dateOrder, decimal }: QifReading,
  warnings: WarningList,
): Entry | null {
  const date = readDate(raw.date?.value ?? '', dateOrder);
  const stated = readQifAmount(raw.amount?.value ?? '', decimal);
  if (date === null || stated === null) return null;
  const amount = signed(raw, stated);
  const whole = categoryOf(raw.values.get('L') ?? '');
  const { parts, tags, single } = partsOf(raw.splits, amount, decimal, (line, text) => {
    warnings.add(line, `${text}: the entry of ${formatAmount(amount)} is read as a whole`);
  });
  const { category, transfer } = single === null || whole.category !== null ? whole : single;
  const isSplit = parts !== null;
  const isOpening = isOpeningBalance(raw.values);
  const allTags = [...new Set([...whole.tags, ...tags])];
  return {
    line: raw.record.line,
    date,
    amount,
    currency: null,
    ...textsOf(raw, isSplit || isOpening ? null : transfer),
    category: isSplit ? null : category,
    account: null,
    externalId: null,
    ...(transfer !== null && !isSplit && !isOpening && { otherAccount: copyOf(transfer) }),
    ...(allTags.length === 0 ? {} : { tags: allTags }),
    ...(isSplit ? { parts } : {}),
  };
}

function signed(raw: RawEntry, amount: number): number {
  if (raw.record.section.kind !== 'investment') return amount;
  const direction = cashDirection(raw) ?? 0;
  if (direction === 0) return amount;
  return direction > 0 ? Math.abs(amount) : negated(Math.abs(amount));
}

function textsOf(
  { values, record, splits }: RawEntry,
  transfer: string | null,
): { payee: string; notes: string | null } {
  const isInvestment = record.section.kind === 'investment';
  const text = (code: string): string => singleBlanks(values.get(code) ?? '');
  const memo = text('M') || (splits.length === 1 ? splits[0]!.memo : '');
  const payee = text('P') || memo || (isInvestment ? text('Y') || text('N') : '');
  const number = isInvestment ? '' : text('N');
  const check = /[1-9]/.test(number) ? `No. ${number}` : number.replace(/^0+$/, '');
  const other = transfer === null ? '' : transferNote(transfer);
  const notes = joinNotes([payee === memo ? '' : memo, check, other]);
  return { payee: payee || (transfer ?? ''), notes };
}

/** Ten-thousandths of the smallest unit of most currencies: shares by percentage are rounded to it. */
const CENT = 100n;
/** In millionths of a percent. */
const HUNDRED_PERCENT = 100_000_000n;
const MAX_PERCENT_ERROR = 10_000n;

/** Part of an entry, as written in the file. */
export interface Split {
  readonly line: number;
  /** The value of its field `S`. */
  readonly category: string;
  readonly memo: string;
  readonly amount: string;
  /** Used if there is no amount. */
  readonly percent: string;
}

/** Groups the fields of a record from its first `S` on. */
function splitsOf(fields: readonly QifField[]): Split[] {
  const splits: { -readonly [K in keyof Split]: Split[K] }[] = [];
  for (const { code, line, value } of fields) {
    if (code === 'S') splits.push({ line, category: value, memo: '', amount: '', percent: '' });
    const split = splits.at(-1);
    if (split === undefined) continue;
    if (code === 'E') split.memo ||= value.replace(/\s+/g, ' ');
    if (code === '$') split.amount ||= value;
    if (code === '%') split.percent ||= value;
  }
  return splits;
}

/**
 * Converts splits to parts, which total the amount of the entry, or to a single category. If an amount is invalid or
 * the splits do not total it, warns and returns no parts: the amount of the entry is what the account shows.
 */
function partsOf(
  splits: readonly Split[],
  total: number,
  decimal: Decimal,
  warn: (line: number, text: string) => void,
) {
  const categories = splits.map(({ category }) => categoryOf(category));
  const tags = categories.flatMap((category) => category.tags);
  if (splits.length < 2) return { parts: null, tags, single: categories[0] ?? null };
  const amounts = amountsOf(splits, total, decimal, warn);
  if (amounts === null) return { parts: null, tags, single: null };
  const parts = splits.map(({ memo }, at): EntryPart => {
    const { category, transfer } = categories[at]!;
    const notes = joinNotes([memo, transfer === null ? '' : transferNote(transfer)]);
    return { amount: amounts[at]!, payee: null, notes, category };
  });
  return { parts, tags, single: null };
}

function amountsOf(
  splits: readonly Split[],
  total: number,
  decimal: Decimal,
  warn: (line: number, text: string) => void,
): number[] | null {
  const first = splits[0]!;
  if (splits.every(({ amount }) => amount === '')) return sharesOf(splits, total, warn);
  const amounts: number[] = [];
  for (const { line, amount: text } of splits) {
    const amount = readQifAmount(text, decimal);
    if (amount === null) {
      warn(
        line,
        text === '' ? 'Split has no amount' : `Split amount "${text.slice(0, 64)}" is invalid`,
      );
      return null;
    }
    amounts.push(amount);
  }
  const sum = amounts.reduce((so, amount) => so + BigInt(amount), 0n);
  if (sum === BigInt(total)) return amounts;
  // Some programs write splits without their signs.
  if (sum === -BigInt(total)) return amounts.map((amount) => (amount === 0 ? 0 : -amount));
  warn(first.line, `Splits total ${formatAmount(sum)}`);
  return null;
}

/** Divides the amount by percentages. The last part gets what rounding leaves. */
function sharesOf(
  splits: readonly Split[],
  total: number,
  warn: (line: number, text: string) => void,
): number[] | null {
  const percents = splits.map(({ percent }) => percentOf(percent));
  const sum = percents.reduce<bigint>((so, percent) => so + (percent ?? 0n), 0n);
  const error = sum > HUNDRED_PERCENT ? sum - HUNDRED_PERCENT : HUNDRED_PERCENT - sum;
  if (percents.includes(null) || error > MAX_PERCENT_ERROR) {
    warn(splits[0]!.line, 'Splits have no amounts and do not total 100 %');
    return null;
  }
  const shares = percents.map((percent) => shareOf(total, percent ?? 0n));
  const rest = shares.slice(0, -1).reduce((left, share) => left - share, total);
  return [...shares.slice(0, -1), rest];
}

/** A percentage of an amount, rounded to cents. */
function shareOf(total: number, percent: bigint): number {
  const wanted = BigInt(total) * percent;
  const unit = HUNDRED_PERCENT * CENT;
  const half = wanted < 0n ? -unit / 2n : unit / 2n;
  return Number(((wanted + half) / unit) * CENT);
}

/** Millionths of a percent; null if the text is no percentage. */
function percentOf(text: string): bigint | null {
  const bare = text.replaceAll('%', '').replace(',', '.').trim();
  if (!/^\d{1,3}(?:\.\d{1,6})?$/.test(bare)) return null;
  const [units = '', fraction = ''] = bare.split('.');
  return BigInt(units + fraction.padEnd(6, '0'));
}

/** The value of a field `L` or `S`. */
export interface QifCategory {
  /** Null for a transfer, and if there is none. */
  readonly category: string | null;
  /** The name of the other account of a transfer. */
  readonly transfer: string | null;
  /** The names of its classes. */
  readonly tags: readonly string[];
}

/** Splits `Category:Subcategory/Class` or `[Account]/Class`. `--Split--` is no category. */
export function categoryOf(value: string): QifCategory {
  const transfer = /^\[([^\]]*)\]/.exec(value);
  const rest = value.slice(transfer?.[0].length ?? 0);
  const [name = '', ...classes] = rest.split('/').map((part) => part.trim());
  const tags = classes.filter((tag) => tag !== '');
  if (transfer !== null) return { category: null, transfer: transfer[1]!.trim() || null, tags };
  const isNone = name === '' || /^-+split-+$/i.test(name);
  return { category: isNone ? null : name, transfer: null, tags };
}

const OPENING =
  /^(?:opening balance|anfangssaldo|er(?:ö|oe)ffnungssaldo|solde initial|saldo inicial|beginsaldo)$/i;

/** Whether an entry is the balance with which its account was opened: a transfer from the account to itself. */
export function isOpeningBalance(values: ReadonlyMap<string, string>): boolean {
  return OPENING.test(values.get('P') ?? '') && values.get('L')?.startsWith('[') === true;
}
