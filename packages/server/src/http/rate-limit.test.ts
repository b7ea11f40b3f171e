import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { DatabaseError } from '../db/errors.ts';
import { parseTrustedProxies } from '../limiter/address/client-address.ts';
import { as, makeTestApp, pageRead } from './testing/test-app.ts';
import {
  assertBaseHeaders,
  assertCounted,
  assertErrorFormat,
  assertErrorFormatOf,
  assertUncounted,
} from './testing/test-answers.ts';

const { app, engine, ada, hits } = await makeTestApp({ limits: { bodyLimitBytes: 100 } });
after(() => app.close());

interface Case {
  readonly status: number;
  readonly method?: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly payload?: string;
  readonly anonymous?: boolean;
  readonly fault?: unknown;
}

const json = { 'content-type': 'application/json' };

const counted: Case[] = [
  { status: 200, url: '/v2/me' },
  { status: 200, url: '/v2/transactions?limit=3' },
  { status: 200, url: '/v2/transactions/1001' },
  { status: 200, url: '/v2/categories' },
  { status: 200, url: '/v2/me', method: 'HEAD' },
  { status: 200, url: '/v2/me', method: 'GET', headers: json, payload: '{}' },
  { status: 204, url: '/v2/me', method: 'OPTIONS' },
  { status: 304, url: '/v2/me', headers: { 'if-none-match': '*' } },
  { status: 400, url: '/v2/transactions?limit=0' },
  { status: 400, url: '/v2/transactions/abc' },
  { status: 400, url: '/v2/%zz' },
  { status: 400, url: '/%76%32/%zz' },
  { status: 400, url: '/v1/%' },
  { status: 400, url: '/v2/me', method: 'GET', headers: json, payload: '{' },
  { status: 401, url: '/v2/me', anonymous: true },
  { status: 401, url: '/v2/unknown', anonymous: true },
  { status: 401, url: '/v1/unknown', anonymous: true },
  { status: 401, url: '/v2/%zz', anonymous: true },
  { status: 401, url: '/v2/me', method: 'OPTIONS', anonymous: true },
  { status: 404, url: '/v2/unknown' },
  { status: 404, url: '/v2/' },
  { status: 404, url: '/v1/' },
  { status: 404, url: '/v1/mine' },
  { status: 200, url: '/v1/me' },
  { status: 200, url: '/v1/openapi.json', anonymous: true },
  { status: 404, url: '/v2/me/' },
  { status: 404, url: '/v2//me' },
  { status: 404, url: '/v2/transactions/5' },
  { status: 404, url: '/v2/unknown', method: 'POST', headers: json, payload: '{' },
  { status: 405, url: '/v2/me', method: 'POST' },
  { status: 405, url: '/v2/plaid_accounts/1', method: 'DELETE' },
  { status: 405, url: '/v2/me', method: 'PROPFIND' },
  { status: 413, url: '/v2/me', method: 'GET', headers: json, payload: '1'.repeat(101) },
  {
    status: 415,
    url: '/v2/me',
    method: 'GET',
    headers: { 'content-type': 'text/csv' },
    payload: 'a',
  },
  { status: 500, url: '/v2/transactions', fault: new Error('planted') },
  {
    status: 503,
    url: '/v2/transactions',
    fault: new DatabaseError('busy', 'planted'),
  },
  { status: 200, url: '/%76%32/me' },
  { status: 200, url: '/v2/%6de' },
  { status: 200, url: 'http://elsewhere/v2/me' },
  { status: 404, url: '/%762/unknown' },
];

const outside: Case[] = [
  { status: 200, url: '/' },
  { status: 200, url: '/openapi.json' },
  { status: 200, url: '/favicon.ico' },
  { status: 200, url: '/docs' },
  { status: 404, url: '/unknown' },
  { status: 404, url: '/V2/me' },
  { status: 404, url: '//v2/me' },
  { status: 404, url: '/v2' },
  { status: 404, url: '/v1' },
  { status: 404, url: '/v2%2Fme' },
  { status: 404, url: '/v3/me' },
  { status: 404, url: '/v2x/me' },
  { status: 404, url: '/', method: 'POST', headers: json, payload: '{' },
  { status: 404, url: '/unknown', method: 'OPTIONS' },
  { status: 400, url: '/%zz' },
  { status: 400, url: '/V2/%zz' },
];

