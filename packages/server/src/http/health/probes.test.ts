import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { parseTrustedProxies } from '../../limiter/address/client-address.ts';
import { parseNetworks } from '../../limiter/address/networks.ts';
import { revokeToken } from '../../resources/users/actions.ts';
import { newToken } from '../../resources/users/token.ts';
import { as, listen, makeTestApp, pageRead, until, type TestApp } from '../testing/test-app.ts';
import { assertErrorFormat, assertUncounted } from '../testing/test-answers.ts';
import { parseAnswers, received } from '../testing/test-connection.ts';

const loopback = parseNetworks('127.0.0.0/8', 'Metrics readers');
const probes = ['/healthz', '/readyz', '/metrics'];

/** The names of the calls that check the database and that look up a token. */
const readiness = 'read books';
const lookUp = 'readStatement access_tokens';

function countOf({ engine }: TestApp, name: string): number {
  return engine.calls.filter((call) => call === name).length;
}

describe('all three probes', async () => {
  const made = await makeTestApp({ metricsReaders: loopback, limit: 1 });
  const { app, hits, ada } = made;

  for (const url of probes) {
    test(`${url} is never counted or limited, and HEAD is GET without a body`, async () => {
      for (let n = 0; n < 3; n += 1) {
        const answer = await app.inject({ url });
        assert.equal(answer.statusCode, 200);
        assert.equal(answer.headers['cache-control'], 'no-store');
        assertUncounted(answer);
      }
      const head = await app.inject({ method: 'HEAD', url });
      assert.equal(head.statusCode, 200);
      assert.equal(head.body, '');
      assert.equal(hits(), 0);
    });

    test(`${url} accepts no other method: 405 with Allow`, async () => {
      for (const method of METHODS) {
        if (['GET', 'HEAD', 'CONNECT'].includes(method)) continue;
        const answer = await app.inject({ method, url } as InjectOptions);
        assert.equal(answer.statusCode, 405, method);
        assert.equal(answer.headers['allow'], 'GET, HEAD');
        assertErrorFormat(answer);
      }
    });
  }

  test('longer paths are unknown', async () => {
    for (const url of ['/healthz/', '/healthz/x', '/Readyz', '/metricsx']) {
      assert.equal((await app.inject({ url, headers: as(ada) })).statusCode, 404, url);
    }
  });
});

describe('GET /healthz', () => {
  test('is 200 while the process runs, without reading the database', async () => {
    const made = await makeTestApp();
    const answer = await made.app.inject({ url: '/healthz', headers: as(made.ada) });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.deepEqual(answer.json(), { status: 'ok' });
    assert.deepEqual(made.engine.calls, []);
  });
});

describe('GET /readyz', () => {
  // A database that cannot be read is not written either.
  const unready = {
    'cannot read': { canRead: false, canWrite: false },
    'cannot write': { canRead: true, canWrite: false },
  };
  for (const [name, state] of Object.entries(unready)) {
    test(`is 503 with Retry-After when the database ${name}, with details only for a valid token`, async () => {
      const { app, engine, ada, log } = await makeTestApp();
      if (!state.canRead) engine.instead.set(readiness, () => Promise.reject(new Error('planted')));
      engine.canWrite = state.canWrite;
      const blunt = await app.inject('/readyz');
      assert.equal(blunt.statusCode, 503);
      assert.equal(blunt.headers['retry-after'], '1');
      assert.deepEqual(Object.keys(assertErrorFormat(blunt).errors[0] ?? {}), ['errMsg']);
      const told = await app.inject({ url: '/readyz', headers: as(ada) });
      const [detail] = assertErrorFormat(told).errors;
      assert.deepEqual(detail, { errMsg: detail?.['errMsg'], ...state, isStopping: false });
      assert.deepEqual(
        log.filter((line) => line.includes('"level":50')),
        [],
      );
    });
  }

  test('is 200 when records can be read and written, with details only for a valid token', async () => {
    const { app, ada } = await makeTestApp();
    assert.deepEqual((await app.inject('/readyz')).json(), { status: 'ready' });
    const details = { status: 'ready', canRead: true, canWrite: true, isStopping: false };
    assert.deepEqual((await app.inject({ url: '/readyz', headers: as(ada) })).json(), details);
    for (const authorization of ['Bearer x', `Bearer ${newToken().text}`, `Basic ${ada.token}`]) {
      const answer = await app.inject({ url: '/readyz', headers: { authorization } });
      assert.deepEqual(answer.json(), { status: 'ready' }, authorization);
    }
  });

  test('is 503 when the database does not reply within two seconds, and sends no second statement', async (t) => {
    const made = await makeTestApp();
    let asked = 0;
    made.engine.instead.set(readiness, () => {
      asked += 1;
      return new Promise(() => undefined);
    });
    await made.app.ready();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const waiting = made.app.inject('/readyz').then(({ statusCode }) => statusCode);
    await until(() => asked === 1);
    t.mock.timers.tick(2000);
    assert.equal(await waiting, 503);
    made.clock.advance(60_000);
    assert.equal((await made.app.inject('/readyz')).statusCode, 503);
    assert.equal(asked, 1);
  });

  test('reads the database once for 10,000 calls within a second, and again after it', async () => {
    const made = await makeTestApp();
    for (let n = 0; n < 100; n += 1) {
      await Promise.all(Array.from({ length: 100 }, () => made.app.inject('/readyz')));
    }
    assert.deepEqual(made.engine.calls, [readiness]);
    made.clock.advance(999);
    await made.app.inject('/readyz');
    assert.equal(countOf(made, readiness), 1);
    made.clock.advance(1);
    await made.app.inject('/readyz');
    assert.equal(countOf(made, readiness), 2);
    made.clock.setWallForward(-3_600_000);
    await made.app.inject('/readyz');
    assert.equal(countOf(made, readiness), 3);
  });

  test('looks up at most five tokens a second', async () => {
    const made = await makeTestApp();
    const ask = (token: string) =>
      made.app.inject({ url: '/readyz', headers: { authorization: `Bearer ${token}` } });
    assert.ok('canRead' in (await ask(made.ada.token)).json<object>());
    for (let n = 0; n < 1000; n += 1) await ask(newToken().text);
    await Promise.all(Array.from({ length: 1000 }, () => ask(made.ada.token)));
    assert.equal(countOf(made, lookUp), 5);
    made.clock.advance(2_000);
    for (let n = 0; n < 10; n += 1) await ask(newToken().text);
    assert.ok(
      'canRead' in (await ask(made.ada.token)).json<object>(),
      'although no look-up is left',
    );
    assert.equal(countOf(made, lookUp), 10);
  });

  test('accepts a token found valid before while the database fails, but not after it is revoked', async () => {
    const made = await makeTestApp();
    const told = async (user = made.ada): Promise<boolean> => {
      const body = (await made.app.inject({ url: '/readyz', headers: as(user) })).body;
      return body.includes('canRead');
    };
    assert.ok(await told());
    made.clock.advance(5_000);
    await made.engine.failing(lookUp, new Error('planted'), async () => {
      assert.ok(await told());
      assert.ok(!(await told(made.ben)), 'never seen before');
    });
    const { book, callerId } = made.ada.identity;
    await made.engine.write(() => revokeToken(book.id, callerId));
    made.clock.advance(5_000);
    assert.ok(!(await told()));
  });

  test('is 503 on an old connection while the server stops', async () => {
    const { app, engine, ada } = await makeTestApp();
    const held = Promise.withResolvers<undefined>();
    let isHeld = false;
    engine.instead.set(pageRead, async (read) => {
      isHeld = true;
      await held.promise;
      return read();
    });
    const port = await listen(app);
    let readBytes = (): number => 0;
    app.server.once('connection', (socket: Socket) => (readBytes = () => socket.bytesRead));
    const probe = connect(port, '127.0.0.1');
    const told = received(probe);
    // A connection with half a request is not idle.
    probe.write('GET /readyz HTTP/1.1\r\n');
    await until(() => readBytes() > 0);
    const busy = connect(port, '127.0.0.1');
    const answered = received(busy);
    busy.write(
      `GET /v2/transactions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`,
    );
    await until(() => isHeld);
    const closed = app.close();
    await until(() => !app.server.listening);
    probe.write(`Host: a\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`);
    const [answer] = parseAnswers(await told);
    assert.equal(answer?.status, 503);
    assert.deepEqual(answer.headers['connection'], ['close']);
    assert.match(answer.body, /"isStopping":true/);
    held.resolve(undefined);
    await answered;
    await closed;
  });
});

