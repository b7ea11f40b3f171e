import { AMOUNTS, negated, parseAmount } from '../../statement/amounts.ts';
import { type Decimal } from '../../statement/statement.ts';
import { parseDate } from '../../statement/dates.ts';

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
