import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { describe, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { parseNetworks, parseTrustedProxies } from '../limiter/address.ts';
import { revokeToken, newToken } from '../identity/users/actions.ts';
import { parsePublicUrl } from './client.ts';
import { as, listen, makeTestApp, until } from './testing/test-app.ts';
import { assertErrorFormat, assertUncounted } from './testing/test-answers.ts';
import { closing, exchange } from './testing/test-connection.ts';

const loopback = parseNetworks('127.0.0.0/8', 'Metrics readers');

/** The names of the calls that check the database and that look up a token. */
const readiness = 'read database_identity';
const lookUp = 'readStatement access_tokens';

/** An application with ways to ask for its readiness, and to count calls of its database. */
async function makeProbed() {
  const made = await makeTestApp();
  const { app, engine, ada } = made;
  const ask = (token = ada.token) =>
    app.inject({ url: '/readyz', headers: { authorization: `Bearer ${token}` } });
  const isTold = async (token?: string) => (await ask(token)).body.includes('canRead');
  const countOf = (name: string) => engine.calls.filter((call) => call === name).length;
  return { ...made, ask, isTold, countOf };
}

describe('all three probes', async () => {
  const { app, hits } = await makeTestApp({ metricsReaders: loopback, limit: 1 });

  for (const url of ['/healthz', '/readyz', '/metrics'])
    test(`${url} is never counted or limited, for GET and HEAD; other methods are 405 with Allow`, async () => {
      for (const method of ['GET', 'GET', 'GET', 'HEAD'] as const) {
        const answer = await app.inject({ method, url });
        assert.equal(answer.statusCode, 200);
        assert.equal(answer.headers['cache-control'], 'no-store');
        assert.equal(answer.body === '', method === 'HEAD');
        assertUncounted(answer);
      }
      assert.equal(hits(), 0);
      for (const method of METHODS.filter((each) => !['GET', 'HEAD', 'CONNECT'].includes(each))) {
        const answer = await app.inject({ method, url } as InjectOptions);
        assert.deepEqual([answer.statusCode, answer.headers['allow']], [405, 'GET, HEAD'], method);
        assertErrorFormat(answer);
      }
    });
});

test('GET /healthz is 200 while the process runs, without reading the database', async () => {
  const { app, engine, ada } = await makeTestApp();
  const answer = await app.inject({ url: '/healthz', headers: as(ada) });
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.deepEqual([answer.statusCode, answer.json(), engine.calls], [200, { status: 'ok' }, []]);
});

describe('GET /readyz', () => {
  test('is 503 with Retry-After when the database fails, with details only for a valid token', async () => {
    // A database that cannot be read is not written either.
    for (const canRead of [false, true]) {
      const { app, engine, ask, log } = await makeProbed();
      if (!canRead) engine.fail(readiness, new Error('planted'));
      engine.canWrite = false;
      const blunt = await app.inject('/readyz');
      assert.deepEqual([blunt.statusCode, blunt.headers['retry-after']], [503, '1']);
      assert.deepEqual(Object.keys(assertErrorFormat(blunt).errors[0] ?? {}), ['errMsg']);
      const [details] = assertErrorFormat(await ask()).errors;
      const { errMsg } = details!;
      assert.deepEqual(details, { errMsg, canRead, canWrite: false, isStopping: false });
      assert.ok(!log.some((line) => line.includes('"level":50')));
    }
  });

  test('is 200 when records can be read and written, with details only for a valid token', async () => {
    const { app, ask, ada } = await makeProbed();
    const details = { canRead: true, canWrite: true, isStopping: false };
    assert.deepEqual((await ask()).json(), { status: 'ready', ...details });
    const unknown = `Bearer ${newToken().text}`;
    for (const authorization of ['Bearer x', unknown, `Basic ${ada.token}`, '']) {
      const answer = await app.inject({ url: '/readyz', headers: { authorization } });
      assert.deepEqual([answer.statusCode, answer.json()], [200, { status: 'ready' }]);
    }
  });

  test('is 503 when the database does not reply within two seconds, and sends no second statement', async (t) => {
    const { app, engine, clock } = await makeTestApp();
    let asked = 0;
    engine.instead.set(readiness, () => {
      asked += 1;
      return new Promise(() => undefined);
    });
    await app.ready();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const waiting = app.inject('/readyz').then(({ statusCode }) => statusCode);
    await until(() => asked === 1);
    t.mock.timers.tick(2000);
    assert.equal(await waiting, 503);
    clock.advance(60_000);
    assert.equal((await app.inject('/readyz')).statusCode, 503);
    assert.equal(asked, 1);
  });

  test('reads the database once for a thousand calls within a second, and again after it', async () => {
    const { app, engine, clock, countOf } = await makeProbed();
    for (let n = 0; n < 10; n += 1)
      await Promise.all(Array.from({ length: 100 }, () => app.inject('/readyz')));
    assert.deepEqual(engine.calls, [readiness]);
    for (const [move, count] of [
      [() => clock.advance(999), 1],
      [() => clock.advance(1), 2],
      [() => clock.setWallForward(-3_600_000), 3],
    ] as const) {
      move();
      await app.inject('/readyz');
      assert.equal(countOf(readiness), count);
    }
  });

  test('looks up at most five tokens a second', async () => {
    const { ask, isTold, clock, countOf } = await makeProbed();
    assert.ok(await isTold());
    for (let n = 0; n < 100; n += 1) await ask(newToken().text);
    await Promise.all(Array.from({ length: 100 }, () => ask()));
    // The first one has two statements, of which the first finds the book.
    assert.equal(countOf(lookUp), 1 + 5);
    clock.advance(2_000);
    for (let n = 0; n < 10; n += 1) await ask(newToken().text);
    assert.ok(await isTold(), 'although no look-up is left');
    assert.equal(countOf(lookUp), 1 + 10);
  });

  test('accepts a token found valid before while the database fails, but not after it is revoked', async () => {
    const { engine, clock, isTold, ada, ben } = await makeProbed();
    assert.ok(await isTold());
    clock.advance(5_000);
    await engine.failing(lookUp, new Error('planted'), async () => {
      assert.ok(await isTold());
      assert.ok(!(await isTold(ben.token)), 'never seen before');
    });
    await engine.write(() => revokeToken(ada.identity.book.id, ada.identity.callerId));
    clock.advance(5_000);
    assert.ok(!(await isTold()));
  });
});

describe('GET /metrics is only for its readers', async () => {
  const readers = parseNetworks('127.0.0.0/8, 192.0.2.0/24', 'Metrics readers');
  const trustedProxies = parseTrustedProxies('10.0.0.0/8');
  const { app, hits } = await makeTestApp({ metricsReaders: readers, trustedProxies });
  const ask = (method: string, remoteAddress: string, headers = {}, url = '/metrics') =>
    app.inject({ method, url, remoteAddress, headers } as InjectOptions);
  const forwardedFor = (address: string) => ({ 'x-forwarded-for': address });

  test('at their address, in any notation, or behind a trusted proxy', async () => {
    for (const [address, headers] of [
      ['127.0.0.9', {}],
      ['::ffff:7f00:1', {}],
      ['10.0.0.1', forwardedFor('8.8.8.8, 192.0.2.1')],
    ] as const) {
      const answer = await ask('GET', address, headers);
      assert.equal(answer.statusCode, 200, address);
      assert.match(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/);
      assert.match(answer.body, /^coffer_ready 1$/m);
    }
  });

  test('under a name of the service: a page of another name can resolve to this address', async () => {
    const publicUrl = parsePublicUrl('https://books.example./');
    const hostNames = ['coffer.lan'];
    const { app: named } = await makeTestApp({ metricsReaders: readers, publicUrl, hostNames });
    const port = await listen(named);
    const own = ['localhost:80', 'LOCALHOST.', '127.0.0.1', '127.0.0.1.:80', '[::1]', '[::1]:8080'];
    const names = ['Coffer.LAN', 'coffer.lan.:80', 'books.example', 'books.example.'];
    const foreign = [
      'evil.example',
      'coffer.lan.evil.example:80',
      '[::1].evil.example',
      'a,b',
      '.',
    ];
    for (const [hosts, status] of [
      [[...own, ...names, '', null], 200] as const,
      [foreign, 421] as const,
    ])
      for (const host of hosts)
        for (const method of ['GET', 'HEAD'] as const) {
          const line = host === null ? '' : `Host: ${host}\r\n`;
          const version = host === null ? 'HTTP/1.0' : 'HTTP/1.1';
          const of = async (path: string) => {
            const text = `${method} ${path} ${version}\r\n${line}${closing}\r\n`;
            return Number((await exchange(port, text)).slice(9, 12));
          };
          assert.deepEqual([await of('/metrics'), await of('/healthz')], [status, 200], `${host}`);
        }
    const others = { host: 'evil.example' };
    assert.equal((await ask('GET', '198.51.100.1', others)).statusCode, 404, 'unknown to others');
  });

  test('for others, or through a proxy that is not trusted, it is an unknown path, byte for byte', async () => {
    const without = ({ date: _date, ...others }: Record<string, unknown>) => others;
    for (const [address, headers] of [
      ['198.51.100.1', {}],
      ['198.51.100.1', forwardedFor('127.0.0.1')],
      ['10.0.0.1', forwardedFor('198.51.100.1')],
      ['127.0.0.1', forwardedFor('127.0.0.1')],
      ['127.0.0.1', { via: '1.1 proxy' }],
      ['127.0.0.1', { forwarded: 'for=127.0.0.1' }],
      ['127.0.0.1', { 'x-real-ip': '127.0.0.1' }],
    ] as const)
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PROPFIND']) {
        const answer = await ask(method, address, headers);
        const unknown = await ask(method, '127.0.0.1', {}, '/unknown');
        assert.deepEqual([answer.statusCode, answer.body], [404, unknown.body]);
        assert.deepEqual(without(answer.headers), without(unknown.headers));
      }
    assert.equal(hits(), 0);
    const { app: closed } = await makeTestApp();
    assert.equal((await closed.inject('/metrics')).statusCode, 404, 'without readers');
  });
});
