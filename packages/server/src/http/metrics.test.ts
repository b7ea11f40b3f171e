import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import type { InjectOptions } from 'fastify';
import { run } from '../db/engine.ts';
import { DatabaseError } from '../db/errors.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { createMemoryLimiter } from '../limiter/memory.ts';
import { parseNetworks } from '../limiter/address.ts';
import { linkCryptoAccount } from '../sync/crypto/actions.ts';
import { CryptoRefreshError } from '../outside/provider-error.ts';
import {
  as,
  holdPages,
  listen,
  makeTestApp,
  openapiBytes,
  pageRead,
  until,
  type TestAppOptions,
} from './testing/test-app.ts';
import { exchange, getText, received } from './testing/test-connection.ts';
import { noServices } from '../services.ts';
import { Browser } from '../identity/sessions/testing/browser.ts';
import { deleteUnlogged, insertUnlogged } from '../book/unlogged.ts';
import { backupResults } from '../db/tables/tables.ts';

/** Creates an application whose metrics can be read. `read` returns the values by name and labels as printed. */
async function makeWatchedApp(options: TestAppOptions = {}) {
  const metricsReaders = parseNetworks('127.0.0.0/8', 'Metrics readers');
  const made = await makeTestApp({ ...options, metricsReaders });
  const print = async (): Promise<string> => (await made.app.inject('/metrics')).body;
  const read = async (): Promise<Map<string, number>> => {
    const lines = (await print())
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => {
        const space = line.lastIndexOf(' ');
        return [line.slice(0, space), Number(line.slice(space + 1))];
      }),
    );
  };
  return { ...made, print, read };
}

const total = (route: string, method: string, status: number | string): string =>
  `coffer_http_requests_total{route="${route}",method="${method}",status="${status}"}`;

test('requests are counted by route pattern, method and status, never by text of the caller', async () => {
  const { app, ada, read, print } = await makeWatchedApp();
  const asked: [method: string, url: string, label: string, status: number][] = [
    ['GET', '/v2/transactions?limit=1&payee=canary', '/v2/transactions', 400],
    ['GET', '/v2/transactions?limit=1', '/v2/transactions', 200],
    ['HEAD', '/v2/transactions', '/v2/transactions', 200],
    ['GET', '/v2/transactions/1001', '/v2/transactions/{id}', 200],
    ['GET', '/v2/transactions/77', '/v2/transactions/{id}', 404],
    ['GET', '/v2/canary', 'unknown', 404],
    ['GET', '/v1/canary', 'unknown', 404],
    ['GET', '/canary', 'unknown', 404],
    ['GET', '/v2/%zz', 'unknown', 400],
    ['POST', '/v2/me', 'unknown', 405],
    ['PROPFIND', '/v2/canary', 'unknown', 404],
    ['GET', '/healthz', '/healthz', 200],
  ];
  for (const [method, url] of asked)
    await app.inject({ method, url, headers: as(ada) } as InjectOptions);
  const figures = await read();
  assert.equal(figures.get(total('unknown', 'GET', 404)), 3);
  assert.equal(figures.get(total('unknown', 'OTHER', 404)), 1);
  for (const [method, , label, status] of asked) {
    if (method === 'PROPFIND' || (label === 'unknown' && status === 404)) continue;
    assert.equal(figures.get(total(label, method, status)), 1, `${method} ${label} ${status}`);
  }
  // The figures after the labels are of any size.
  assert.doesNotMatch((await print()).replaceAll(/ \S+$/gm, ''), /canary|PROPFIND|1001/);
});

test('durations are a cumulative histogram whose last bucket counts every request', async () => {
  const { app, ada, read } = await makeWatchedApp();
  for (let n = 0; n < 5; n += 1) await app.inject({ url: '/v2/transactions', headers: as(ada) });
  const figures = await read();
  const labels = 'route="/v2/transactions",method="GET"';
  const name = 'coffer_http_request_duration_seconds';
  const upTo = [...figures]
    .filter(([key]) => key.startsWith(`${name}_bucket{${labels}`))
    .map(([, value]) => value);
  assert.equal(upTo.length, 14);
  for (const [at, value] of upTo.entries()) assert.ok(value >= (upTo[at - 1] ?? 0));
  assert.equal(figures.get(`${name}_bucket{${labels},le="+Inf"}`), 5);
  assert.equal(figures.get(`${name}_count{${labels}}`), 5);
  assert.ok(figures.get(`${name}_sum{${labels}}`)! > 0);
});

