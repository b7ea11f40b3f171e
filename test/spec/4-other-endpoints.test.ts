import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { smallBook } from '../service/small-book.ts';
import { startService } from '../service/started-service.ts';

const service = await startService();
after(() => service.close());

interface Category {
  readonly id: number;
  readonly name: string;
  readonly is_group: boolean;
  readonly group_id: number | null;
  readonly children?: readonly Category[];
}

async function categories(query = ''): Promise<readonly Category[]> {
  const answer = await service.ask(`/v2/categories?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return (JSON.parse(answer.text) as { categories: Category[] }).categories;
}

function names(list: readonly Category[]): string[] {
  return list.map(({ name }) => name);
}

test('4 GET /v2/me returns the user and the book of the token', async () => {
  const { ada } = service;
  const answer = await service.ask('/v2/me');
  assert.equal(answer.status, 200);
  assert.deepEqual(JSON.parse(answer.text), {
    name: 'ada',
    email: 'ada@example.org',
    id: ada.userId,
    account_id: ada.bookId,
    budget_name: "ada's book",
    primary_currency: 'eur',
    api_key_label: 'a test',
  });
});

test('4 GET /v2/categories has every category in one request', async () => {
  const listed = (await categories()).flatMap((each) => [each, ...(each.children ?? [])]);
  assert.deepEqual(
    names(listed).toSorted(),
    smallBook.categories.map(({ name }) => name).toSorted(),
  );
});

test('4 GET /v2/categories lists members in their groups, by order, then by name', async () => {
  const listed = await categories();
  assert.deepEqual(names(listed), ['Salary', 'Home', 'Cinema', 'Empty group', 'food']);
  const children = listed.map((each) => each.children && names(each.children));
  assert.deepEqual(children, [undefined, ['Power', 'Rent'], undefined, [], undefined]);
});

test('4 GET /v2/categories lists members after their groups when flattened', async () => {
  const flat = await categories('format=flattened');
  assert.deepEqual(names(flat), [
    'Salary',
    'Home',
    'Power',
    'Rent',
    'Cinema',
    'Empty group',
    'food',
  ]);
  assert.deepEqual(names(flat[1]?.children ?? []), ['Power', 'Rent']);
  assert.equal(flat[2]?.group_id, flat[1]?.id);
});

test('4 GET /v2/categories lists only groups or only categories on request', async () => {
  assert.deepEqual(names(await categories('is_group=true')), ['Home', 'Empty group']);
  assert.deepEqual(names(await categories('is_group=true&format=flattened')), [
    'Home',
    'Empty group',
  ]);
  const assignable = await categories('is_group=false');
  assert.deepEqual(names(assignable), ['Salary', 'Power', 'Rent', 'Cinema', 'food']);
  for (const each of assignable) assert.ok(!('children' in each));
});

test('4 GET /v2/categories refuses an unknown format, and lists the allowed ones', async () => {
  const answer = await service.ask('/v2/categories?format=tree');
  assert.equal(answer.status, 400);
  assert.match(answer.text, /"allowedValues":\["nested","flattened"\]/);
});

test('4 GET /v2/categories/{category_id} returns the category as in the list', async () => {
  for (const listed of await categories('format=flattened')) {
    const answer = await service.ask(`/v2/categories/${listed.id}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(JSON.parse(answer.text), listed);
  }
});

test('4 GET /v2/categories/{category_id} is 404 for an unknown id and 400 for a word', async () => {
  assert.equal((await service.ask('/v2/categories/9999999999999')).status, 404);
  assert.equal((await service.ask('/v2/categories/abc')).status, 400);
});
