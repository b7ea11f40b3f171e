import { copyOf, listOf, joinNotes, singleBlanks, transferNote } from '../../statement/texts.ts';
import { formatAmount } from '@coffer/core/money';
import { negated } from '../../statement/amounts.ts';
import type { Decimal, DateOrder, Entry, EntryPart } from '../../statement/statement.ts';
import type { WarningList } from '../../statement/statement-error.ts';
import { readDate, readQifAmount, type QifField, type QifRecord } from './records.ts';

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

/** The parts of an entry, or the category of its only split. */
export interface Parts {
  /** Null if the entry is not split. */
  readonly parts: EntryPart[] | null;
  /** Classes of the splits. */
  readonly tags: readonly string[];
  readonly single: QifCategory | null;
}

/**
 * Converts splits to parts, which total the amount of the entry. If an amount is invalid or the splits do not total
 * it, warns and returns no parts: the amount of the entry is what the account shows.
 */
function partsOf(
  splits: readonly Split[],
  total: number,
  decimal: Decimal,
  warn: (line: number, text: string) => void,
): Parts {
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
