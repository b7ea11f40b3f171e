import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import zlib from 'node:zlib';
import { parseNetworks } from '../../limiter/address/networks.ts';
import { exchange } from '../testing/test-connection.ts';
import { as, listen, makeTestApp, pageRead, until } from '../testing/test-app.ts';

const decoders = {
  gzip: zlib.gunzipSync,
  zstd: zlib.zstdDecompressSync,
  br: zlib.brotliDecompressSync,
};
const codings = ['gzip', 'zstd', 'br'] as const;

const metricsReaders = parseNetworks('127.0.0.1', 'readers');
const { app, engine, ada, log } = await makeTestApp({
  ...{ metricsReaders, corsOrigins: ['https://app.example'] },
});
let port = 0;
before(async () => (port = await listen(app)));
after(() => app.close());

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

describe('a client gets by every coding the bytes that it gets by none', () => {
  for (const [name, url] of Object.entries(kinds))
    test(name, async () => {
      const plain = await get(url);
      assert.ok(plain.rawPayload.length >= 1024, String(plain.rawPayload.length));
      assert.equal(plain.headers['content-encoding'], undefined);
      for (const coding of codings) {
        const { headers, rawPayload, statusCode } = await get(url, { 'accept-encoding': coding });
        assert.equal(headers['content-encoding'], coding);
        assert.ok(rawPayload.length < plain.rawPayload.length);
        assert.deepEqual(decoders[coding](rawPayload), plain.rawPayload);
        assert.equal(statusCode, plain.statusCode);
        assert.equal(headers['content-type'], plain.headers['content-type']);
        const isStream = url.startsWith('/coffer/export');
        assert.equal(headers['content-length'], isStream ? undefined : String(rawPayload.length));
        assert.equal(headers.etag, plain.headers.etag);
        assert.equal(headers.vary, plain.headers.vary);
      }
      assert.match(String(plain.headers.vary), /^Accept-Encoding, Origin/);
    });

  test('the metrics', async () => {
    const { headers, rawPayload } = await app.inject({
      ...{ url: '/metrics', headers: { 'accept-encoding': 'gzip' } },
    });
    assert.equal(headers['content-encoding'], 'gzip');
    assert.match(zlib.gunzipSync(rawPayload).toString(), /^coffer_http_requests/m);
  });
});

