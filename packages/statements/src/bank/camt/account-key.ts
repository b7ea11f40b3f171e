import type { Fields } from './raw.ts';

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
