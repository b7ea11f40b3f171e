import { matrixV1 } from './id-matrix-v1.ts';
import type { RecordKind } from './two-books.ts';

/** The kind of the record at a place; `ignored` if the service accepts the property and does not read it. */
export type PlaceKind = RecordKind | 'ignored';

const inCategory = {
  'body group_id': 'categoryGroup',
  'body children[]': 'category',
  'body children[].id': 'category',
} as const;

function transactionIn(at: string) {
  return {
    [`${at}category_id`]: 'category',
    [`${at}manual_account_id`]: 'manual',
    [`${at}plaid_account_id`]: 'plaid',
    [`${at}recurring_id`]: 'recurring',
    [`${at}tag_ids[]`]: 'tag',
  } as const;
}

function transactionUpdateIn(at: string) {
  return {
    ...transactionIn(at),
    [`${at}additional_tag_ids[]`]: 'tag',
    [`${at}split_parent_id`]: 'ignored',
    [`${at}group_parent_id`]: 'ignored',
  } as const;
}

function ruleIn(at: string) {
  return {
    [`${at}conditions.manual_account_id`]: 'manual',
    [`${at}conditions.plaid_account_id`]: 'plaid',
    [`${at}conditions.category_id`]: 'category',
    [`${at}actions.category_id`]: 'category',
    [`${at}actions.tag_ids[]`]: 'tag',
    [`${at}actions.split[].category_id`]: 'category',
  } as const;
}

const inRecurring = {
  'body transaction_criteria.plaid_account_id': 'plaid',
  'body transaction_criteria.manual_account_id': 'manual',
  'body overrides.category_id': 'category',
} as const;

const inList = {
  'query manual_account_id': 'manual',
  'query plaid_account_id': 'plaid',
  'query recurring_id': 'recurring',
  'query category_id': 'category',
  'query tag_id': 'tag',
} as const;

const selected = {
  ...inList,
  'query category_ids': 'category',
  'query tag_ids': 'tag',
  'query manual_account_ids': 'manual',
  'query plaid_account_ids': 'plaid',
  'query import_id': 'import',
} as const;

function one(kind: RecordKind, path: string) {
  const id = { 'path id': kind };
  return {
    [`GET ${path}`]: id,
    [`PUT ${path}`]: { ...id, 'body id': 'ignored' },
    [`DELETE ${path}`]: id,
  } as const;
}

function history(kind: RecordKind, path: string) {
  const id = { 'path account_id': kind };
  return {
    [`GET ${path}`]: id,
    [`PUT ${path}`]: { ...id, 'body balances[].id': 'ignored' },
    [`DELETE ${path}`]: id,
  } as const;
}

/**
 * Every operation of the API documents, with the kind of each id by its place. An operation without ids has an empty
 * entry; its list is searched for records of others.
 */
