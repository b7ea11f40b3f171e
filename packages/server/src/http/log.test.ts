import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { newToken } from '../identity/users/actions.ts';
import { exchange } from './testing/test-connection.ts';
import { as, listen, makeTestApp } from './testing/test-app.ts';
import { readableLog } from './log.ts';

test('no token, header, query or body is ever logged', async () => {
  const { app, engine, ada, log } = await makeTestApp({ logLevel: 'trace' });
  const unknown = newToken().text;
  const canaries = ['scheme', 'query', 'body', 'cookie'].map((name) => `canary-${name}`);
  const requests: InjectOptions[] = [
    { url: '/v2/me', headers: as(ada) },
    { url: '/v2/me', headers: { authorization: `Bearer ${unknown}` } },
    { url: '/v2/me', headers: { authorization: 'Digest canary-scheme', cookie: 'canary-cookie' } },
    { url: `/v2/me?access_token=${ada.token}&x=canary-query` },
    { url: '/v2/transactions?payee=canary-query', headers: as(ada) },
    { url: `/v2/${ada.token}`, headers: as(ada) },
    { url: `/${unknown}?canary-query` },
    { url: `/v2/%zz${unknown}?canary-query`, headers: as(ada) },
    { url: '/v2/me', headers: { ...as(ada), 'content-type': 'a/b' }, payload: 'canary-body' },
  ];
  for (const request of requests) await app.inject(request);
  await engine.failing('readStatement categories', new Error(`planted around ${ada.token}`), () =>
    app.inject({ url: '/v2/categories', headers: as(ada) }),
  );
  const broken = `GET /v2/me HTTP/1.1\r\nX: ${ada.token}\r\nbroken ${unknown}\r\n\r\n`;
  await exchange(await listen(app), broken);
  const text = log.join('');
  assert.match(text, /planted around \[token\]/);
  assert.match(text, /"path":"\/v2\/\[text\]"/);
  for (const secret of [ada.token, unknown, ...canaries]) assert.ok(!text.includes(secret), secret);
});

test('only words and ids of a path are logged, never other text of a caller', async () => {
  const { app, log } = await makeTestApp();
  const shown: [url: string, path: string][] = [
    ['/v2/transactions/17', '/v2/transactions/17'],
    ['/v2/transactions/-17/?a=b', '/v2/transactions/-17'],
    ['/docs/scalar.js', '/docs/scalar.js'],
    ['/v2/transactions/DE44500105175407324931', '/v2/transactions/[text]'],
    ['/v2/44500105175407324931', '/v2/[text]'],
    ['/v2/de44500105175407324931', '/v2/[text]'],
    ['/v2/a%20b/Ann', '/v2/[text]/[text]'],
  ];
  for (const [url] of shown) await app.inject(url);
  const paths = log.map((line) => (JSON.parse(line) as { req: { path: string } }).req.path);
  for (const [at, [, path]] of shown.entries()) assert.equal(paths[at], path);
});

test('every line is one JSON object; each request has a line at debug and none at info', async () => {
  for (const [logLevel, count] of [
    ['debug', 3],
    ['info', 0],
    ['silent', 0],
  ] as const) {
    const { app, ada, log } = await makeTestApp({ logLevel });
    for (const url of ['/v2/me', '/v2/unknown', '/']) await app.inject({ url, headers: as(ada) });
    const entries = log.map((line) => JSON.parse(line) as Record<string, unknown>);
    const requests = entries.filter(({ msg }) => msg === 'request');
    assert.equal(requests.length, count, logLevel);
    for (const { req, res, elapsedMs } of requests.slice(0, 1)) {
      assert.deepEqual([req, res], [{ method: 'GET', path: '/v2/me' }, { statusCode: 200 }]);
      assert.equal(typeof elapsedMs, 'number');
    }
    assert.ok(log.every((line) => line.endsWith('\n')));
  }
});

test('a line of the log is readable: local time, level, message and fields', async () => {
  let text = '';
  const logStream = readableLog({ write: (line) => (text += line) });
  const { app, engine, ada } = await makeTestApp({ logStream });
  app.log.warn({ redis: '10.0.0.1:6379', attempt: 2 }, 'Redis does not respond');
  await app.inject({ url: '/v2/me', headers: as(ada) });
  await engine.failing('readStatement categories', new Error('planted'), () =>
    app.inject({ url: '/v2/categories', headers: as(ada) }),
  );
  const timeless = text.replaceAll(/^\d\d:\d\d:\d\d /gm, '> ');
  assert.match(timeless, /^> WARN {2}Redis does not respond redis=10.0.0.1:6379 attempt=2\n/);
  assert.match(timeless, /^> DEBUG request .*req={ method: 'GET', path: '\/v2\/me' }/m);
  assert.match(timeless, /^> ERROR [^\n]+\nError: planted\n +at /m);
  assert.doesNotMatch(text, /^\{|hostname|pid/m);
});
