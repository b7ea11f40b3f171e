import { transactionExamples } from '../examples.ts';
import type {
  InsertedTransactions,
  TransactionInsert,
  TransactionUpdate,
  UpdatedTransactions,
} from './bodies.ts';
import type { Transaction } from '../schema.ts';

const receipt: Transaction = transactionExamples.one.receipt.value;

const lunch: TransactionInsert = {
  date: '2026-03-14',
  amount: '7.4',
  payee: 'Corner Bakery',
  manual_account_id: 3,
  external_id: '2026-03-14-0007',
};

const inserted: InsertedTransactions = { transactions: [receipt], skipped_duplicates: [] };
const skipped: InsertedTransactions = {
  transactions: [],
  skipped_duplicates: [
    {
      reason: 'duplicate_external_id',
      request_transactions_index: 0,
      existing_transaction_id: receipt.id,
      request_transaction: lunch,
    },
  ],
};
const changes: TransactionUpdate = { category_id: 12, additional_tag_ids: [4] };
const updated: UpdatedTransactions = { transactions: [receipt] };

/** Example bodies of the operations that write transactions; tests check each against its schema. */
export const writeExamples = {
  insert: {
    one: { summary: 'A transaction in a manual account', value: { transactions: [lunch] } },
    least: {
      summary: 'Only what is required, without duplicates',
      value: { transactions: [{ date: '2026-03-14', amount: -12 }], skip_duplicates: true },
    },
  },
  inserted: {
    inserted: { summary: 'Inserted', value: inserted },
    skipped: { summary: 'It exists and was skipped', value: skipped },
  },
  update: {
    some: { summary: 'A category and one more tag', value: changes },
    whole: {
      summary: 'A whole transaction, with other notes',
      value: { ...receipt, notes: 'Bread' },
    },
  },
  updateMany: {
    some: { summary: 'A category', value: { transactions: [{ id: receipt.id, category_id: 12 }] } },
  },
  updated: { updated: { summary: 'The changed transaction', value: updated } },
  delete: { two: { summary: 'Two transactions', value: { ids: [5093, 5120] } } },
};
