import { folded } from './fold.ts';
import { anyWord, anyPart, wordSet } from './vocabulary.ts';

/**
 * Whose account a name means: `own`, that of the `other` party, or either, as for `IBAN`. A `card` is an own one, but
 * an account may have several; a `product` is an account only where its values are kinds of accounts.
 */
export type AccountName = 'own' | 'other' | 'either' | 'card' | 'product';

/** Whose name a column has. A `holder` may be the owner of the account or the other party. */
export type PersonName = 'payer' | 'recipient' | 'holder';

const OWN_ACCOUNTS = wordSet('ownAccount');
const ACCOUNTS = wordSet('account');
const ACCOUNT_WORDS = wordSet('accountWord');
const PAYEES = new Set([...wordSet('payee'), ...wordSet('recipient'), ...wordSet('payer')]);
const PERSONS = [
  ['holder', wordSet('holder')],
  ['payer', wordSet('payer')],
  ['recipient', wordSet('recipient')],
] as const;

const PRODUCTS = wordSet('product');
const CARD = new RegExp(anyPart('cardPart'), 'u');
const ACCOUNT = new RegExp(anyPart('accountPart'), 'u');
const OTHER = new RegExp(anyPart('otherParty'), 'u');
const OWN = new RegExp(`^${anyWord('ownPrefix')} ?`);

/** What a folded name of a column says about accounts; null for any other name. */
export function accountName(name: string): AccountName | null {
  const variants = variantsOf(name);
  if (variants.some((each) => OWN_ACCOUNTS.has(each))) return CARD.test(name) ? 'card' : 'own';
  if (variants.some((each) => ACCOUNTS.has(each))) return 'either';
  if (variants.some((each) => PAYEES.has(each))) return null;
  if (PRODUCTS.has(name)) return 'product';
  const isAccount = ACCOUNT.test(name);
  if (isAccount && OTHER.test(name)) return 'other';
  const rest = name.replace(OWN, '');
  if (rest !== name && isAccount && isEither(rest)) return 'own';
  return isAccount && isEither(name) ? 'either' : null;
}

const FROM = new RegExp(anyPart('fromPart'), 'u');
const TO = new RegExp(anyPart('toPart'), 'u');

/** The side of a payment whose account a folded name has, such as `From account`; null for any other name. */
export function accountSide(name: string): 'from' | 'to' | null {
  if (!ACCOUNT.test(name) || PAYEES.has(name)) return null;
  const [isFrom, isTo] = [FROM.test(name), TO.test(name)];
  if (isFrom === isTo) return null;
  return isFrom ? 'from' : 'to';
}

const NUMBER_NAME = new RegExp(anyPart('numberPart'), 'u');

/** Whether a folded name of a column of accounts says that it has their numbers. */
export function namesNumber(name: string): boolean {
  return NUMBER_NAME.test(name);
}

/** Two names of accounts, such as `IBAN / Konto-Nr.`, or one with a word for its number. */
function isEither(name: string): boolean {
  const parts = name.split(/[^\p{L}.]+/u).filter((part) => part !== '');
  return parts.every((part) => ACCOUNTS.has(part) || ACCOUNT_WORDS.has(part));
}

/** Whose name a folded name of a column says that it has; null for any other name. */
export function personName(name: string): PersonName | null {
  const variants = variantsOf(name);
  const found = PERSONS.find(([, words]) => variants.some((each) => words.has(each)));
  return found?.[0] ?? null;
}

/** Also without a period or a number at the end, and with `ae` as a German umlaut. */
function variantsOf(name: string): string[] {
  const bare = name.replace(/ ?\d$/, '').replace(/[.:]$/, '').trim();
  return [name, bare, bare.replace(/([aou])e/g, '$1')];
}

const NUMBER = /^(?:[A-Z]{2}\d{2}[A-Z0-9]{1,40}|[A-Z]{0,2}[\dX*•.]{4,40})$/i;

/** A text without blanks and separators, if it is the number of an account; null for any other text. */
export function accountNumber(text: string): string | null {
  if (text.length > 60) return null;
  const bare = text.replace(/[\s/._-]+/g, '');
  const digits = bare.replace(/\D/g, '').length;
  return NUMBER.test(bare) && digits >= 4 ? bare.toUpperCase() : null;
}

const KIND = new RegExp(anyPart('accountKind'), 'u');

/** Whether a value of a product is a kind of account, such as `Savings`. */
export function isAccountKind(value: string): boolean {
  return KIND.test(folded(value));
}
