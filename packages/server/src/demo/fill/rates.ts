import type { Change } from '../../book/change.ts';
import { takeLease } from '../../book/leases.ts';
import { insertAllUnlogged } from '../../book/unlogged.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { exchangeRates } from '../../db/tables/tables.ts';
import { manualAccountRecord, plaidAccountRecord } from '../../ledger/accounts/record.ts';
import { balanceRecord } from '../../ledger/balance-history/record.ts';
import { ratesOf } from '../../ledger/currencies/actions.ts';
import { rerateTransactions } from '../../ledger/transactions/rerate.ts';
import type { Place } from '../../ledger/transactions/rerate.ts';
import { rerateRecords } from '../../ledger/rerate.ts';
import type { DemoBook, DemoRate } from '../book/demo-book.ts';
import { madeAt } from './rows.ts';

type RateRow = Row<typeof exchangeRates>;

/**
 * Stores the rates of the currencies for which the database has none in these days. Returns whether the database now
 * has these rates alone; if not, records have to get their values at the rates of the database.
 */
export function* storeRates(rates: readonly DemoRate[]): Steps<boolean> {
  if (rates.length === 0) return true;
  // Others who store rates wait until this transaction ends.
  yield* takeLease('rates', 'rates', 0);
  let isAlone = true;
  for (const [currency, series] of Map.groupBy(rates, (rate) => rate.currency)) {
    const known = yield* ratesOfDays(currency, series);
    if (known.length === 0) yield* insertSeries(series);
    else if (!isSame(known, series)) isAlone = false;
  }
  return isAlone;
}

/** Returns the stored rates of a currency from the first to the last of the dates, which ascend. */
function* ratesOfDays(currency: string, series: readonly DemoRate[]): Steps<RateRow[]> {
  const [first = '', last = ''] = [series[0]?.date, series.at(-1)?.date];
  const all = yield* select(exchangeRates, { currency });
  return all.filter(({ date }) => date >= first && date <= last);
}

function* insertSeries(series: readonly DemoRate[]): Steps<void> {
  const rows = series.map(({ currency, date, perEur }) => ({
    currency,
    date,
    per_eur: perEur,
    source: 'file' as const,
    read_at: madeAt,
  }));
  yield* insertAllUnlogged(exchangeRates, rows);
}

function isSame(known: readonly RateRow[], series: readonly DemoRate[]): boolean {
  const rates = new Map(known.map(({ date, per_eur }) => [date, per_eur]));
  return (
    rates.size === series.length && series.every((each) => rates.get(each.date) === each.perEur)
  );
}

/** Gives the records of a demo book their values at the rates of the database, as an import of rates does. */
export function* rerate(change: Change, { rates = [], primaryCurrency }: DemoBook): Steps<void> {
  const since = rates.reduce((first, { date }) => (date < first ? date : first), '9999-12-31');
  const rating = { rates: yield* ratesOf(), primaryCurrency, since };
  yield* rerateRecords(change, rating, [manualAccountRecord, plaidAccountRecord, balanceRecord]);
  let after: Place | null = null;
  do after = (yield* rerateTransactions(change, rating, after)).last;
  while (after !== null);
}
