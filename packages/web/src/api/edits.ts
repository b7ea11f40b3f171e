import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { withValues, type PageOf } from '../books/rows/rows.ts';
import type { Transaction, TransactionUpdate } from '../books/types.ts';
import { ApiError, isProved, type Problem } from './errors.ts';
import { read, readsOf } from './hooks.ts';
import { keys } from './keys.ts';
import { request, reachable } from './request.ts';
import { undoWaitsFor } from './undo.ts';
import { unsent, type UnsentSenders } from './unsent.ts';

/** Most transactions in one request. Source: PUT /coffer/transactions. */
export const mostInRequest = 500;
/** How long edits are gathered, so that quick edits share a request. */
const gatherMs = 300;

/** How the queue sends edits, and waits. */
export interface EditTransport {
  /** Updates transactions in one request. */
  readonly send: (edits: readonly Edit[]) => Promise<readonly Transaction[]>;
  /** Resolves when the queue may send. */
  readonly gathered: () => Promise<void>;
}

/** New values of one transaction. */
export interface Edit {
  readonly id: number;
  /** Whether it changes also what a proved balance depends on. */
  readonly isForced?: boolean;
  readonly values: TransactionUpdate;
}

/** Edits of one transaction that are not sent yet, and what becomes of them. */
interface Waiting extends Edit {
  readonly outcome: PromiseWithResolvers<Transaction>;
}

/**
 * Gathers edits of transactions and sends them together, in the order in which they were made.
 *
 * Several edits of one transaction become one. If a request is refused, the edits that the refusal names are, and the
 * others are sent again without them.
 */
export class EditQueue {
  readonly #transport: EditTransport;
  #waiting = new Map<number, Waiting>();
  #isSending = false;

  constructor(transport: EditTransport = overHttp) {
    this.#transport = transport;
  }

  /** The number of transactions with edits that are not sent yet. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Queues an edit. Resolves with the stored transaction; rejects when the server refuses it. */
  edit(id: number, values: TransactionUpdate, isForced = false): Promise<Transaction> {
    const { values: before, outcome = Promise.withResolvers<Transaction>() } =
      this.#waiting.get(id) ?? {};
    this.#waiting.set(id, { id, values: { ...before, ...values }, isForced, outcome });
    void this.#run();
    return outcome.promise;
  }

  async #run(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#waiting.size > 0) {
        await this.#transport.gathered();
        await this.#send(this.#take());
      }
    } finally {
      this.#isSending = false;
    }
  }

  #take(): Waiting[] {
    const all = [...this.#waiting.values()];
    const alike = all.filter(({ isForced }) => isForced === all[0]?.isForced);
    const taken = alike.slice(0, mostInRequest);
    for (const { id } of taken) this.#waiting.delete(id);
    return taken;
  }

  async #send(edits: readonly Waiting[]): Promise<void> {
    if (edits.length === 0) return;
    try {
      const stored = await this.#transport.send(edits);
      const byId = new Map(stored.map((transaction) => [transaction.id, transaction]));
      for (const { id, outcome } of edits) outcome.resolve(byId.get(id) ?? gone(id));
    } catch (error) {
      const refused = refusedIn(error);
      const isNamed = (at: number): boolean => refused.size === 0 || refused.has(at);
      edits.forEach(({ outcome }, at) => {
        if (isNamed(at)) outcome.reject(refused.get(at) ?? error);
      });
      await this.#send(edits.filter((_each, at) => !isNamed(at)));
    }
  }
}

function gone(id: number): Promise<never> {
  return Promise.reject(new ApiError(404, `There is no transaction ${id} any more`));
}

/** Why edits were refused, by their places in the request; empty for a failure that does not say which. */
function refusedIn(error: unknown): ReadonlyMap<number, ApiError> {
  if (!(error instanceof ApiError)) return new Map();
  const { status, message, problems } = error;
  const places = Map.groupBy(problems, placeOf);
  places.delete(null);
  return new Map(
    [...places].map(([at, own]) => [at!, new ApiError(status, message, own.map(withoutPlace))]),
  );
}

function placeOf({ transaction_index: index, instancePath = '' }: Problem): number | null {
  const [, place] = /^\/body\/transactions\/(\d+)/.exec(instancePath) ?? [];
  return typeof index === 'number' ? index : place === undefined ? null : Number(place);
}

/** Texts name the place in the request, which a person has not seen. */
function withoutPlace(problem: Problem): Problem {
  const text = problem.errMsg.replace(/^transactions\[\d+\] /, '');
  return { ...problem, errMsg: text.charAt(0).toUpperCase() + text.slice(1) };
}