describe('a client that has a response', () => {
  for (const [name, url] of Object.entries(kinds)) {
    if (name.startsWith('an error')) continue;
    test(`${name} gets 304 by every coding, whichever it had`, async () => {
      const { etag } = (await get(url, { 'accept-encoding': 'gzip' })).headers;
      assert.match(String(etag), /^W\//);
      for (const coding of ['identity', ...codings]) {
        const known = { 'if-none-match': String(etag), 'accept-encoding': coding };
        const { statusCode, headers, rawPayload } = await get(url, known);
        assert.deepEqual([statusCode, rawPayload.length], [304, 0]);
        assert.equal(headers['content-encoding'], undefined);
        assert.match(String(headers.vary), /^Accept-Encoding, Origin/);
        assert.equal(headers.etag, etag);
      }
    });
  }
});

describe('HEAD', () => {
  for (const [name, url] of Object.entries(kinds))
    test(`${name} has the headers of GET, without the length of a compressed body`, async () => {
      for (const coding of ['identity', ...codings]) {
        const accepts = { 'accept-encoding': coding };
        const whole = await get(url, accepts);
        const head = await get(url, accepts, 'HEAD');
        assert.equal(head.rawPayload.length, 0);
        assert.equal(head.statusCode, whole.statusCode);
        const isCompressed = coding !== 'identity';
        if (isCompressed) assert.equal(head.headers['content-length'], undefined);
        for (const same of ['content-encoding', 'content-type', 'etag', 'vary'])
          assert.equal(head.headers[same], whole.headers[same], same);
        if (!isCompressed)
          assert.equal(head.headers['content-length'], whole.headers['content-length']);
      }
    });
});

test('nothing is compressed for HEAD, 304, 204, small bodies, and clients that accept no coding', async () => {
  const { etag } = (await get('/v2/transactions')).headers;
  const used = (['gzip', 'gzipSync', 'zstdCompressSync', 'brotliCompressSync'] as const).map(
    (name) => mock.method(zlib, name),
  );
  const accepts = { 'accept-encoding': 'gzip, br, zstd' };
  await get('/v2/transactions', accepts, 'HEAD');
  await get('/v2/transactions', { ...accepts, 'if-none-match': String(etag) });
  await get('/v2/me', accepts);
  for (const refusing of ['identity', 'deflate', 'gzip;q=0', 'gzip;q=2', ''])
    await get('/v2/transactions', { 'accept-encoding': refusing });
  const headers = { ...as(ada), ...accepts };
  await app.inject({ method: 'OPTIONS', url: '/v2/me', headers });
  assert.deepEqual(
    used.map((each) => each.mock.callCount()),
    [0, 0, 0, 0],
  );
  await get('/v2/transactions', accepts);
  assert.equal(used[2]!.mock.callCount(), 1);
  mock.restoreAll();
});

test('the welcome page, which is made for each request, is compressed at once, and a document only once', async () => {
  const atOnce = mock.method(zlib, 'gzipSync');
  const inPool = mock.method(zlib, 'gzip');
  const counts = () => [atOnce.mock.callCount(), inPool.mock.callCount()];
  await get('/', { 'accept-encoding': 'gzip' });
  assert.deepEqual(counts(), [1, 0]);
  await get('/v1/openapi.json', { 'accept-encoding': 'gzip' });
  await get('/v1/openapi.json', { 'accept-encoding': 'gzip' });
  assert.deepEqual(counts(), [1, 1]);
  mock.restoreAll();
});

test('a body is compressed from 1 kB', async () => {
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

test('several lines are one list', async () => {
  const asked = (lines: string) =>
    exchange(
      port,
      `GET /v2/transactions HTTP/1.1\r\nHost: a\r\nConnection: close\r\n` +
        `Authorization: Bearer ${ada.token}\r\n${lines}\r\n`,
    );
  const found = (text: string) => /content-encoding: (.*)\r\n/i.exec(text)?.[1];
  assert.equal(found(await asked('Accept-Encoding: deflate\r\nAccept-Encoding: gzip\r\n')), 'gzip');
  assert.equal(found(await asked('Accept-Encoding: gzip\r\nAccept-Encoding: br\r\n')), 'br');
  const refused = 'Accept-Encoding: gzip\r\nAccept-Encoding: gzip;q=0\r\n';
  assert.equal(found(await asked(refused)), undefined);
  assert.equal(found(await asked('Accept-Encoding: gzip\r\nAccept-Encoding: \x01\r\n')), undefined);
});

for (const version of ['1.0', '1.1'])
  for (const url of ['/v2/transactions', '/coffer/export'])
    test(`over HTTP/${version} with Connection: close, ${url} is whole`, async () => {
      const head = `Host: a\r\nConnection: close\r\nAuthorization: Bearer ${ada.token}\r\n`;
      const more = `${head}Accept-Encoding: gzip\r\n`;
      const text = await exchange(port, `GET ${url} HTTP/${version}\r\n${more}\r\n`);
      const end = text.indexOf('\r\n\r\n');
      assert.match(text.slice(0, end), /content-encoding: gzip/i);
      const body = Buffer.from(text.slice(end + 4), 'latin1');
      const whole = /transfer-encoding: chunked/i.test(text) ? unchunked(body) : body;
      assert.deepEqual(zlib.gunzipSync(whole), (await get(url)).rawPayload);
    });

function unchunked(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let rest = body; rest.length > 0;) {
    const at = rest.indexOf('\r\n');
    const length = parseInt(rest.subarray(0, at).toString(), 16);
    pieces.push(rest.subarray(at + 2, at + 2 + length));
    rest = rest.subarray(at + 4 + length);
  }
  return Buffer.concat(pieces);
}

test('events are never compressed', async () => {
  const events = { accept: 'text/event-stream', 'accept-encoding': 'gzip' };
  const stop = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}/coffer/changes`, {
    ...{ headers: { ...as(ada), ...events }, signal: stop.signal },
  });
  assert.match(String(response.headers.get('content-type')), /^text\/event-stream/);
  assert.equal(response.headers.get('content-encoding'), null);
  stop.abort();
});

test("Node's fetch and its decoder read every kind of response", async () => {
  for (const url of Object.values(kinds)) {
    const of = async (headers: Headers) => {
      const address = `http://127.0.0.1:${port}${url}`;
      const response = await fetch(address, { headers: { ...as(ada), ...headers } });
      return [response.headers.get('content-encoding'), await response.text()];
    };
    const [coding, text] = await of({});
    const [none, plain] = await of({ 'accept-encoding': 'identity' });
    assert.ok(coding !== null && none === null, url);
    if (url !== '/') assert.equal(text, plain, url);
  }
});

test('no response was logged as a warning or an error', async () => {
  await until(() => false);
  const faults = log.filter((line) => (JSON.parse(line) as { level: number }).level >= 40);
  assert.deepEqual(faults, []);
});

test('with compression off nothing is compressed, and no response depends on Accept-Encoding', async () => {
  const off = await makeTestApp({ compression: false });
  const headers = { ...as(off.ada), 'accept-encoding': 'gzip, br, zstd' };
  for (const url of Object.values(kinds)) {
    const answer = await off.app.inject({ url, headers });
    assert.equal(answer.headers['content-encoding'], undefined, url);
    assert.equal(answer.headers.vary, undefined, url);
    assert.ok(answer.body.length >= 1024);
  }
  await off.app.close();
});
