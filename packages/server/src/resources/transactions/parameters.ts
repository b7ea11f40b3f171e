import { Type, type Static } from 'typebox';
import { idPath, word } from '../../wire/schema.ts';
import { maxId, minId } from '@coffer/core/ids';
import {
  defaultLimit,
  defaultOffset,
  maxLimit,
  maxOffset,
  minLimit,
  noneId,
} from '../../wire/limits.ts';
import { transactionStatuses } from './schema.ts';

function day(description: string) {
  return Type.Optional(Type.String({ format: 'date', description }));
}

function since(description: string) {
  const day = Type.String({ format: 'date' });
  const instant = Type.String({ format: 'date-time' });
  return Type.Optional(Type.Union([day, instant], { description }));
}

function filterId(minimum: number, description: string) {
  return Type.Optional(Type.Integer({ minimum, maximum: maxId, description }));
}

function filterFlag(description: string) {
  return Type.Optional(Type.Boolean({ description }));
}

function includeFlag(description: string) {
  return Type.Boolean({ default: false, description });
}

/** The query of GET /v2/transactions, defaults filled in. A row must pass every filter that is sent. */
export const TransactionListQuery = Type.Object(
  {
    start_date: day(
      'First day of the range, inclusive: a calendar date `YYYY-MM-DD`, years 0001 to 9999. May be sent without `end_date`: then no day is too late. Later than `end_date`: 400.',
    ),
    end_date: day(
      'Last day of the range, inclusive: a calendar date `YYYY-MM-DD`, years 0001 to 9999. May be sent without `start_date`: then no day is too early.',
    ),
    created_since: since(
      'Only transactions made after this instant, exclusive. A date-time of RFC 3339 with `Z` or an offset, or a date `YYYY-MM-DD`, which means its first instant in UTC. Compared in milliseconds.',
    ),
    updated_since: since(
      'Only transactions last changed after this instant, exclusive. Same forms as `created_since`.',
    ),
    manual_account_id: filterId(
      noneId,
      'Only transactions of this manual account; 0: only those of no manual account. With `plaid_account_id=0` as well, only those of no account at all. ' +
        'A group belongs to no account: to find its members, also set `include_group_children`.',
    ),
    plaid_account_id: filterId(
      noneId,
      'Only transactions of this synced account; 0: only those of no synced account. With `manual_account_id=0` as well, only those of no account at all. ' +
        'A group belongs to no account: to find its members, also set `include_group_children`.',
    ),
    recurring_id: filterId(minId, 'Only transactions of this recurring item.'),
    category_id: filterId(
      noneId,
      'Only transactions of this category; the id of a category group stands for all its members; 0: only uncategorized transactions.',
    ),
    tag_id: filterId(minId, 'Only transactions that carry this tag.'),
    is_group_parent: filterFlag(
      'True: only transactions that stand for a group. False: only those that do not.',
    ),
    status: Type.Optional(
      word(transactionStatuses, { description: 'Only transactions with this status.' }),
    ),
    is_pending: filterFlag(
      'True: only pending transactions. False: only posted ones. When sent, `include_pending` has no effect.',
    ),
    include_pending: includeFlag('Whether pending transactions are listed beside posted ones.'),
    include_metadata: includeFlag(
      'Whether each transaction has the keys `plaid_metadata` and `custom_metadata`. Without it they are absent.',
    ),
    include_split_parents: includeFlag(
      'Whether transactions that were split are listed beside their parts.',
    ),
    include_group_children: includeFlag(
      'Whether the members of groups are listed beside their groups.',
    ),
    include_children: includeFlag(
      'Whether groups, and split transactions when `include_split_parents` is true, have the key `children`. Without it the key is absent.',
    ),
    include_files: includeFlag(
      'Whether each transaction has the key `files`. Without it the key is absent.',
    ),
    limit: Type.Integer({
      minimum: minLimit,
      maximum: maxLimit,
      default: defaultLimit,
      description: `How many transactions a page holds at most: ${minLimit} to ${maxLimit}, inclusive. Outside: 400, never another limit than the one sent.`,
    }),
    offset: Type.Integer({
      minimum: 0,
      maximum: maxOffset,
      default: defaultOffset,
      description:
        'How many matching transactions are skipped before the page begins: 0 to 2^53 - 1, inclusive. Past the last match the page is empty. The next page begins at `offset` plus `limit`.',
    }),
  },
  { additionalProperties: false },
);
export type TransactionListQuery = Static<typeof TransactionListQuery>;

/** The path of GET /v2/transactions/{id}. */
export const TransactionPath = idPath('transaction');
export type TransactionPath = Static<typeof TransactionPath>;
