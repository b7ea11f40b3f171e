import sql, { type Sql } from 'sql-template-tag';
import type { Static } from 'typebox';
import type { Change } from '../book/change.ts';
import type { Steps } from '../db/engine.ts';
import { idsOf } from '../db/rows.ts';
import type { Row } from '../db/table.ts';
import { categories, manualAccounts, tags, transactions } from '../db/tables/tables.ts';
import { write, type Operation } from '../operations/operation.ts';
import { recordOf } from '../operations/records.ts';
import { noContent, refusedWith } from '../operations/responses.ts';
import { DeleteQuery } from '../operations/schema.ts';
import type { ManualAccount } from './accounts/actions.ts';
import { dropAnchors } from './accounts/anchors.ts';
import { DeleteAccountQuery, ManualAccountPath } from './accounts/schema.ts';
import { dropHistory, keepHistory } from './balance-history/actions.ts';
import { CategoryDependents, CategoryPath } from './categories/requests.ts';
import { referencesTo } from './records.ts';
import { TagDependents, TagPath } from './tags/schema.ts';
import { removePartsOf } from './transactions/writes.ts';

/** The operation that deletes a category. */
export const categoryRemovalRoutes: readonly Operation[] = [
  write(
    'DELETE',
    {
      path: '/v2/categories/{id}',
      tag: 'categories',
      params: CategoryPath,
      id: 'deleteCategory',
      size: 'unbounded',
      summary: 'Delete a category or a group',
      description:
        'If records depend on it, the response is 422. With `force=true` transactions become uncategorized, ' +
        'and members belong to no group.',
      query: DeleteQuery,
      response: noContent('The category or group is deleted.'),
      refusals: {
        422: refusedWith(422, CategoryDependents, 'Records depend on it.'),
      },
    },
    function* ({ bookId, params, query, refuse }, change) {
      const category = yield* recordOf(categories, 'category', bookId, params.id);
      const dependents = yield* countDependents(category);
      if (!query.force && Object.values(dependents).some((count) => count > 0))
        refuse(422, { category_name: category.name, dependents });
      yield* removeCategory(change, category);
    },
  ),
];

/** The operation that deletes a tag. */
export const tagRemovalRoutes: readonly Operation[] = [
  write(
    'DELETE',
    {
      path: '/v2/tags/{id}',
      tag: 'tags',
      params: TagPath,
      id: 'deleteTag',
      size: 'unbounded',
      summary: 'Delete a tag',
      description:
        'If transactions or rules have it, the response is 422. With `force=true` they lose it.',
      query: DeleteQuery,
      response: noContent('The tag is deleted.'),
      refusals: {
        422: refusedWith(422, TagDependents, 'Records depend on it.'),
      },
    },
    function* ({ bookId, params, query, refuse }, change) {
      const tag = yield* recordOf(tags, 'tag', bookId, params.id);
      const dependents = yield* countTagDependents(tag);
      if (!query.force && Object.values(dependents).some((count) => count > 0))
        refuse(422, { tag_name: tag.name, dependents });
      yield* removeTag(change, tag);
    },
  ),
];

/** The operation that deletes a manual account. */
export const accountRemovalRoutes: readonly Operation[] = [
  write(
    'DELETE',
    {
      path: '/v2/manual_accounts/{id}',
      tag: 'manual-accounts',
      params: ManualAccountPath,
      id: 'deleteManualAccount',
      size: 'unbounded',
      summary: 'Delete a manual account',
      description:
        'Transactions keep the id of the account, unless `delete_items` is sent. Then groups with one of its ' +
        'transactions are dissolved.',
      query: DeleteAccountQuery,
      response: noContent('The account is deleted.'),
    },
    function* ({ bookId, params, query }, change) {
      const account = yield* recordOf(manualAccounts, 'manual account', bookId, params.id);
      const { delete_items: items, delete_balance_history: history } = query;
      yield* removeAccount(change, account, { items, history });
    },
  ),
];

type CategoryRow = Row<typeof categories>;
/** The number of dependents of a category by kind. */
export type Dependents = Static<typeof CategoryDependents>['dependents'];

