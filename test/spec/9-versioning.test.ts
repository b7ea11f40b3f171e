import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { header, numberIn } from '../service/http-exchange.ts';
import { errorsOf, newAddress, startService } from '../service/started-service.ts';

const service = await startService();
after(() => service.close());

test('9.1 both prefixes exist, are limited, and share the quota of a client', async () => {
  const from = newAddress();
  for (let hit = 1; hit <= 100; hit += 1) {
    const answer = await service.ask(hit % 2 ? '/v1/transactions' : '/v2/me', { from });
    assert.equal(numberIn(answer, 'RateLimit-Remaining'), 100 - hit);
  }
  for (const target of ['/v1/transactions', '/v2/me']) {
    assert.equal((await service.ask(target, { from })).status, 429, target);
  }
});

test('9.1 /v1/ requires a token like /v2/, and has no paths yet', async () => {
  assert.equal((await service.ask('/v1/me', { as: null })).status, 401);
  assert.equal((await service.ask('/v1/me')).status, 404);
});

test('9.2 the listing is only at /v2/', async () => {
  assert.equal((await service.ask('/v2/transactions')).status, 200);
  for (const target of ['/transactions', '/v1/transactions', '/v3/transactions']) {
    assert.equal((await service.ask(target)).status, 404, target);
  }
});

test('9.2 every error under /v2/ has the same format, in JSON', async () => {
  for (const target of ['/v2/transactions?limit=-1', '/v2/nothing', '/v2/%zz']) {
    const answer = await service.ask(target);
    assert.equal(header(answer, 'Content-Type'), 'application/json; charset=utf-8');
    const { message, errors } = errorsOf(answer);
    assert.deepEqual([typeof message, typeof errors[0]?.['errMsg']], ['string', 'string'], target);
  }
});
