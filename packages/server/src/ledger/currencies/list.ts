import sql from 'sql-template-tag';
import type { Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';

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
