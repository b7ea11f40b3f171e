import { AMOUNTS, negated, parseAmount } from '../../statement/amounts.ts';
import type { Decimal, Balance, StatementWarning } from '../../statement/statement.ts';
import { parseDate } from '../../statement/dates.ts';
import { formatAmount } from '@coffer/core/money';

/** A value as written in the file, trimmed. */
export interface Field {
  readonly line: number;
  readonly value: string;
  /** Attribute `Ccy`. */
  readonly currency: string | null;
}

/** Values by path, such as `Refs/AcctSvcrRef`. Of several, the first that is not empty; texts are joined. */
export type Fields = ReadonlyMap<string, Field>;

/** Maximum characters of a date or an amount. */
const MAX_FIGURE_LENGTH = 64;
/** A date, alone or followed by a time or a zone. */
const DATE = /^(\d{4}-\d{2}-\d{2}|\d{8})(?:$|[T\sZ+-])/;
const CREDIT = /^C(?:RDT|REDIT|R)?$/i;
const DEBIT = /^D(?:BIT|EBIT|R)?$/i;

/** The date as the bank wrote it, without time and zone; null if it is not a date of the calendar. */
export function readCamtDate(text: string): string | null {
  if (text.length > MAX_FIGURE_LENGTH) return null;
  const date = DATE.exec(text)?.[1];
  return date === undefined ? null : parseDate(date, 'y-m-d');
}

/** The value of a date, which is a date, or a date and time. */
export function dateText(fields: Fields, path: string): Field | undefined {
  return fields.get(`${path}/Dt`) ?? fields.get(`${path}/DtTm`) ?? fields.get(path);
}

/**
 * Parses an amount in ten-thousandths; if it is not valid, returns why. The decimal sign is a point, as XML defines it,
 * or a comma before one or two last digits. `decimal` overrides this.
 * Bounds: four decimals, not counting trailing zeros; ±(2^53 − 1).
 */
export function readCamtAmount(text: string, decimal: Decimal | undefined): number | string {
  if (decimal === undefined && /^\D*\d{1,3}(?:,\d{3})+$/.test(text)) {
    return '"," may separate thousands or decimals: specify the decimal sign';
  }
  const isComma = /,\d{1,2}$/.test(text);
  return parseAmount(text, decimal ?? (isComma ? 'comma' : 'point')) ?? AMOUNTS.fault(text);
}

/** 1 for money in, -1 for money out, null if the text is no direction. */
export function readDirection(text: string): 1 | -1 | null {
  if (CREDIT.test(text)) return 1;
  return DEBIT.test(text) ? -1 : null;
}

/** An amount with its direction. */
export function directed(amount: number, direction: 1 | -1): number {
  return direction < 0 ? negated(amount) : amount;
}

/** Identifies an account within a file: number, currency, and the bank unless the number is an IBAN. */
export function accountKey(fields: Fields): string {
  const isIban = fields.has('Acct/Id/IBAN');
  return JSON.stringify([
    isIban ? null : bankOf(fields),
    numberOf(fields),
    accountCurrency(fields) ?? '',
  ]);
}

/** The number of the account: an IBAN without spaces, or any other number as written. Empty if there is none. */
export function numberOf(fields: Fields): string {
  const iban = valueOf(fields, 'Acct/Id/IBAN');
  if (iban !== '') return iban.replaceAll(/\s/g, '').toUpperCase();
  return (
    valueOf(fields, 'Acct/Id/Othr/Id') ||
    valueOf(fields, 'Acct/Id/BBAN') ||
    valueOf(fields, 'Acct/Id/PrtryAcct/Id')
  );
}

/** The BIC of the bank, else its number in the clearing system, else null. */
export function bankOf(fields: Fields): string | null {
  const bank = ['BICFI', 'BIC', 'CmbndId/BIC', 'ClrSysMmbId/MmbId']
    .map((name) => valueOf(fields, `Acct/Svcr/FinInstnId/${name}`))
    .find((value) => value !== '');
  return bank ?? null;
}

/** Lower case; null if the account has none, or not one of three letters. */
export function accountCurrency(fields: Fields): string | null {
  return currencyCode(valueOf(fields, 'Acct/Ccy'));
}

/** A code of three letters in lower case, or null. */
export function currencyCode(text: string): string | null {
  return /^[A-Za-z]{3}$/.test(text) ? text.toLowerCase() : null;
}

/** Empty if the field is missing. */
export function valueOf(fields: Fields, path: string): string {
  return fields.get(path)?.value ?? '';
}

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
    formatAmount(missing);
  return { line: closing.line, text };
}
