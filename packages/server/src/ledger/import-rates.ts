import type { Engine, Steps } from '../db/engine.ts';
import { ratesOf } from './currencies/actions.ts';
import type { Rating, Rerated } from './currencies/actions.ts';
import { changing, NoSuchBookError, type Change } from '../book/change.ts';
import { find, select } from '../db/rows.ts';
import { books, budgets, recurringItems } from '../db/tables/tables.ts';
import { rerateTransactions, type Place, type RatedBlock } from './transactions/rerate.ts';
import { accountValues } from './accounts/rerate.ts';
import { historyValues } from './balance-history/rerate.ts';
import sql from 'sql-template-tag';
import { storeRates, finishRerate, nextRerate } from './currencies/store.ts';
import type { StoredRates, NextRerate } from './currencies/store.ts';
import type { DayRates } from './currencies/ecb.ts';

/** The values of recurring items, at the rate of the day of their last change, which this does not count as. */
const recurringValues: Rerated = {
  *rerate(change, { rates, primaryCurrency, since }) {
    const and = sql`updated_at >= ${since} AND currency <> ${primaryCurrency}`;
    let count = 0;
    for (const item of yield* select(recurringItems, { book_id: change.bookId }, { and })) {
      const { amount, currency, updated_at } = item;
      const date = updated_at.slice(0, 10);
      const to_base = yield* rates.convert(amount, currency, primaryCurrency, date);
      if (to_base === null || to_base === item.to_base) continue;
      yield* change.update(recurringItems, item, { to_base, updated_at });
      count += 1;
    }
    return count;
  },
};

/** The values of budgets in foreign currencies, at the rate of the first day of their period. */
const budgetValues: Rerated = {
  *rerate(change, { rates, primaryCurrency, since }) {
    const and = sql`start_date >= ${since} AND currency <> ${primaryCurrency}`;
    let count = 0;
    for (const budget of yield* select(budgets, { book_id: change.bookId }, { and })) {
      const { amount, currency, start_date } = budget;
      const to_base = yield* rates.convert(amount, currency, primaryCurrency, start_date);
      if (to_base === null || to_base === budget.to_base) continue;
      yield* change.update(budgets, budget, { to_base });
      count += 1;
    }
    return count;
  },
};

/** All records that are updated after new rates, in addition to transactions. One change updates those of a book. */
const reratedRecords: readonly Rerated[] = [
  accountValues,
  historyValues,
  budgetValues,
  recurringValues,
];

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

/**
 * Stores rates, all or none, and then updates the values of all books. Rates that are known change nothing, but an
 * update that was interrupted continues.
 */
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
      const others = block.last === null ? yield* rerateOthers(change, rating) : 0;
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

function* rerateOthers(change: Change, rating: Rating): Steps<number> {
  let count = 0;
  for (const records of reratedRecords) count += yield* records.rerate(change, rating);
  return count;
}
