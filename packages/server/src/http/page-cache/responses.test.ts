import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createToken, revokeToken } from '../../resources/users/actions.ts';
import { newToken } from '../../resources/users/token.ts';
import { parseNetworks } from '../../limiter/address/networks.ts';
import { as, listen, makeTestApp, pageRead, type TestUser } from '../testing/test-app.ts';
import type { InjectOptions, TestApp, TestAppOptions } from '../testing/test-app.ts';

const list = '/v2/transactions?limit=20';
const pageCacheBytes = 1_000_000;

async function makeApp(options: TestAppOptions = {}) {
  const metricsReaders = parseNetworks('127.0.0.0/8', 'Metrics readers');
  const made = await makeTestApp({ pageCacheBytes, metricsReaders, ...options });
  after(() => made.app.close());
  return { ...made, ...requestsOf(made) };
}

function requestsOf({ app, engine, ada }: TestApp) {
  const get = (url = list, headers: Record<string, string> = {}, user: TestUser = ada) =>
    app.inject({ url, headers: { ...as(user), ...headers } });
  /** Sends requests until the body is held, and returns the response that was read first. */
  const warm = async (url = list, headers: Record<string, string> = {}, user: TestUser = ada) => {
    const first = await get(url, headers, user);
    await get(url, headers, user);
    engine.calls.length = 0;
    return first;
  };
  const metric = async (line: string): Promise<number> => {
    const { body } = await app.inject('/metrics');
    return Number(
      body
        .split('\n')
        .find((each) => each.startsWith(line))
        ?.slice(line.length),
    );
  };
  return { get, warm, metric };
}

/** Only the caller was read from the database. */
/** A page of a book whose counts are remembered. */
const pageAgain = 'read transactions';
const onlyCaller = ['readStatement access_tokens'];

