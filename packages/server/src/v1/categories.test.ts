import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick } from '../http/testing/pick.ts';
import { openBooks } from '../http/testing/strict-client.ts';

const root = '/v1/categories';
const flags = { is_income: false, exclude_from_budget: false, exclude_from_totals: false };
const archiving = { archived: false, archived_on: null };

interface Listed {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
  readonly children?: readonly Listed[];
}

async function begin() {
  const client = await openBooks();
  const sent = <T = unknown>(method: string, path: string, body?: unknown) =>
    client.ok<T>(method, `${root}${path}`, body);
  return {
    ...client,
    sent,
    add: async (path: string, body: object): Promise<number> => {
      const answer = await sent<{ category_id: number }>('POST', path, body);
      assert.deepEqual(Object.keys(answer), ['category_id'], JSON.stringify(answer));
      return answer.category_id;
    },
    list: async (query = '') => (await sent<{ categories: Listed[] }>('GET', query)).categories,
    refuses: async (texts: string | string[], method: string, path: string, body?: unknown) => {
      await client.changes();
      const { status, body: answer } = await client.send(method, `${root}${path}`, body);
      assert.deepEqual([status, answer], [200, { error: texts }]);
      assert.deepEqual(await client.changes(), []);
    },
  };
}

const names = (all: readonly Listed[] = []) => pick(all, 'name').join();
const notAdded =
  'The following category id(s) could not be added as a group because you do not have permissions for this ' +
  'category, or it is already a category group:';

test('categories and groups are created, and listed by name or nested', async () => {
  const { add, list, sent, send, changes } = await begin();
  const rent = await add('', { name: 'rent', description: null, group_id: null, colour: 'x' });
  const food = await add('/group', {
    name: 'Food',
    category_ids: null,
    new_categories: ['Wine', 'Bread'],
    is_income: null,
    exclude_from_totals: true,
    archived: true,
  });
  // A field of groups, which a category ignores, whatever it is.
  const ignored = { new_categories: 7 };
  const zoo = await add('', {
    name: 'Zoo',
    archived: true,
    is_income: true,
    description: 'd',
    ...ignored,
  });
  assert.deepEqual(await changes(), [
    'createCategoryV1',
    'createCategoryGroupV1',
    'createCategoryV1',
  ]);
  await send('PUT', `/v2/categories/${zoo}`, { order: 1 });
  const flat = await list();
  assert.equal(names(flat), 'Bread,Food,rent,Wine,Zoo');
  const [bread, group, , wine, last] = flat as [Listed, Listed, Listed, Listed, Listed];
  const times = { updated_at: bread.created_at, created_at: bread.created_at };
  const place = { is_group: false, group_id: food };
  const member = { ...flags, exclude_from_totals: true, ...times, ...place, ...archiving };
  const wireBread = { id: bread.id, name: 'Bread', description: null, ...member, order: null };
  assert.deepEqual(bread, wireBread);
  assert.deepEqual(Object.keys(bread), [
    'id',
    'name',
    'description',
    'is_income',
    'exclude_from_budget',
    'exclude_from_totals',
    'updated_at',
    'created_at',
    'is_group',
    'group_id',
    'archived',
    'archived_on',
    'order',
  ]);
  const wireFood = { ...wireBread, id: food, name: 'Food', is_group: true, group_id: null };
  assert.deepEqual(group, { ...wireFood, children: [bread, wine] });
  assert.deepEqual(last, {
    ...wireBread,
    id: zoo,
    name: 'Zoo',
    description: 'd',
    group_id: null,
    order: 1,
    is_income: true,
    exclude_from_totals: false,
    archived: true,
    archived_on: last.created_at,
    created_at: last.created_at,
    updated_at: (last as unknown as typeof times).updated_at,
  });
  assert.deepEqual(await list('?format=flattened&x=1'), flat);
  assert.equal(names(await list('?format=nested')), 'Zoo,Food,rent');
  assert.deepEqual((await list('?format=nested'))[1], group);
  const byId = { ...flags, is_group: false, group_id: null, ...archiving, order: null };
  assert.deepEqual(await sent('GET', `/${rent}`), {
    id: rent,
    name: 'rent',
    description: null,
    ...byId,
  });
});

