import sql from 'sql-template-tag';
import { currencyKey } from '../../db/derived-counts.ts';
import { context, now, type Steps } from '../../db/engine.ts';
import { find, rowsAs, rowAs } from '../../db/rows.ts';
import { text, integer, type Row } from '../../db/table.ts';
import { books, exchangeRates, rerates } from '../../db/tables/tables.ts';
import { baseCurrency, convertAmount, parseRate, type Decimal } from './rules.ts';
import { bodyProblem } from '../../operations/problem.ts';
import { takeLease } from '../../book/leases.ts';
import {
  deleteUnlogged,
  insertAllUnlogged,
  insertUnlogged,
  updateUnlogged,
} from '../../book/unlogged.ts';
import type { DayRates } from './ecb.ts';

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
  /** Whether the primary currency is new: without a rate, a value is 0. Otherwise it stays as it is. */
  readonly isNewCurrency?: boolean;
  /** The records to value, by their tables and the first columns of their keys. Default: all. */
  readonly only?: ReadonlyMap<string, ReadonlySet<number>>;
}

/** An amount of a record. */
interface Valued {
  readonly amount: number;
  readonly currency: string;
  /** Its present value in the primary currency; null if it has none. */
  readonly to_base: number | null;
}

/** Returns the value of an amount at the rates of a day; null for one that is larger than any amount can be. */
export function* ratedValue(
  { rates, primaryCurrency, isNewCurrency }: Rating,
  { amount, currency, to_base }: Valued,
  date: string,
): Steps<number | null> {
  const value = yield* rates.convert(amount, currency, primaryCurrency, date);
  if (value !== null || isNewCurrency !== true) return value ?? to_base;
  const hasRate = (yield* rates.convert(0, currency, primaryCurrency, date)) !== null;
  return hasRate ? null : 0;
}

/** Throws a Problem that names the records whose values are larger than any amount can be. */
export function refuseTooLarge(
  { primaryCurrency }: Rating,
  noun: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): void {
  if (rows.length === 0) return;
  const name = 'primary_currency';
  const details = rows.slice(0, mostNamed).map((row) => ({
    errMsg:
      `The value of the ${noun} ${String(row['id'] ?? row['category_id'])} in "${primaryCurrency}" is larger than any ` +
      'amount can be',
    instancePath: `/body/${name}`,
    invalid_property: name,
  }));
  throw bodyProblem(...details);
}

/** Records that one refusal names. */
const mostNamed = 100;

/** Returns the exchange rates of the database. What one transaction has read is not read again. */
export function* ratesOf(): Steps<Rates> {
  const { memory } = yield* context();
  const known = memory.get(KnownRates) as KnownRates | undefined;
  const rates = known ?? new KnownRates();
  memory.set(KnownRates, rates);
  return rates;
}

/** Returns the value of an amount in the primary currency of a book, `to_base`: 0 without a rate. */
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
  const key = currencyKey(bookId);
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

/** A currency with rates, and its latest rate. */
export interface CurrencyRates {
  readonly currency: string;
  /** The number of dates with a rate. */
  readonly dates: number;
  readonly first_date: string;
  readonly last_date: string;
  /** Units per euro on the last date. */
  readonly per_eur: string;
}

/** Returns the currencies that have rates, by code. */
export function* listCurrencies(): Steps<CurrencyRates[]> {
  return yield* rowsAs(
    { currency: text, dates: integer, first_date: text, last_date: text, per_eur: text },
    sql`
      SELECT r.currency, a.dates, a.first_date, a.last_date, r.per_eur
      FROM (
        SELECT currency, count(*) AS dates, min(date) AS first_date, max(date) AS last_date
        FROM exchange_rates GROUP BY currency) a
      JOIN exchange_rates r ON r.currency = a.currency AND r.date = a.last_date
      ORDER BY r.currency`,
  );
}

/** A rate as it is stored. */
export interface StoredRate {
  readonly date: string;
  readonly per_eur: string;
  /** `file` or `url`. */
  readonly source: string;
  /** When it was stored: ISO 8601 in UTC. */
  readonly read_at: string;
}

/** Returns the rates of a currency up to a date, inclusive, latest first. */
export function* listRates(currency: string, upTo: string, limit: number): Steps<StoredRate[]> {
  return yield* rowsAs(
    { date: text, per_eur: text, source: text, read_at: text },
    sql`SELECT date, per_eur, source, read_at FROM exchange_rates
      WHERE currency = ${currency} AND date <= ${upTo} ORDER BY date DESC LIMIT ${limit}`,
  );
}

