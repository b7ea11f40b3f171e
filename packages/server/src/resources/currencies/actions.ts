import type { Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { books } from '../../db/tables.ts';

/** Exchange rates, read when they are first needed. */
export interface Rates {
  /**
   * Converts an amount in ten-thousandths at the rate of a date, or of the last date before it that has one. Rounded
   * once, half to even. Returns null without a rate.
   */
  convert(amount: number, from: string, to: string, date: string): Steps<number | null>;
}

/** Returns the exchange rates of the database. */
export function* ratesOf(): Steps<Rates> {
  return {
    // eslint-disable-next-line require-yield
    *convert(amount, from, to, _date) {
      return from === to ? amount : null;
    },
  };
}

/**
 * Returns the value of an amount in the primary currency of a book: `to_base`. 0 without a rate, because the API has a
 * number here.
 */
export function* toBase(
  bookId: number,
  amount: number,
  currency: string,
  date: string,
): Steps<number> {
  const book = yield* find(books, { id: bookId });
  const rates = yield* ratesOf();
  return (yield* rates.convert(amount, currency, book!.primary_currency, date)) ?? 0;
}

/** Returns the value of a balance at an instant, in the primary currency of a book; 0 without a rate. */
export function* latestToBase(
  bookId: number,
  balance: number,
  currency: string,
  at: string,
): Steps<number> {
  return yield* toBase(bookId, balance, currency, at.slice(0, 10));
}
