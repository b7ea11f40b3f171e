import type { TSchema } from 'typebox';
import * as requests from './bodies.ts';

/** The schemas of the operations that write transactions, by their name in the document. */
export const transactionWriteComponents = {
  TransactionsInsert: requests.TransactionsInsert,
  TransactionInsert: requests.TransactionInsert,
  InsertedTransactions: requests.InsertedTransactions,
  SkippedTransaction: requests.SkippedTransaction,
  TransactionUpdate: requests.TransactionUpdate,
  TransactionsUpdate: requests.TransactionsUpdate,
  TransactionUpdateWithId: requests.TransactionUpdateWithId,
  UpdatedTransactions: requests.UpdatedTransactions,
  TransactionsDelete: requests.TransactionsDelete,
} as const satisfies Readonly<Record<string, TSchema>>;
