import { formatAmount } from '@coffer/core/money';
import type { Decimal, Balance, StatementWarning } from '../../statement/statement.ts';
import {
  currencyCode,
  valueOf,
  dateText,
  directed,
  readCamtAmount,
  readCamtDate,
  readDirection,
  type Fields,
} from './values.ts';

/** A `Bal`, not parsed. */
export interface RawBalance {
  readonly line: number;
  readonly fields: Fields;
}

/** The kind of a balance, by its code in upper case. Other balances, such as forecasts, are not read. */
const KINDS: ReadonlyMap<string, Balance['kind']> = new Map([
  ['OPBD', 'opening'],
  ['PRCD', 'opening'],
  ['CLBD', 'ledger'],
  ['ITBD', 'ledger'],
  ['CLAV', 'available'],
  ['ITAV', 'available'],
]);
const OPENING = ['OPBD', 'PRCD'];
const CLOSING = 'CLBD';

/** A balance with its code and currency. */
export interface CamtBalance extends Balance {
  readonly code: string;
  readonly currency: string | null;
  readonly line: number;
}

/** The balances that a statement is checked with: all booked entries are between them. */
export interface CheckedBalances {
  readonly opening: CamtBalance | null;
  readonly closing: CamtBalance | null;
}

/** The balances of a statement, in file order. One with an invalid amount or an unknown kind is left out. */
export function balancesOf(raw: readonly RawBalance[], decimal?: Decimal): CamtBalance[] {
  return raw.flatMap(({ line, fields }) => {
    const code = (valueOf(fields, 'Tp/CdOrPrtry/Cd') || valueOf(fields, 'Tp/Cd')).toUpperCase();
    const kind = KINDS.get(code);
    const amount = readCamtAmount(valueOf(fields, 'Amt'), decimal);
    if (kind === undefined || typeof amount === 'string') return [];
    const direction = readDirection(valueOf(fields, 'CdtDbtInd')) ?? 1;
    // A negative number with a word for debts is a debt.
    const signed = amount < 0 ? amount : directed(amount, direction);
    const date = readCamtDate(dateText(fields, 'Dt')?.value ?? '');
    const currency = currencyCode(fields.get('Amt')?.currency ?? '');
    return [{ code, kind, amount: signed, date, currency, line }];
  });
}

/** The first opening and the last closing balance in one currency. */
export function checkedBalances(raw: readonly RawBalance[], decimal?: Decimal): CheckedBalances {
  const all = balancesOf(raw, decimal);
  const opening =
    OPENING.map((code) => all.find((balance) => balance.code === code)).find(Boolean) ?? null;
  const closing = all.findLast(
    ({ code, currency }) => code === CLOSING && (opening === null || currency === opening.currency),
  );
  return { opening, closing: closing ?? null };
}

/** The total of the booked entries of a statement. */
export interface BookedTotal {
  amount: bigint;
  /** Null: entries of several currencies, which do not make a total. */
  currency: string | null;
}

/** A warning if the booked entries are not the difference between the opening and the closing balance. */
export function checkBalances(
  { opening, closing }: CheckedBalances,
  booked: BookedTotal | undefined,
): StatementWarning | null {
  if (opening === null || closing === null) return null;
  const currency = booked === undefined ? opening.currency : booked.currency;
  if (currency === null || currency !== opening.currency) return null;
  const total = booked?.amount ?? 0n;
  if (BigInt(opening.amount) + total === BigInt(closing.amount)) return null;
  const amounts = [opening.amount, closing.amount].map((amount) => formatAmount(amount));
  const missing = BigInt(closing.amount) - BigInt(opening.amount) - total;
  const text =
    `The balance changes from ${amounts.join(' to ')}, but the booked entries differ from that by ` +
    formatTotal(missing);
  return { line: closing.line, text };
}

/** Formats ten-thousandths of any size. */
function formatTotal(total: bigint): string {
  const digits = String(total < 0n ? -total : total).padStart(5, '0');
  return `${total < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