test('a category and a group are read by their ids with other keys', async () => {
  const { add, sent } = await begin();
  const food = await add('/group', { name: 'Food', new_categories: ['Bread'] });
  const empty = await add('/group', { name: 'Empty' });
  const group = await sent<{ children: Listed[] }>('GET', `/${food}`);
  const [{ id, created_at }] = group.children as [Listed];
  const children = [{ id, name: 'Bread', description: null, created_at, ...archiving }];
  const wireFood = { id: food, name: 'Food', description: null, ...flags };
  const place = { is_group: true, group_id: null };
  assert.deepEqual(group, { ...wireFood, ...place, children, ...archiving, order: null });
  assert.equal(
    Object.keys(group).join(),
    'id,name,description,is_income,exclude_from_budget,exclude_from_totals,is_group,group_id,children,' +
      'archived,archived_on,order',
  );
  assert.deepEqual(await sent('GET', `/${id}`), {
    id,
    name: 'Bread',
    description: null,
    ...flags,
    is_group: false,
    group_id: food,
    group_category_name: 'Food',
    ...archiving,
    order: null,
  });
  assert.deepEqual((await sent<{ children: unknown }>('GET', `/${empty}`)).children, []);
});

test('categories are added to a group, which keeps its members', async () => {
  const { add, sent, refuses, changes } = await begin();
  const food = await add('/group', { name: 'Food', new_categories: ['Bread'] });
  const wine = await add('', { name: 'Wine' });
  await changes();
  const body = { category_ids: [wine, wine], new_categories: ['Fruit'] };
  const group = await sent<{ children: Listed[] }>('POST', `/group/${food}/add`, body);
  assert.equal(names(group.children), 'Bread,Fruit,Wine');
  assert.deepEqual(await changes(), ['addToCategoryGroupV1']);
  const { children } = group;
  const place = { is_group: true, group_id: null };
  assert.deepEqual(group, {
    id: food,
    name: 'Food',
    description: null,
    ...flags,
    ...place,
    children,
    ...archiving,
  });
  assert.deepEqual(await sent('POST', `/group/${food}/add`, { category_ids: null }), group);
  const path = `/group/${food}/add`;
  const ids = { category_ids: [food, wine, 987] };
  await refuses(`${notAdded} ${food}, 987`, 'POST', path, ids);
  const taken = 'A category with the same name (bread) already exists.';
  await refuses(taken, 'POST', path, { new_categories: ['bread'] });
  await refuses('Missing category name.', 'POST', path, { new_categories: [' '] });
  await refuses('This category id is not a category group.', 'POST', `/group/${wine}/add`, {});
  await refuses('This category id does not exist.', 'POST', '/group/987/add', {});
  const wrong = 'Body property category_ids/0 must be an integer, not "7"';
  await refuses(wrong, 'POST', path, { category_ids: ['7'] });
});

test('a category that cannot be created is refused in the words of v1', async () => {
  const { add, refuses } = await begin();
  const rent = await add('', { name: 'Rent' });
  const longName = 'Category name must be less than 40 characters.';
  const longText = 'Category description must be less than 140 characters.';
  const description = 'd'.repeat(141);
  for (const path of ['', '/group']) {
    await refuses('Missing category name.', 'POST', path, { name: null, colour: 1 });
    await refuses(longName, 'POST', path, { name: 'n'.repeat(101) });
    await refuses(longText, 'POST', path, { name: 'n', description });
    await refuses([longName, longText], 'POST', path, { name: 'n'.repeat(101), description });
    const taken = 'A category with the same name (rENT) already exists.';
    await refuses(taken, 'POST', path, { name: 'rENT' });
    const type = 'Body property name must be a string or null, not 5';
    await refuses(type, 'POST', path, { name: 5 });
  }
  await refuses(`${notAdded} 987`, 'POST', '/group', { name: 'G', category_ids: [rent, 987] });
  const group = `Body property group_id is not a category group: ${rent}`;
  await refuses(group, 'POST', '', { name: 'C', group_id: rent });
  await add('', { name: 'n'.repeat(100), description: 'd'.repeat(140) });
});

