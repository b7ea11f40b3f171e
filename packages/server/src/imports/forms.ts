import { withSingleBlanks } from '@coffer/core/text';

/** How a file has a transaction. Amounts in ten-thousandths, negative for money out. */
export interface Form {
  readonly date: string;
  readonly amount: number;
  readonly currency: string;
  readonly payee: string;
  readonly externalId: string | null;
  readonly isPending: boolean;
}

/**
 * A transaction that the book had before the import, with its own form.
 *
 * `same`: it came from a file of the same format as the one that is imported, or such a file had it. `other`: only
 * files of other formats had it. `unknown`: it is not known where it came from.
 */
export interface KnownRow extends Form {
  readonly id: number;
  /** The format of the import that created it; null if it is not known. */
  readonly format: string | null;
  readonly relation: 'same' | 'other' | 'unknown';
  /** How files of this format have it. For an unknown format, its own form. */
  readonly forms: readonly Form[];
  readonly isSplit: boolean;
  /** What a user did to it since a file had it; its own form and its first one are then as in that file. */
  readonly edit: Edit | null;
}

/** What a user did to a transaction that came from a file. */
export interface Edit {
  /** The transaction as it is in the account of the file; null if it was deleted or is in another account. */
  readonly now: Form | null;
  /** Such as `you deleted transaction 3`. */
  readonly why: string;
}

/** Returns rows in the same order, but those that a user changed or deleted come last. */
export function untouchedFirst(rows: KnownRow[]): KnownRow[] {
  if (rows.every(({ edit }) => edit === null)) return rows;
  return rows.toSorted((a, b) => Number(a.edit !== null) - Number(b.edit !== null));
}

/** A text that is equal for the same amount and currency. */
export function moneyKey({ amount, currency }: Form): string {
  return `${amount} ${currency}`;
}

/** A text that is equal for the same date, amount, currency and payee. */
export function textKey(form: Form): string {
  // The payee comes last, so that no payee can imitate the parts before it.
  return `${form.date} ${form.amount} ${form.currency} ${composed(form.payee)}`;
}

/** Whether date, amount and currency are equal. */
export function isSameMoney(one: Form, other: Form): boolean {
  return one.date === other.date && one.amount === other.amount && one.currency === other.currency;
}

/** Whether two payees differ in nothing but blanks and the Unicode form. */
export function isEqualPayee(one: Pick<Form, 'payee'>, other: Pick<Form, 'payee'>): boolean {
  return composed(one.payee) === composed(other.payee);
}

/** Whether date, amount, currency and payee are equal. */
export function isSameText(one: Form, other: Form): boolean {
  return isSameMoney(one, other) && isEqualPayee(one, other);
}

/** Whether a row has an equal form with this state in files of the format. */
export function hasForm(row: KnownRow, form: Form): boolean {
  return row.forms.some((own) => own.isPending === form.isPending && isSameText(own, form));
}

/** Whether the payees have a word of three letters or more in common, or are equal. */
export function isSimilarPayee(one: string, other: string): boolean {
  if (composed(one) === composed(other)) return true;
  const words = new Set(wordsOf(one));
  return wordsOf(other).some((word) => words.has(word));
}

/** Words of banks, which say nothing about the payee. */
const bankWords = new Set([
  'pending',
  'card',
  'debit',
  'credit',
  'purchase',
  'payment',
  'pos',
  'visa',
  'mastercard',
  'transaction',
  'authorization',
  'the',
  'and',
  'ltd',
  'inc',
  'llc',
  'gmbh',
  'com',
  'www',
]);

function wordsOf(payee: string): string[] {
  const words =
    composed(payee)
      .toLowerCase()
      .match(/\p{L}{3,}/gu) ?? [];
  return words.filter((word) => !bankWords.has(word));
}

const plain = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** Files have blanks of many kinds: two spaces, tabs, and spaces at which lines do not break. */
function composed(text: string): string {
  return plain.test(text) ? text : withSingleBlanks(text).normalize('NFC');
}
