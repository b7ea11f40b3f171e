import { manualAccounts, transactions } from '../db/tables/tables.ts';
import { noContent } from '../operations/responses.ts';
import { write, type Operation } from '../operations/operation.ts';
import { recordOf } from '../operations/records.ts';
import * as schema from './accounts/schema.ts';
import sql, { join, raw } from 'sql-template-tag';
import type { Change } from '../book/change.ts';
import { blocksOf, padded } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { dropHistory, keepHistory } from './balance-history/actions.ts';
import { removeTransactions, type TransactionRow } from './transactions/writes.ts';
import type { ManualAccount } from './accounts/balances.ts';
import { accountReferrers } from './account-referrers.ts';

const noun = 'manual account';
const tag = 'manual-accounts';
const one = { path: '/v2/manual_accounts/{id}', tag, params: schema.ManualAccountPath } as const;

/** The operations of this folder. */

/** The operation that deletes a manual account. */
export const accountRemovalRoutes: readonly Operation[] = [
  write(
    'DELETE',
    {
      ...one,
      id: 'deleteManualAccount',
      summary: 'Delete a manual account',
      description:
        'Transactions keep the id of the account, unless `delete_items` is sent. Then groups with one of its ' +
        'transactions are dissolved.',
      query: schema.DeleteAccountQuery,
      response: noContent('The account is deleted.'),
    },
    function* ({ bookId, params, query }, change) {
      const account = yield* recordOf(manualAccounts, noun, bookId, params.id);
      const { delete_items: items, delete_balance_history: history } = query;
      yield* removeAccount(change, account, { items, history });
    },
  ),
];

/** What is deleted with an account. By default transactions keep its id, and its history is kept. */
export interface RemovalOptions {
  readonly items?: boolean;
  readonly history?: boolean;
}

/** Removes a manual account. */
export function* removeAccount(
  change: Change,
  account: ManualAccount,
  { items = false, history = false }: RemovalOptions = {},
): Steps<void> {
  const source = { kind: 'manual', id: account.id } as const;
  if (items) {
    yield* removeTransactionsOf(change, account.id);
    for (const { removeOf } of accountReferrers) yield* removeOf(change, source.kind, account.id);
  }
  if (history) yield* dropHistory(change, source);
  else yield* keepHistory(change, source, { ...account, account_type: account.type });
  yield* change.remove(manualAccounts, account);
}

/**
 * Removes the transactions of an account, and keeps the others consistent:
 *
 * - Parts go with their original. A part whose original is in another account stays, without an account.
 * - A group that loses a member is dissolved: its other members stay as single transactions.
 */
function* removeTransactionsOf(change: Change, accountId: number): Steps<void> {
  const own = yield* select(transactions, {
    book_id: change.bookId,
    manual_account_id: accountId,
  });
  const ids = new Set(own.map(({ id }) => id));
  const isStray = ({ split_parent_id: id }: TransactionRow) => id !== null && !ids.has(id);
  const removed = new Map(own.filter((row) => !isStray(row)).map((row) => [row.id, row]));
  const originals = [...removed.values()].filter((row) => row.is_split_parent);
  const parts = yield* rowsWith(change, 'split_parent_id', originals.map(idOf));
  for (const part of parts) removed.set(part.id, part);
  const groups = yield* rowsWith(change, 'id', groupsOf([...removed.values()]));
  for (const group of groups) removed.set(group.id, group);
  const members = yield* rowsWith(change, 'group_parent_id', groupIds([...removed.values()]));
  const left = members.filter(({ id }) => !removed.has(id));
  yield* change.updateAll(transactions, left, { group_parent_id: null });
  yield* change.updateAll(transactions, own.filter(isStray), { manual_account_id: null });
  // No file is compared with an account that is gone.
  yield* removeTransactions(change, [...removed.values()], {
    skipBalanceUpdate: true,
    isOfBank: true,
  });
}

function* rowsWith(
  { bookId }: Change,
  column: 'id' | 'split_parent_id' | 'group_parent_id',
  ids: readonly number[],
): Steps<TransactionRow[]> {
  const found: TransactionRow[] = [];
  for (const block of blocksOf(ids)) {
    const and = sql`${raw(column)} IN (${join(padded(block, block[0]!))})`;
    found.push(...(yield* select(transactions, { book_id: bookId }, { and })));
  }
  return found;
}

function idOf({ id }: TransactionRow): number {
  return id;
}

/** The groups that the rows are members of. */
function groupsOf(rows: readonly TransactionRow[]): number[] {
  const ids = rows.map((row) => row.group_parent_id).filter((id) => id !== null);
  return [...new Set(ids)];
}

function groupIds(rows: readonly TransactionRow[]): number[] {
  return rows.filter((row) => row.is_group_parent).map(idOf);
}
