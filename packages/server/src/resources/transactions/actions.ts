/*
 * What other rooms and resources use of transactions.
 */
export { insertCompleted } from './complete.ts';
export { BulkRows, insertTransactions, removeTransactions } from './writes.ts';
export type { NewTransaction, TransactionRow } from './writes.ts';
