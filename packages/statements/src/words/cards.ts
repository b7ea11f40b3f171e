import { folded } from './fold.ts';
import { MAX_LINE_LENGTH, remembered, type Direction } from './meanings.ts';
import { anyPart, wordSet } from './vocabulary.ts';

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
