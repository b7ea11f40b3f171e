import { recordNotFound } from '@coffer/contract/errors';
import type { Store } from '../../records/store.ts';
import type { TransactionQuery } from '../../records/transaction-query.ts';
import type { Route } from '../api.ts';
import { toInstant } from '../calendar.ts';
import { Problem } from '../errors.ts';
import type { Values } from '../validation.ts';

const head = Buffer.from('{"transactions":[');
const tailWithMore = Buffer.from('],"has_more":true}');
const tailAtEnd = Buffer.from('],"has_more":false}');

/** GET /v2/transactions and GET /v2/transactions/{id}. */
export function transactionRoutes(store: Store): Route[] {
  return [
    {
      method: 'GET',
      path: '/v2/transactions',
      answer: async ({ identity, query }) => {
        const page = await store.listTransactions(identity.book.id, toTransactionQuery(query));
        return [head, page.json, page.hasMore ? tailWithMore : tailAtEnd];
      },
    },
    {
      method: 'GET',
      path: '/v2/transactions/{id}',
      answer: async ({ identity, path }) => {
        const id = path['id'] as number;
        const json = await store.getTransaction(identity.book.id, id);
        if (json !== null) return [json];
        const errMsg = recordNotFound('transaction', id);
        throw new Problem('recordNotFound', { details: [{ errMsg }] });
      },
    },
  ];
}

/** The wire's names beside the store's; the API document says what each takes. */
const fields: Readonly<Record<string, keyof TransactionQuery>> = {
  limit: 'limit',
  offset: 'offset',
  start_date: 'startDate',
  end_date: 'endDate',
  created_since: 'createdSince',
  updated_since: 'updatedSince',
  manual_account_id: 'manualAccountId',
  plaid_account_id: 'plaidAccountId',
  recurring_id: 'recurringId',
  category_id: 'categoryId',
  tag_id: 'tagId',
  is_group_parent: 'isGroupParent',
  status: 'status',
  is_pending: 'isPending',
  include_pending: 'includePending',
  include_split_parents: 'includeSplitParents',
  include_group_children: 'includeGroupChildren',
  include_children: 'includeChildren',
  include_metadata: 'includeMetadata',
  include_files: 'includeFiles',
};

/** Validated values under the store's names. Throws for a name that the API document has and the store has not. */
function toTransactionQuery(values: Values): TransactionQuery {
  const query: Record<string, unknown> = {};
  for (const name of Object.keys(values)) {
    const field = fields[name];
    if (field === undefined) throw new Error(`The store has no filter for "${name}"`);
    query[field] = values[name];
  }
  for (const field of ['createdSince', 'updatedSince']) {
    if (query[field] !== undefined) query[field] = toInstant(query[field] as string);
  }
  return query as unknown as TransactionQuery;
}