describe('a repeated request', async () => {
  const { app, engine, ada, ben, get, warm } = await makeApp();

  test('gets the same bytes and headers without reading rows', async () => {
    const first = await warm();
    const hit = await get();
    assert.deepEqual(engine.calls, onlyCaller);
    assert.equal(hit.body, first.body);
    const without = ({ headers }: typeof hit) =>
      Object.entries(headers).filter(([name]) => !/^(date|.*ratelimit.*)$/.test(name));
    assert.deepEqual(without(hit), without(first));
  });

  test('of every encoding gets the bytes that were compressed once', async () => {
    const plain = await get();
    const gzip = { 'accept-encoding': 'gzip' };
    const first = await warm(list, gzip);
    const hit = await get(list, gzip);
    assert.deepEqual(engine.calls, onlyCaller);
    assert.deepEqual(hit.rawPayload, first.rawPayload);
    assert.equal(hit.headers['content-encoding'], 'gzip');
    assert.equal(hit.headers['content-length'], String(hit.rawPayload.length));
    assert.equal(gunzipSync(hit.rawPayload).toString(), plain.body);
    assert.equal((await get()).headers['content-encoding'], undefined);
  });

  test('of another token of the book shares the body, of another book never', async () => {
    const { text, hash } = newToken();
    const { id: bookId, userId } = ada.identity.book;
    const token = { userId, bookId, hash, label: 'another', expiresAt: null };
    await engine.write(() => createToken(token));
    const first = await warm();
    const shared = await get(list, {}, { ...ada, token: text });
    assert.deepEqual(engine.calls.slice(0, 1), onlyCaller);
    assert.ok(!engine.calls.some((call) => [pageRead, pageAgain].includes(call)));
    assert.equal(shared.body, first.body);
    const own = await get(list, {}, ben);
    assert.ok(engine.calls.includes(pageRead));
    assert.equal(own.json<{ transactions: unknown[] }>().transactions.length, 4);
  });

  test('with If-None-Match gets 304 for the tag and for a star', async () => {
    const { etag = '' } = (await warm()).headers;
    for (const known of [etag, '*', `"x", ${etag}`]) {
      const answer = await get(list, { 'if-none-match': known });
      assert.equal(answer.statusCode, 304);
      assert.equal(answer.body, '');
      assert.equal(answer.headers.etag, etag);
    }
    assert.equal((await get(list, { 'if-none-match': '"x"' })).statusCode, 200);
    assert.ok(!engine.calls.some((call) => [pageRead, pageAgain].includes(call)));
  });

  test('of HEAD gets the headers of GET without a body', async () => {
    const first = await warm();
    for (const headers of [as(ada), { ...as(ada), 'accept-encoding': 'gzip' }]) {
      const head = await app.inject({ method: 'HEAD', url: list, headers });
      assert.equal(head.statusCode, 200);
      assert.equal(head.body, '');
      assert.equal(head.headers.etag, first.headers.etag);
    }
    assert.ok(!engine.calls.some((call) => [pageRead, pageAgain].includes(call)));
    const { headers } = await app.inject({ method: 'HEAD', url: list, headers: as(ada) });
    assert.equal(headers['content-length'], first.headers['content-length']);
  });

  test('over a connection gets the same bytes', async () => {
    const first = await warm();
    const port = await listen(app);
    const headers = { ...as(ada), 'accept-encoding': 'identity' };
    for (let time = 0; time < 3; time += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}${list}`, { headers });
      assert.equal(await answer.text(), first.body);
    }
  });
});

describe('a held body is not sent', async () => {
  const { app, engine, ada, get, warm } = await makeApp();

  test('after a write, which the next request sees', async () => {
    await warm();
    const row = { date: '2024-03-02', amount: '1.00', payee: 'New' };
    const payload = { transactions: [row] };
    const { statusCode } = await app.inject({
      ...{ method: 'POST', url: '/v2/transactions', headers: as(ada), payload },
    } as InjectOptions);
    assert.equal(statusCode, 201);
    const [newest] = (await get()).json<{ transactions: { payee: string }[] }>().transactions;
    assert.equal(newest?.payee, 'New');
  });

  test('to a token that was revoked, or without one', async () => {
    const { text, hash } = newToken();
    const { id: bookId, userId } = ada.identity.book;
    const token = { userId, bookId, hash, label: 'short', expiresAt: null };
    const id = await engine.write(() => createToken(token));
    const user = { ...ada, token: text };
    await warm(list, {}, user);
    assert.equal((await get(list, {}, user)).statusCode, 200);
    await engine.write(() => revokeToken(bookId, id));
    assert.equal((await get(list, {}, user)).statusCode, 401);
    assert.equal((await app.inject(list)).statusCode, 401);
  });

  test('for other parameters, which are validated', async () => {
    await warm();
    assert.equal((await get(`${list}&limit=20`)).statusCode, 400);
    assert.equal((await get(`${list}0000`)).statusCode, 400);
    assert.equal((await get(list.replace('?', '/?'))).statusCode, 404);
  });

  test('over the rate limit', async () => {
    const limited = await makeApp({ limit: 3 });
    await limited.warm();
    const [third, fourth] = [await limited.get(), await limited.get()];
    assert.deepEqual([third.statusCode, fourth.statusCode], [200, 429]);
    assert.equal(third.headers['x-ratelimit-remaining'], '0');
  });
});

describe('what is not held', async () => {
  const { engine, ada, get, warm } = await makeApp();

  for (const url of ['/v2/transactions/9', '/v2/transactions?limit=0', '/v2/transactions/1001'])
    test(`${url} is read again`, async () => {
      await warm(url);
      const before = await get(url);
      engine.calls.length = 0;
      assert.equal((await get(url)).body, before.body);
      if (!url.includes('limit')) assert.ok(engine.calls.length > 1);
    });

  test('a failure: the next request reads', async () => {
    await get();
    await engine.failing(pageAgain, new Error('broken'), async () => {
      for (let time = 0; time < 3; time += 1) assert.equal((await get()).statusCode, 500);
    });
    const [miss, hit] = [await get(), await get()];
    assert.deepEqual([miss.statusCode, hit.body], [200, miss.body]);
  });

  test('an earlier version, which can be removed from the change log', async () => {
    const { version } = ada.identity.book;
    const url = `/coffer/transactions?as_of=${version}`;
    await warm(url);
    await get(url);
    assert.ok(engine.calls.length > 1);
  });

  test('anything without a cache', async () => {
    const plain = await makeApp({ pageCacheBytes: 0 });
    await plain.warm();
    await plain.get();
    assert.ok(plain.engine.calls.includes(pageAgain));
    assert.ok(Number.isNaN(await plain.metric('coffer_page_cache_bytes ')));
  });
});

test('requests at the same time read once, and a failing one fails alone', async () => {
  const { engine, get } = await makeApp();
  await get();
  engine.calls.length = 0;
  const gate = Promise.withResolvers<undefined>();
  engine.instead.set(pageAgain, (read) => gate.promise.then(read));
  const all = [1, 2, 3, 4].map(() => get());
  gate.resolve(undefined);
  const bodies = (await Promise.all(all)).map(({ body }) => body);
  assert.equal(new Set(bodies).size, 1);
  assert.equal(engine.calls.filter((name) => name === pageAgain).length, 1);

  await get(`${list}&offset=1`);
  let calls = 0;
  engine.instead.set(pageAgain, (read) => {
    calls += 1;
    return calls === 1 ? Promise.reject(new Error('broken')) : read();
  });
  const others = await Promise.all([1, 2, 3, 4].map(() => get(`${list}&offset=1`)));
  assert.deepEqual(
    others.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
    [200, 200, 200, 500],
  );
});

test('a write while a page is read leaves no old page under the new tag', async () => {
  const { app, engine, ada, get } = await makeApp();
  await get();
  const row = { date: '2024-03-02', amount: '1.00', payee: 'Between' };
  const write = () =>
    app.inject({
      ...{ method: 'POST', url: '/v2/transactions', headers: as(ada) },
      ...{ payload: { transactions: [row] } },
    } as InjectOptions);
  engine.instead.set(pageAgain, async (read) => {
    engine.instead.clear();
    await write();
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
  assert.equal(await metric('coffer_page_cache_requests_total{result="hit"} '), 1);
  assert.equal(await metric('coffer_page_cache_requests_total{result="miss"} '), 2);
  assert.equal(await metric('coffer_page_cache_bytes '), Buffer.byteLength(body) + 512);
  assert.equal(await metric('coffer_page_cache_capacity_bytes '), pageCacheBytes);
});
