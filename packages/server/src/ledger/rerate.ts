import { changing, NoSuchBookError } from '../book/changing.ts';
import type { Change } from '../book/change.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import { books } from '../db/tables/tables.ts';
import { finishRerate, nextRerate, ratesOf } from './currencies/actions.ts';
import type { NextRerate, Rating } from './currencies/actions.ts';
import { rerateTransactions } from './transactions/rerate.ts';
import type { Place, RatedBlock } from './transactions/rerate.ts';
import { reratedRecords } from './rerated-records.ts';

/** Who updates records, and what ends it early. */
export interface RerateOptions {
  readonly actor: 'job' | 'command';
  readonly signal?: AbortSignal;
}

/** How many records new rates have changed. */
export interface RerateSummary {
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
