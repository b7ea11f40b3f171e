import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { numberIn, newAddress } from '../service/http-exchange.ts';
import { startService } from '../service/started-service.ts';

const service = await startService();
after(() => service.close());

test('9.1, 1.2 both prefixes exist, are limited, and share the quota of a client', async () => {
  const from = newAddress();
  for (let hit = 1; hit <= 100; hit += 1) {
    const answer = await service.ask(hit % 2 ? '/v1/transactions' : '/v2/me', { from });
    assert.equal(numberIn(answer, 'RateLimit-Remaining'), 100 - hit);
  }
  for (const target of ['/v1/transactions', '/v2/me']) {
    assert.equal((await service.ask(target, { from })).status, 429, target);
  }
});

test('9.1 /v1/ requires a token like /v2/', async () => {
  const refused = await service.ask('/v1/me', { as: null });
  assert.equal(refused.status, 401);
  const error = { name: 'Error', message: 'Access token does not exist.' };
  assert.deepEqual(JSON.parse(refused.text), error);
  assert.equal((await service.ask('/v1/me')).status, 200);
  assert.equal((await service.ask('/v1/nothing')).status, 404);
});

test('9.1 /v1/ alone also accepts the token in the query; the header takes precedence', async () => {
  const { token } = service.ada;
  const statusOf = async (target: string, headers: string[] = []): Promise<number> =>
    (await service.ask(target, { as: null, headers })).status;
  assert.equal(await statusOf(`/v1/me?access_token=${token}`), 200);
  assert.equal(await statusOf(`/v1/me?access_token=${token}x`), 401);
  assert.equal(await statusOf('/v1/me?access_token='), 401);
  assert.equal(await statusOf(`/v2/me?access_token=${token}`), 401);
  const invalid = ['Authorization', 'Bearer x'];
  assert.equal(await statusOf(`/v1/me?access_token=${token}`, invalid), 401);
});

test('9.2 there is no listing outside of the versions', async () => {
  assert.equal((await service.ask('/v2/transactions')).status, 200);
  for (const target of ['/transactions', '/v3/transactions']) {
    assert.equal((await service.ask(target)).status, 404, target);
  }
});