/** Returns the number of dependents of a category or group by kind. */
export function* countDependents({ book_id, id }: CategoryRow): Steps<Dependents> {
  const none = { budget: 0, category_rules: 0, transactions: 0, children: 0 };
  const counts: Record<keyof Dependents, number> = { ...none, recurring: 0, plaid_cats: 0 };
  for (const { dependents, count } of referencesTo('categories'))
    counts[dependents as keyof Dependents] += yield* count(book_id, id);
  return counts;
}

/** Removes a category or group, and every reference to it. */
export function* removeCategory(change: Change, category: CategoryRow): Steps<void> {
  for (const { detach } of referencesTo('categories')) yield* detach(change, category.id);
  yield* change.remove(categories, category);
}

/** Returns the number of dependents of a tag by kind. */
function* countTagDependents({
  book_id,
  id,
}: Row<typeof tags>): Steps<Static<typeof TagDependents>['dependents']> {
  const counts = { rules: 0, transactions: 0 };
  for (const { dependents, count } of referencesTo('tags'))
    counts[dependents as keyof typeof counts] += yield* count(book_id, id);
  return counts;
}

/** Removes a tag, and every reference to it. */
function* removeTag(change: Change, tag: Row<typeof tags>): Steps<void> {
  for (const { detach } of referencesTo('tags')) yield* detach(change, tag.id);
  yield* change.remove(tags, tag);
}

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
    for (const { remove } of referencesTo('manual_accounts')) yield* remove(change, account.id);
  }
  if (history) yield* dropHistory(change, source);
  else yield* keepHistory(change, source, { ...account, account_type: account.type });
  yield* dropAnchors(change, source);
  yield* change.remove(manualAccounts, account);
}

/**
 * Removes the transactions of an account, and keeps the others consistent:
 *
 * - Parts go with their original. A part whose original is in another account stays, without an account.
 * - A group that loses a member is dissolved: its other members stay as single transactions.
 */
function* removeTransactionsOf(change: Change, accountId: number): Steps<void> {
  const { bookId } = change;
  const isOwn = sql`t.manual_account_id = ${accountId}`;
  const isPart = sql`EXISTS (SELECT 1 FROM transactions w WHERE w.book_id = ${bookId} AND w.id = t.split_parent_id
    AND w.manual_account_id = ${accountId})`;
  const isGone = sql`(${isOwn} AND t.split_parent_id IS NULL OR t.split_parent_id IS NOT NULL AND ${isPart})`;
  const idsWith = (condition: Sql): Steps<number[]> =>
    idsOf(sql`SELECT t.id FROM transactions t WHERE t.book_id = ${bookId} AND ${condition}`);
  const isMember = sql`t.group_parent_id IS NOT NULL AND ${isGone}`;
  const whole = sql`SELECT t.group_parent_id FROM transactions t WHERE t.book_id = ${bookId} AND ${isMember}
    UNION SELECT t.id FROM transactions t WHERE t.book_id = ${bookId} AND t.is_group_parent = 1 AND ${isGone}`;
  const own = yield* idsWith(sql`${isOwn} AND (t.split_parent_id IS NULL OR ${isPart})`);
  const parts = yield* idsWith(sql`t.split_parent_id IS NOT NULL AND ${isPart}
    AND t.manual_account_id IS DISTINCT FROM ${accountId}`);
  const groups = yield* idsWith(sql`t.id IN (${whole}) AND ${isGone} IS NOT TRUE`);
  const left = yield* idsWith(sql`t.group_parent_id IN (${whole}) AND ${isGone} IS NOT TRUE`);
  const stray = yield* idsWith(sql`${isOwn} AND t.split_parent_id IS NOT NULL AND NOT ${isPart}`);
  yield* change.updateSet(transactions, left, { group_parent_id: null });
  yield* change.updateSet(transactions, stray, { manual_account_id: null });
  const all = [own, parts, groups];
  for (const ids of all) yield* removePartsOf(change, ids);
  // No balance is moved, and no file is compared with an account that is gone.
  for (const ids of all) yield* change.removeSet(transactions, ids);
}
