import { maxAmount } from '@coffer/core/money';
import type { Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { books } from '../../db/tables.ts';
import { ratesOf } from '../currencies/actions.ts';
import type { Place } from './checks.ts';

/** Converts amounts of transactions to the primary currency of their book. */
export interface BaseAmounts {
  readonly primaryCurrency: string;
  /** Returns `to_base` in ten-thousandths, 0 without a rate. Adds a problem if it is too large. */
  convert(place: Place, amount: number, currency: string, date: string): Steps<number>;
}

/** Returns the conversion of a book. */
export function* baseAmountsOf(bookId: number): Steps<BaseAmounts> {
  const { primary_currency: primaryCurrency } = (yield* find(books, { id: bookId }))!;
  const rates = yield* ratesOf();
  return {
    primaryCurrency,
    *convert({ problems, index }, amount, currency, date) {
      const converted = (yield* rates.convert(amount, currency, primaryCurrency, date)) ?? 0;
      if (Math.abs(converted) <= maxAmount) return converted;
      const text = `amount is too large in the primary currency ${primaryCurrency}`;
      problems.add(index, text, { error: 'Invalid Amount', invalid_property: 'amount' });
      return 0;
    },
  };
}
