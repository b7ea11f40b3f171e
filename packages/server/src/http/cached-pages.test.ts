import type { InjectOptions } from 'fastify';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createToken, revokeToken, newToken } from '../identity/users/actions.ts';
import { parseNetworks } from '../limiter/address.ts';
import { as, listen, makeTestApp, pageRead } from './testing/test-app.ts';
import type { TestUser, TestAppOptions } from './testing/test-app.ts';

const list = '/v2/transactions?limit=20';
const pageCacheBytes = 1_000_000;
/** A page of a book whose counts are remembered. */
const pageAgain = 'read transactions';
/** Only the caller was read from the database. */
const onlyCaller = ['readStatement access_tokens'];

async function makeApp(options: TestAppOptions = {}) {
  const metricsReaders = parseNetworks('127.0.0.0/8', 'Metrics readers');
  const made = await makeTestApp({ pageCacheBytes, metricsReaders, ...options });
  const { app, engine, ada } = made;
  const get = (url = list, headers: Record<string, string> = {}, user: TestUser = ada) =>
    app.inject({ url, headers: { ...as(user), ...headers } });
  /** Sends requests until the body is held, and returns the response that was read first. */
  const warm = async (url = list, headers: Record<string, string> = {}, user: TestUser = ada) => {
    const first = await get(url, headers, user);
    await get(url, headers, user);
    engine.calls.length = 0;
    return first;
  };
  const metric = async (name: string): Promise<number> => {
    const { body } = await app.inject('/metrics');
    const line = body.split('\n').find((each) => each.startsWith(`coffer_page_cache_${name} `));
    return Number(line?.split(' ').at(-1));
  };
  const write = async (payee: string) => {
    const payload = { transactions: [{ date: '2024-03-02', amount: '1.00', payee }] };
    const request = { method: 'POST', url: '/v2/transactions', headers: as(ada), payload };
    assert.equal((await app.inject(request as InjectOptions)).statusCode, 201);
  };
  const addToken = async () => {
    const { text, hash } = newToken();
    const { id: bookId, userId } = ada.identity.book;
    const token = { userId, bookId, hash, label: 'another', expiresAt: null };
    const id = await engine.write(() => createToken(token));
    const revoke = () => engine.write(() => revokeToken(bookId, id));
    return { user: { ...ada, token: text }, revoke };
  };
  const hasReadPage = () => engine.calls.some((call) => [pageRead, pageAgain].includes(call));
  return { ...made, get, warm, metric, write, addToken, hasReadPage };
}

describe('a repeated request', async () => {
  const { app, engine, ada, get, warm, addToken, hasReadPage } = await makeApp();

  test('gets the same bytes and headers without reading rows, by every encoding and over a connection', async () => {
    const without = (headers: object) =>
      Object.entries(headers).filter(([name]) => !/^(date|.*ratelimit.*)$/.test(name));
    const plain = await get();
    for (const coding of ['identity', 'gzip']) {
      const accepts = { 'accept-encoding': coding };
      const first = await warm(list, accepts);
      const hit = await get(list, accepts);
      assert.deepEqual(engine.calls, onlyCaller);
      assert.deepEqual(hit.rawPayload, first.rawPayload);
      assert.deepEqual(without(hit.headers), without(first.headers));
      assert.equal(hit.headers['content-length'], String(hit.rawPayload.length));
      const bytes = coding === 'gzip' ? gunzipSync(hit.rawPayload) : hit.rawPayload;
      assert.equal(bytes.toString(), plain.body);
      const headers = { ...as(ada), ...accepts };
      const head = await app.inject({ method: 'HEAD', url: list, headers });
      const { etag } = hit.headers;
      assert.deepEqual([head.statusCode, head.body, head.headers.etag], [200, '', etag]);
      if (coding === 'identity')
        assert.equal(head.headers['content-length'], hit.headers['content-length']);
      assert.ok(!hasReadPage());
    }
    assert.equal((await get()).headers['content-encoding'], undefined);
    const address = `http://127.0.0.1:${await listen(app)}${list}`;
    for (let time = 0; time < 3; time += 1)
      assert.equal(await (await fetch(address, { headers: as(ada) })).text(), plain.body);
  });

  test('of another token of the book shares the body', async () => {
    const { user } = await addToken();
    const first = await warm();
    const shared = await get(list, {}, user);
    assert.equal(shared.body, first.body);
    assert.deepEqual([engine.calls[0], hasReadPage()], [onlyCaller[0], false]);
  });
});

describe('a held body is not sent', async () => {
  const { app, get, warm, addToken } = await makeApp();

  test('to a token that was revoked, or without one', async () => {
    const { user, revoke } = await addToken();
    await warm(list, {}, user);
    assert.equal((await get(list, {}, user)).statusCode, 200);
    await revoke();
    assert.equal((await get(list, {}, user)).statusCode, 401);
    assert.equal((await app.inject(list)).statusCode, 401);
  });

  test('for other parameters, which are validated, or over the rate limit', async () => {
    await warm();
    assert.equal((await get(`${list}&limit=20`)).statusCode, 400);
    assert.equal((await get(`${list}0000`)).statusCode, 400);
    assert.equal((await get(list.replace('?', '//?'))).statusCode, 404);
    const limited = await makeApp({ limit: 3 });
    await limited.warm();
    const [third, fourth] = [await limited.get(), await limited.get()];
    assert.deepEqual([third.statusCode, fourth.statusCode], [200, 429]);
    assert.equal(third.headers['x-ratelimit-remaining'], '0');
  });
});

describe('what is not held', async () => {
  const { engine, ada, get, warm } = await makeApp();

  test('is an error, a single transaction, or an earlier version, which can be pruned', async () => {
    const asOf = `/coffer/transactions?as_of=${ada.identity.book.version}`;
    for (const url of ['/v2/transactions/9', '/v2/transactions/1001', asOf]) {
      await warm(url);
      const before = await get(url);
      engine.calls.length = 0;
      assert.equal((await get(url)).body, before.body);
      assert.ok(engine.calls.length > 1, url);
    }
  });

  test('is anything without a cache', async () => {
    const plain = await makeApp({ pageCacheBytes: 0 });
    await plain.warm();
    await plain.get();
    assert.ok(plain.engine.calls.includes(pageAgain));
    assert.ok(Number.isNaN(await plain.metric('bytes')));
  });
});

test('a write while a page is read leaves no old page under the new tag', async () => {
  const { engine, get, write } = await makeApp();
  await get();
  engine.instead.set(pageAgain, async (read) => {
    engine.instead.clear();
    await write('Between');
    return read();
  });
  const during = await get();
  for (let time = 0; time < 3; time += 1) {
    const later = await get();
    assert.equal(later.body, during.body);
    assert.match(later.body, /Between/);
    assert.notEqual(later.headers.etag, during.headers.etag);
  }
});

test('the metrics count hits, misses and bytes', async () => {
  const { get, warm, metric } = await makeApp();
  const { body } = await warm();
  await get();
  assert.equal(await metric('requests_total{result="hit"}'), 1);
  assert.equal(await metric('requests_total{result="miss"}'), 2);
  assert.equal(await metric('bytes'), Buffer.byteLength(body) + 512);
  assert.equal(await metric('capacity_bytes'), pageCacheBytes);
});