/** How many rates were stored. */
export interface StoredRates {
  readonly added: number;
  /** Rates that replace another rate of the same currency and date. */
  readonly changed: number;
  /** Rates that the database has already. */
  readonly known: number;
}

const pending = 'books';

/**
 * Stores rates. Notes the first date with a new rate, so that the records of all books can be updated afterwards with
 * {@link nextRerate}, also by another process. Writes nothing else if all rates are known.
 */
export function* storeRates(rates: DayRates, source: 'file' | 'url'): Steps<StoredRates> {
  // Others wait until this transaction ends. The number grows with every transaction.
  const lease = yield* takeLease('rates', 'rates', 0);
  const total = { added: 0, changed: 0, known: 0 };
  let since: string | null = null;
  for (const [currency, series] of rates) {
    const stored = yield* storeSeries(currency, series, source);
    total.added += stored.added;
    total.changed += stored.changed;
    total.known += stored.known;
    if (stored.since !== null && (since === null || stored.since < since)) since = stored.since;
  }
  if (since !== null) yield* noteRerate(since, lease!.number);
  (yield* context()).memory.clear();
  return total;
}

interface StoredSeries extends StoredRates {
  readonly since: string | null;
}

function* storeSeries(
  currency: string,
  series: ReadonlyMap<string, string>,
  source: 'file' | 'url',
): Steps<StoredSeries> {
  const dates = [...series.keys()].sort();
  const before = yield* storedRates(currency, dates);
  const read_at = yield* now();
  const newRates: Row<typeof exchangeRates>[] = [];
  let changed = 0;
  let since: string | null = null;
  for (const date of dates) {
    const per_eur = series.get(date)!;
    const known = before.get(date);
    if (known === per_eur) continue;
    since ??= date;
    if (known === undefined) newRates.push({ currency, date, per_eur, source, read_at });
    else {
      yield* updateUnlogged(exchangeRates, { currency, date }, { per_eur, source, read_at });
      changed += 1;
    }
  }
  yield* insertAllUnlogged(exchangeRates, newRates);
  const added = newRates.length;
  return { added, changed, known: dates.length - added - changed, since };
}

/** Returns the stored rates of a currency by date, from the first to the last of the dates, which ascend. */
function* storedRates(
  currency: string,
  dates: readonly string[],
): Steps<ReadonlyMap<string, string>> {
  const [first = '', last = first] = [dates[0], dates.at(-1)];
  const found = yield* rowsAs(
    { date: text, per_eur: text },
    sql`SELECT date, per_eur FROM exchange_rates
      WHERE currency = ${currency} AND date BETWEEN ${first} AND ${last}`,
  );
  return new Map(found.map(({ date, per_eur }) => [date, per_eur]));
}

/** Starts again with the first book, because the earlier books do not have the new rates. */
function* noteRerate(since: string, mark: number): Steps<void> {
  const before = yield* find(rerates, { name: pending });
  const row = { name: pending, since, last_book_id: 0, mark };
  if (before === undefined) yield* insertUnlogged(rerates, row);
  else {
    const earlier = before.since < since ? before.since : since;
    yield* updateUnlogged(rerates, { name: pending }, { ...row, since: earlier });
  }
}

/** The next book whose records must be updated to new rates. */
export interface NextRerate {
  /** Null: all books are done. */
  readonly bookId: number | null;
  /** The first date with a new rate. */
  readonly since: string;
  /** For {@link finishRerate}. */
  readonly mark: number;
}

/** Returns what to do next after new rates were stored; null if there is nothing to do. */
export function* nextRerate(): Steps<NextRerate | null> {
  const row = yield* find(rerates, { name: pending });
  if (row === undefined) return null;
  const { since, mark, last_book_id } = row;
  const book = yield* rowAs(
    { id: integer },
    sql`SELECT id FROM books WHERE id > ${last_book_id} ORDER BY id LIMIT 1`,
  );
  return { bookId: book?.id ?? null, since, mark };
}

/** Notes that a book is done, or that all are. Does nothing if more rates were stored meanwhile. */
export function* finishRerate({ bookId, mark }: NextRerate): Steps<void> {
  if (bookId === null) yield* deleteUnlogged(rerates, { name: pending, mark });
  else yield* updateUnlogged(rerates, { name: pending, mark }, { last_book_id: bookId });
}
