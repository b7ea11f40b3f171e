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
const categoryDependents = {
  category_name: 'Food',
  dependents: {
    ...{ budget: 1, category_rules: 0, transactions: 3 },
    ...{ children: 0, recurring: 0, plaid_cats: 0 },
  },
};

for (const resource of ['tags', 'categories'] as const) {
  describe(resource, () => {
    test('are listed', async () => {
      const { client, requests } = clientOf(200, { [resource]: [{ id: 4 }] });
      assert.deepEqual(await client[resource].list(), [{ id: 4 }]);
      assert.deepEqual(requests, [{ method: 'GET', path: `/${resource}`, body: null }]);
    });

    test('are read, created and updated, each with a record in return', async () => {
      const { client, requests } = clientOf(200, { id: 4, name: 'a' });
      const { [resource]: records } = client;
      const created = await records.create({ name: 'a' });
      const results = [await records.get(4), created, await records.update(4, { name: 'b' })];
      assert.deepEqual(results, Array(3).fill({ id: 4, name: 'a' }));
      assert.deepEqual(requests, [
        { method: 'POST', path: `/${resource}`, body: { name: 'a' } },
        { method: 'GET', path: `/${resource}/4`, body: null },
        { method: 'PUT', path: `/${resource}/4`, body: { name: 'b' } },
      ]);
    });

    test('are deleted, with force if it is given', async () => {
      const { client, requests } = clientOf(204);
      await client[resource].delete(4);
      await client[resource].delete(4, { force: true });
      assert.deepEqual(
        requests.map(({ method, path }) => `${method} ${path}`),
        [`DELETE /${resource}/4`, `DELETE /${resource}/4?force=true`],
      );
      await assert.rejects(client[resource].delete(0), ArgumentError);
      assert.equal(requests.length, 2);
    });

    test('are not updated or deleted again when the service fails', async () => {
      const { client, requests } = clientOf(503, { message: 'Unavailable', errors: [] });
      await assert.rejects(client[resource].update(4, { name: 'a' }), ApiError);
      await assert.rejects(client[resource].delete(4), ApiError);
      assert.equal(requests.length, 2);
    });
  });
}

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
