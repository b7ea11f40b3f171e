import type { QueryClient } from '@tanstack/react-query';
import { withValues } from '../books/rows/row-values.ts';
import type { PageOf } from '../books/rows/row-values.ts';
import { EditQueue } from './edit-queue.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import type { Transaction, TransactionUpdate } from './types.ts';
import { undoWaitsFor } from './undo.ts';

const queue = new EditQueue();
const pages = { queryKey: ['transactions', 'page'] };
type RowValues = Partial<Transaction>;

/** An edit of one transaction, which the cache has. */
export interface RowEdit {
  readonly row: Transaction;
  readonly values: TransactionUpdate;
}

/** What became of edits. */
export interface EditOutcome {
  readonly saved: number;
  /** The first refusal; null when all were saved. */
  readonly refusal: Error | null;
}

/**
 * Shows edits at once in every list, and saves them. What is refused goes back to its earlier values.
 *
 * Resolves when all are saved or refused.
 */
export function saveEdits(cache: QueryClient, edits: readonly RowEdit[]): Promise<EditOutcome> {
  const saving = save(cache, edits);
  undoWaitsFor(saving);
  return saving;
}

async function save(cache: QueryClient, edits: readonly RowEdit[]): Promise<EditOutcome> {
  const wasReading = await stopReading(cache);
  show(cache, new Map(edits.map(({ row, values }) => [row.id, values as RowValues])));
  const outcomes = await Promise.allSettled(
    edits.map(({ row, values }) => queue.edit(row.id, values)),
  );
  const now = new Map<number, RowValues>();
  let refusal: Error | null = null;
  outcomes.forEach((outcome, at) => {
    const { row, values } = edits[at]!;
    if (outcome.status === 'fulfilled') now.set(row.id, outcome.value);
    else {
      refusal ??= outcome.reason as Error;
      now.set(row.id, earlier(row, values));
    }
  });
  const isReading = await stopReading(cache);
  show(cache, now);
  if (wasReading || isReading) void cache.invalidateQueries(pages);
  void cache.invalidateQueries({ queryKey: ['transactions', 'months'] });
  for (const id of now.keys()) {
    void cache.invalidateQueries({ queryKey: keys.transaction(id) });
    void cache.invalidateQueries({ queryKey: keys.history(id) });
  }
  return { saved: outcomes.filter(({ status }) => status === 'fulfilled').length, refusal };
}

/**
 * Stops reads of pages, because one that began before a write returns the values before it. Returns whether there were
 * any: these pages have to be read again.
 */
async function stopReading(cache: QueryClient): Promise<boolean> {
  const isReading = cache.isFetching(pages) > 0;
  await cache.cancelQueries(pages);
  return isReading;
}

function earlier(row: Transaction, values: TransactionUpdate): RowValues {
  const names = Object.keys(values) as (keyof Transaction)[];
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

function show(cache: QueryClient, values: ReadonlyMap<number, RowValues>): void {
  cache.setQueriesData<PageOf<Transaction>>(pages, (page) =>
    page === undefined ? page : withValues(page, values),
  );
}

/** Deletes transactions. */
export async function deleteTransactions(
  cache: QueryClient,
  ids: readonly number[],
): Promise<void> {
  await request('DELETE', '/v2/transactions', { body: { ids } });
  await cache.invalidateQueries({ queryKey: keys.transactions });
}
