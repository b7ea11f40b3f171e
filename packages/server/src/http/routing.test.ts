import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { after, describe, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { exchange, parseAnswers } from './testing/test-connection.ts';
import { described } from '../resources/index.ts';
import { as, listen, makeTestApp } from './testing/test-app.ts';
import { assertErrorFormat } from './testing/test-answers.ts';

const { app, ada } = await makeTestApp();
after(() => app.close());

const allow = 'GET, HEAD, OPTIONS';

/** Paths with all their methods, sorted. */
const known: Readonly<Record<string, readonly string[]>> = {
  '/v2/me': ['GET', 'HEAD', 'OPTIONS'],
  '/v2/%6de?x=1': ['GET', 'HEAD', 'OPTIONS'],
  '/v2/summary': ['GET', 'HEAD', 'OPTIONS'],
  '/v2/budgets': ['DELETE', 'OPTIONS', 'PUT'],
  '/v2/transactions': ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'],
  '/v2/transactions/abc': ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PUT'],
  '/v2/plaid_accounts/fetch': ['GET', 'HEAD', 'OPTIONS', 'POST'],
};

const send = (method: string, url: string) =>
  app.inject({ method, url, headers: as(ada) } as InjectOptions);

test('every operation of the API document has a route, and HEAD where there is GET', async () => {
  await app.ready();
  const byPath = Map.groupBy(described.operations, ({ declaration }) => declaration.path);
  for (const [template, operations] of byPath) {
    const url = template.replaceAll(/\{(\w+)\}/g, ':$1');
    const documented = operations.map(({ method }): string => method);
    const expected = documented.includes('GET') ? [...documented, 'HEAD'] : documented;
    for (const method of METHODS) {
      const isRouted = app.hasRoute({ method, url });
      assert.equal(isRouted, expected.includes(method), `${method} ${url}`);
    }
  }
});

describe('a path with POST only that also matches the template of a path with GET', () => {
  const url = '/v2/crypto/synced/7/refresh';

  test('is 405 for other methods, with the methods of both', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await send(method, url);
      assert.equal(answer.statusCode, 405, method);
      assert.equal(answer.headers['allow'], 'GET, HEAD, OPTIONS, POST');
    }
  });

  test('lists both methods for OPTIONS', async () => {
    const answer = await send('OPTIONS', url);
    assert.deepEqual(
      [answer.statusCode, answer.headers['allow']],
      [204, 'GET, HEAD, OPTIONS, POST'],
    );
  });

  test('does not change the methods of paths with GET only', async () => {
    const answer = await send('POST', '/v2/crypto/synced/7/btc');
    assert.deepEqual([answer.statusCode, answer.headers['allow']], [405, allow]);
  });
});

test('a path with a slash at its end is 404 for every method', async () => {
  const paths = [
    '/v2/me/',
    '/v2/transactions/',
    '/v2/categories/',
    '/v2/transactions/1/',
    '/v2/crypto/synced/1/',
  ];
  for (const url of paths) {
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await send(method, url);
      assert.equal(response.statusCode, 404, `${method} ${url}`);
      assert.match(String(assertErrorFormat(response).errors[0]?.['errMsg']), /no such path/);
    }
  }
});

describe('a known path with another method is 405 with Allow', () => {
  for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
    test(method, async () => {
      for (const [url, methods] of Object.entries(known)) {
        if (methods.includes(method)) continue;
        const answer = await send(method, url);
        assert.equal(answer.statusCode, 405, url);
        assert.equal(answer.headers['allow'], methods.join(', '));
        if (method !== 'HEAD') assertErrorFormat(answer);
      }
    });
  }
});

test('OPTIONS on a known path is 204 with Allow, and offers no CORS', async () => {
  const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
  for (const [url, methods] of Object.entries(known)) {
    const headers = { ...as(ada), ...preflight };
    const answer = await app.inject({ method: 'OPTIONS', url, headers });
    assert.equal(answer.statusCode, 204, url);
    assert.equal(answer.headers['allow'], methods.join(', '));
    assert.equal(answer.body, '');
    const names = Object.keys(answer.headers);
    assert.deepEqual(
      names.filter((name) => name.startsWith('access-control')),
      [],
    );
  }
});

describe('an unknown path is 404 for every method', () => {
  const unknown = [
    '/v2/',
    '/v2/me/',
    '/v2//me',
    '/v2/me/x',
    '/v2/Me',
    '/v2/transactions/1/2',
    '/v1/me/',
  ];
  for (const url of [...unknown, '/v2/transactions%2F5', '/v2/..%2Fv2/me']) {
    test(url, async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PROPFIND']) {
        const answer = await send(method, url);
        // An encoded slash is part of a segment, which matches the id in the document's template.
        const expected =
          url.includes('transactions%2F') && method !== 'GET' && method !== 'HEAD'
            ? [405, 204]
            : [404];
        assert.ok(expected.includes(answer.statusCode), `${method} ${answer.statusCode}`);
      }
    });
  }
});

test('HEAD is GET without the body: same status, same headers, same length', async () => {
  const urls = [
    '/v2/me',
    '/v2/transactions',
    '/v2/transactions?limit=0',
    '/v2/transactions/1',
    '/v2/categories',
  ];
  for (const url of [...urls, '/v2/unknown', '/', '/openapi.json', '/unknown']) {
    const { headers: got, statusCode, body } = await send('GET', url);
    const head = await send('HEAD', url);
    const lasting = (headers: object) =>
      Object.entries(headers).filter(([name]) => name !== 'date' && !name.endsWith('remaining'));
    assert.equal(head.statusCode, statusCode, url);
    assert.equal(head.body, '');
    assert.deepEqual(lasting(head.headers), lasting(got), url);
    assert.equal(Number(head.headers['content-length']), Buffer.byteLength(body));
  }
});

describe('a target or Host that two parsers could read differently is 400', async () => {
  const wired = await makeTestApp();
  after(() => wired.app.close());
  const token = `Authorization: Bearer ${wired.ada.token}\r\nConnection: close\r\n\r\n`;

  const bad: Record<string, string> = {
    'no Host': `GET /v2/me HTTP/1.1\r\n${token}`,
    'two Hosts': `GET /v2/me HTTP/1.1\r\nHost: a\r\nHost: a\r\n${token}`,
    'no Host outside the API': `GET / HTTP/1.1\r\n${token}`,
    'two Hosts for an unknown page': `GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n${token}`,
    'a fragment': `GET /v2/transactions#limit=5 HTTP/1.1\r\nHost: a\r\n${token}`,
    'a fragment after the query': `GET /v2/transactions?limit=5#x HTTP/1.1\r\nHost: a\r\n${token}`,
  };
  test('in each of these forms', async () => {
    const port = await listen(wired.app);
    for (const [name, request] of Object.entries(bad)) {
      const [answer, ...others] = parseAnswers(await exchange(port, request));
      assert.equal(answer?.status, 400, name);
      assert.ok((JSON.parse(answer.body) as { errors: unknown[] }).errors.length > 0);
      assert.equal('ratelimit-limit' in answer.headers, request.includes(' /v2/'), name);
      assert.deepEqual(others, []);
    }
  });

  test('but HTTP/1.0 needs no Host, and an absolute target is accepted', async () => {
    const { port } = wired.app.server.address() as { port: number };
    for (const line of ['GET /v2/me HTTP/1.0\r\n', 'GET http://b/v2/me HTTP/1.1\r\nHost: b\r\n']) {
      const [answer] = parseAnswers(await exchange(port, line + token));
      assert.equal(answer?.status, 200);
      assert.ok(answer.headers['ratelimit-limit']);
    }
  });
});
