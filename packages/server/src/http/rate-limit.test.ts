import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { DatabaseError } from '../db/errors.ts';
import { createMemoryLimiter } from '../limiter/memory.ts';
import { ManualClock } from '../limiter/testing/manual-clock.ts';
import { as, makeTestApp, pageRead } from './testing/test-app.ts';
import {
  assertBaseHeaders,
  assertCounted,
  assertErrorFormat,
  assertErrorFormatOf,
  assertUncounted,
} from './testing/test-answers.ts';

/* The responses of single operations are in test/spec: here are those of unusual targets, and those under /coffer/. */

const { app, engine, ada, hits } = await makeTestApp();
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

const broken = { headers: { 'content-type': 'application/json' }, payload: '{' };

const counted: Case[] = [
  { status: 200, url: '/v2/me' },
  { status: 200, url: '/v1/openapi.json', anonymous: true },
  { status: 200, url: 'http://elsewhere/v2/me' },
  { status: 400, url: '/%76%32/%zz' },
  { status: 400, url: '/v1/%' },
  { status: 400, url: '/v1/me?=%' },
  { status: 401, url: '/v1/unknown', anonymous: true },
  { status: 401, url: '/v2/%zz', anonymous: true },
  { status: 401, url: '/v2/me', method: 'OPTIONS', anonymous: true },
  { status: 404, url: '/v1/' },
  { status: 404, url: '/%762/unknown' },
  { status: 404, url: '/v2/unknown', method: 'POST', ...broken },
  { status: 405, url: '/v2/me', method: 'PROPFIND' },
  { status: 500, url: '/v2/transactions', fault: new Error('planted') },
  { status: 503, url: '/v2/transactions', fault: new DatabaseError('busy', 'planted') },
];

const underCoffer: Case[] = [
  { status: 200, url: '/coffer/rules' },
  { status: 200, url: '/coffer/rules', method: 'HEAD' },
  { status: 200, url: '/%63offer/rules' },
  { status: 204, url: '/coffer/rules', method: 'OPTIONS' },
  { status: 304, url: '/coffer/rules', headers: { 'if-none-match': '*' } },
  { status: 400, url: '/coffer/rules?limit=1' },
  { status: 400, url: '/coffer/%zz' },
  { status: 400, url: '/coffer/rules', method: 'POST', ...broken },
  { status: 401, url: '/coffer/unknown', anonymous: true },
  { status: 401, url: '/coffer/%zz', anonymous: true },
  { status: 404, url: '/coffer/' },
  { status: 404, url: '/coffer/rules/1' },
  { status: 405, url: '/coffer/rules', method: 'DELETE' },
];

const outside: Case[] = [
  { status: 200, url: '/' },
  { status: 200, url: '/openapi.json' },
  { status: 200, url: '/coffer/openapi.json' },
  { status: 200, url: '/favicon.ico' },
  { status: 404, url: '/V2/me' },
  { status: 404, url: '/v2%2Fme' },
  { status: 404, url: '/', method: 'POST', ...broken },
  { status: 404, url: '/unknown', method: 'OPTIONS' },
  { status: 400, url: '/%zz' },
  { status: 400, url: '/V2/%zz' },
];

async function send({ method = 'GET', url, headers = {}, payload, anonymous, fault }: Case) {
  // The counts may be remembered, and those of an empty book are the whole page.
  if (fault !== undefined)
    for (const name of [pageRead, 'read transactions', 'read nothing']) engine.fail(name, fault);
  const own = anonymous === true ? {} : as(ada);
  const options = { method, url, headers: { ...own, ...headers } };
  const before = hits();
  const answer = await app.inject(
    (payload === undefined ? options : { ...options, payload }) as InjectOptions,
  );
  engine.instead.clear();
  assertBaseHeaders(answer);
  return { answer, hits: hits() - before };
}

function titleOf({ status, method = 'GET', url, anonymous }: Case): string {
  return `${status} ${method} ${url}${anonymous ? ' without a token' : ''}`;
}

test('under /v1/ and /v2/ every request counts once, and its response has the six headers', async () => {
  for (const example of counted) {
    const { answer, hits: counts } = await send(example);
    assert.deepEqual([answer.statusCode, counts], [example.status, 1], titleOf(example));
    assertCounted(answer);
    if (example.status >= 400) assertErrorFormatOf(example.url, answer);
  }
});

test('under /coffer/ every request counts once, and not with those of v1 and v2', async () => {
  for (const [at, example] of underCoffer.entries()) {
    const { answer, hits: counts } = await send(example);
    assert.deepEqual([answer.statusCode, counts], [example.status, 0], titleOf(example));
    assert.equal(answer.headers['ratelimit-limit'], '600');
    assert.equal(answer.headers['ratelimit-remaining'], String(599 - at));
    assertCounted(answer);
    if (example.status >= 400) assertErrorFormat(answer);
    if (example.status === 405) assert.match(String(answer.headers['allow']), /OPTIONS/);
  }
});

test('elsewhere no request counts, and the headers are absent', async () => {
  for (const example of outside) {
    const { answer, hits: counts } = await send(example);
    assert.deepEqual([answer.statusCode, counts], [example.status, 0], titleOf(example));
    assertUncounted(answer);
    if (example.status >= 400) assertErrorFormat(answer);
  }
});

describe('over a limit', async () => {
  const clock = new ManualClock();
  const rateLimit = { limit: 1, windowMs: 60_000 };
  const cofferLimiter = createMemoryLimiter({ rateLimit, clock });
  const limited = await makeTestApp({ limit: 1, cofferLimiter });
  after(() => limited.app.close());
  const get = async (url: string) =>
    (await limited.app.inject({ url, headers: as(limited.ada) })).statusCode;

  test('requests under the prefix are 429, and those of the other limit and of no limit pass', async () => {
    assert.deepEqual([await get('/coffer/rules'), await get('/coffer/rules')], [200, 429]);
    assert.equal(await get('/coffer/%zz'), 429);
    assert.deepEqual([await get('/v2/me'), await get('/v2/me')], [200, 429]);
    assert.deepEqual([await get('/coffer/openapi.json'), await get('/')], [200, 200]);
    clock.advance(60_000);
    assert.deepEqual([await get('/coffer/rules'), await get('/v2/me')], [200, 429]);
  });

  test('a refused request does not read the database', async () => {
    limited.engine.calls.length = 0;
    for (const url of ['/v2/me', '/v1/%', '/coffer/rules']) assert.equal(await get(url), 429);
    assert.deepEqual(limited.engine.calls, []);
  });
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
