import type { OperationName } from './good-requests.ts';
import { requestsWithV1 } from './foreign-requests-v1.ts';

/** The id of a record of each kind. */
export type Ids = Readonly<
  Record<'category' | 'tag' | 'account' | 'plaid' | 'item' | 'rule' | 'row' | 'second', number>
>;

const day = '2026-01-01';

/** An operation, a body, and a target if it is not the operation's path. */
export type BodyRequest = [OperationName, unknown, string?];

/** Returns requests in whose body or query the ids occur; `own` are those of the caller. */
export function requestsWith(ids: Ids, own: Ids): BodyRequest[] {
  const { category, tag, account, plaid, item } = ids;
  const links = [
    ...[{ category_id: category }, { tag_ids: [tag] }, { manual_account_id: account }],
    ...[{ plaid_account_id: plaid }, { recurring_id: item }],
  ];
  const row = { date: day, amount: '1' };
  const criteria = { payee: 'x', amount: '1', granularity: 'month', quantity: 1, anchor_date: day };
  const conditions = { payee: { operator: 'is', value: 'x' } };
  return [
    ...links.flatMap((link): BodyRequest[] => [
      ['POST /v2/transactions', { transactions: [{ ...row, ...link }] }],
      ['PUT /v2/transactions', { transactions: [{ id: own.row, ...link }] }],
    ]),
    ...links.map((link): BodyRequest => [
      'PUT /v2/transactions/{id}',
      link,
      `/v2/transactions/${own.row}`,
    ]),
    ['PUT /v2/transactions', { transactions: [{ id: ids.row, notes: 'x' }] }],
    ['DELETE /v2/transactions', { ids: [ids.row] }],
    ['POST /v2/transactions/group', { ids: [ids.row, own.row], date: day, payee: 'x' }],
    ['POST /v2/transactions/group', { ids: [own.row, ids.row], date: day, payee: 'x' }],
    ...[{ category_id: category }, { tag_ids: [tag] }].map((link): BodyRequest => [
      'POST /v2/transactions/group',
      { ids: [own.row, own.second], date: day, payee: 'x', ...link },
    ]),
    [
      'POST /v2/transactions/split/{id}',
      { child_transactions: [{ amount: '1' }, { amount: '1', category_id: category }] },
      `/v2/transactions/split/${own.row}`,
    ],
    ['PUT /v2/budgets', { category_id: category, start_date: day, amount: '1' }],
    [
      'POST /coffer/categories/{id}/merge',
      { into_id: category },
      `/coffer/categories/${own.category}/merge`,
    ],
    ...[{ into_id: account }, { into_plaid_id: plaid }].map((link): BodyRequest => [
      'POST /coffer/manual_accounts/{id}/merge',
      link,
      `/coffer/manual_accounts/${own.account}/merge`,
    ]),
    ...[{ category_id: category }, { manual_account_id: account }, { plaid_account_id: plaid }].map(
      (link): BodyRequest => [
        'POST /coffer/rules',
        { name: 'x', conditions: { ...conditions, ...link }, actions: { reviewed: true } },
      ],
    ),
    ['POST /coffer/rules/preview', { rule_id: ids.rule }],
    ['POST /coffer/rules/apply', { rule_id: ids.rule }],
    ['PUT /coffer/rules/order', { rule_ids: [ids.rule] }],
    ...[{ category_id: category }, { tag_ids: [tag] }].map((actions): BodyRequest => [
      'POST /coffer/rules',
      { name: 'x', conditions, actions },
    ]),
    [
      'POST /coffer/recurring_items',
      { transaction_criteria: criteria, overrides: { category_id: category } },
    ],
    ...[{ manual_account_id: account }, { plaid_account_id: plaid }].map((link): BodyRequest => [
      'POST /coffer/recurring_items',
      { transaction_criteria: { ...criteria, ...link } },
    ]),
    ['POST /v2/plaid_accounts/fetch', undefined, `/v2/plaid_accounts/fetch?id=${plaid}`],
    ...requestsWithV1(ids, own),
    ['DELETE /v2/budgets', undefined, `/v2/budgets?category_id=${category}&start_date=${day}`],
  ];
}
