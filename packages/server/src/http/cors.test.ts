import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseCorsOrigins } from './client.ts';
import { as, makeTestApp } from './testing/test-app.ts';

const origin = 'https://app.example';
const preflight = {
  origin,
  'access-control-request-method': 'PUT',
  'access-control-request-headers': 'authorization',
};
const corsHeaders = (headers: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(headers).filter((name) =>
    name === 'vary' ? /origin/i.test(String(headers[name])) : name.startsWith('access-control-'),
  );

describe('without --cors-origins', async () => {
  const { app, ada } = await makeTestApp();

  test('no response has a header of CORS, and a preflight needs a token', async () => {
    const read = await app.inject({ url: '/v2/me', headers: { ...as(ada), origin } });
    assert.deepEqual([read.statusCode, corsHeaders(read.headers)], [200, []]);
    const asked = await app.inject({ method: 'OPTIONS', url: '/v2/me', headers: preflight });
    assert.deepEqual([asked.statusCode, corsHeaders(asked.headers)], [401, []]);
  });
});

describe('with --cors-origins', async () => {
  const { app, ada, hits } = await makeTestApp({ limit: 14, corsOrigins: [origin] });

  test('a preflight needs no token, counts, and may be kept for a day', async () => {
    const before = hits();
    const asked = { method: 'OPTIONS', url: '/v2/nothing', headers: preflight } as const;
    const { statusCode, headers } = await app.inject(asked);
    assert.deepEqual([statusCode, hits()], [204, before + 1]);
    assert.equal(headers['access-control-allow-origin'], origin);
    assert.equal(headers['access-control-allow-methods'], 'GET, HEAD, POST, PUT, DELETE');
    assert.equal(headers['access-control-allow-headers'], 'authorization');
    assert.equal(headers['access-control-max-age'], '86400');
    assert.equal(headers['access-control-allow-credentials'], undefined);
    assert.equal(headers.vary, 'Accept-Encoding, Origin');
    assert.ok(headers['ratelimit-remaining']);
  });

  test('the headers that the page asks for are allowed, whatever their names', async () => {
    for (const [asked, allowed] of [
      ['authorization,cache-control,expires,if-modified-since,pragma'],
      ['authorization, x-client-app', 'authorization,x-client-app'],
      ['*', '*'],
      ["x!#$%&'*+.^_`|~0-Z"],
      ['a b, c:d, , x-é, "q", x-ok', 'x-ok'],
      ['', ''],
    ]) {
      const headers = { ...preflight, 'access-control-request-headers': asked };
      const response = await app.inject({ method: 'OPTIONS', url: '/v2/me', headers });
      const got = String(response.headers['access-control-allow-headers']).replaceAll(', ', ',');
      assert.deepEqual([response.statusCode, got], [204, allowed ?? asked], asked);
    }
  });

  test('another origin is not allowed', async () => {
    const other = { origin: 'https://app.example.evil.example' };
    const read = await app.inject({ url: '/v2/me', headers: { ...as(ada), ...other } });
    assert.deepEqual(corsHeaders(read.headers), ['vary']);
    const headers = { ...preflight, ...other };
    const asked = await app.inject({ method: 'OPTIONS', url: '/v2/me', headers });
    assert.deepEqual([asked.statusCode, corsHeaders(asked.headers)], [401, ['vary']]);
  });

  test('a page may read every response, errors too, with the rate limit headers', async () => {
    const shown =
      /^RateLimit-Limit, .*X-RateLimit-Reset, Retry-After, ETag, Idempotency-Replayed, Content-Disposition$/;
    for (const [url, status] of [
      ['/v2/me', 200],
      ['/v2/nothing', 404],
      ['/v2/%zz', 400],
      ['/openapi.json', 200],
      ['/v2/me', 200],
      ['/v2/me', 200],
      ['/v2/me', 429],
    ] as const) {
      const { statusCode, headers } = await app.inject({ url, headers: { ...as(ada), origin } });
      assert.deepEqual([statusCode, headers['access-control-allow-origin']], [status, origin], url);
      assert.match(String(headers['access-control-expose-headers']), shown);
    }
  });

  test('the metrics are not for pages', async () => {
    const { headers } = await app.inject({ url: '/healthz', headers: { origin } });
    assert.deepEqual(corsHeaders(headers), []);
  });
});

test('with * every origin is allowed, and caches need not tell them apart', async () => {
  const { app, ada } = await makeTestApp({ corsOrigins: '*' });
  const { headers } = await app.inject({ url: '/v2/me', headers: { ...as(ada), origin } });
  assert.deepEqual(
    [headers['access-control-allow-origin'], headers.vary],
    ['*', 'Accept-Encoding'],
  );
});

test('the setting takes origins as browsers send them', () => {
  assert.deepEqual(parseCorsOrigins(''), []);
  assert.equal(parseCorsOrigins(' * '), '*');
  const both = ['https://app.example', 'http://localhost:5173'];
  assert.deepEqual(parseCorsOrigins(both.join(' , ')), both);
  for (const text of ['app.example', 'https://app.example/', 'https://A.example', 'null', '*,*'])
    assert.throws(() => parseCorsOrigins(text), /^Error: Not an origin: ".*Use scheme and host/);
});