async function send({ method = 'GET', url, headers = {}, payload, anonymous, fault }: Case) {
  // The counts may be remembered, and those of an empty book are the whole page.
  if (fault !== undefined)
    for (const name of [pageRead, 'read transactions', 'read nothing']) engine.fail(name, fault);
  const before = hits();
  const options = { method, url, headers: anonymous ? headers : { ...as(ada), ...headers } };
  const answer = await app.inject(
    (payload === undefined ? options : { ...options, payload }) as InjectOptions,
  );
  engine.instead.clear();
  return { answer, hits: hits() - before };
}

function title({ status, method = 'GET', url, anonymous }: Case): string {
  return `${status} ${method} ${url}${anonymous ? ' without a token' : ''}`;
}

describe('under /v1/ and /v2/ every request counts once, and its response has the six headers', () => {
  for (const example of counted) {
    test(title(example), async () => {
      const { answer, hits: counts } = await send(example);
      assert.equal(answer.statusCode, example.status);
      assert.equal(counts, 1);
      assertCounted(answer);
      assertBaseHeaders(answer);
      if (example.status >= 400) assertErrorFormatOf(example.url, answer);
    });
  }
});

describe('elsewhere no request counts, and the headers are absent', () => {
  for (const example of outside) {
    test(title(example), async () => {
      const { answer, hits: counts } = await send(example);
      assert.equal(answer.statusCode, example.status);
      assert.equal(counts, 0);
      assertUncounted(answer);
      assertBaseHeaders(answer);
      if (example.status >= 400) assertErrorFormat(answer);
    });
  }
});

describe('over the limit every request under the prefixes is 429, and no other request is', async () => {
  const limited = await makeTestApp({ limit: 1 });
  after(() => limited.app.close());

  for (const { method = 'GET', url, headers = {} } of counted) {
    test(`${method} ${url}`, async () => {
      await limited.app.inject({ url: '/v2/me' });
      const answer = await limited.app.inject({ method, url, headers } as InjectOptions);
      assert.equal(answer.statusCode, 429);
      assertCounted(answer);
      assert.equal(answer.headers['ratelimit-remaining'], '0');
      assert.equal(answer.headers['retry-after'], '60');
      assert.equal(
        answer.body,
        method === 'HEAD'
          ? ''
          : '{"message":"Too Many Requests","errors":[{"errMsg":"Too many requests, please try again later."}]}',
      );
    });
  }

  test('HTML pages are still served', async () => {
    assert.equal((await limited.app.inject({ url: '/' })).statusCode, 200);
  });

  test('a refused request does not read the database', () => {
    assert.deepEqual(limited.engine.calls, []);
  });
});

test('of 400 concurrent requests exactly 100 pass, each with a different remaining number', async () => {
  const { app: busy, ada: caller } = await makeTestApp({ limit: 100 });
  const all = await Promise.all(
    Array.from({ length: 400 }, () => busy.inject({ url: '/v2/me', headers: as(caller) })),
  );
  const passed = all.filter(({ statusCode }) => statusCode === 200);
  assert.equal(passed.length, 100);
  const remaining = passed.map(({ headers }) => Number(headers['ratelimit-remaining']));
  assert.deepEqual(
    remaining.sort((a, b) => a - b),
    Array.from({ length: 100 }, (_, at) => at),
  );
  assert.equal(all.filter(({ statusCode }) => statusCode === 429).length, 300);
  await busy.close();
});

test('a limiter may return its hit asynchronously', async () => {
  const hit = { limit: 5, remaining: 4, resetsAtMs: 1000, retryAfterMs: 10, allowed: true };
  const limiter = { hit: () => Promise.resolve(hit), close: () => Promise.resolve() };
  const { app: late, ada: caller } = await makeTestApp({ limiter });
  const answer = await late.inject({ url: '/v2/me', headers: as(caller) });
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.headers['ratelimit-remaining'], '4');
  await late.close();
});

test('X-Forwarded-For identifies the client only behind a trusted proxy', async () => {
  for (const [trusted, second] of [
    ['', '8'],
    ['127.0.0.1', '9'],
  ] as const) {
    const trustedProxies = parseTrustedProxies(trusted);
    const { app: behind, ada: caller } = await makeTestApp({ limit: 10, trustedProxies });
    const remaining = async (address: string) => {
      const headers = { ...as(caller), 'x-forwarded-for': address };
      const answer = await behind.inject({ url: '/v2/me', headers });
      return answer.headers['ratelimit-remaining'];
    };
    assert.equal(await remaining('192.0.2.1'), '9');
    assert.equal(await remaining('192.0.2.2'), second);
    await behind.close();
  }
});
