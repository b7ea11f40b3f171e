import { formatAmount } from '@coffer/core/money';
import type { Decimal } from '../../statement/amounts.ts';
import type { EntryPart } from '../../statement/statement.ts';
import { transferNote } from '../../statement/transfer.ts';
import { categoryOf, type QifCategory } from './category.ts';
import { readQifAmount } from './figures.ts';
import type { QifField } from './records.ts';

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
export function splitsOf(fields: readonly QifField[]): Split[] {
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
export function partsOf(
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
    const notes = [memo, transfer === null ? '' : transferNote(transfer)].filter(
      (text) => text !== '',
    );
    const joined = notes.length === 0 ? null : notes.join('; ');
    return { amount: amounts[at]!, payee: null, notes: joined, category };
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