export const matrix: Readonly<Record<string, Readonly<Record<string, PlaceKind>>>> = {
  ...matrixV1,
  'GET /v2/me': {},
  'GET /v2/transactions': inList,
  'GET /coffer/transactions': selected,
  'GET /coffer/transactions/{id}': { 'path id': 'transaction' },
  'POST /v2/transactions': transactionIn('body transactions[].'),
  'PUT /v2/transactions': {
    'body transactions[].id': 'transaction',
    ...transactionUpdateIn('body transactions[].'),
  },
  'DELETE /v2/transactions': { 'body ids[]': 'transaction' },
  'GET /v2/transactions/{id}': { 'path id': 'transaction' },
  'PUT /v2/transactions/{id}': {
    'path id': 'transaction',
    'body id': 'ignored',
    ...transactionUpdateIn('body '),
  },
  'DELETE /v2/transactions/{id}': { 'path id': 'transaction' },
  'POST /v2/transactions/group': {
    'body ids[]': 'transaction',
    'body category_id': 'category',
    'body tag_ids[]': 'tag',
  },
  'DELETE /v2/transactions/group/{id}': { 'path id': 'group' },
  'POST /v2/transactions/split/{id}': {
    'path id': 'transaction',
    'body child_transactions[].category_id': 'category',
    'body child_transactions[].tag_ids[]': 'tag',
  },
  'DELETE /v2/transactions/split/{id}': { 'path id': 'split' },
  'POST /v2/transactions/{transaction_id}/attachments': { 'path transaction_id': 'transaction' },
  'GET /v2/transactions/attachments/{file_id}': { 'path file_id': 'file' },
  'DELETE /v2/transactions/attachments/{file_id}': { 'path file_id': 'file' },
  'GET /v2/categories': {},
  'POST /v2/categories': inCategory,
  ...one('category', '/v2/categories/{id}'),
  'PUT /v2/categories/{id}': { 'path id': 'category', 'body id': 'ignored', ...inCategory },
  'POST /coffer/categories/{id}/merge': { 'path id': 'category', 'body into_id': 'category' },
  'GET /v2/tags': {},
  'POST /v2/tags': {},
  ...one('tag', '/v2/tags/{id}'),
  'GET /v2/manual_accounts': {},
  'POST /v2/manual_accounts': {},
  ...one('manual', '/v2/manual_accounts/{id}'),
  'POST /coffer/manual_accounts/{id}/merge': {
    'path id': 'manual',
    'body into_id': 'manual',
    'body into_plaid_id': 'plaid',
  },
  'GET /v2/plaid_accounts': {},
  'GET /v2/plaid_accounts/{id}': { 'path id': 'plaid' },
  'POST /v2/plaid_accounts/fetch': { 'query id': 'plaid' },
  'GET /v2/recurring_items': {},
  'GET /v2/recurring_items/{id}': { 'path id': 'recurring' },
  'GET /coffer/recurring_items': {},
  'POST /coffer/recurring_items': inRecurring,
  'PUT /coffer/recurring_items/{id}': {
    'path id': 'recurring',
    'body id': 'ignored',
    ...inRecurring,
  },
  'DELETE /coffer/recurring_items/{id}': { 'path id': 'recurring' },
  'GET /v2/budgets/settings': {},
  'PUT /v2/budgets': { 'body category_id': 'category' },
  'DELETE /v2/budgets': { 'query category_id': 'category' },
  'GET /v2/summary': {},
  'GET /coffer/budget_settings': {},
  'PUT /coffer/budget_settings': {},
  'GET /coffer/rules': {},
  'POST /coffer/rules': ruleIn('body '),
  'PUT /coffer/rules/order': { 'body rule_ids[]': 'rule' },
  'POST /coffer/rules/preview': { 'body rule_id': 'rule', ...ruleIn('body rule.') },
  'POST /coffer/rules/apply': { 'body rule_id': 'rule' },
  ...one('rule', '/coffer/rules/{id}'),
  'PUT /coffer/rules/{id}': { 'path id': 'rule', 'body id': 'ignored', ...ruleIn('body ') },
  'GET /coffer/changes': {},
  'GET /coffer/export': {},
  'GET /coffer/imports': {},
  'GET /coffer/imports/{id}': { 'path id': 'import' },
  'POST /coffer/imports': {},
  'GET /coffer/imports/{id}/rows': { 'path id': 'preview' },
  'POST /coffer/imports/{id}/commit': { 'path id': 'preview' },
  'DELETE /coffer/imports/{id}': { 'path id': 'preview' },
  'POST /coffer/imports/{id}/undo': { 'path id': 'import' },
  'POST /coffer/imports/{id}/redo': { 'path id': 'undoneImport' },
  'GET /coffer/history': { 'query id': 'transaction' },
  'GET /coffer/history/{version}': {},
  'POST /coffer/history/{version}/undo': {},
  'POST /coffer/undo': {},
  'GET /coffer/transactions/{id}/history': { 'path id': 'transaction' },
  'GET /coffer/transactions/months': selected,
  'GET /coffer/sums': {},
  'GET /coffer/payees': {},
  'GET /coffer/webhooks': {},
  'POST /coffer/webhooks': {},
  'GET /coffer/webhooks/{id}': { 'path id': 'webhook' },
  'PUT /coffer/webhooks/{id}': { 'path id': 'webhook' },
  'DELETE /coffer/webhooks/{id}': { 'path id': 'webhook' },
  'POST /coffer/webhooks/{id}/rotate': { 'path id': 'webhook' },
  'POST /coffer/webhooks/{id}/ping': { 'path id': 'webhook' },
  'POST /coffer/webhooks/{id}/redeliver': { 'path id': 'webhook' },
  'GET /coffer/webhooks/{id}/attempts': { 'path id': 'webhook' },
  'POST /coffer/session': {},
  'GET /coffer/session': {},
  'DELETE /coffer/session': {},
  'POST /coffer/session/passkey': {},
  'GET /coffer/sessions': {},
  'DELETE /coffer/sessions/{id}': { 'path id': 'session' },
  'PUT /coffer/password': {},
  'GET /coffer/passkeys': {},
  'POST /coffer/passkeys': {},
  'POST /coffer/passkeys/options': {},
  'DELETE /coffer/passkeys/{id}': { 'path id': 'passkey' },
  'GET /coffer/tokens': {},
  'POST /coffer/tokens': {},
  'DELETE /coffer/tokens/{id}': { 'path id': 'token' },
  'GET /v2/cryptocurrencies': {},
  'POST /v2/cryptocurrencies': {},
  'GET /v2/crypto/manual': {},
  'POST /v2/crypto/manual': {},
  ...one('cryptoManual', '/v2/crypto/manual/{id}'),
  'GET /v2/crypto/synced': {},
  'GET /v2/crypto/synced/{id}': { 'path id': 'crypto' },
  'GET /v2/crypto/synced/{id}/{symbol}': { 'path id': 'crypto' },
  'POST /v2/crypto/synced/{id}/refresh': { 'path id': 'crypto' },
  'GET /v2/balance_history': {},
  ...history('manual', '/v2/balance_history/manual/{account_id}'),
  ...history('plaid', '/v2/balance_history/plaid/{account_id}'),
  ...history('cryptoManual', '/v2/balance_history/crypto_manual/{account_id}'),
  ...history('deleted', '/v2/balance_history/deleted/{account_id}'),
  ...history('crypto', '/v2/balance_history/crypto_synced/{account_id}/{symbol}'),
  'PUT /v2/balance_history/deleted/{account_id}/details': { 'path account_id': 'deleted' },
  'DELETE /v2/balance_history/entries/{id}': { 'path id': 'entry' },
};
