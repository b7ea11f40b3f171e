/*
 * What other rooms and resources use of transactions.
 */
export { completionOf, insertCompleted } from './complete.ts';
export type { Completion } from './complete.ts';
export { splitTransaction } from './split.ts';
export {
  BulkRows,
  insertTransactions,
  movesOf,
  removeTransactions,
  updateTransactions,
} from './writes.ts';
export type { NewTransaction, TransactionRow, TransactionUpdate } from './writes.ts';
