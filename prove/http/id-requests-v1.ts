import type { IdPlace } from './id-places.ts';
import type { Body, Sender } from './id-requests.ts';

/** Returns the body of a request of v1 without the id in its place. Undefined if the operation has none. */
export function bodyOfV1(
  { method, path, place }: Pick<IdPlace, 'method' | 'path' | 'place'>,
  { name, own }: Sender,
): Body | undefined {
  const date = '2024-01-15';
  switch (`${method} ${path}`) {
    case 'POST /v1/transactions':
      return { transactions: [{ date, amount: 1, payee: name }] };
    case 'PUT /v1/transactions/{id}':
      return place.includes('split')
        ? { split: [{ amount: 0.4 }, { amount: 0.6 }] }
        : { transaction: { notes: name } };
    case 'POST /v1/transactions/group':
      return { transactions: [own('transaction'), own('transaction')], date, payee: name };
    case 'POST /v1/categories':
      return { name };
    case 'POST /v1/categories/group':
    case 'POST /v1/categories/group/{group_id}/add':
      return { name, new_categories: [`${name} new`], category_ids: [] };
    case 'PUT /v1/budgets':
      return { start_date: '2024-01-01', category_id: own('category'), amount: 5 };
    case 'PUT /v1/crypto/manual/{id}':
    case 'PUT /v1/assets/{id}':
      return { institution_name: name.slice(0, 50) };
    case 'PUT /v1/categories/{id}':
      return { description: name };
    default:
      return method === 'POST' ? {} : undefined;
  }
}
