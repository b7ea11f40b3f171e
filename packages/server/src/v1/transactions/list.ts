import { maxId, minId } from '@coffer/core/ids';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { now } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import { monthOf } from '../../ledger/recurring/rules.ts';
import { day, word, only, flag, optional } from '../../operations/schema.ts';
import { filterId, TransactionListQuery } from '../../ledger/transactions/parameters.ts';
import type { Transaction } from '../../ledger/transactions/schema.ts';
import { defaultLimit, maxLimit, minLimit, noneId } from '../../operations/limits.ts';
import type { TransactionQuery } from '../../pages/filter.ts';
import { listTransactions } from '../../pages/pages.ts';
import type { RememberedKeys } from '../../pages/remembered-keys.ts';
import { debitAsNegative, refusedV1 } from '../refusals.ts';
import { transactionsV1 } from './render.ts';
import { oneText } from './schema.ts';
import type { TransactionListV1 } from './schema.ts';

/** The filters with the same name in v2. */
const same = ['tag_id', 'recurring_id', 'category_id', 'plaid_account_id'] as const;
const { include_pending: pending, offset } = TransactionListQuery.properties;

/** The query of GET /v1/transactions. */
export const TransactionListQueryV1 = Type.Object({
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
export function* listV1(
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