test('a category is updated; null means not given, but takes it out of its group', async () => {
  const { add, sent, refuses, changes } = await begin();
  const food = await add('/group', { name: 'Food' });
  const rent = await add('', { name: 'Rent', description: 'd' });
  await changes();
  const body = { name: 'Hire', description: null, archived: true, group_id: food, order: 7 };
  assert.equal(await sent('PUT', `/${rent}`, body), true);
  type Shown = Readonly<Record<string, unknown>>;
  const shown = () => sent<Shown>('GET', `/${rent}`);
  const changed = {
    name: 'Hire',
    description: 'd',
    archived: true,
    group_id: food,
    group_category_name: 'Food',
    order: null,
  };
  const hire = await shown();
  assert.deepEqual({ ...hire, ...changed }, hire);
  assert.equal(await sent('PUT', `/${food}`, { is_income: true }), true);
  assert.equal((await shown())['is_income'], true);
  assert.equal(await sent('PUT', `/${rent}`, { group_id: null }), true);
  assert.ok(!('group_category_name' in (await shown())));
  assert.deepEqual(await changes(), Array(3).fill('updateCategoryV1'));
  const path = `/${rent}`;
  const isGroup = 'You may not set the is_group property for an existing category.';
  const groupInGroup = 'This category cannot be assigned a group because it is a category group.';
  await refuses('No valid fields to update for this category.', 'PUT', path, { name: null, x: 1 });
  await refuses(isGroup, 'PUT', path, { is_group: false });
  await refuses(groupInGroup, 'PUT', `/${food}`, { group_id: food });
  await refuses([isGroup, groupInGroup], 'PUT', `/${food}`, { group_id: food, is_group: true });
  await refuses('Missing category name.', 'PUT', path, { name: '' });
  const taken = 'A category with the same name (Food) already exists.';
  await refuses(taken, 'PUT', path, { name: 'Food' });
  await refuses('This category id does not exist.', 'PUT', '/987', { name: 'N' });
});

test('a category with dependents is kept, unless its deletion is forced', async () => {
  const { add, ok, sent, refuses, changes } = await begin();
  const group = { name: 'Food', new_categories: ['Bread', 'Wine'] };
  const food = await add('/group', group);
  const rent = await add('', { name: 'Rent' });
  const { children } = await sent<{ children: Listed[] }>('GET', `/${food}`);
  const bread = children[0]!.id;
  const none = { budget: 0, category_rules: 0, transactions: 0, children: 0, recurring: 0 };
  const ofGroup = { category_name: 'Food', ...none, children: 2 };
  assert.deepEqual(await sent('DELETE', `/${food}`), { dependents: ofGroup });
  await ok('PUT', '/v2/transactions/1001', { category_id: bread });
  const ofMember = { category_name: 'Bread', ...none, transactions: 1 };
  assert.deepEqual(await sent('DELETE', `/${bread}`), { dependents: ofMember });
  assert.deepEqual(await sent('DELETE', `/${food}`), { dependents: [ofGroup, ofMember] });
  await changes();
  assert.equal(await sent('DELETE', `/${rent}`), true);
  assert.equal(await sent('DELETE', `/${food}/force`), true);
  assert.equal(await sent('DELETE', `/${bread}/force`), true);
  const forced = 'forceDeleteCategoryV1';
  assert.deepEqual(await changes(), ['deleteCategoryV1', forced, forced]);
  for (const request of [`GET /${bread}`, `DELETE /${rent}`, `DELETE /${food}/force`])
    await refuses('This category id does not exist.', ...(request.split(' ') as [string, string]));
});
