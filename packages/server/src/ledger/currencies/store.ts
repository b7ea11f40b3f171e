import sql from 'sql-template-tag';
import { takeLease } from '../../book/leases.ts';
import {
  deleteUnlogged,
  insertAllUnlogged,
  insertUnlogged,
  updateUnlogged,
} from '../../book/unlogged.ts';
import { context, now } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { find, rowAs, rowsAs } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import { exchangeRates, rerates } from '../../db/tables/tables.ts';
import type { DayRates } from './ecb.ts';

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
