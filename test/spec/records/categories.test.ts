import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newName, withBody } from '../../service/good-requests.ts';
import { header, type Answer } from '../../service/http-exchange.ts';
import { at, payeesOf } from '../../service/small-book.ts';
import { errorsOf, payees, startService } from '../../service/started-service.ts';

const service = await startService();
after(() => service.close());

interface Category {
  readonly id: number;
  readonly name: string;
  readonly group_id: number | null;
  readonly is_group: boolean;
  readonly is_income: boolean;
  readonly archived_at: string | null;
  readonly updated_at: string;
  readonly children?: readonly Category[];
  readonly [key: string]: unknown;
}

const path = '/v2/categories';
const post = (body: unknown): Promise<Answer> => service.ask(path, withBody('POST', body));
const put = (id: number, body: unknown): Promise<Answer> =>
  service.ask(`${path}/${id}`, withBody('PUT', body));
const remove = (id: number, query = ''): Promise<Answer> =>
  service.ask(`${path}/${id}${query}`, { method: 'DELETE' });
const categoryIn = ({ text }: Answer): Category => JSON.parse(text) as Category;
const get = async (id: number): Promise<Category> => categoryIn(await service.ask(`${path}/${id}`));

async function list(): Promise<Category[]> {
  const { text } = await service.ask(`${path}?format=flattened`);
  return (JSON.parse(text) as { categories: Category[] }).categories;
}

async function made(body: object = {}): Promise<Category> {
  const answer = await post({ name: newName(), ...body });
  assert.equal(answer.status, 201, answer.text);
  return categoryIn(answer);
}

async function changed(id: number, body: object): Promise<Category> {
  const answer = await put(id, body);
  assert.equal(answer.status, 200, answer.text);
  return categoryIn(answer);
}

/** The properties that the refusal names. */
async function refused(answer: Promise<Answer>): Promise<string[]> {
  const { status, ...rest } = await answer;
  assert.equal(status, 400, rest.text);
  return errorsOf({ status, ...rest }).errors.map((error) => String(error['invalid_property']));
}

test('creating a category returns all of it, and the list has it', async () => {
  const name = newName();
  const { id, created_at, updated_at, ...rest } = await made({ name });
  assert.deepEqual(rest, {
    name,
    description: null,
    is_income: false,
    exclude_from_budget: false,
    exclude_from_totals: false,
    group_id: null,
    is_group: false,
    archived: false,
    archived_at: null,
    order: null,
    collapsed: false,
  });
  assert.equal(created_at, updated_at);
  assert.deepEqual(
    (await list()).find((each) => each.id === id),
    await get(id),
  );
});

test('a new group accepts members as ids, names and whole objects, and they inherit its flags', async () => {
  const [first, second] = [await made(), await made({ is_income: false, order: 2 })];
  const flags = { is_income: true, exclude_from_budget: true, exclude_from_totals: true };
  const name = newName();
  const children = [first.id, second, name];
  const group = await made({ is_group: true, collapsed: true, ...flags, children });
  assert.equal(group['collapsed'], true);
  assert.deepEqual(
    group.children?.map((each) => each.name),
    [second.name, first.name, name],
  );
  for (const child of group.children) {
    assert.deepEqual({ ...child, ...flags, group_id: group.id }, child);
    assert.deepEqual(await get(child.id), child);
  }
  const other = await made({ is_group: true, children: [first.id] });
  assert.equal((await get(first.id)).group_id, other.id);
  assert.equal((await get(group.id)).children?.length, 2);
  assert.deepEqual((await made({ is_group: true })).children, []);
});

test('a member can be created in its group, and changes with the group', async () => {
  const group = await made({ is_group: true, is_income: true });
  const member = await made({ group_id: group.id, is_income: false });
  assert.deepEqual([member.group_id, member.is_income], [group.id, true]);
  await changed(group.id, { is_income: false, exclude_from_totals: true });
  const followed = await get(member.id);
  assert.deepEqual([followed.is_income, followed['exclude_from_totals']], [false, true]);
  assert.equal((await changed(member.id, { group_id: null })).group_id, null);
  assert.deepEqual((await get(group.id)).children, []);
});

test('invalid combinations are refused, all at once, and nothing is created', async () => {
  const group = await made({ is_group: true });
  const single = await made();
  const before = await list();
  const name = newName();
  const grouped = { name, is_group: true };
  assert.deepEqual(await refused(post({ ...grouped, group_id: group.id })), ['group_id']);
  assert.deepEqual(await refused(post({ name, children: [single.id] })), ['children']);
  assert.deepEqual(await refused(post({ name, collapsed: true })), ['collapsed']);
  assert.deepEqual(await refused(post({ name, group_id: single.id })), ['group_id']);
  assert.deepEqual(await refused(post({ name, group_id: 87_654_321 })), ['group_id']);
  const children = [single.id, group.id, 87_654_321];
  assert.deepEqual(await refused(post({ ...grouped, children })), ['children/1', 'children/2']);
  const all = post({ name, group_id: single.id, children: [group.id], collapsed: true });
  assert.deepEqual([...new Set(await refused(all))].toSorted(), [
    'children',
    'children/0',
    'collapsed',
    'group_id',
  ]);
  assert.deepEqual(await refused(put(single.id, { is_group: true, order: 1 })), ['is_group']);
  assert.deepEqual(await refused(put(group.id, { is_group: false, order: 1 })), ['is_group']);
  assert.deepEqual(await refused(put(group.id, { group_id: group.id })), ['group_id']);
  assert.deepEqual(await refused(put(single.id, { children: [] })), ['children']);
  assert.deepEqual(await list(), before);
});