const overHttp: EditTransport = {
  send: async (edits) => {
    const transactions = edits.map(({ id, values }) => ({ ...values, id }));
    const query = edits[0]?.isForced === true ? { force: true } : {};
    const sent = { query, body: { transactions } };
    return (await request('PUT /coffer/transactions', sent)).transactions;
  },
  gathered: () => new Promise((resolve) => setTimeout(resolve, gatherMs)),
};

const queue = new EditQueue();
const pages = readsOf(keys.transactions, 'GET /coffer/transactions');
type RowValues = Partial<Transaction>;

/** Sends what was typed. */
export const unsentSenders: UnsentSenders = {
  insert: async ({ id, body }) => {
    const sent = { body: { transactions: [body] }, idempotencyKey: id };
    return (await request('POST /v2/transactions', sent)).transactions[0]!;
  },
  update: (entries) =>
    Promise.allSettled(
      entries.map(({ transactionId, values, isForced }) =>
        queue.edit(transactionId, values, isForced),
      ),
    ),
  current: ({ transactionId }) =>
    request('GET /v2/transactions/{id}', { path: { id: transactionId } }),
  reachable,
};

/** A page of a list, or a list that is read page by page. */
type Listed = PageOf<Transaction> | InfiniteData<PageOf<Transaction>>;

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
  /** Those that were refused because a proved balance depends on them. */
  readonly proved: readonly RowEdit[];
}

/**
 * Shows edits at once in every list, and saves them. What is refused goes back to its earlier values.
 *
 * Resolves when all are saved or refused.
 */
export function saveEdits(
  cache: QueryClient,
  edits: readonly RowEdit[],
  isForced = false,
): Promise<EditOutcome> {
  const saving = save(cache, edits, isForced);
  undoWaitsFor(saving);
  return saving;
}

async function save(
  cache: QueryClient,
  edits: readonly RowEdit[],
  isForced: boolean,
): Promise<EditOutcome> {
  const wasReading = await stopReading(cache);
  show(cache, new Map(edits.map(({ row, values }) => [row.id, values as RowValues])));
  const outcomes = await Promise.allSettled(
    edits.map(({ row, values }) =>
      unsent.edit(
        {
          ...{ kind: 'edit', transactionId: row.id, payee: row.payee, values, isForced },
          before: earlier(row, values),
        },
        () => queue.edit(row.id, values, isForced),
      ),
    ),
  );
  const now = new Map<number, RowValues>();
  let refusal: Error | null = null;
  const proved: RowEdit[] = [];
  outcomes.forEach((outcome, at) => {
    const { row, values } = edits[at]!;
    if (outcome.status === 'fulfilled') now.set(row.id, outcome.value);
    else {
      refusal ??= outcome.reason as Error;
      if (isProved(outcome.reason)) proved.push({ row, values });
      now.set(row.id, earlier(row, values));
    }
  });
  const isReading = await stopReading(cache);
  show(cache, now);
  if (wasReading || isReading || edits.some(movesOthers)) void cache.invalidateQueries(pages);
  void cache.invalidateQueries(readsOf(keys.transactions, 'GET /coffer/transactions/months'));
  for (const id of now.keys()) {
    const one = { path: { id } };
    void cache.invalidateQueries(read(keys.transactions, 'GET /v2/transactions/{id}', one));
    void cache.invalidateQueries(
      read(keys.transactions, 'GET /coffer/transactions/{id}/history', one),
    );
  }
  return { saved: outcomes.filter(({ status }) => status === 'fulfilled').length, refusal, proved };
}

/** Whether other transactions follow an edit: those of the same split or group. */
function movesOthers({ row, values }: RowEdit): boolean {
  const isSingle = row.split_parent_id === null && row.group_parent_id === null;
  return !isSingle && ['amount', 'manual_account_id', 'date'].some((name) => name in values);
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
  cache.setQueriesData<Listed>(pages, (list) => {
    if (list === undefined || !('pages' in list)) return list && withValues(list, values);
    return { ...list, pages: list.pages.map((page) => withValues(page, values)) };
  });
}

/** Deletes transactions. */
export async function deleteTransactions(
  cache: QueryClient,
  ids: readonly number[],
): Promise<void> {
  await request('DELETE /v2/transactions', { body: { ids: [...ids] } });
  const gone = new Set<unknown>(ids);
  await cache.invalidateQueries({
    queryKey: keys.transactions,
    // What is shown of a deleted one is not read again.
    predicate: ({ queryKey: [, , path] }) => !gone.has((path as { id?: number } | undefined)?.id),
  });
}
