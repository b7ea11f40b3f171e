import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { describe, test, type TestContext } from 'node:test';
import zlib from 'node:zlib';
import { fillDemo } from '../demo/fill.ts';
import { makeDemoBook } from '../demo/book/make-demo-book.ts';
import { noFileStore } from '../files/store.ts';
import { parseNetworks } from '../limiter/address.ts';
import { closing, exchange, getText } from './testing/test-connection.ts';
import { addUser, as, listen, makeTestApp, pageRead, until } from './testing/test-app.ts';

const { gunzipSync, zstdDecompressSync, brotliDecompressSync } = zlib;
const decoders = { gzip: gunzipSync, zstd: zstdDecompressSync, br: brotliDecompressSync };
const codings = ['gzip', 'zstd', 'br'] as const;

const metricsReaders = parseNetworks('127.0.0.1', 'readers');
const origins = { corsOrigins: ['https://app.example'] };
const { app, engine, ada, log } = await makeTestApp({ metricsReaders, ...origins });
const port = await listen(app);

type Headers = Readonly<Record<string, string>>;
const get = (url: string, headers: Headers = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url, headers: { ...as(ada), ...headers } });

const all = '?start_date=2024-01-01&end_date=2024-12-31';
/** A path of every kind of response that has the same bytes each time, by what it is. */
const kinds = {
  'a page of v2': '/v2/transactions',
  'a page of v1': `/v1/transactions${all}`,
  "a list of Coffer's own": '/coffer/transactions',
  'an error': `/v2/transactions?${Array.from({ length: 30 }, (_, at) => `x${at}=1`).join('&')}`,
  'an export in CSV': '/coffer/export',
  'an export in NDJSON': '/coffer/export?format=ndjson',
  'an OpenAPI document': '/openapi.json',
  'the welcome page': '/',
};

