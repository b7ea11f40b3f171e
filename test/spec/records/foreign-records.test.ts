import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startProviders } from '../../service/crypto-providers.ts';
import { recordsOf } from '../../service/good-requests.ts';
import { header } from '../../service/http-exchange.ts';
import { startService } from '../../service/started-service.ts';
import { addRows, addUser, type User } from '../../service/service-books.ts';

/* A record of another book in each place of each request: prove/http/f11-foreign-records.ts. */

const providers = await startProviders();
after(() => providers.close());
const service = await startService(providers.flags, providers.environment);
after(() => service.close());
const { ada, ben } = service;

for (const as of [ada, ben]) {
  const id = await providers.add(service.engine, as, 'ethereum');
  await service.ask(`/v2/crypto/synced/${id}/refresh`, { as, method: 'POST' });
}

test('a refresh of a foreign account calls no provider and changes nothing', async () => {
  const target = `/v2/crypto/synced/${await recordsOf(service).own('crypto')}`;
  const [before, calls] = [await service.ask(target), providers.ethereum.calls.length];
  const refused = await service.ask(`${target}/refresh`, { as: ben, method: 'POST' });
  assert.equal(refused.status, 404);
  assert.equal(providers.ethereum.calls.length, calls);
  const after = await service.ask(target);
  assert.deepEqual([after.text, after.lines['etag']], [before.text, before.lines['etag']]);
});

test('users who alternate on one connection, or send many requests at once, get their own records', async () => {
  const asked = Array.from({ length: 60 }, async (_, n) => {
    const as = n % 2 ? ada : ben;
    const { text } = await service.ask('/v2/me', { as });
    assert.equal((JSON.parse(text) as { email: string }).email, as.email);
  });
  await Promise.all(asked);
  const get = ({ token }: User, end: string): string =>
    `GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${end}\r\n`;
  const turns = [ada, ben, ada, ben, ben, ada];
  const text = turns.map((user) => get(user, '')).join('') + get(ada, 'Connection: close\r\n');
  const answer = await service.sendBytes(text);
  const emails = [...answer.text.matchAll(/"email":"(\w+)@/g)].map(([, name]) => name);
  assert.deepEqual(
    emails,
    [...turns, ada].map(({ name }) => name),
  );
});

test('a page or an ETag of one book is nothing in another, even at the same version', async () => {
  const first = await addUser(service.engine, 'eve');
  const second = await addUser(service.engine, 'fay');
  for (const target of ['/v2/categories', '/v2/transactions']) {
    const mark = header(await service.ask(target, { as: first }), 'ETag');
    const headers = ['If-None-Match', mark];
    assert.equal((await service.ask(target, { as: first, headers })).status, 304);
    assert.equal((await service.ask(target, { as: second, headers })).status, 200);
  }
  const dates = new Map([
    [first, '2025-03-01'],
    [second, '2025-09-01'],
  ]);
  for (const [as, date] of dates) await addRows(service.engine, as, 30, date);
  for (const filter of ['', 'status=unreviewed&', 'category_id=0&'])
    for (const offset of [0, 10, 20])
      for (const [as, date] of dates) {
        const page = await service.list(`${filter}limit=10&offset=${offset}`, { as });
        assert.deepEqual([...new Set(page.transactions.map((row) => row.date))], [date]);
        assert.deepEqual([page.transactions.length, page.has_more], [10, offset < 20]);
      }
});
