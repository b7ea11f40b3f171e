import type { BodyRequest, Ids } from './foreign-requests.ts';

const row = { date: '2026-01-01', amount: 1 };

/** Returns requests of v1 in whose body or query the ids occur; `own` are those of the caller. */
export function requestsWithV1(ids: Ids, own: Ids): BodyRequest[] {
  const { category, tag, account, plaid, item } = ids;
  const links = [
    ...[{ category_id: category }, { tags: [tag] }, { asset_id: account }],
    ...[{ plaid_account_id: plaid }, { recurring_id: item }],
  ];
  const group = { transactions: [own.row, own.second], date: row.date, payee: 'x' };
  return [
    ...links.flatMap((link): BodyRequest[] => [
      ['POST /v1/transactions', { transactions: [{ ...row, ...link }] }],
      ['PUT /v1/transactions/{id}', { transaction: link }, `/v1/transactions/${own.row}`],
    ]),
    [
      'PUT /v1/transactions/{id}',
      { split: [{ amount: 1 }, { amount: 1, category_id: category }] },
      `/v1/transactions/${own.row}`,
    ],
    ['POST /v1/transactions/group', { ...group, transactions: [ids.row, own.row] }],
    ...[{ category_id: category }, { tags: [tag] }].map((link): BodyRequest => [
      'POST /v1/transactions/group',
      { ...group, ...link },
    ]),
    ['POST /v1/transactions/unsplit', { parent_ids: [ids.row] }],
    ['GET /v1/transactions/group', undefined, `/v1/transactions/group?transaction_id=${ids.row}`],
    ['POST /v1/categories', { name: 'x', group_id: category }],
    ['POST /v1/categories/group', { name: 'x', category_ids: [category] }],
    ['PUT /v1/categories/{id}', { group_id: category }, `/v1/categories/${own.category}`],
    ['PUT /v1/budgets', { category_id: category, start_date: row.date, amount: 1 }],
    ['DELETE /v1/budgets', undefined, `/v1/budgets?category_id=${category}&start_date=${row.date}`],
    ['POST /v1/plaid_accounts/fetch', { plaid_account_id: plaid }],
  ];
}
