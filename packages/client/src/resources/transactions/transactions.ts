import type { CallOptions } from '../../sending/options.ts';
import { recordShape } from '../resource.ts';
import type { Call } from '../resource.ts';
import { makeAttachments } from './attachments.ts';
import type { TransactionAttachments } from './attachments.ts';
import { makeTransactionLists } from './lists.ts';
import type { Transaction, TransactionLists } from './lists.ts';
import { makeTransactionWrites } from './writes.ts';
import type { TransactionWrites } from './writes.ts';

/** Methods of transactions. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Transactions extends TransactionLists, TransactionWrites, TransactionAttachments {
  /** One transaction, with metadata, files, and children if any. ApiError 404: it does not exist. */
  get(id: number, options?: CallOptions): Promise<Transaction>;
}

const transaction = recordShape<Transaction>('a transaction');

/** The transactions of a client. */
export function makeTransactions(call: Call): Transactions {
  return {
    ...makeTransactionLists(call),
    ...makeTransactionWrites(call),
    ...makeAttachments(call),
    get: (id, options) => call(transaction, ['transactions', { id }], options),
  };
}