test('a request is in flight until its response is sent, and has no status when its caller disconnects', async () => {
  const { app, engine, ada, read } = await makeWatchedApp();
  let isGone = false;
  const { held, letGo } = holdPages(engine);
  const port = await listen(app);
  app.server.once('connection', (socket: Socket) => socket.once('close', () => (isGone = true)));
  const socket = connect(port, '127.0.0.1');
  const ended = received(socket);
  socket.write(getText(ada, '/v2/transactions'));
  await held();
  const during = await read();
  assert.equal(during.get('coffer_http_requests_in_flight'), 2, 'it, and the request for metrics');
  assert.equal(during.get('coffer_http_connections'), 1);
  socket.destroy();
  await ended;
  await until(() => isGone);
  const after = await read();
  assert.equal(after.get('coffer_http_requests_in_flight'), 1);
  assert.equal(after.get(total('/v2/transactions', 'GET', 'none')), 1);
  letGo();
});

test('refused requests, clients and unparsable bytes are counted', async () => {
  const { app, ada, read } = await makeWatchedApp({ limit: 2 });
  for (let n = 0; n < 5; n += 1) await app.inject({ url: '/v2/me', headers: as(ada) });
  const port = await listen(app);
  await exchange(port, 'nonsense\r\n\r\n');
  await exchange(port, `GET / HTTP/1.1\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`);
  const figures = await read();
  assert.equal(figures.get('coffer_rate_limited_requests_total'), 3);
  assert.equal(figures.get('coffer_rate_limit_sources'), 1);
  assert.equal(figures.get('coffer_http_unparsable_total{status="400"}'), 1);
  assert.equal(figures.get('coffer_http_unparsable_total{status="431"}'), 1);
});

test('sharing of the rate limit is printed only for a limiter that shares its counts', async () => {
  const alone = await (await makeWatchedApp()).read();
  const names = ['coffer_rate_limit_shared', 'coffer_rate_limit_fallbacks_total'];
  assert.ok(names.every((name) => !alone.has(name)));
  const limiter = {
    ...createMemoryLimiter({ rateLimit: { limit: 5, windowMs: 1000 } }),
    sharing: () => ({ isShared: false, fallbacks: 7 }),
  } as Limiter;
  const meant = await (await makeWatchedApp({ limiter })).read();
  for (const [at, value] of [0, 7].entries()) assert.equal(meant.get(names[at]!), value);
});

test('failures of the database are counted by reason, and other errors are not', async () => {
  const { app, engine, ada, read } = await makeWatchedApp();
  const counted = async () =>
    [...(await read())]
      .filter(([name, value]) => name.startsWith('coffer_store_failures_total') && value > 0)
      .map(([name, value]) => `${name.slice(27)} ${value}`);
  const kinds = ['busy', 'full', 'unavailable', 'failing', 'readOnly', 'damaged'] as const;
  const list = () => app.inject({ url: '/v2/transactions', headers: as(ada) });
  const failing = async (fault: Error) => (await engine.failing(pageRead, fault, list)).statusCode;
  for (const fault of [new Error('planted'), new DatabaseError('refused', 'planted')])
    assert.equal(await failing(fault), 500);
  assert.deepEqual(await counted(), []);
  for (const kind of kinds) assert.equal(await failing(new DatabaseError(kind, 'planted')), 503);
  const reasons = ['busy 1', 'full 1', 'io 3', 'unavailable 1'];
  const found = (await counted()).map((line) => line.replace(/^\{reason="(\w+)"\}/, '$1'));
  assert.deepEqual(found.toSorted(), reasons);
});

test('refreshes that fail are counted by reason', async () => {
  let failure = new Error();
  const cryptoReader = { read: () => Promise.reject(failure) };
  const services = { ...noServices, cryptoReader };
  const { app, engine, ada, read } = await makeWatchedApp({ services });
  const sealed_credentials = Buffer.of(1);
  const wallet = { provider: 'kraken', display_name: null, sealed_credentials } as const;
  const id = await linkCryptoAccount(engine, ada.identity.book.id, wallet);
  const url = `/v2/crypto/synced/${id}/refresh`;
  const timeout = new CryptoRefreshError('timeout', 'planted');
  const refused = new CryptoRefreshError('refused', 'planted');
  for (const error of [timeout, timeout, refused]) {
    failure = error;
    await app.inject({ method: 'POST', url, headers: as(ada) });
  }
  const name = 'coffer_crypto_refresh_failures_total';
  const figures = [...(await read())].filter(([key, value]) => key.startsWith(name) && value > 0);
  assert.deepEqual(figures, [
    [`${name}{reason="timeout"}`, 2],
    [`${name}{reason="refused"}`, 1],
  ]);
});

