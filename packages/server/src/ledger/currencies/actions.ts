import sql from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { context } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { find, rowsAs } from '../../db/rows.ts';
import { text } from '../../db/table.ts';
import { books } from '../../db/tables/tables.ts';
import { baseCurrency, convertAmount, parseRate } from './rules.ts';
import type { Decimal } from './rules.ts';

/** Exchange rates, read when they are first needed. */
export interface Rates {
  /**
   * Converts an amount in ten-thousandths at the rate of a date, or of the last date before it that has one. Rounded
   * once, half to even. Returns null without a rate, and for a result outside ±(2^53 - 1).
   */
  convert(amount: number, from: string, to: string, date: string): Steps<number | null>;
}

/** The rates for the records of one book, after new rates have arrived. */
export interface Rating {
  readonly rates: Rates;
  readonly primaryCurrency: string;
  /** The first date with a new rate: values at the rates of earlier dates stay. */
  readonly since: string;
}

/** Records with a value in the primary currency of their book. */
export interface Rerated {
  /**
   * Sets the value of each record of a book that differs at the current rates. Leaves values for which there is no
   * rate. Returns how many records differ.
   */
  rerate(change: Change, rating: Rating): Steps<number>;
}

/** Returns the exchange rates of the database. What one transaction has read is not read again. */
export function* ratesOf(): Steps<Rates> {
  const { memory } = yield* context();
  const known = memory.get(KnownRates) as KnownRates | undefined;
  const rates = known ?? new KnownRates();
  memory.set(KnownRates, rates);
  return rates;
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
  const primaryCurrency = yield* primaryCurrencyOf(bookId);
  if (currency === primaryCurrency) return amount;
  const rates = yield* ratesOf();
  return (yield* rates.convert(amount, currency, primaryCurrency, date)) ?? 0;
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

/** Returns the primary currency of a book. A transaction reads it once, because there may be hundreds of amounts. */
export function* primaryCurrencyOf(bookId: number): Steps<string> {
  const { memory } = yield* context();
  const key = `primary currency of ${bookId}`;
  const known = memory.get(key) as string | undefined;
  if (known !== undefined) return known;
  const book = yield* find(books, { id: bookId });
  memory.set(key, book!.primary_currency);
  return book!.primary_currency;
}

/** The rates of one currency in one year, and the last one before it; ascending by date. */
type Series = readonly { readonly date: string; readonly rate: Decimal }[];

/** Enough for all currencies of several years. Each series has about 260 rates. */
const mostSeries = 400;

/** Rates that were read so far, by currency and year. */
class KnownRates implements Rates {
  readonly #series = new Map<string, Series>();

  *convert(amount: number, from: string, to: string, date: string): Steps<number | null> {
    if (from === to) return amount;
    const fromRate = yield* this.#rateOf(from, date);
    const toRate = yield* this.#rateOf(to, date);
    return fromRate === null || toRate === null ? null : convertAmount(amount, fromRate, toRate);
  }

  *#rateOf(currency: string, date: string): Steps<Decimal | null> {
    if (currency === baseCurrency) return { mantissa: 1n, places: 0 };
    const year = date.slice(0, 4);
    const key = `${currency} ${year}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = yield* readSeries(currency, year);
      if (this.#series.size >= mostSeries) this.#series.clear();
      this.#series.set(key, series);
    }
    return lastUpTo(series, date);
  }
}

/** Reads the rates of a year, from the last one before it. */
function* readSeries(currency: string, year: string): Steps<Series> {
  const [first, last] = [`${year}-01-01`, `${year}-12-31`];
  const found = yield* rowsAs(
    { date: text, per_eur: text },
    sql`SELECT date, per_eur FROM exchange_rates
      WHERE currency = ${currency} AND date <= ${last} AND date >= coalesce((
        SELECT max(date) FROM exchange_rates WHERE currency = ${currency} AND date < ${first}), ${first})
      ORDER BY date`,
  );
  return found.map(({ date, per_eur }) => ({ date, rate: parseRate(per_eur) }));
}

/** Returns the rate of a date or of the last date before it, by binary search; null if there is none. */
function lastUpTo(series: Series, date: string): Decimal | null {
  let low = 0;
  let high = series.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series[middle]!.date <= date) low = middle + 1;
    else high = middle;
  }
  return series[low - 1]?.rate ?? null;
}
