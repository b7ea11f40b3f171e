import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../service/started-service.ts';
import { addUser } from '../../service/service-books.ts';

const service = await startService();
after(() => service.close());

const json = ['Content-Type', 'application/json'];
const octets = ['Content-Type', 'application/octet-stream'];
const empty = ['Content-Length', '0'];
const chunked = ['Transfer-Encoding', 'chunked'];
const emptyPosts = [json, octets].flatMap((type) =>
  [empty, chunked].map((length) => ({ method: 'POST', headers: [...type, ...length] })),
);

test('an empty body of any type is no body', async () => {
  const multipart = ['Content-Type', 'multipart/form-data; boundary=x'];
  for (const type of [json, octets, multipart, ['Content-Type', 'text/plain'], []]) {
    for (const length of [[], empty, chunked]) {
      const answer = await service.ask('/v2/me', { headers: [...type, ...length] });
      assert.equal(answer.status, 200, `${type.join(': ')} ${length.join(': ')}`);
    }
  }
});

test('an empty body of any type is accepted by POST, and changes no response of a path without it', async () => {
  for (const [n, asking] of emptyPosts.entries()) {
    // A user can request a fetch once a minute.
    const as = await addUser(service.engine, `fetching${n}`);
    assert.equal((await service.ask('/v2/plaid_accounts/fetch', { ...asking, as })).status, 202);
    assert.equal((await service.ask('/v2/nothing', asking)).status, 404);
    assert.equal((await service.ask('/v2/me', asking)).status, 405);
  }
});

test('a body that no operation needs is read and ignored', async () => {
  const body = '{"limit":1,"a":[1,{"b":null}]}';
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON']) {
    const answer = await service.ask('/v2/transactions', { headers: ['Content-Type', type], body });
    assert.equal(answer.status, 200, type);
    assert.equal(answer.text, (await service.ask('/v2/transactions')).text);
  }
});

test('a body that is not JSON in UTF-8 is 400', async () => {
  for (const body of [
    '{',
    'x',
    '{"a":1,}',
    "{'a':1}",
    '[1]x',
    Buffer.from([0x22, 0xff, 0x22]),
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
    `${'['.repeat(33)}${']'.repeat(33)}`,
    '['.repeat(200_000),
  ]) {
    const answer = await service.ask('/v2/me', { headers: json, body });
    assert.equal(answer.status, 400, String(body).slice(0, 40));
  }
});

test('a body of another type, or compressed, is 415', async () => {
  for (const headers of [
    ['Content-Type', 'text/plain'],
    ['Content-Type', 'application/xml'],
    ['Content-Type', 'application/jsonx'],
    ['Content-Type', 'application/json; charset=latin1'],
    ['Content-Type', 'application/json; charset=utf-16'],
    ['Content-Type', 'application/json+x'],
    ['Content-Type', 'application/json\ta'],
    octets,
    [],
    [...json, 'Content-Encoding', 'gzip'],
  ]) {
    const answer = await service.ask('/v2/me', { headers, body: '{}' });
    assert.equal(answer.status, 415, headers.join(': '));
  }
});

test('a body that is too large is 413, before it has arrived', async () => {
  for (const length of ['1048577', '99999999999']) {
    const answer = await service.ask('/v2/me', { headers: [...json, 'Content-Length', length] });
    assert.equal(answer.status, 413, length);
  }
});
