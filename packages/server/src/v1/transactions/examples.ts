import { exampleOf } from '../../operations/schema.ts';
import { parentExamples, Transaction } from '../../ledger/transactions/schema.ts';
import { toV1 } from './render.ts';
import { TransactionTagV1, type TransactionV1 } from './schema.ts';

const none = new Map<number, never>();
const named = {
  categories: none,
  groups: none,
  manualAccounts: none,
  plaidAccounts: none,
  tags: none,
  recurring: none,
};
const texts = {
  category_name: 'Bread',
  category_group_id: 2,
  category_group_name: 'Food',
  tags: [exampleOf(TransactionTagV1)],
};
const account = { asset_name: 'Wallet', asset_status: 'active', account_display_name: 'Wallet' };
const bakery: TransactionV1 = {
  ...toV1(exampleOf(Transaction), named, false),
  ...texts,
  ...account,
};
const trip: TransactionV1 = { ...toV1(parentExamples.group.value, named, false), ...texts };
const parts = [{ amount: '4.4', payee: 'Bread' }, { amount: 3 }];
const page = { transactions: [bakery], has_more: true };

/** Example bodies of v1 about transactions; tests check each against its schema. */
export const examplesV1 = {
  one: { bakery: { summary: 'A transaction of a manual account', value: bakery } },
  list: { page: { summary: 'The newest page, with limit=1', value: page } },
  group: { trip: { summary: 'A group and its members', value: trip } },
  change: {
    update: { summary: 'New notes', value: { transaction: { notes: 'Breakfast' } } },
    split: { summary: 'Two parts of 7.40', value: { split: parts } },
  },
  changed: {
    update: { summary: 'An update', value: { updated: true } },
    split: { summary: 'A split', value: { updated: true, split: [5140, 5141] } },
  },
};
