import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { select } from '../../db/rows.ts';
import { transactions } from '../../db/tables/tables.ts';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { Category } from './schema.ts';

const root = '/v2/categories';
const plain = {
  description: null,
  is_income: false,
  exclude_from_budget: false,
  group_id: null,
  exclude_from_totals: false,
  is_group: false,
  archived: false,
  archived_at: null,
  order: null,
  collapsed: false,
};
const flags = { is_income: true, exclude_from_budget: true, exclude_from_totals: true };

async function begin() {
  const client = await openBooks();
  const { ok } = client;
  return {
    ...client,
    create: (name: string, more: object = {}) => ok<Category>('POST', root, { name, ...more }),
    update: ({ id }: Category, change: object) => ok<Category>('PUT', `${root}/${id}`, change),
    get: ({ id }: Category) => ok<Category>('GET', `${root}/${id}`),
  };
}

const names = (all: readonly Category[] = []) => pick(all, 'name').join();

describe('a category is created', () => {
  test('with only a name, or with every property', async () => {
    const { send, create, get, changes } = await begin();
    const { status, body: rent } = await send<Category>('POST', root, { name: 'Rent' });
    const { id, created_at } = rent;
    assert.equal(status, 201);
    assert.deepEqual(rent, { id, name: 'Rent', ...plain, created_at, updated_at: created_at });
    assert.deepEqual(await get(rent), rent);
    const fields = { ...plain, ...flags, description: 'd', archived: true, order: -3 };
    const full = await create('Full', { ...flags, description: 'd', archived: true, order: -3 });
    const times = { created_at: full.created_at, updated_at: full.created_at };
    const archived_at = full.created_at;
    assert.deepEqual(full, { id: full.id, name: 'Full', ...fields, ...times, archived_at });
    assert.ok(full.created_at > created_at, 'two changes never have the same time');
    const empty = { is_group: null, collapsed: null, group_id: null, order: null };
    assert.equal((await create('Empty', empty)).is_group, false);
    assert.deepEqual(await changes(), ['createCategory', 'createCategory', 'createCategory']);
  });

  test('as a group, with members by id, by object and by name, which have its flags', async () => {
    const { book, create, get, changes } = await begin();
    const rent = await create('Rent');
    const food = await create('food', { exclude_from_totals: true });
    await changes();
    const children = [rent.id, { ...food, name: 'ignored' }, 'Water', rent.id];
    const group = await create('Home', { is_group: true, collapsed: true, ...flags, children });
    assert.deepEqual(await changes(), ['createCategory']);
    assert.deepEqual([group.is_group, group.collapsed, group.group_id], [true, true, null]);
    assert.equal(names(group.children), 'food,Rent,Water');
    for (const child of group.children ?? []) {
      const { id, name, created_at, updated_at } = child;
      const of = { ...plain, ...flags, group_id: group.id, created_at, updated_at };
      assert.deepEqual(child, { id, name, ...of });
      assert.deepEqual(await get(child), child);
      assert.equal(updated_at, group.created_at);
    }
    assert.deepEqual(await get(group), group);
    // It was named twice, but changed once, so the change can be undone.
    await book.undoLast();
    assert.equal((await get(rent)).group_id, null);
  });

  test('in a group, whose flags override its own', async () => {
    const { create, get } = await begin();
    const group = await create('Home', { is_group: true, exclude_from_budget: true });
    assert.deepEqual(group.children, []);
    const member = await create('Rent', { group_id: group.id, is_income: true });
    assert.deepEqual([member.is_income, member.exclude_from_budget], [false, true]);
    assert.deepEqual((await get(group)).children, [member]);
  });
});

