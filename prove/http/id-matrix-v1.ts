import type { PlaceKind } from './id-matrix.ts';

function rowIn(at: string) {
  return {
    [`${at}category_id`]: 'category',
    [`${at}asset_id`]: 'manual',
    [`${at}plaid_account_id`]: 'plaid',
    [`${at}recurring_id`]: 'recurring',
    [`${at}tags[]`]: 'tag',
  } as const;
}

/** As the matrix of the other documents, for every operation of v1. */
export const matrixV1: Readonly<Record<string, Readonly<Record<string, PlaceKind>>>> = {
  'GET /v1/me': {},
  'GET /v1/tags': {},
  'GET /v1/categories': {},
  'GET /v1/categories/{id}': { 'path id': 'category' },
  'POST /v1/categories': { 'body group_id': 'categoryGroup' },
  'PUT /v1/categories/{id}': { 'path id': 'category', 'body group_id': 'categoryGroup' },
  'POST /v1/categories/group': { 'body category_ids[]': 'category' },
  'POST /v1/categories/group/{group_id}/add': {
    'path group_id': 'categoryGroup',
    'body category_ids[]': 'category',
  },
  'DELETE /v1/categories/{id}': { 'path id': 'category' },
  'DELETE /v1/categories/{id}/force': { 'path id': 'category' },
  'GET /v1/transactions': {
    'query tag_id': 'tag',
    'query recurring_id': 'recurring',
    'query plaid_account_id': 'plaid',
    'query asset_id': 'manual',
    'query category_id': 'category',
    'query group_id': 'group',
  },
  'POST /v1/transactions': rowIn('body transactions[].'),
  'GET /v1/transactions/{id}': { 'path id': 'transaction' },
  'PUT /v1/transactions/{id}': {
    'path id': 'transaction',
    ...rowIn('body transaction.'),
    'body split[].category_id': 'category',
  },
  'POST /v1/transactions/unsplit': { 'body parent_ids[]': 'split' },
  'GET /v1/transactions/group': { 'query transaction_id': 'group' },
  'GET /v1/transactions/group/{id}': { 'path id': 'group' },
  'POST /v1/transactions/group': {
    'body transactions[]': 'transaction',
    'body category_id': 'category',
    'body tags[]': 'tag',
  },
  'DELETE /v1/transactions/group/{id}': { 'path id': 'group' },
  'GET /v1/recurring_expenses': {},
  'GET /v1/recurring_items': {},
  'GET /v1/budgets': {},
  'PUT /v1/budgets': { 'body category_id': 'category' },
  'DELETE /v1/budgets': { 'query category_id': 'category' },
  'GET /v1/assets': {},
  'POST /v1/assets': {},
  'PUT /v1/assets/{id}': { 'path id': 'manual' },
  'GET /v1/plaid_accounts': {},
  'POST /v1/plaid_accounts/fetch': { 'body plaid_account_id': 'plaid' },
  'GET /v1/crypto': {},
  'PUT /v1/crypto/manual/{id}': { 'path id': 'cryptoManual' },
};