test('names are unique among categories, groups and new members', async () => {
  const group = await made({ is_group: true, name: 'Größe' });
  const single = await made({ name: 'Wohnen' });
  const before = await list();
  for (const name of ['größe', ' GRÖSSE'.replace('SS', 'ß'), 'wohnen']) {
    const answer = await post({ name });
    assert.equal(answer.status, 400, name);
    const text = `Category with name '${name}' already exists`;
    assert.equal(errorsOf(answer).errors[0]?.['errMsg'], text);
  }
  assert.deepEqual(await refused(put(single.id, { name: group.name })), ['name']);
  const twice = newName();
  for (const children of [['Wohnen'], [twice, twice]]) {
    const answer = await post({ name: newName(), is_group: true, children });
    assert.equal(answer.status, 400, answer.text);
    assert.equal((await put(group.id, { children })).status, 400);
  }
  assert.deepEqual(await list(), before);
});

test('an update changes the properties sent, and accepts a whole category', async () => {
  const before = await made({ description: 'before', order: 7 });
  const now = await changed(before.id, { description: 'after' });
  assert.ok(now.updated_at > before.updated_at);
  assert.deepEqual(now, { ...before, description: 'after', updated_at: now.updated_at });
  const whole = { ...now, id: 1, created_at: 'x', updated_at: null, is_group: null, order: null };
  const again = await changed(before.id, whole);
  assert.deepEqual(again, { ...now, order: null, updated_at: again.updated_at });
  const mark = header(await service.ask(path), 'ETag');
  assert.deepEqual(await changed(before.id, { description: 'after' }), again);
  assert.equal(header(await service.ask(path), 'ETag'), mark);
  assert.equal((await put(before.id, {})).status, 400);
  assert.equal((await put(before.id, { id: 1, is_group: false })).status, 400);
});

test('children in an update replace the members; those left out belong to no group', async () => {
  const [first, second] = [await made(), await made()];
  const group = await made({ is_group: true, children: [first.id] });
  const name = newName();
  const now = await changed(group.id, { children: [second, name] });
  assert.deepEqual(
    now.children?.map((each) => each.name).toSorted(),
    [name, second.name].toSorted(),
  );
  assert.equal((await get(first.id)).group_id, null);
  const whole = await get(group.id);
  assert.deepEqual((await changed(group.id, whole)).children, whole.children);
  assert.deepEqual((await changed(group.id, { children: [] })).children, []);
  assert.equal((await get(second.id)).group_id, null);
});

test('archiving sets archived_at, and restoring clears it', async () => {
  const { id } = await made();
  const archived = await changed(id, { archived: true });
  assert.deepEqual([archived['archived'], archived.archived_at], [true, archived.updated_at]);
  assert.equal((await changed(id, { archived: false })).archived_at, null);
});

test('a category with transactions is deleted only with force: then they have none', async () => {
  const food = (await list()).find(({ name }) => name === 'food')!;
  const held = payeesOf(({ category }) => category === at.food);
  const answer = await remove(food.id);
  assert.equal(answer.status, 422);
  const none = { budget: 0, category_rules: 0, recurring: 0, plaid_cats: 0 };
  assert.deepEqual(JSON.parse(answer.text), {
    category_name: 'food',
    dependents: { ...none, transactions: held.length, children: 0 },
  });
  assert.equal((await remove(food.id, '?force=true')).status, 204);
  assert.equal((await remove(food.id)).status, 404);
  assert.equal((await service.ask(`${path}/${food.id}`)).status, 404);
  const everything = 'include_split_parents=true&include_group_children=true';
  const { transactions } = await service.list(everything);
  for (const row of transactions) assert.notEqual(row['category_id'], food.id);
  const without = await service.list(`category_id=0&${everything}`);
  for (const payee of held) assert.ok(payees(without).includes(payee), payee);
});

test('a group with members is deleted only with force: then they belong to none', async () => {
  const group = await made({ is_group: true, children: [newName(), newName()] });
  const answer = await remove(group.id);
  assert.equal(answer.status, 422);
  const { dependents } = JSON.parse(answer.text) as { dependents: Record<string, number> };
  assert.deepEqual([dependents['children'], dependents['transactions']], [2, 0]);
  assert.equal((await remove(group.id, '?force=true')).status, 204);
  for (const { id } of group.children ?? []) {
    assert.equal((await get(id)).group_id, null);
    assert.equal((await remove(id)).status, 204);
  }
});