describe('an update', () => {
  test('changes only the properties that are sent', async () => {
    const { create, update, get, changes } = await begin();
    const before = await create('Rent', { description: 'd', order: 2 });
    const other = { id: 99, created_at: 'x', updated_at: 0, is_group: false, collapsed: false };
    const after = await update(before, { ...other, description: null, ...flags });
    assert.ok(after.updated_at > before.updated_at);
    const { updated_at } = after;
    assert.deepEqual(after, { ...before, description: null, ...flags, updated_at });
    assert.deepEqual(await get(before), after);
    assert.equal((await update(before, { name: 'RENT' })).name, 'RENT', 'its own name is free');
    assert.deepEqual(await changes(), ['createCategory', 'updateCategory', 'updateCategory']);
  });

  test('without a difference changes neither the version nor the ETag', async () => {
    const { send, create, update, get, changes } = await begin();
    const group = await create('Home', { is_group: true, children: ['Rent', 'Water'] });
    const [rent] = group.children ?? [];
    await changes();
    const { etag } = await send('GET', root);
    assert.deepEqual(await update(group, await get(group)), group);
    assert.deepEqual(await update(rent!, await get(rent!)), rent);
    assert.deepEqual(await changes(), []);
    assert.equal((await send('GET', root)).etag, etag);
    await update(group, { order: 1 });
    assert.notEqual((await send('GET', root)).etag, etag);
  });

  test('archives and restores, at the time of the change or the one that is sent', async () => {
    const { create, update } = await begin();
    const rent = await create('Rent');
    const archived = await update(rent, { archived: true });
    assert.equal(archived.archived_at, archived.updated_at);
    const again = await update(rent, { archived: true, description: 'd' });
    assert.equal(again.archived_at, archived.archived_at);
    const sent = await update(rent, { archived_at: '2026-01-02T03:04:05+02:00' });
    assert.deepEqual([sent.archived, sent.archived_at], [true, '2026-01-02T01:04:05.000Z']);
    const back = await update(rent, { ...sent, archived: false });
    assert.deepEqual([back.archived, back.archived_at], [false, null]);
  });

  test('of children replaces the members by ids, objects and names; others leave the group', async () => {
    const { create, update, get, changes } = await begin();
    const group = await create('Home', { is_group: true, ...flags, children: ['Rent', 'Water'] });
    const [rent, water] = group.children ?? [];
    const moved = (await create('Other', { is_group: true, children: ['Gas'] })).children?.[0];
    await changes();
    const after = await update(group, { children: [water, moved?.id, 'Sand'] });
    assert.equal(names(after.children), 'Gas,Sand,Water');
    assert.deepEqual(await get(group), after);
    const { group_id, is_income } = await get(rent!);
    assert.deepEqual([group_id, is_income], [null, true], 'it keeps its flags');
    assert.deepEqual((await get(await update(group, { children: [] }))).children, []);
    assert.deepEqual(await changes(), ['updateCategory', 'updateCategory']);
  });

  test('of the flags of a group changes its members, too', async () => {
    const { create, update, get, changes } = await begin();
    const group = await create('Home', { is_group: true, children: ['Rent', 'Water'] });
    await changes();
    const after = await update(group, { exclude_from_totals: true });
    for (const child of after.children ?? []) {
      assert.equal(child.exclude_from_totals, true);
      assert.deepEqual(await get(child), child);
    }
    assert.deepEqual(await changes(), ['updateCategory']);
  });

  test('of the group moves a category, which gets the flags of the new group', async () => {
    const { create, update, get } = await begin();
    const one = await create('One', { is_group: true, children: ['Rent'] });
    const two = await create('Two', { is_group: true, ...flags });
    const rent = one.children![0]!;
    const moved = await update(rent, { group_id: two.id, is_income: false });
    assert.deepEqual([moved.group_id, moved.is_income], [two.id, true]);
    assert.deepEqual((await get(one)).children, []);
    assert.deepEqual((await get(two)).children, [moved]);
    assert.equal((await update(rent, { is_income: false })).is_income, true, 'as its group');
    assert.equal((await update(rent, { group_id: null })).group_id, null);
    assert.equal((await update(rent, { is_income: false })).is_income, false);
  });
});

