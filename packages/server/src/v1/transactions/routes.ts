import { OtherResponse, changed, noContent, ok } from '../../operations/responses.ts';
import { instantOf } from '@coffer/core/dates';
import { Type } from 'typebox';
import { exampleOf, someId } from '../../operations/schema.ts';
import { debitAsNegative, formsV1, refusedV1 } from '../refusals.ts';
import { read, write } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { TransactionPath } from '../../ledger/transactions/parameters.ts';
import { listV1, TransactionListQueryV1 } from './list.ts';
import { transactionV1, toV1 } from './render.ts';
import { changeV1, createGroupV1, groupV1, insertV1, removeGroupV1, unsplitV1 } from './writes.ts';
import { parentExamples, Transaction } from '../../ledger/transactions/schema.ts';
import { TransactionTagV1 } from './schema.ts';
import type { TransactionV1 } from './schema.ts';
import * as schema from './schema.ts';

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
const examplesV1 = {
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

const area = { tag: 'transactions', v1: formsV1.transactions } as const;
const group = ok(schema.TransactionV1, 'The group with its members.', examplesV1.group);

/** The operations of v1 on transactions. */
export const transactionRoutesV1: readonly Operation[] = [
  read(
    {
      ...area,
      id: 'getAllTransactionsV1',
      path: '/v1/transactions',
      summary: 'List transactions',
      description:
        'Returns the newest transactions that pass every filter, oldest first: split transactions and their parts, ' +
        'groups and their members. A larger `offset` returns older transactions.',
      query: TransactionListQueryV1,
      response: ok(schema.TransactionListV1, 'The page.', examplesV1.list),
    },
    ({ bookId, query, pageKeys }) => listV1(bookId, query, pageKeys),
    // Without dates it is the list of this month.
    { isCached: true, state: (_identity, nowMs) => instantOf(nowMs).slice(0, 7) },
  ),
  read(
    {
      ...area,
      id: 'getTransactionGroupV1',
      path: '/v1/transactions/group',
      summary: 'Get a group',
      description: 'Returns the group that a transaction is, or is a member of.',
      query: Type.Object({ transaction_id: someId('Id of the group or of a member.') }),
      response: group,
    },
    ({ bookId, query }) => groupV1(bookId, query.transaction_id),
  ),
  read(
    {
      ...area,
      id: 'getTransactionGroupByIdV1',
      path: '/v1/transactions/group/{id}',
      summary: 'Get a group by its path',
      description: 'The same, for clients that send the id in the path.',
      params: TransactionPath,
      response: group,
    },
    ({ bookId, params }) => groupV1(bookId, params.id),
  ),
  write(
    'POST',
    {
      ...area,
      id: 'groupTransactionsV1',
      path: '/v1/transactions/group',
      summary: 'Group transactions',
      description: 'Creates a group, as in v2.',
      body: schema.GroupInsertV1,
      response: changed(schema.GroupIdV1, 'The id of the group.'),
    },
    ({ body }, change) => createGroupV1(change, body),
  ),
  write(
    'DELETE',
    {
      ...area,
      id: 'ungroupTransactionsV1',
      path: '/v1/transactions/group/{id}',
      summary: 'Delete a group',
      description: 'Deletes a group. Its members become normal transactions.',
      params: TransactionPath,
      response: changed(schema.UngroupedV1, 'The former members.'),
    },
    function* ({ params }, change) {
      return { transactions: yield* removeGroupV1(change, params.id) };
    },
  ),
  read(
    {
      ...area,
      id: 'getTransactionByIdV1',
      path: '/v1/transactions/{id}',
      summary: 'Get a transaction',
      params: TransactionPath,
      query: Type.Object({ debit_as_negative: debitAsNegative }),
      response: ok(schema.TransactionV1, 'The transaction.', examplesV1.one),
    },
    function* ({ bookId, params, query }) {
      const shown = yield* transactionV1(bookId, params.id, query.debit_as_negative);
      if (shown === null) throw refusedV1(schema.oneText, 'Transaction ID not found.');
      return shown;
    },
  ),
  write(
    'POST',
    {
      ...area,
      id: 'createNewTransactionsV1',
      path: '/v1/transactions',
      summary: 'Insert transactions',
      description:
        'Inserts up to 500 transactions. An `external_id` that exists in its account refuses all of them, unless ' +
        '`skip_duplicates` is true. Tags with new names are created.',
      body: schema.TransactionsInsertV1,
      response: changed(schema.InsertedTransactionsV1, 'The new ids.'),
      refusals: { 204: noContent('All transactions were skipped.') },
    },
    function* ({ body }, change) {
      const ids = yield* insertV1(change, body);
      return ids.length === 0 ? new OtherResponse(204) : { ids: [...ids] };
    },
  ),
  write(
    'PUT',
    {
      ...area,
      id: 'updateTransactionV1',
      path: '/v1/transactions/{id}',
      summary: 'Update or split a transaction',
      description:
        'What is absent stays as it is. Split and grouped transactions can be changed, too. The parts of a split ' +
        'always total its amount: a new amount of the split changes the last part, a new amount of a part changes ' +
        'the last other part. Currency and account are those of the whole split. A group has the total of its ' +
        'members, so a new amount, currency or account of a group has no effect.',
      params: TransactionPath,
      body: schema.TransactionChangeV1,
      bodyExamples: examplesV1.change,
      response: changed(schema.ChangedTransactionV1, 'It is done.', examplesV1.changed),
    },
    ({ params, body }, change) => changeV1(change, params.id, body),
  ),
  write(
    'POST',
    {
      ...area,
      id: 'unsplitTransactionV1',
      path: '/v1/transactions/unsplit',
      v1: schema.oneText,
      summary: 'Delete the parts of transactions',
      description:
        'Deletes the parts of all these transactions, or of none if one of them is not split. The balances of ' +
        'accounts stay as they are.',
      body: schema.UnsplitV1,
      response: changed(schema.UnsplitIdsV1, 'The deleted transactions.'),
    },
    ({ body }, change) => unsplitV1(change, body),
  ),
];
