import { OtherResponse, changed, noContent, ok } from '../../operations/responses.ts';
import { instantOf } from '@coffer/core/dates';
import { Type, type Static } from 'typebox';
import { exampleOf, someId, day, word, only, flag, optional } from '../../operations/schema.ts';
import { debitAsNegative, formsV1, refusedV1 } from '../refusals.ts';
import { read, write, type Operation } from '../../operations/operation.ts';
import {
  TransactionPath,
  filterId,
  TransactionListQuery,
} from '../../ledger/transactions/parameters.ts';
import { transactionV1, toV1, transactionsV1 } from './render.ts';
import { changeV1, createGroupV1, groupV1, insertV1, removeGroupV1, unsplitV1 } from './writes.ts';
import { parentExamples, Transaction } from '../../ledger/transactions/schema.ts';
import { TransactionTagV1, oneText, type TransactionV1, type TransactionListV1 } from './schema.ts';
import * as schema from './schema.ts';
import { maxId, minId } from '@coffer/core/ids';
import { now, type Steps } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import { monthOf } from '../../ledger/recurring/rules.ts';
import { defaultLimit, maxLimit, minLimit, noneId } from '../../operations/limits.ts';
import type { TransactionQuery } from '../../pages/filter.ts';
import { listTransactions } from '../../pages/pages.ts';
import type { RememberedKeys } from '../../pages/remembered-keys.ts';

/** The filters with the same name in v2. */
const same = ['tag_id', 'recurring_id', 'category_id', 'plaid_account_id'] as const;
const { include_pending: pending, offset } = TransactionListQuery.properties;

/** The query of GET /v1/transactions. */
const TransactionListQueryV1 = Type.Object({
  start_date: optional(
    day('First day, inclusive; only with `end_date`. By default this month in UTC.'),
  ),
  end_date: optional(day('Last day, inclusive; only with `start_date`.')),
  ...only(TransactionListQuery.properties, same),
  asset_id: filterId(noneId, 'In this manual account; 0: in none. Groups have no account.'),
  group_id: filterId(minId, 'Members of this group.'),
  is_group: optional(flag('Only groups (true), or no groups, but their members (false).')),
  status: optional(
    word(['cleared', 'uncleared', 'pending', 'recurring', 'recurring_suggested'], {
      description:
        'With this status. `pending` needs no `pending=true`. No transaction has the last two any more.',
    }),
  ),
  pending,
  debit_as_negative: debitAsNegative,
  limit: Type.Integer({
    minimum: minLimit,
    maximum: maxId,
    default: defaultLimit,
    description: `Largest number of transactions in the page; more than ${maxLimit} means ${maxLimit}.`,
  }),
  offset,
});
type TransactionListQueryV1 = Static<typeof TransactionListQueryV1>;

/** Returns a page of the newest transactions of a range, oldest first. Throws an OwnRefusal for half a range. */
function* listV1(
  bookId: number,
  sent: TransactionListQueryV1,
  pageKeys: RememberedKeys,
): Steps<Static<typeof TransactionListV1>> {
  const { start_date, end_date, status } = sent;
  if ((start_date === undefined) !== (end_date === undefined))
    throw refusedV1(oneText, 'Both start_date and end_date must be specified.');
  if (status === 'recurring' || status === 'recurring_suggested')
    return { transactions: [], has_more: false };
  const range = start_date === undefined ? monthOf(yield* now()) : { start_date, end_date };
  const query = { ...range, ...filters(sent), ...statusFilter(status, sent.pending) };
  const page = yield* listTransactions(bookId, query as TransactionQuery, pageKeys);
  const rows = JSON.parse(`[${page.json.toString()}]`) as Transaction[];
  const transactions = yield* transactionsV1(bookId, rows.reverse(), sent.debit_as_negative);
  return { transactions, has_more: page.hasMore };
}

/** Returns the query of v2 without dates and status: everything at once, with what v1 shows. */
function filters(sent: TransactionListQueryV1) {
  return {
    ...given({ ...only(sent, same), manual_account_id: sent.asset_id }),
    ...given({ group_parent_id: sent.group_id, is_group_parent: sent.is_group }),
    include_split_parents: true,
    include_group_children: true,
    include_children: true,
    include_metadata: true,
    include_files: false,
    limit: Math.min(sent.limit, maxLimit),
    offset: sent.offset,
  };
}

/** Pending transactions have a status of their own. */
function statusFilter(status: TransactionListQueryV1['status'], include_pending: boolean) {
  if (status === undefined) return { include_pending };
  if (status === 'pending') return { include_pending, is_pending: true };
  return { include_pending, is_pending: false, is_reviewed: status === 'cleared' };
}

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
