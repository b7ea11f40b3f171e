import {
  folded,
  withoutEnd,
  anyWord,
  LANGUAGES,
  wordSet,
  type WordList,
  anyPart,
} from './vocabulary.ts';

/** +1: money in; −1: money out. */
export type Direction = 1 | -1;

/** A longer text is more than a name, a state or a kind of payment. */
const MAX_LINE_LENGTH = 60;
// Columns of words repeat a few texts over and over.
const MAX_REMEMBERED = 1000;

/** Returns the function, which remembers what it found for the first texts. */
function remembered<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = find(text);
    if (known.size < MAX_REMEMBERED && text.length < 100) known.set(text, found);
    return found;
  };
}

/** The first meaning of a word that has several wins. */
function meanings<T>(roles: readonly (readonly [WordList, T])[]): ReadonlyMap<string, T> {
  return new Map(
    roles
      .toReversed()
      .flatMap(([role, meaning]) => [...wordSet(role)].map((word) => [word, meaning] as const)),
  );
}

const DIRECTIONS = meanings<Direction>([
  ['moneyOut', -1],
  ['moneyIn', 1],
]);

/** Whether a name of a column has words for both directions, such as `D/C` or `Af Bij`. */
export function namesDirections(name = ''): boolean {
  const parts = folded(name).split(/[^\p{L}+-]+/u);
  const found = new Set(parts.map((part) => DIRECTIONS.get(part)));
  return found.has(1) && found.has(-1);
}

/**
 * What the status of a row means: `pending`, or why the row did not happen.
 * A row with any other status is an ordinary one.
 */
export type RowStatus =
  'pending' | `${'reverted' | 'declined' | 'failed' | 'cancelled'} transaction`;

const STATUSES = meanings<RowStatus>([
  ['pending', 'pending'],
  ['reverted', 'reverted transaction'],
  ['declined', 'declined transaction'],
  ['failed', 'failed transaction'],
  ['cancelled', 'cancelled transaction'],
]);
const BALANCE_LINES = wordSet('balanceLine');
const TOTAL_LINES = wordSet('totalLine');

/**
 * Parses a word for the direction of money, ignoring case and accents; null for any other word. Of several words, such
 * as `借 Dr` or `C - Credit`, each must mean the same.
 */
export const parseDirection = remembered((text): Direction | null => {
  const word = folded(text);
  const whole = DIRECTIONS.get(word);
  if (whole !== undefined || text.length > MAX_LINE_LENGTH) return whole ?? null;
  const parts = word.split(/[\s()/:.,-]+/).filter((part) => part !== '');
  const found = new Set(parts.map((part) => DIRECTIONS.get(part) ?? null));
  const [only = null] = found;
  return parts.length > 1 && found.size === 1 ? only : null;
});

const NEUTRAL = wordSet('neutral');

/** Whether a word in a column of directions says that a row is neither money in nor money out. */
export const isNeutral = remembered((text): boolean => NEUTRAL.has(folded(text)));

