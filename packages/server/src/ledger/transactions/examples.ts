import type { ChildTransaction, Transaction, TransactionListResponse } from './schema.ts';

const bakery: Transaction = {
  id: 5120,
  date: '2026-03-14',
  amount: '7.4000',
  currency: 'eur',
  to_base: 7.4,
  recurring_id: null,
  payee: 'Corner Bakery',
  original_name: 'CORNER BAKERY 0042',
  category_id: 12,
  plaid_account_id: null,
  manual_account_id: 3,
  external_id: '2026-03-14-0007',
  tag_ids: [4],
  notes: null,
  status: 'reviewed',
  is_pending: false,
  created_at: '2026-03-15T06:30:00.000Z',
  updated_at: '2026-03-15T06:30:00.000Z',
  is_split_parent: false,
  split_parent_id: null,
  is_group_parent: false,
  group_parent_id: null,
  source: 'csv',
};

const salary: Transaction = {
  ...bakery,
  id: 5093,
  date: '2026-03-01',
  amount: '-2840.0000',
  to_base: -2840,
  payee: 'Salary',
  original_name: 'PAYROLL MARCH',
  category_id: 20,
  external_id: null,
  tag_ids: [],
  notes: 'March',
  source: 'manual',
};

const alone = { plaid_metadata: null, custom_metadata: null, files: [] };

const receipt: Transaction = {
  ...bakery,
  plaid_metadata: null,
  custom_metadata: { till: 2 },
  files: [
    {
      id: 8,
      uploaded_by: 1,
      name: 'receipt.pdf',
      type: 'application/pdf',
      size: 41,
      notes: null,
      created_at: '2026-03-15T06:31:20.250Z',
    },
  ],
};

const trip: Transaction = {
  ...bakery,
  ...alone,
  id: 5130,
  amount: '52.6000',
  to_base: 52.6,
  payee: 'Day trip',
  original_name: 'Day trip',
  manual_account_id: null,
  external_id: null,
  is_group_parent: true,
  source: 'api',
  children: [
    { ...bakery, ...alone, group_parent_id: 5130 },
    {
      ...salary,
      ...alone,
      id: 5121,
      date: '2026-03-14',
      amount: '45.2000',
      to_base: 45.2,
      payee: 'Railway',
      original_name: 'RAILWAY',
      category_id: 13,
      notes: null,
      group_parent_id: 5130,
    },
  ],
};

const part: ChildTransaction = {
  ...bakery,
  ...alone,
  id: 5140,
  amount: '4.4000',
  to_base: 4.4,
  payee: 'Bread',
  external_id: null,
  tag_ids: [],
  split_parent_id: 5120,
  source: 'split',
};

const purchase: Transaction = {
  ...bakery,
  ...alone,
  is_split_parent: true,
  children: [part, { ...part, id: 5141, amount: '3.0000', to_base: 3, payee: 'Cake' }],
};

const page: TransactionListResponse = { transactions: [bakery, salary], has_more: true };
const pastTheEnd: TransactionListResponse = { transactions: [], has_more: false };

/** Example bodies of transactions; tests check each against its schema. */
export const transactionExamples = {
  list: {
    page: { summary: 'A first page with limit=2', value: page },
    pastTheEnd: { summary: 'An offset past the last match', value: pastTheEnd },
  },
  one: {
    receipt: { summary: 'A transaction with a file and custom data', value: receipt },
    group: { summary: 'A group and its members', value: trip },
    split: { summary: 'A split transaction and its parts', value: purchase },
  },
};
