import { Type } from 'typebox';
import type { Static, TBoolean, TInteger, TOptional, TString } from 'typebox';
import { idPath, word } from '../../operations/schema.ts';
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

/** A date in the query of a list. */
export function day(description: string): TOptional<TString> {
  return Type.Optional(Type.String({ format: 'date', description }));
}

function since(description: string) {
  const day = Type.String({ format: 'date' });
  const instant = Type.String({ format: 'date-time' });
  return Type.Optional(Type.Union([day, instant], { description }));
}

/** The id of a record in the query of a list. */
export function filterId(minimum: number, description: string): TOptional<TInteger> {
  return Type.Optional(Type.Integer({ minimum, maximum: maxId, description }));
}

/** Whether records have a property, in the query of a list. */
export function filterFlag(description: string): TOptional<TBoolean> {
  return Type.Optional(Type.Boolean({ description }));
}

function includeFlag(description: string) {
  return Type.Boolean({ default: false, description });
}

/** The query of GET /v2/transactions, with defaults. A row must pass every filter that is sent. */
export const TransactionListQuery = Type.Object(
  {
    start_date: day('First day, inclusive; may be sent alone, and not be later than `end_date`.'),
    end_date: day('Last day, inclusive; may be sent alone.'),
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
    is_group_parent: filterFlag('Only groups (true), or no groups (false).'),
    status: Type.Optional(word(transactionStatuses, { description: 'With this status.' })),
    is_pending: filterFlag(
      'Only pending (true) or only posted (false); overrides `include_pending`.',
    ),
    include_pending: includeFlag('List pending transactions, too.'),
    include_metadata: includeFlag('Include `plaid_metadata` and `custom_metadata`.'),
    include_split_parents: includeFlag('List transactions that were split, too.'),
    include_group_children: includeFlag('List members of groups, too.'),
    include_children: includeFlag('Include `children` of groups and split transactions.'),
    include_files: includeFlag('Include `files` of transactions.'),
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
  },
  { additionalProperties: false },
);
export type TransactionListQuery = Static<typeof TransactionListQuery>;

/** The path of GET /v2/transactions/{id}. */
export const TransactionPath = idPath('transaction');
export type TransactionPath = Static<typeof TransactionPath>;
