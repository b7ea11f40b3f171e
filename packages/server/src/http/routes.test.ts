import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { exchange, parseAnswers } from './testing/test-connection.ts';
import { as, listen, makeTestApp } from './testing/test-app.ts';
import { assertErrorFormat } from './testing/test-answers.ts';

/* That each operation has its route, and HEAD where it has GET, is in test/spec/openapi.test.ts. */

const { app, ada } = await makeTestApp();

/** Paths with all their methods, sorted. */
const known: Readonly<Record<string, readonly string[]>> = {
  '/v2/%6de?x=1': ['GET', 'HEAD', 'OPTIONS'],
  '/v2/budgets': ['DELETE', 'OPTIONS', 'PUT'],
  // A path with POST only that also matches the template of a path with GET.
  '/v2/crypto/synced/7/refresh': ['GET', 'HEAD', 'OPTIONS', 'POST'],
};

const send = (method: string, url: string, headers = {}) =>
  app.inject({ method, url, headers: { ...as(ada), ...headers } } as InjectOptions);

test('a known path with another method is 405, and OPTIONS 204, both with Allow and without CORS', async () => {
  const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
  for (const [url, methods] of Object.entries(known)) {
    for (const method of METHODS.filter((name) => name !== 'CONNECT' && !methods.includes(name))) {
      const answer = await send(method, url);
      assert.equal(answer.statusCode, 405, `${method} ${url}`);
      assert.equal(answer.headers['allow'], methods.join(', '));
      if (method !== 'HEAD') assertErrorFormat(answer);
    }
    const { statusCode, headers, body } = await send('OPTIONS', url, preflight);
    assert.deepEqual([statusCode, headers['allow'], body], [204, methods.join(', '), ''], url);
    assert.ok(!Object.keys(headers).some((name) => name.startsWith('access-control')));
  }
});

test('a slash at the end of a path changes nothing', async () => {
  for (const [url, status] of [
    ['/v1/me/', 200] as const,
    ['/v1/categories/?format=nested', 200] as const,
    ['/v2/transactions/1001/', 200] as const,
    ['/v2/transactions/?limit=1', 200] as const,
    ['/coffer/imports/', 200] as const,
    ['/v2/transactions/x/', 400] as const,
  ]) {
    const [slashed, without] = [
      await send('GET', url),
      await send('GET', url.replace(/\/(?=\?|$)/, '')),
    ];
    assert.deepEqual([slashed.statusCode, slashed.body], [status, without.body], url);
  }
  assert.equal((await send('DELETE', '/v1/me/')).statusCode, 405);
});

test('an unknown path is 404 for every method', async () => {
  const slashes = ['/v2/me//', '/v2//me', '/v1//', '/v2/transactions//', '/v2/nothing/'];
  const others = ['/v2/', '/v2/me/x', '/v2/Me', '/v2/transactions/1/2', '/v2/..%2Fv2/me'];
  for (const url of [...slashes, ...others])
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await send(method, url);
      assert.equal(response.statusCode, 404, `${method} ${url}`);
      assert.match(String(assertErrorFormat(response).errors[0]?.['errMsg']), /no such path/);
    }
  // An encoded slash is part of a segment, which matches the id in the template.
  const encoded = '/v2/transactions%2F5';
  assert.equal((await send('GET', encoded)).statusCode, 404);
  assert.equal((await send('POST', encoded)).statusCode, 405);
});

test('a target or Host that two parsers could read differently is 400', async () => {
  const token = `Authorization: Bearer ${ada.token}\r\nConnection: close\r\n\r\n`;
  const port = await listen(app);
  for (const [head, status] of [
    ['GET / HTTP/1.1\r\n', 400],
    ['GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n', 400],
    ['GET /v2/transactions#limit=5 HTTP/1.1\r\nHost: a\r\n', 400],
    ['GET /v2/transactions?limit=5#x HTTP/1.1\r\nHost: a\r\n', 400],
    ['GET /v2/me HTTP/1.0\r\n', 200],
    ['GET http://b/v2/me HTTP/1.1\r\nHost: b\r\n', 200],
  ] as const) {
    const [answer, ...others] = parseAnswers(await exchange(port, head + token));
    assert.deepEqual([answer?.status, others], [status, []], head);
    assert.equal('ratelimit-limit' in answer!.headers, head.includes('/v2/'), head);
    if (status === 400) assert.match(answer!.body, /"errors":\[\{"errMsg":"[^"]+/);
  }
});