describe('GET /metrics is only for its readers', async () => {
  const readers = parseNetworks('127.0.0.0/8, 192.0.2.0/24', 'Metrics readers');
  const trustedProxies = parseTrustedProxies('10.0.0.0/8');
  const { app, hits } = await makeTestApp({ metricsReaders: readers, trustedProxies });
  const from = (remoteAddress: string, headers = {}, method = 'GET') =>
    app.inject({ method, url: '/metrics', remoteAddress, headers } as InjectOptions);

  const admitted: [name: string, address: string, headers?: object][] = [
    ['a reader', '127.0.0.9'],
    ['a reader in IPv6 notation', '::ffff:7f00:1'],
    ['a reader behind a trusted proxy', '10.0.0.1', { 'x-forwarded-for': '8.8.8.8, 192.0.2.1' }],
  ];
  for (const [name, address, headers] of admitted) {
    test(`${name} reads`, async () => {
      const answer = await from(address, headers);
      assert.equal(answer.statusCode, 200);
      assert.match(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/);
      assert.match(answer.body, /^coffer_ready 1$/m);
    });
  }

  const refused: [name: string, address: string, headers?: object][] = [
    ['another address', '198.51.100.1'],
    [
      'another address that claims to be a reader',
      '198.51.100.1',
      { 'x-forwarded-for': '127.0.0.1' },
    ],
    ['a trusted proxy for another address', '10.0.0.1', { 'x-forwarded-for': '198.51.100.1' }],
    [
      'a proxy among the readers that is not trusted',
      '127.0.0.1',
      { 'x-forwarded-for': '127.0.0.1' },
    ],
    ['a proxy that sends Via', '127.0.0.1', { via: '1.1 proxy' }],
    ['a proxy that sends Forwarded', '127.0.0.1', { forwarded: 'for=127.0.0.1' }],
    ['a proxy that sends X-Real-IP', '127.0.0.1', { 'x-real-ip': '127.0.0.1' }],
  ];
  for (const [name, address, headers] of refused) {
    test(`for ${name} it is an unknown path, byte for byte`, async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PROPFIND']) {
        const answer = await from(address, headers, method);
        const unknown = await app.inject({ method, url: '/unknown' } as InjectOptions);
        assert.equal(answer.statusCode, 404);
        assert.equal(answer.body, unknown.body);
        const without = ({ date: _date, ...others }: Record<string, unknown>) => others;
        assert.deepEqual(without(answer.headers), without(unknown.headers));
      }
    });
  }

  test('none of these requests is counted', () => assert.equal(hits(), 0));

  test('without readers it is an unknown path for every caller', async () => {
    const { app: closed } = await makeTestApp();
    assert.equal((await closed.inject('/metrics')).statusCode, 404);
  });
});
