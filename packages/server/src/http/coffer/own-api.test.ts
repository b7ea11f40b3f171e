import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { createMemoryLimiter } from '../../limiter/memory.ts';
import { ManualClock } from '../../limiter/testing/manual-clock.ts';
import { as, makeTestApp } from '../testing/test-app.ts';
import {
  assertBaseHeaders,
  assertCounted,
  assertErrorFormat,
  assertUncounted,
} from '../testing/test-answers.ts';

const { app, ada, hits } = await makeTestApp();
after(() => app.close());

const json = { 'content-type': 'application/json' };
const cases: readonly (InjectOptions & { url: string; status: number; anonymous?: true })[] = [
  { status: 200, url: '/coffer/rules' },
  { status: 200, url: '/coffer/rules', method: 'HEAD' },
  { status: 200, url: '/%63offer/rules' },
  { status: 204, url: '/coffer/rules', method: 'OPTIONS' },
  { status: 304, url: '/coffer/rules', headers: { 'if-none-match': '*' } },
  { status: 400, url: '/coffer/rules?limit=1' },
  { status: 400, url: '/coffer/rules/abc' },
  { status: 400, url: '/coffer/%zz' },
  { status: 400, url: '/coffer/rules', method: 'POST', headers: json, payload: '{' },
  { status: 401, url: '/coffer/rules', anonymous: true },
  { status: 401, url: '/coffer/unknown', anonymous: true },
  { status: 401, url: '/coffer/%zz', anonymous: true },
  { status: 404, url: '/coffer/' },
  { status: 404, url: '/coffer/unknown' },
  { status: 404, url: '/coffer/rules/1' },
  { status: 404, url: '/coffer/rules/' },
  { status: 405, url: '/coffer/rules', method: 'DELETE' },
  { status: 405, url: '/coffer/rules/apply', method: 'PATCH' },
];

describe('under /coffer/ every request counts once, and not with those of v1 and v2', () => {
  let counted = 0;
  for (const { status, anonymous, headers, ...options } of cases)
    test(`${status} ${options.method ?? 'GET'} ${options.url}`, async () => {
      const own = anonymous === true ? {} : as(ada);
      const response = await app.inject({ ...options, headers: { ...own, ...headers } });
      assert.equal(response.statusCode, status);
      counted += 1;
      assert.equal(response.headers['ratelimit-limit'], '600');
      assert.equal(response.headers['ratelimit-remaining'], String(600 - counted));
      assertCounted(response);
      assertBaseHeaders(response);
      if (status >= 400) assertErrorFormat(response);
      if (status === 405) assert.match(String(response.headers['allow']), /OPTIONS/);
      assert.equal(hits(), 0);
    });

  test('except the document', async () => {
    const response = await app.inject({ url: '/coffer/openapi.json' });
    assert.equal(response.statusCode, 200);
    assertUncounted(response);
  });
});

test('neither limit uses up the other', async () => {
  const clock = new ManualClock();
  const rateLimit = { limit: 1, windowMs: 60_000 };
  const cofferLimiter = createMemoryLimiter({ rateLimit, clock });
  const limited = await makeTestApp({ limit: 1, cofferLimiter });
  const get = async (url: string) =>
    (await limited.app.inject({ url, headers: as(limited.ada) })).statusCode;
  assert.deepEqual([await get('/coffer/rules'), await get('/coffer/rules')], [200, 429]);
  assert.equal(await get('/coffer/%zz'), 429);
  assert.deepEqual([await get('/v2/me'), await get('/v2/me')], [200, 429]);
  assert.equal(await get('/coffer/openapi.json'), 200);
  clock.advance(60_000);
  assert.equal(await get('/coffer/rules'), 200);
  assert.equal(await get('/v2/me'), 429);
  await limited.app.close();
});

test('each document has the operations of its own prefix, and the components that they use', async () => {
  for (const [url, prefix, own, other] of [
    ['/openapi.json', '/v2/', 'Tag', 'Rule'],
    ['/coffer/openapi.json', '/coffer/', 'Rule', 'Tag'],
  ] as const) {
    const document = (await app.inject({ url })).json<{
      paths: Record<string, unknown>;
      tags: { name: string }[];
      components: { schemas: Record<string, unknown> };
    }>();
    assert.ok(Object.keys(document.paths).every((path) => path.startsWith(prefix)));
    const { schemas } = document.components;
    assert.deepEqual(
      [own in schemas, other in schemas, 'ErrorBody' in schemas],
      [true, false, true],
    );
    assert.equal(
      document.tags.some(({ name }) => name === 'rules'),
      prefix === '/coffer/',
    );
  }
});