for (const [name, url] of Object.entries(kinds))
  test(`${name} has by every coding the same bytes; HEAD has its headers, and who has it gets 304`, async () => {
    const plain = await get(url);
    assert.ok(plain.rawPayload.length >= 1024, String(plain.rawPayload.length));
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.match(String(plain.headers.vary), /^Accept-Encoding, Origin/);
    for (const coding of ['identity', ...codings] as const) {
      const accepts = { 'accept-encoding': coding };
      const { headers, rawPayload, statusCode } = await get(url, accepts);
      const head = await get(url, accepts, 'HEAD');
      assert.deepEqual([head.rawPayload.length, head.statusCode], [0, statusCode]);
      for (const same of ['content-encoding', 'content-type', 'etag', 'vary'])
        assert.equal(head.headers[same], headers[same], same);
      for (const same of ['content-type', 'etag', 'vary'] as const)
        assert.equal(headers[same], plain.headers[same], same);
      assert.equal(statusCode, plain.statusCode);
      const isStream = url.startsWith('/coffer/export');
      const length = isStream ? undefined : String(rawPayload.length);
      assert.equal(headers['content-length'], length);
      // HEAD does not compress, so it does not know the length.
      assert.equal(head.headers['content-length'], coding === 'identity' ? length : undefined);
      if (coding !== 'identity') {
        assert.equal(headers['content-encoding'], coding);
        assert.ok(rawPayload.length < plain.rawPayload.length);
        assert.deepEqual(decoders[coding](rawPayload), plain.rawPayload);
      }
      const { etag } = (await get(url, { 'accept-encoding': 'gzip' })).headers;
      if (name === 'an error') continue;
      assert.match(String(etag), /^W\//);
      const known = await get(url, { ...accepts, 'if-none-match': String(etag) });
      assert.deepEqual([known.statusCode, known.rawPayload.length], [304, 0]);
      assert.deepEqual([known.headers['content-encoding'], known.headers.etag], [undefined, etag]);
      assert.equal(known.headers.vary, plain.headers.vary);
    }
    const address = `http://127.0.0.1:${port}${url}`;
    const fetched = await fetch(address, { headers: as(ada) });
    assert.ok(fetched.headers.has('content-encoding'), "Node's fetch asks for a coding");
    const text = await fetched.text();
    if (url !== '/') assert.equal(text, plain.body);
  });

test('the metrics are compressed, and events never', async () => {
  const gzip = { 'accept-encoding': 'gzip' };
  const metrics = await app.inject({ url: '/metrics', headers: gzip });
  assert.equal(metrics.headers['content-encoding'], 'gzip');
  assert.match(zlib.gunzipSync(metrics.rawPayload).toString(), /^coffer_http_requests/m);
  const stop = new AbortController();
  const events = await fetch(`http://127.0.0.1:${port}/coffer/changes`, {
    headers: { ...as(ada), accept: 'text/event-stream', ...gzip },
    signal: stop.signal,
  });
  assert.match(String(events.headers.get('content-type')), /^text\/event-stream/);
  assert.equal(events.headers.get('content-encoding'), null);
  stop.abort();
});

test('pages of 1,000 of the demo book have a tenth of their size, or less', async () => {
  const demo = await addUser(engine, 'demo');
  const files = { ...noFileStore, write: () => Promise.resolve() };
  const problem = await fillDemo(engine, demo.identity.book.id, makeDemoBook(), files);
  assert.equal(problem, null);
  for (const offset of [0, 2000, 7000]) {
    const url = `/v2/transactions?limit=1000&offset=${offset}`;
    const [plain, ...compressed] = await Promise.all(
      ['identity', ...codings].map((coding) =>
        app.inject({ url, headers: { ...as(demo), 'accept-encoding': coding } }),
      ),
    );
    assert.equal(plain!.json<{ transactions: unknown[] }>().transactions.length, 1000);
    for (const { rawPayload } of compressed)
      assert.ok(rawPayload.length * 10 <= plain!.rawPayload.length, String(rawPayload.length));
  }
});

type Compressing = 'gzip' | 'gzipSync' | 'zstdCompressSync' | 'brotliCompressSync';

/** Functions of Node that count their calls until the test ends, also where they are imported by name. */
function watched(t: TestContext, names: readonly Compressing[]) {
  const used = names.map((name) => t.mock.method(zlib, name));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return used;
}

describe('what is compressed', () => {
  test('is nothing for HEAD, 304, 204, small bodies, and clients that accept no coding', async (t) => {
    const { etag } = (await get('/v2/transactions')).headers;
    const used = watched(t, ['gzip', 'gzipSync', 'zstdCompressSync', 'brotliCompressSync']);
    const accepts = { 'accept-encoding': 'gzip, br, zstd' };
    await get('/v2/transactions', accepts, 'HEAD');
    await get('/v2/transactions', { ...accepts, 'if-none-match': String(etag) });
    await get('/v2/me', accepts);
    for (const refusing of ['identity', 'deflate', 'gzip;q=0', 'gzip;q=2', ''])
      await get('/v2/transactions', { 'accept-encoding': refusing });
    const headers = { ...as(ada), ...accepts };
    await app.inject({ method: 'OPTIONS', url: '/v2/me', headers });
    for (const each of used) assert.equal(each.mock.callCount(), 0);
    await get('/v2/transactions', accepts);
    assert.equal(used[2]!.mock.callCount(), 1);
  });

  test('is the welcome page, which is made for each request, at once, and a document only once', async (t) => {
    const used = watched(t, ['gzipSync', 'gzip']);
    const counts = () => used.map((each) => each.mock.callCount());
    await get('/', { 'accept-encoding': 'gzip' });
    assert.deepEqual(counts(), [1, 0]);
    await get('/v1/openapi.json', { 'accept-encoding': 'gzip' });
    await get('/v1/openapi.json', { 'accept-encoding': 'gzip' });
    assert.deepEqual(counts(), [1, 1]);
  });

  test('is a body from 1 kB', async () => {
    for (const [length, coding] of [
      [1023, undefined],
      [1024, 'gzip'],
    ] as const) {
      for (const name of [pageRead, 'read transactions', 'read nothing'])
        engine.instead.set(name, () => ({ json: Buffer.alloc(length - 36), hasMore: false }));
      const { headers, rawPayload } = await get('/v2/transactions', { 'accept-encoding': 'gzip' });
      assert.equal(headers['content-encoding'], coding);
      assert.equal(headers['content-length'], String(rawPayload.length));
      assert.equal(headers.vary, 'Accept-Encoding, Origin');
    }
    engine.instead.clear();
  });
});

test('several lines are one list', async () => {
  for (const [codings, expected] of [
    [['deflate', 'gzip'], 'gzip'],
    [['gzip', 'br'], 'br'],
    [['gzip', 'gzip;q=0'], undefined],
    [['gzip', '\x01'], undefined],
  ] as const) {
    const lines = codings.map((coding) => `Accept-Encoding: ${coding}\r\n`).join('');
    const text = await exchange(port, getText(ada, '/v2/transactions', closing + lines));
    assert.equal(/content-encoding: (.*)\r\n/i.exec(text)?.[1], expected);
  }
});

test('over HTTP/1.0, which has no chunks, a page and an export are whole', async () => {
  for (const url of ['/v2/transactions', '/coffer/export']) {
    const request = getText(ada, url, 'Accept-Encoding: gzip\r\n');
    const text = await exchange(port, request.replace('HTTP/1.1', 'HTTP/1.0'));
    const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
    assert.match(head, /content-encoding: gzip/i);
    assert.deepEqual(zlib.gunzipSync(Buffer.from(body, 'latin1')), (await get(url)).rawPayload);
  }
});

test('no response was logged as a warning or an error', async () => {
  await until(() => false);
  assert.ok(!log.some((line) => /"level":[456]0/.test(line)));
});

test('with compression off nothing is compressed, and no response depends on Accept-Encoding', async () => {
  const off = await makeTestApp({ compression: false });
  const headers = { ...as(off.ada), 'accept-encoding': 'gzip, br, zstd' };
  for (const url of Object.values(kinds)) {
    const { body, headers: found } = await off.app.inject({ url, headers });
    assert.deepEqual([found['content-encoding'], found.vary], [undefined, undefined], url);
    assert.ok(body.length >= 1024);
  }
});