/** The meaning of a status; null for a booked row and for any word that is not known. */
export const parseStatus = remembered((text): RowStatus | null => {
  const word = folded(text);
  return STATUSES.get(word) ?? STATUSES.get(word.replace(/[\s:(.!-].*$/s, '')) ?? null;
});

const CODES = 128;

/** Marks the first two letters of a word, without case; longer scripts share one mark. */
function markOf(text: string, at: number): number {
  const [first, second] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  if (!(first < CODES)) return 0;
  return (first | 32) * CODES + (second < CODES ? second | 32 : 1);
}

/** The beginnings of the first or second words of the known lines: most payees need no more than a look at theirs. */
function marksOf(word: 0 | 1, roles: readonly ('balanceLine' | 'totalLine')[]): Uint8Array {
  const marks = new Uint8Array(CODES * CODES);
  marks[0] = 1;
  const raw = LANGUAGES.flatMap((language) => roles.flatMap((role) => language[role] ?? []));
  for (const line of [...raw, ...raw.map(folded)]) {
    const words = line.split(' ');
    for (const text of word === 0 ? words.slice(0, 1) : words.slice(1, 2)) {
      marks[markOf(text, 0)] = 1;
      marks[markOf(`${text} `, 0)] = 1; // a word of one letter, before the next one
    }
  }
  return marks;
}

const LINE_MARKS = {
  first: marksOf(0, ['balanceLine', 'totalLine']),
  second: marksOf(1, ['balanceLine', 'totalLine']),
};
const BALANCE_MARKS = { first: marksOf(0, ['balanceLine']), second: marksOf(1, ['balanceLine']) };

/**
 * Whether a text is the name of a balance, such as `Saldo anterior` or `Opening balance 01/02/2024`, or of a total.
 * A longer text that contains such a name is a payee like any other. With `hasAmount`, only balances count.
 */
export function lineMeaning(text: string, hasAmount = false): 'balance line' | 'total line' | null {
  if (text === '' || text.length > MAX_LINE_LENGTH) return null;
  const code = text.charCodeAt(0);
  const isMarked = code === 42 || code === 45;
  const marks = hasAmount ? BALANCE_MARKS : LINE_MARKS;
  return isMarked || mayBeLine(text, marks) ? wholeLineMeaning(text) : null;
}

function mayBeLine(text: string, marks: typeof LINE_MARKS): boolean {
  if (marks.first[markOf(text, 0)] === 0) return false;
  const space = text.indexOf(' ');
  if (space < 0) return true;
  const next = text.charCodeAt(space + 1);
  const isWord = next >= 65 && next < CODES;
  return (
    !isWord || marks.second[markOf(text, space + 1)] === 1 || AFTER_NAME.test(text.slice(space + 1))
  );
}

// A short word such as `am` or a currency may come before a date.
const AFTER_NAME = /^[a-z]{1,3}(?:\s|$)/i;

function wholeLineMeaning(text: string): 'balance line' | 'total line' | null {
  const line = withoutEnd(folded(text).replace(/^[*\s-]+/, ''), /[*\s:.-]/);
  for (let end = line.length; end > 0; end = line.lastIndexOf(' ', end - 1)) {
    const name = line.slice(0, end).replace(/[:.]$/, '');
    const isBalance = BALANCE_LINES.has(name);
    if (!isBalance && !TOTAL_LINES.has(name)) continue;
    if (!AFTER_LINE.test(line.slice(end))) return null;
    return isBalance ? 'balance line' : 'total line';
  }
  return null;
}

// A date, a number or a currency after the name, such as `as of 01/02/2024`, `01/02/2024 1 234,56 €` or `(EUR)`.
const AFTER_LINE = new RegExp(
  `^[\\s:(-]*(?:${anyWord('beforeDate')}[\\s:(]*(?:-[\\s:-]*(?![a-z]{3}\\s))?)?` +
    '(?:[a-z]{3}\\s[\\s:-]*)?(?:[+\\d.,/][-+\\d.,/\\s:]*)?(?:[a-z]{3}|\\p{Sc})?\\)?$',
  'u',
);

const DAY_AT_END = new RegExp(` ${anyWord('beforeDate')} [\\d./-]{8,10}$`, 'iu');

/** An amount without the day that follows it, as in `974.50 as of 20251115`. */
export function withoutDay(text: string): string {
  return text.trim().replace(DAY_AT_END, '');
}

const OPENING_LINE = new RegExp(anyPart('openingLine'), 'u');
const AVAILABLE_LINE = new RegExp(anyPart('availableLine'), 'u');

/** Which balance a text names, such as `Closing balance 31/01/2024`; null for any other text. */
export function balanceName(text: string): 'opening' | 'closing' | 'available' | null {
  const [before = '', value = '', ...others] = text.split(':');
  const name = others.length === 0 && /\d/.test(value) ? `${before}:` : text;
  if (![text, name].some((each) => lineMeaning(each, true) !== null)) return null;
  if (AVAILABLE_LINE.test(folded(name))) return 'available';
  return OPENING_LINE.test(folded(name)) ? 'opening' : 'closing';
}

/** Numbers of the months by name. A name of different months in two languages, such as `listopad`, is left out. */
function monthNumbers(): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  const shared = new Set<string>();
  for (const { months = [] } of LANGUAGES) {
    for (const [index, names] of months.entries()) {
      for (const name of names.map(folded)) {
        if ((numbers.get(name) ?? index + 1) !== index + 1) shared.add(name);
        numbers.set(name, index + 1);
      }
    }
  }
  for (const name of shared) numbers.delete(name);
  return numbers;
}

