import { parseRates, type DayRates } from './currencies/ecb.ts';
import {
  storeRates,
  finishRerate,
  nextRerate,
  ratedValue,
  ratesOf,
  refuseTooLarge,
} from './currencies/actions.ts';
import type { StoredRates, NextRerate, Rating } from './currencies/actions.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { changing, NoSuchBookError, type Change } from '../book/change.ts';
import { find, select } from '../db/rows.ts';
import { books } from '../db/tables/tables.ts';
import { rerateTransactions, type Place, type RatedBlock } from './transactions/rerate.ts';
import type { RecordKind } from '../book/record.ts';
import { given } from '../db/table.ts';
import { ledgerRecords } from './records.ts';
import type { PrivateTargets } from '../outside/guarded-request.ts';
import type { Job } from '../jobs/scheduler.ts';
import { boundedFetchBytes, type WayOut } from '../outside/bounded-fetch.ts';

/** Rates, and where they come from. */
export interface RatesImport extends RerateOptions {
  /** Of each file; a later one replaces the rates of an earlier one. */
  readonly files: readonly DayRates[];
  readonly source: 'file' | 'url';
}

/** The result of an import of rates. */
export interface RatesSummary extends StoredRates {
  /** Records of all books that have a new value in the primary currency of their book. */
  readonly updated: RerateSummary;
}

/** Stores rates, all or none, and updates the values of all books. Also continues an update that was interrupted. */
export async function importRates(
  engine: Engine,
  { files, source, ...options }: RatesImport,
): Promise<RatesSummary> {
  const stored = await engine.write(function* () {
    const total = { added: 0, changed: 0, known: 0 };
    for (const rates of files) {
      const { added, changed, known } = yield* storeRates(rates, source);
      total.added += added;
      total.changed += changed;
      total.known += known;
    }
    return total;
  });
  return { ...stored, updated: await rerateBooks(engine, options) };
}

/** Who updates records, and what ends it early. */
interface RerateOptions {
  readonly actor: 'job' | 'command';
  readonly signal?: AbortSignal;
}

/** How many records new rates have changed. */
interface RerateSummary {
  readonly records: number;
  readonly books: number;
}

/**
 * Updates the values of all books after new rates were stored: book by book, in changes of a limited size. A book in
 * which nothing differs gets no new version.
 *
 * A run that was interrupted, here or in another process, continues with the next book. Two runs at once do the same
 * work twice and no harm.
 */
export async function rerateBooks(engine: Engine, options: RerateOptions): Promise<RerateSummary> {
  const summary = { records: 0, books: 0 };
  for (;;) {
    options.signal?.throwIfAborted();
    const next = await engine.read(() => nextRerate());
    if (next === null) return summary;
    const records = await rerateBook(engine, next, options);
    summary.records += records;
    if (records > 0) summary.books += 1;
  }
}

async function rerateBook(
  engine: Engine,
  next: NextRerate,
  { actor, signal }: RerateOptions,
): Promise<number> {
  const { bookId } = next;
  let records = 0;
  let after: Place | null = null;
  do {
    signal?.throwIfAborted();
    const from = after;
    const block: RatedBlock = await engine.write(function* () {
      const done = bookId === null ? empty : yield* rerateBlock(bookId, actor, next, from);
      if (done.last === null) yield* finishRerate(next);
      return done;
    });
    records += block.count;
    after = block.last;
  } while (after !== null);
  return records;
}

const empty: RatedBlock = { count: 0, last: null };

/** Updates a block of transactions; with the last one also the other records. A book that is gone has none. */
function* rerateBlock(
  bookId: number,
  actor: string,
  { since }: NextRerate,
  after: Place | null,
): Steps<RatedBlock> {
  const cause = { bookId, actor, operation: 'rates' };
  try {
    return yield* changing(cause, function* (change) {
      const rating = yield* ratingOf(bookId, since);
      const block = yield* rerateTransactions(change, rating, after);
      const others = block.last === null ? yield* rerateRecords(change, rating) : 0;
      return { count: block.count + others, last: block.last };
    });
  } catch (error) {
    if (error instanceof NoSuchBookError) return empty;
    throw error;
  }
}

function* ratingOf(bookId: number, since: string): Steps<Rating> {
  const book = yield* find(books, { id: bookId });
  return { rates: yield* ratesOf(), primaryCurrency: book!.primary_currency, since };
}

/** Sets values at the current rates, where there is a rate, but of transactions. Returns how many records differ. */
export function* rerateRecords(
  change: Change,
  rating: Rating,
  kinds: readonly RecordKind[] = ledgerRecords,
): Steps<number> {
  let count = 0;
  for (const kind of kinds)
    if (kind.valueDay !== null) count += yield* rerateKind(change, rating, kind);
  return count;
}

function* rerateKind(change: Change, rating: Rating, kind: RecordKind): Steps<number> {
  const { table, valueDay } = kind;
  const { primaryCurrency, since, isNewCurrency = false } = rating;
  const only = rating.only?.get(table.name);
  const amount = 'amount' in table.columns ? 'amount' : 'balance';
  let count = 0;
  for (const row of yield* select(table, { book_id: change.bookId })) {
    if (rating.only !== undefined && only?.has(row[table.key[0]!] as number) !== true) continue;
    const [day, currency] = [valueDay!(row), row['currency'] as string];
    const isOld = day !== null && (day < since || currency === primaryCurrency);
    if (isOld && !isNewCurrency) continue;
    const valued = { amount: row[amount] as number, currency, to_base: row['to_base'] as number };
    const to_base = yield* ratedValue(rating, valued, day ?? change.at.slice(0, 10));
    if (to_base === null) refuseTooLarge(rating, table.noun, [row]);
    if (to_base === row['to_base']) continue;
    // A value at the rate of a day changes without the record.
    const kept = day === null ? {} : given({ updated_at: row['updated_at'] });
    yield* change.update(table, row, { to_base, ...kept });
    count += 1;
  }
  return count;
}

const who = 'The source of exchange rates';

/** Reads at most 1 MiB at an http(s) URL, without redirects. Rejects with a CryptoRefreshError that lacks the URL. */
export function readRatesFile(url: string, way: WayOut): Promise<Uint8Array> {
  const headers = { accept: 'text/csv, application/zip, */*' };
  return boundedFetchBytes({ ...way, who, method: 'GET', url: new URL(url), headers });
}

/** The European Central Bank publishes rates on working days, at about 16:00 in Frankfurt. */
const everyMs = 4 * 60 * 60_000;
const timeoutMs = 30_000;

/** Stores the rates of a file, and updates the values of all books. */
export type StoreRatesFile = (
  engine: Engine,
  file: Uint8Array,
  signal: AbortSignal,
) => Promise<void>;

/** Stores the rates of a file in this thread. */
export const storeRatesFile: StoreRatesFile = async (engine, file, signal) => {
  const { rates } = parseRates(file);
  await importRates(engine, { files: [rates], source: 'url', actor: 'job', signal });
};

/** Reads the file of exchange rates at a URL, and stores them. */
export function ratesJob(
  url: string,
  privateTargets?: PrivateTargets,
  store: StoreRatesFile = storeRatesFile,
): Job {
  return {
    name: 'rates',
    everyMs,
    run: async (engine, _nowMs, signal) => {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const file = await readRatesFile(url, { signal: inTime, privateTargets });
      await store(engine, file, signal);
    },
  };
}
