import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { createMemoryLimiter } from '../limiter/memory.ts';

import { ManualClock } from '../limiter/testing/manual-clock.ts';
import { KnownSessions } from './limit.ts';
import { as, makeTestApp } from './testing/test-app.ts';
import { assertBaseHeaders, assertCounted, assertErrorFormat } from './testing/test-answers.ts';

/* What counts under /v1/ and /v2/ is in test/spec: here is what counts under /coffer/. */

const { app, ada, hits } = await makeTestApp();

interface Case {
  readonly status: number;
  readonly method?: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly payload?: string;
  readonly anonymous?: boolean;
}

const broken = { headers: { 'content-type': 'application/json' }, payload: '{' };

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

async function send({ method = 'GET', url, headers = {}, payload, anonymous }: Case) {
  const own = anonymous === true ? {} : as(ada);
  const options = { method, url, headers: { ...own, ...headers } };
  const before = hits();
  const answer = await app.inject(
    (payload === undefined ? options : { ...options, payload }) as InjectOptions,
  );
  assertBaseHeaders(answer);
  return { answer, hits: hits() - before };
}

function titleOf({ status, method = 'GET', url, anonymous }: Case): string {
  return `${status} ${method} ${url}${anonymous ? ' without a token' : ''}`;
}

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

describe('over a limit', async () => {
  const clock = new ManualClock();
  const rateLimit = { limit: 1, windowMs: 60_000 };
  const cofferLimiter = createMemoryLimiter({ rateLimit, clock });
  const limited = await makeTestApp({ limit: 1, cofferLimiter });
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
});

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const [one, other] = [Buffer.from('one'), Buffer.from('other')];

test('a session is known for a minute after it was valid, also when the clock went back', () => {
  for (const [passedMs, isKnown] of [
    [0, true],
    [59_999, true],
    [60_000, false],
    [-1000, true],
    [-365 * 86_400_000, false],
  ] as const) {
    let nowMs = startMs;
    const known = new KnownSessions(() => nowMs);
    known.note(one, true);
    nowMs += passedMs;
    assert.equal(known.keyOf(one) !== null, isKnown, `${passedMs} ms`);
    assert.equal(known.keyOf(other), null);
    known.note(one, true);
    assert.notEqual(known.keyOf(one), null, 'its next request makes it known again');
    known.note(one, false);
    assert.equal(known.keyOf(one), null, 'it has ended');
  }
});

test('all are forgotten when ten thousand are known', () => {
  const known = new KnownSessions(() => startMs);
  for (let at = 0; at < 10_000; at += 1) known.note(Buffer.from(String(at)), true);
  assert.notEqual(known.keyOf(Buffer.from('0')), null);
  known.note(one, true);
  assert.deepEqual([known.keyOf(Buffer.from('0')), known.keyOf(one) !== null], [null, true]);
});