const MONTHS = monthNumbers();

/** The number of a month, 1 to 12, by its name or abbreviation in any known language; null for any other word. */
export function monthOf(name: string): number | null {
  return MONTHS.get(folded(name)) ?? null;
}

const COLUMNS = wordSet('cardColumn');
// The day of the purchase, and the day on which the card company has it.
const PURCHASE_DAY = /^trans(?:action|\.)?(?: date|datum)|^purchase date$/;
const POSTING_DAY = /^(?:post|posted|posting|process(?:ed)?) date$|^date (?:posted|processed)$/;

/** Whether the names of a table, which has no balance, are those of a card's statement. */
export function areOfCard(names: readonly string[]): boolean {
  const all = names.map((name) => folded(name));
  const has = (pattern: RegExp): boolean => all.some((name) => pattern.test(name));
  return all.some((name) => COLUMNS.has(name)) || (has(PURCHASE_DAY) && has(POSTING_DAY));
}

/** Whether a cell is the number of a card, of which digits are hidden. */
export function isHiddenNumber(cell: string): boolean {
  return /^(?=.*[X*•]{3})[\dX*• .-]{8,25}\d{3}$/i.test(cell);
}

const TITLE = new RegExp(anyPart('cardTitle'), 'u');

/** Whether a text above a table says that it is of a card. */
export function namesCard(text: string): boolean {
  const parts = text.split(/[:=]/);
  return TITLE.test(folded(text)) || parts.some((part) => isHiddenNumber(part.trim()));
}

/** What a text says of its row: money in or out, and where that holds. */
export interface CardMeaning {
  readonly direction: Direction;
  /** `all`: in each table; `refund`: where shops send none; `card`: on the statement of a card only. */
  readonly holds: 'all' | 'refund' | 'card';
}

const PAYMENTS = new RegExp(anyPart('cardPayment'), 'u');
const PURCHASES = new RegExp(anyPart('cardPurchase'), 'u');

/** +1 for a payment to the card of a statement, such as `PAYMENT - THANK YOU`; −1 for a purchase; else 0. */
export const cardText = remembered((text): Direction | 0 => {
  if (text.length > MAX_LINE_LENGTH || !/\p{L}/u.test(text)) return 0;
  const words = folded(text);
  if (PAYMENTS.test(words)) return 1;
  return PURCHASES.test(words) ? -1 : 0;
});

const MONEY_IN = new RegExp(anyPart('moneyInText'), 'u');
const REFUND = new RegExp(anyPart('refund'), 'u');
const DIRECT_DEBIT = new RegExp(anyPart('directDebit'), 'u');
const PAYMENT = wordSet('payment');
const PURCHASE = wordSet('purchase');
const ENGLISH_PAYMENT = new RegExp(
  '^(?:(?:online|mobile|web|internet|electronic|ach|card|credit card|phone|epay|bank|your|manual) )?' +
    'payments?(?: (?:received|thank you|thanks|from .*|- .*))?$',
);

/** The meaning of a text in a table that may be of a card; null for any other text. */
export function cardMeaning(text: string): CardMeaning | null {
  if (text.length > MAX_LINE_LENGTH || !/\p{L}/u.test(text)) return null;
  const known = cardText(text);
  if (known !== 0) return { direction: known, holds: 'all' };
  const words = folded(text);
  if (MONEY_IN.test(words)) return { direction: 1, holds: 'all' };
  if (REFUND.test(words)) return { direction: 1, holds: 'refund' };
  if (DIRECT_DEBIT.test(words) || ENGLISH_PAYMENT.test(words) || PAYMENT.has(words))
    return { direction: 1, holds: 'card' };
  return PURCHASE.has(words) ? { direction: -1, holds: 'card' } : null;
}

/**
 * Whose account a name means: `own`, that of the `other` party, or either, as for `IBAN`. A `card` is an own one, but
 * an account may have several; a `product` is an account only where its values are kinds of accounts.
 */
export type AccountName = 'own' | 'other' | 'either' | 'card' | 'product';

/** Whose name a column has. A `holder` may be the owner of the account or the other party. */
type PersonName = 'payer' | 'recipient' | 'holder';

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