test('readiness, version, and metrics of the process and of Node are printed', async () => {
  const { engine, clock, read, print } = await makeWatchedApp();
  const ready = await read();
  for (const name of ['ready', 'store_can_read', 'store_can_write'])
    assert.equal(ready.get(`coffer_${name}`), 1);
  engine.canWrite = false;
  clock.advance(1000);
  const unready = await read();
  assert.equal(unready.get('coffer_ready'), 0);
  assert.equal(unready.get('coffer_store_can_read'), 1);
  assert.equal(unready.get('coffer_store_can_write'), 0);
  const { info } = JSON.parse(openapiBytes.toString()) as { info: { version: string } };
  const { node } = process.versions;
  assert.equal(ready.get(`coffer_build_info{version="${info.version}",node="${node}"}`), 1);
  const ofNode = ['process_cpu_seconds_total', 'process_open_fds', 'nodejs_heap_size_used_bytes'];
  for (const name of ofNode) assert.ok((ready.get(name) ?? 0) > 0, name);
  const text = await print();
  assert.ok(text.endsWith('\n'));
  const typed = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram|summary)$/gm)];
  const samples = [...(await read()).keys()].map((key) => key.replace(/\{.*/, ''));
  const names = new Set(typed.map(([, name]) => name));
  for (const sample of samples) {
    const family = sample.replace(/_(bucket|sum|count)$/, '');
    assert.ok(names.has(sample) || names.has(family), sample);
  }
});

test('a hundred readings of the metrics read the database once, and the log once a minute', async () => {
  const { app, engine, clock, ada, read } = await makeWatchedApp();
  const log = ['versions', 'oldest_timestamp_seconds'].map((name) => `coffer_change_log_${name}`);
  const seconds = clock.wallMs() / 1000;
  engine.instead.set('readStatement books', () => Promise.reject(new Error('planted')));
  const failed = await read();
  assert.ok(log.every((name) => !failed.has(name)));
  engine.instead.clear();
  clock.advance(60_000);
  engine.calls.length = 0;
  for (let n = 0; n < 100; n += 1) await app.inject('/metrics');
  assert.deepEqual(engine.calls, ['read database_identity', 'readStatement books']);
  const figures = await read();
  const versions = figures.get(log[0]!)!;
  assert.ok(versions > 1);
  // A change is a millisecond later than the creation of its book.
  assert.equal(figures.get(log[1]!), seconds + 0.001);
  await engine.write(() =>
    run(sql`UPDATE books SET pruned_version = version WHERE id = ${ada.identity.book.id}`),
  );
  clock.advance(59_999);
  assert.equal((await read()).get(log[0]!), versions);
  clock.advance(1);
  assert.equal((await read()).get(log[0]!), versions / 2);
});

test('the last backups are shown by a server that makes them, and its failures', async () => {
  const names = [
    'last_success_timestamp_seconds',
    'last_failure_timestamp_seconds',
    'interval_seconds',
  ];
  const shown = (figures: Map<string, number>) =>
    names.map((name) => figures.get(`coffer_backup_${name}`));
  const { read: none } = await makeWatchedApp();
  assert.deepEqual(shown(await none()), [undefined, undefined, undefined]);
  const services = { ...noServices, backupEveryMs: 3_600_000 };
  const { app, ada, engine, clock, read } = await makeWatchedApp({ services });
  const browser = new Browser(app);
  await browser.signIn(engine, ada.identity.book);
  const state = async () => {
    const { body } = await browser.send<Record<string, unknown>>('GET', '/coffer/backups');
    const { last_success_bytes: bytes, is_failing: isFailing, ...rest } = body;
    return [bytes, isFailing, ...Object.values(rest)];
  };
  assert.deepEqual(shown(await read()), [0, 0, 3600]);
  assert.deepEqual(await state(), [null, false, 3600, null, null]);
  const at = (hour: number) => `2026-01-01T0${hour}:00:00.000Z`;
  const note = (outcome: 'succeeded' | 'failed', hour: number) =>
    engine.write(function* () {
      yield* deleteUnlogged(backupResults, { outcome });
      const result = { outcome, at: at(hour), name: 'x.bak', bytes: 7, message: null };
      yield* insertUnlogged(backupResults, result);
    });
  for (const [outcome, hour, isFailing, ...seconds] of [
    ['succeeded', 1, false, 1, 0],
    ['failed', 2, true, 1, 2],
    ['succeeded', 3, false, 3, 2],
    ['failed', 3, true, 3, 3],
  ] as const) {
    await note(outcome, hour);
    clock.advance(60_000);
    const times = seconds.map((n) => (n === 0 ? 0 : Date.parse(at(n)) / 1000));
    assert.deepEqual(shown(await read()), [...times, 3600]);
    const [succeeded, failed] = seconds.map((n) => (n === 0 ? null : at(n)));
    assert.deepEqual(await state(), [7, isFailing, 3600, succeeded, failed]);
  }
});

test('threads have figures where there are some', async () => {
  const counts = { threads: 2, running: 1, waiting: 3, refused: 4 };
  const { read } = await makeWatchedApp({ threads: { counts } });
  const figures = await read();
  const names = ['threads', 'threads_running', 'threads_waiting', 'threads_refused_total'];
  assert.deepEqual(
    names.map((name) => figures.get(`coffer_${name}`)),
    [2, 1, 3, 4],
  );
  const without = await (await makeWatchedApp()).print();
  assert.doesNotMatch(without, /coffer_threads/);
});
