import type { CallOptions } from '../../sending/options.ts';
import { arrayShape, listShape, nothing, recordShape } from '../resource.ts';
import type { Call, QueryOf, Schema, Shape } from '../resource.ts';
import { sendParts } from './division.ts';
import type { Transaction } from './lists.ts';

/** A new transaction. */
export type TransactionInsert = Schema<'TransactionInsert'>;
/** New values for properties of a transaction; a complete record is accepted too. */
export type TransactionUpdate = Schema<'TransactionUpdate'>;
/** New values for properties of the transaction with the `id`. */
export type TransactionUpdateWithId = Schema<'TransactionUpdateWithId'>;
/** How transactions are created; all flags are false by default. */
export type TransactionInsertFlags = Omit<Schema<'TransactionsInsert'>, 'transactions'>;
/** The new transactions, and those that were skipped because they exist already. */
export type InsertedTransactions = Schema<'InsertedTransactions'>;
/** A group to make of transactions. */
export type TransactionGroupInsert = Schema<'TransactionGroupInsert'>;
/** A part of a split transaction. */
export type SplitPart = Schema<'SplitPart'>;

/**
 * Methods that write transactions.
 *
 * Those for any number of items send up to 500 in a request, and the requests one after the other. Each request is
 * atomic, the whole call is not: IncompleteError when a request after the first fails. Positions in an ApiError, such
 * as `transaction_index`, count from the first item of the request. Without items they send nothing.
 */
export interface TransactionWrites {
  /**
   * Creates any number of transactions. ApiError 400: a row is not valid, and no row of its request was created.
   *
   * In `skipped_duplicates`, `request_transactions_index` is the position among all rows.
   */
  create(
    rows: readonly TransactionInsert[],
    flags?: TransactionInsertFlags,
    options?: CallOptions,
  ): Promise<InsertedTransactions>;
  /**
   * Changes the given properties and resolves to the whole record. `update_balance` is true by default. ApiError 404:
   * it does not exist; 400: a value is not valid, or the transaction is split or grouped.
   */
  update(
    id: number,
    changes: TransactionUpdate,
    query?: QueryOf<'updateTransaction'>,
    options?: CallOptions,
  ): Promise<Transaction>;
  /** Changes any number of transactions, and resolves to the whole records in the order of the rows. */
  updateMany(
    rows: readonly TransactionUpdateWithId[],
    options?: CallOptions,
  ): Promise<readonly Transaction[]>;
  /** Deletes a transaction. ApiError 404: it does not exist; 400: it is split or grouped. */
  delete(id: number, options?: CallOptions): Promise<void>;
  /** Deletes any number of transactions. ApiError 404: one does not exist, and none of its request was deleted. */
  deleteMany(ids: readonly number[], options?: CallOptions): Promise<void>;
  /** Makes a group of transactions, and resolves to it with its `children`. */
  group(group: TransactionGroupInsert, options?: CallOptions): Promise<Transaction>;
  /** Dissolves a group; its transactions remain. */
  ungroup(id: number, options?: CallOptions): Promise<void>;
  /** Splits a transaction into parts with the same sum, and resolves to it with its `children`. */
  split(id: number, parts: readonly SplitPart[], options?: CallOptions): Promise<Transaction>;
  /** Removes the parts of the split transaction with the `id`. */
  unsplit(id: number, options?: CallOptions): Promise<void>;
}

const base = 'transactions';
const transaction = recordShape<Transaction>('a transaction');
const transactions = listShape<Transaction>(base);
const skipped =
  arrayShape<InsertedTransactions['skipped_duplicates'][number]>('skipped_duplicates');
const inserted: Shape<InsertedTransactions> = {
  name: '{ transactions, skipped_duplicates }',
  read: (body) => {
    const [rows, skips] = [transactions.read(body), skipped.read(body)];
    if (rows === null || skips === null) return null;
    return { transactions: [...rows], skipped_duplicates: [...skips] };
  },
};

/** The {@link TransactionWrites} of a client. */
export function makeTransactionWrites(call: Call): TransactionWrites {
  return {
    create: async (rows, flags, options) => {
      const results = await sendParts(rows, async ({ start, items }) => {
        const body = { ...flags, transactions: items };
        const result = await call(inserted, [base], { ...options, method: 'POST', body });
        return moved(result, start);
      });
      return {
        transactions: results.flatMap((result) => result.transactions),
        skipped_duplicates: results.flatMap((result) => result.skipped_duplicates),
      };
    },
    update: (id, body, query, options) =>
      call(transaction, [base, { id }], { ...options, method: 'PUT', query, body }),
    updateMany: async (rows, options) => {
      const results = await sendParts(rows, ({ items }) => {
        const body = { transactions: items };
        return call(transactions, [base], { ...options, method: 'PUT', body });
      });
      return results.flat();
    },
    delete: (id, options) => call(nothing, [base, { id }], { ...options, method: 'DELETE' }),
    deleteMany: async (ids, options) => {
      await sendParts(ids, ({ items }) =>
        call(nothing, [base], { ...options, method: 'DELETE', body: { ids: items } }),
      );
    },
    group: (body, options) =>
      call(transaction, [base, 'group'], { ...options, method: 'POST', body }),
    ungroup: (id, options) =>
      call(nothing, [base, 'group', { id }], { ...options, method: 'DELETE' }),
    split: (id, parts, options) => {
      const body = { child_transactions: parts };
      return call(transaction, [base, 'split', { id }], { ...options, method: 'POST', body });
    },
    unsplit: (id, options) =>
      call(nothing, [base, 'split', { id }], { ...options, method: 'DELETE' }),
  };
}

/** A result whose positions count from the first row of all. */
function moved(result: InsertedTransactions, start: number): InsertedTransactions {
  const skipped_duplicates = result.skipped_duplicates.map((skip) => ({
    ...skip,
    request_transactions_index: skip.request_transactions_index + start,
  }));
  return { ...result, skipped_duplicates };
}
