import assert from 'node:assert/strict';
import { test } from 'node:test';
import { as, makeTestApp } from '../../http/testing/test-app.ts';

/* What both versions show after any writes is in mapping.property.test.ts. */

test('without a new transaction the response is 204 without a body, also repeated', async () => {
  const { app, ada } = await makeTestApp();
  const transactions = [{ date: '2025-12-31', amount: '10', payee: 'Once' }];
  const post = (body: object, key: string) => {
    const headers = { ...as(ada), 'content-type': 'application/json', 'idempotency-key': key };
    const payload = JSON.stringify(body);
    return app.inject({ method: 'POST', url: '/v1/transactions', headers, payload });
  };
  for (const key of ['a', 'b'])
    assert.match((await post({ transactions }, key)).body, /^\{"ids":\[\d+\]\}$/);
  for (const replayed of [undefined, 'true']) {
    const response = await post({ transactions, skip_duplicates: true }, 'k');
    assert.deepEqual([response.statusCode, response.body], [204, '']);
    assert.equal(response.headers['idempotency-replayed'], replayed);
  }
});
