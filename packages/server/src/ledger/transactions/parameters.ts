import { Type, type Static, type TInteger, type TOptional } from 'typebox';
import { closed, day, flag, idPath, optional, word } from '../../operations/schema.ts';
import { maxId, minId } from '@coffer/core/ids';
import {
  defaultLimit,
  defaultOffset,
  maxLimit,
  maxOffset,
  minLimit,
  noneId,
} from '../../operations/limits.ts';
import { transactionStatuses } from './schema.ts';

function since(description: string) {
  const dateText = Type.String({ format: 'date' });
  const instant = Type.String({ format: 'date-time' });
  return optional(Type.Union([dateText, instant], { description }));
}

/** The id of a record in the query of a list. */
export function filterId(minimum: number, description: string): TOptional<TInteger> {
  return optional(Type.Integer({ minimum, maximum: maxId, description }));
}

/** The query of GET /v2/transactions, with defaults. A row must pass every filter that is sent. */
export const TransactionListQuery = closed({
  start_date: optional(
    day('First day, inclusive; may be sent alone, and not be later than `end_date`.'),
  ),
  end_date: optional(day('Last day, inclusive; may be sent alone.')),
  created_since: since(
    'Created after this instant, exclusive.\n\n' +
      'A date-time has `Z` or an offset (RFC 3339) and is compared in milliseconds. ' +
      'A date means its first instant in UTC.',
  ),
  updated_since: since('Last changed after this instant; same forms as `created_since`.'),
  manual_account_id: filterId(
    noneId,
    'In this manual account; 0: in none.\n\n' +
      'With `plaid_account_id=0`, 0 selects transactions without any account. ' +
      'Groups have no account: send `include_group_children` to find their members.',
  ),
  plaid_account_id: filterId(noneId, 'In this synced account; 0: in none.'),
  recurring_id: filterId(minId, 'Of this recurring item.'),
  category_id: filterId(
    noneId,
    'In this category, or in any category of this group; 0: uncategorized.',
  ),
  tag_id: filterId(minId, 'With this tag.'),
  is_group_parent: optional(flag('Only groups (true), or no groups (false).')),
  status: optional(word(transactionStatuses, { description: 'With this status.' })),
  is_pending: optional(
    flag('Only pending (true) or only posted (false); overrides `include_pending`.'),
  ),
  include_pending: flag('List pending transactions, too.', false),
  include_metadata: flag('Include `plaid_metadata` and `custom_metadata`.', false),
  include_split_parents: flag('List transactions that were split, too.', false),
  include_group_children: flag('List members of groups, too.', false),
  include_children: flag('Include `children` of groups and split transactions.', false),
  include_files: flag('Include `files` of transactions.', false),
  limit: Type.Integer({
    minimum: minLimit,
    maximum: maxLimit,
    default: defaultLimit,
    description: 'Largest number of transactions in the page.',
  }),
  offset: Type.Integer({
    minimum: 0,
    maximum: maxOffset,
    default: defaultOffset,
    description: 'Number of matching transactions to skip.',
  }),
});
export type TransactionListQuery = Static<typeof TransactionListQuery>;

/** The path of GET /v2/transactions/{id}. */
export const TransactionPath = idPath('transaction');
export type TransactionPath = Static<typeof TransactionPath>;

/** The query parameter that names an earlier state of the book: see `versionAsOf`. */
export const asOf = optional(
  Type.Union(
    [
      Type.String({ pattern: '^(0|[1-9]\\d{0,15})$' }),
      Type.String({ format: 'date' }),
      Type.String({ format: 'date-time' }),
    ],
    {
      description:
        'A version of the book, or a time; default: the present.\n\n' +
        'A date means the end of that day in UTC. Before its first change, the book is empty; a time in the future ' +
        'means the present.',
    },
  ),
);
