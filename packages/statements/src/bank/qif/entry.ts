import { formatAmount } from '@coffer/core/money';
import { negated, type Decimal } from '../../statement/amounts.ts';
import type { DateOrder } from '../../statement/dates.ts';
import type { Entry } from '../../statement/statement.ts';
import type { WarningList } from '../../statement/warnings.ts';
import { isOpeningBalance } from './accounts.ts';
import { readDate, readQifAmount } from './figures.ts';
import { splitsOf, partsOf, type Split } from './splits.ts';
import { transferNote } from '../../statement/transfer.ts';
import { categoryOf } from './category.ts';
import type { QifField, QifRecord } from './records.ts';

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
const CASH_IN: ReadonlySet<string> = new Set([
  'div',
  'intinc',
  'cglong',
  'cgmid',
  'cgshort',
  'miscinc',
  'rtrncap',
  'xin',
  'contribx',
]);
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
  const text = (code: string): string => (values.get(code) ?? '').replace(/\s+/g, ' ').trim();
  const memo = text('M') || (splits.length === 1 ? splits[0]!.memo : '');
  const payee = text('P') || memo || (isInvestment ? text('Y') || text('N') : '');
  const number = isInvestment ? '' : text('N');
  const check = /[1-9]/.test(number) ? `No. ${number}` : number.replace(/^0+$/, '');
  const other = transfer === null ? '' : transferNote(transfer);
  const notes = [payee === memo ? '' : memo, check, other].filter((part) => part !== '');
  return { payee: payee || (transfer ?? ''), notes: notes.length === 0 ? null : notes.join('; ') };
}
