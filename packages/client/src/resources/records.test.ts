import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError, ArgumentError, createClient, DependentsError } from '../index.ts';
import type { Client } from '../index.ts';

interface Received {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A client of a service that always sends the same response, and the requests that arrived. */
function clientOf(status: number, body?: object): { client: Client; requests: Received[] } {
  const requests: Received[] = [];
  const client = createClient({
    baseUrl: 'http://127.0.0.1:8080',
    token: 'hush',
    fetch: async (url, { method, body: sent }) => {
      const { pathname, search } = new URL(url);
      const path = pathname.replace('/v2', '') + search;
      requests.push({ method, path, body: typeof sent === 'string' ? JSON.parse(sent) : null });
      return new Response(body === undefined ? null : JSON.stringify(body), { status });
    },
  });
  return { client, requests };
}

const tagDependents = { tag_name: 'Road trip', dependents: { rules: 0, transactions: 12 } };
const dependents = {
  budget: 1,
  category_rules: 0,
  transactions: 3,
  children: 0,
  recurring: 0,
  plaid_cats: 0,
};
const categoryDependents = { category_name: 'Food', dependents };

for (const resource of ['tags', 'categories'] as const)
  test(`${resource} are listed, read, created, updated and deleted`, async () => {
    const listed = clientOf(200, { [resource]: [{ id: 4 }] });
    assert.deepEqual(await listed.client[resource].list(), [{ id: 4 }]);
    const { client, requests } = clientOf(200, { id: 4, name: 'a' });
    const { [resource]: records } = client;
    const created = await records.create({ name: 'a' });
    const results = [created, await records.get(4), await records.update(4, { name: 'b' })];
    assert.deepEqual(results, Array(3).fill({ id: 4, name: 'a' }));
    const gone = clientOf(204);
    await gone.client[resource].delete(4);
    await gone.client[resource].delete(4, { force: true });
    await assert.rejects(gone.client[resource].delete(0), ArgumentError);
    const failing = clientOf(503, { message: 'Unavailable', errors: [] });
    await assert.rejects(failing.client[resource].update(4, { name: 'a' }), ApiError);
    await assert.rejects(failing.client[resource].delete(4), ApiError);
    const all = [listed, { requests }, gone, failing].flatMap((each) => each.requests);
    assert.deepEqual(
      all.map(({ method, path, body }) => [method, path, body]),
      [
        ['GET', `/${resource}`, null],
        ['POST', `/${resource}`, { name: 'a' }],
        ['GET', `/${resource}/4`, null],
        ['PUT', `/${resource}/4`, { name: 'b' }],
        ['DELETE', `/${resource}/4`, null],
        ['DELETE', `/${resource}/4?force=true`, null],
        // Neither is sent again when the service fails.
        ['PUT', `/${resource}/4`, { name: 'a' }],
        ['DELETE', `/${resource}/4`, null],
      ],
    );
  });

describe('a record that others depend on', () => {
  test('is a DependentsError with the counts', async () => {
    const { client } = clientOf(422, tagDependents);
    await assert.rejects(client.tags.delete(4), (error) => {
      assert.ok(error instanceof DependentsError && error instanceof ApiError);
      assert.deepEqual(
        [error.name, error.status, error.body],
        ['DependentsError', 422, tagDependents],
      );
      assert.equal(
        error.message,
        'DELETE http://127.0.0.1:8080/v2/tags/4: status 422: ' +
          'records depend on it (transactions: 12) (1 attempt)',
      );
      return true;
    });
    const food = clientOf(422, categoryDependents).client;
    await assert.rejects(food.categories.delete(2), {
      body: categoryDependents,
      reason: 'records depend on it (budget: 1, transactions: 3)',
    });
  });

  test('is a plain ApiError when a 422 has another body', async () => {
    for (const body of [{ message: 'No', errors: [{ errMsg: 'Not so.' }] }, { dependents: 3 }]) {
      const { client } = clientOf(422, body);
      await assert.rejects(client.tags.delete(4), { name: 'ApiError', status: 422 });
    }
  });
});
