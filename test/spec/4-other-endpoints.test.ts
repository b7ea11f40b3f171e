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

test('4 GET /v2/categories, 1 interface has every category in one request', async () => {
  const listed = (await categories()).flatMap((each) => [each, ...(each.children ?? [])]);
  const shown = names(listed).toSorted();
  assert.deepEqual(shown, smallBook.categories.map(({ name }) => name).toSorted());
});

test('4 GET /v2/categories/{category_id} returns the category as in the list', async () => {
  for (const listed of await categories('format=flattened')) {
    const answer = await service.ask(`/v2/categories/${listed.id}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(JSON.parse(answer.text), listed);
  }
});