test('a request that breaks rules is refused with all problems, and changes nothing', async () => {
  const { create, refused, changes, ben } = await begin();
  const group = await create('Home', { is_group: true, children: ['Rent'] });
  const lone = await create('Lone');
  const foreign = { name: 'Foreign', is_group: true };
  const { id: foreignId } = await ben.ok<Category>('POST', root, foreign);
  await changes();
  const [ofGroup, ofLone] = [`${root}/${group.id}`, `${root}/${lone.id}`];
  const isGroup = { name: 'new', is_group: true };
  const many = 'group_id group_id children/0 children/1';
  const bodies: [method: string, url: string, body: object, places: string][] = [
    ['POST', root, { name: ' rENT ' }, 'name'],
    ['POST', root, { name: 'HOME' }, 'name'],
    ['POST', root, { name: 'lone', is_group: true }, 'name'],
    ['POST', root, { ...isGroup, children: ['x', 'LONE'] }, 'name'],
    ['POST', root, { ...isGroup, children: ['x', 'X'] }, 'name'],
    ['POST', root, { ...isGroup, children: ['NEW'] }, 'name'],
    ['POST', root, { ...isGroup, group_id: group.id }, 'group_id'],
    ['POST', root, { ...isGroup, children: [group.id] }, 'children/0'],
    ['POST', root, { ...isGroup, children: [lone.id, 999, foreignId] }, 'children/1 children/2'],
    ['POST', root, { name: 'new', children: [] }, 'children'],
    ['POST', root, { name: 'new', collapsed: true }, 'collapsed'],
    ['POST', root, { name: 'new', group_id: lone.id }, 'group_id'],
    ['POST', root, { name: 'new', group_id: 999 }, 'group_id'],
    ['POST', root, { name: 'new', group_id: foreignId }, 'group_id'],
    ['POST', root, { ...isGroup, group_id: 999, children: [group.id, 998] }, many],
    ['PUT', ofLone, { name: 'home' }, 'name'],
    ['PUT', ofLone, { is_group: true, description: 'd' }, 'is_group'],
    ['PUT', ofLone, { children: [], collapsed: true, group_id: 9 }, 'children collapsed group_id'],
    ['PUT', ofLone, { group_id: foreignId }, 'group_id'],
    ['PUT', ofLone, { group_id: lone.id }, 'group_id'],
    ['PUT', ofGroup, { name: 'Lone', is_group: false }, 'is_group'],
    ['PUT', ofGroup, { group_id: group.id }, 'group_id'],
    ['PUT', ofGroup, { children: [group.id, lone.id, 999] }, 'children/0 children/2'],
    ['PUT', ofGroup, { description: 'd', children: ['y', 'lone'] }, 'name'],
  ];
  for (const [method, url, body, places] of bodies) {
    const errors = await refused(method, url, body);
    const expected = places.split(' ').map((place) => `/body/${place}`);
    assert.deepEqual(pick(errors, 'instancePath'), expected, JSON.stringify(errors));
  }
  const same = { id: 1, created_at: 'x', updated_at: 'x', is_group: false };
  for (const body of [{}, { id: 1 }, same]) {
    const [error] = await refused('PUT', ofLone, body);
    assert.match(String(error?.['errMsg']), /at least one property that can be changed/);
  }
  const [taken] = await refused('POST', root, { name: 'rent' });
  assert.equal(taken?.['errMsg'], "Category with name 'rent' already exists");
  assert.equal(taken['invalid_property'], 'name');
  const code = 'CATEGORY_NAME_ALREADY_EXISTS';
  const { code: gotCode, requested_name, existing_category_id } = taken;
  assert.deepEqual(
    [gotCode, requested_name, existing_category_id],
    [code, 'rent', group.children![0]!.id],
  );
  const [, unknown] = await refused('PUT', ofGroup, { children: [group.id, 999] });
  assert.deepEqual([unknown?.['children_index'], unknown?.['category_id']], [1, 999]);
  assert.deepEqual(await changes(), []);
});

test('a category is deleted unless records depend on it, or always with force', async () => {
  const { book, send, ok, create, get, changes } = await begin();
  const group = await create('Home', { is_group: true, children: ['Rent', 'Water'] });
  const [rent, water] = group.children as [Category, Category];
  await book.change(function* (change) {
    const rows = yield* select(transactions, { book_id: book.id }, { limit: 2 });
    const filed = { category_id: rent.id, own_category_id: rent.id, recurring_id: 1 };
    yield* change.updateAll(transactions, rows, filed);
  });
  await changes();
  const remove = async ({ id }: Category, query = '') => {
    const { status, body } = await send('DELETE', `${root}/${id}${query}`);
    return [status, body];
  };
  const none = { budget: 0, category_rules: 0, recurring: 0, plaid_cats: 0 };
  const ofRent = { ...none, transactions: 2, children: 0 };
  assert.deepEqual(await remove(rent), [422, { category_name: 'Rent', dependents: ofRent }]);
  const ofGroup = { ...none, transactions: 0, children: 2 };
  assert.deepEqual(await remove(group), [422, { category_name: 'Home', dependents: ofGroup }]);
  assert.deepEqual(await changes(), []);
  assert.deepEqual(await remove(rent, '?force=true'), [204, null]);
  const [filed] = await book.rows(transactions);
  assert.deepEqual([filed?.category_id, filed?.own_category_id], [null, null]);
  assert.deepEqual(await remove(group, '?force=true'), [204, null]);
  assert.equal((await get(water)).group_id, null);
  assert.deepEqual(await remove(water, '?force=false'), [204, null]);
  const errors = [{ errMsg: `There is no category with the id: ${water.id}.` }];
  assert.deepEqual(await remove(water), [404, { message: 'Not Found', errors }]);
  assert.deepEqual(await changes(), ['deleteCategory', 'deleteCategory', 'deleteCategory']);
  assert.deepEqual(await ok('GET', root), { categories: [] });
});
