import { accountBody, and, cryptoBody, day, named, newName, post } from './recipes.ts';
import { transaction, withBody } from './recipes.ts';
import type { Recipe } from './recipes.ts';
import type { Service, User } from './started-service.ts';

const month = 'start_date=2026-01-01&end_date=2026-01-31';

/** Creates a record in v1, and returns the number in the response. */
async function postV1(service: Service, path: string, body: object, as: User): Promise<number> {
  const { text } = await service.ask(path, withBody('POST', body, as));
  const answer = JSON.parse(text) as number | { category_id: number };
  return typeof answer === 'number' ? answer : answer.category_id;
}

/** The path of a record that v2 creates with a name. */
function ofNamed(path: string): Recipe {
  return async (service, as) => {
    const id = await named(service, path, as);
    return { values: { id, category_id: id } };
  };
}

const category = ofNamed('/v2/categories');

const categoryGroup: Recipe = async (service, as) => {
  const body = { name: newName(), new_categories: [newName()] };
  const id = await postV1(service, '/v1/categories/group', body, as);
  return { values: { id, group_id: id } };
};

const one: Recipe = async (service, as) => {
  const id = await transaction(service, as);
  return { values: { id, transaction_id: id } };
};

const members: Recipe = async (service, as) => {
  const transactions = [await transaction(service, as), await transaction(service, as)];
  return { body: { transactions, date: day, payee: newName() } };
};

const group: Recipe = async (service, as) => {
  const { body } = await members(service, as);
  const id = await postV1(service, '/v1/transactions/group', body as object, as);
  return { values: { id, group_id: id, transaction_id: id }, query: `transaction_id=${id}` };
};

const split: Recipe = async (service, as) => {
  const { values } = await one(service, as);
  const body = { split: [{ amount: '0.5' }, { amount: '1.5' }] };
  const { id } = values as { id: number };
  await service.ask(`/v1/transactions/${id}`, withBody('PUT', body, as));
  return { body: { parent_ids: [id] } };
};

const budget: Recipe = async (service, as) => {
  const category_id = await named(service, '/v2/categories', as);
  const body = { category_id, start_date: day, amount: '10' };
  await service.ask('/v1/budgets', withBody('PUT', body, as));
  return { body, query: `category_id=${category_id}&start_date=${day}` };
};

const asset = () => ({ name: newName(), type_name: 'cash', balance: '1' });

const ofAsset: Recipe = async (service, as) => ({
  values: { id: await post(service, '/v2/manual_accounts', accountBody(), as) },
});

const coin: Recipe = async (service, as) => ({
  values: { id: await post(service, '/v2/crypto/manual', cryptoBody(), as) },
});

/** For each operation of v1 that needs more than its path: how to make a request that it accepts. */
export const recipesV1: Readonly<Record<string, Recipe>> = {
  'GET /v1/categories/{id}': category,
  'POST /v1/categories': () => Promise.resolve({ body: { name: newName() } }),
  'POST /v1/categories/group': () =>
    Promise.resolve({ body: { name: newName(), new_categories: [newName()] } }),
  'PUT /v1/categories/{id}': and(category, () => ({ description: newName() })),
  'POST /v1/categories/group/{group_id}/add': and(categoryGroup, () => ({
    new_categories: [newName()],
  })),
  'DELETE /v1/categories/{id}': category,
  'DELETE /v1/categories/{id}/force': category,
  'POST /v1/transactions': () =>
    Promise.resolve({ body: { transactions: [{ date: day, amount: 1.5, payee: newName() }] } }),
  'GET /v1/transactions/{id}': one,
  'PUT /v1/transactions/{id}': and(one, () => ({ transaction: { notes: newName() } })),
  'POST /v1/transactions/unsplit': split,
  'GET /v1/transactions/group': group,
  'GET /v1/transactions/group/{id}': group,
  'POST /v1/transactions/group': members,
  'DELETE /v1/transactions/group/{id}': group,
  'GET /v1/budgets': () => Promise.resolve({ query: month }),
  'PUT /v1/budgets': budget,
  'DELETE /v1/budgets': async (service, as) => {
    const { query } = await budget(service, as);
    return { query: query! };
  },
  'POST /v1/assets': () => Promise.resolve({ body: asset() }),
  'PUT /v1/assets/{id}': and(ofAsset, () => ({ name: newName() })),
  'PUT /v1/crypto/manual/{id}': and(coin, () => ({ balance: '0.75' })),
};
