import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createClient, type ClientOptions } from '../../packages/client/src/index.ts';
import { startService, walk } from '../service/started-service.ts';

const service = await startService({ rateLimit: '100000' });
after(() => service.close());
const { ada, baseUrl } = service;
const coffer = createClient({ baseUrl, token: ada.token });

const statuses: number[] = [];
const counting: ClientOptions['fetch'] = async (url, init) => {
  const response = await fetch(url, init);
  statuses.push(response.status);
  return response;
};

describe('the client and the service', () => {
  for (const limit of [1, 7, 1000, 2000]) {
    test(`a list in pages of ${limit} equals a walk by hand`, async () => {
      const pages = await walk(service, limit);
      const rows = await coffer.transactions.toArray({ limit }, { max: 10_000 });
      assert.ok(rows.length > 5);
      assert.deepEqual(
        rows,
        pages.flatMap((page) => page.transactions),
      );
    });
  }

  test('an error has every problem that the service reports', async () => {
    await assert.rejects(
      coffer.transactions.page({ limit: 2001, start_date: 'today' }),
      (error: Error) => {
        assert.ok('status' in error && 'errors' in error && 'attempts' in error);
        assert.equal(error.name, 'ApiError');
        assert.deepEqual([error.status, error.attempts], [400, 1]);
        const details = (error.errors as { errMsg: string }[]).map(({ errMsg }) => errMsg).join();
        assert.match(details, /limit/);
        assert.match(details, /start_date/);
        assert.match(error.message, /^GET http:.*limit=2001.*status 400/);
        return true;
      },
    );
  });

  test('a missing record is 404, an invalid token 401', async () => {
    await assert.rejects(coffer.transactions.get(999_999_999), { name: 'ApiError', status: 404 });
    const stranger = createClient({ baseUrl, token: 'stranger' });
    await assert.rejects(stranger.me(), { name: 'ApiError', status: 401, reason: 'Unauthorized' });
  });
});

test(
  '25 concurrent calls under 10 requests a second get no 429',
  { timeout: 300_000 },
  async () => {
    const limited = await startService({ rateLimit: '10/1s' });
    try {
      const client = createClient({
        baseUrl: limited.baseUrl,
        token: limited.ada.token,
        fetch: counting,
      });
      const calls = Array.from({ length: 25 }, () => client.me());
      assert.equal((await Promise.all(calls)).length, 25);
      assert.deepEqual(
        statuses,
        calls.map(() => 200),
      );
    } finally {
      await limited.close();
    }
  },
);
