import { transactionExamples } from '../../ledger/transactions/examples.ts';
import { toV1 } from './render.ts';
import type { TransactionV1 } from './schema.ts';

const { receipt, group } = transactionExamples.one;
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
  tags: [{ name: 'Road trip', id: 4 }],
};
const account = { asset_name: 'Wallet', asset_status: 'active', account_display_name: 'Wallet' };
const bakery: TransactionV1 = { ...toV1(receipt.value, named, false), ...texts, ...account };
const trip: TransactionV1 = { ...toV1(group.value, named, false), ...texts };
const sent = { date: '2026-03-14', amount: 7.4, payee: 'Corner Bakery', tags: ['Road trip'] };
const toGroup = { date: '2026-03-14', payee: 'Day trip', transactions: [5120, 5121] };
const parts = [{ amount: '4.4', payee: 'Bread' }, { amount: 3 }];
const page = { transactions: [bakery], has_more: true };
const insert = { transactions: [sent], skip_duplicates: true };

/** Example bodies of v1 about transactions; tests check each against its schema. */
export const examplesV1 = {
  one: { bakery: { summary: 'A transaction of a manual account', value: bakery } },
  list: { page: { summary: 'The newest page, with limit=1', value: page } },
  group: { trip: { summary: 'A group and its members', value: trip } },
  toGroup: { trip: { summary: 'A day trip', value: toGroup } },
  grouped: { trip: { summary: 'The id of the group', value: 5130 } },
  ungrouped: { trip: { summary: 'Two members', value: { transactions: [5120, 5121] } } },
  insert: { one: { summary: 'A payment', value: insert } },
  inserted: { one: { summary: 'One transaction', value: { ids: [5120] } } },
  change: {
    update: { summary: 'New notes', value: { transaction: { notes: 'Breakfast' } } },
    split: { summary: 'Two parts of 7.40', value: { split: parts } },
  },
  changed: {
    update: { summary: 'An update', value: { updated: true } },
    split: { summary: 'A split', value: { updated: true, split: [5140, 5141] } },
  },
  unsplit: { one: { summary: 'One split', value: { parent_ids: [5120] } } },
  deleted: { parts: { summary: 'Two parts', value: [5140, 5141] } },
};
