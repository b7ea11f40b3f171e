import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sixHeaders } from '../service/document-check.ts';
import { header, newAddress } from '../service/http-exchange.ts';
import { startService } from '../service/started-service.ts';

const service = await startService();
after(() => service.close());

test('1 interface serves every named area over HTTP with JSON', async () => {
  for (const area of ['/v2/transactions', '/v2/categories', '/v2/me']) {
    const answer = await service.ask(area);
    assert.equal(answer.status, 200, area);
    assert.equal(header(answer, 'Content-Type'), 'application/json; charset=utf-8');
    assert.equal(typeof JSON.parse(answer.text), 'object');
  }
});

test('1.1 a page is selected with limit and offset, and a boolean shows whether more follow', async () => {
  const all = (await service.list()).transactions;
  const second = await service.list('limit=4&offset=4');
  assert.deepEqual(second, { transactions: all.slice(4, 8), has_more: true });
  const last = await service.list(`limit=4&offset=${all.length - 3}`);
  assert.deepEqual(last, { transactions: all.slice(-3), has_more: false });
});

test('1.2 requests to both prefixes are limited and have the headers', async () => {
  for (const target of ['/v1/me', '/v2/me', '/v1/nothing', '/v2/nothing']) {
    const from = newAddress();
    const first = await service.ask(target, { from });
    for (const name of sixHeaders) assert.match(header(first, name), /^\d+$/);
    assert.equal(header(first, 'RateLimit-Remaining'), '99');
    for (let hit = 2; hit <= 100; hit += 1) await service.ask(target, { from });
    assert.equal((await service.ask(target, { from })).status, 429, target);
  }
});
