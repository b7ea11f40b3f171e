import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import {
  exchange,
  getText,
  parseAnswers,
  received,
  statusesIn,
} from './testing/test-connection.ts';
import { fixPages, holdPages, listen, makeTestApp, until } from './testing/test-app.ts';

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Creates an application that listens, and whose pages wait until `letGo` is called. */
async function makeHeldApp(limits = {}) {
  const made = await makeTestApp({ limits });
  const { app, ada } = made;
  const port = await listen(app);
  /** Begins to stop; resolves when it accepts no more connections. */
  const stop = async () => {
    const closed = app.close();
    await until(() => !app.server.listening);
    return { closed };
  };
  const list = getText(ada, '/v2/transactions');
  return { ...made, ...holdPages(made.engine), port, stop, list, me: getText(ada) };
}

test('a running response is sent completely when the server stops, then the connection is closed', async () => {
  const { port, stop, list, letGo, held } = await makeHeldApp();
  const socket = await open(port);
  const text = received(socket);
  socket.write(list);
  await held();
  const { closed } = await stop();
  letGo();
  const [answer, ...others] = parseAnswers(await text);
  assert.equal(answer?.status, 200);
  assert.deepEqual(answer.headers['connection'], ['close']);
  assert.equal((JSON.parse(answer.body) as { transactions: unknown[] }).transactions.length, 30);
  assert.deepEqual(others, []);
  await closed;
});

test('requests on connections that are old or new are served with Connection: close while the server stops', async () => {
  const { app, port, stop, list, me, letGo, held } = await makeHeldApp();
  const [busy, half] = [await open(port), await open(port)];
  const texts = [received(busy), received(half)];
  // A connection with half a request is not idle.
  const [start, rest] = me.split('Authorization');
  half.write(start!);
  busy.write(list);
  await held();
  const taken = once(app.server, 'connection');
  const fresh = await open(port);
  await taken;
  texts.push(received(fresh));
  const { closed } = await stop();
  half.write(`Authorization${rest}`);
  fresh.write(me);
  for (const text of texts.slice(1)) {
    const [answer] = parseAnswers(await text);
    assert.deepEqual([answer?.status, answer?.headers['connection']], [200, ['close']]);
  }
  letGo();
  assert.deepEqual(statusesIn((await texts[0])!), [200]);
  await closed;
});

test('the second of two pipelined requests gets its response too', async () => {
  const { port, stop, list, me, letGo, held } = await makeHeldApp();
  const socket = await open(port);
  const text = received(socket);
  socket.write(me + list);
  await held();
  const { closed } = await stop();
  letGo();
  assert.deepEqual(statusesIn(await text), [200, 200]);
  await closed;
});

test('a busy client receives Connection: close before the server stops accepting connections', async () => {
  const { app, port, me } = await makeHeldApp({ closeNoticeMs: 60_000 });
  const socket = await open(port);
  const told = received(socket);
  socket.write(me);
  await once(socket, 'data');
  const closed = app.close();
  // Even a new connection is accepted.
  const [late] = parseAnswers(await exchange(port, me));
  assert.deepEqual([late?.status, late?.headers['connection']], [200, ['close']]);
  socket.write(me);
  const found = parseAnswers(await told).map(({ headers }) => headers['connection']?.[0]);
  assert.deepEqual(found, ['keep-alive', 'close']);
  await closed;
});

test('a server with a stop delay reports that it is not ready and continues to serve, even without connections', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const limits = { stopDelayMs: 60_000, closeNoticeMs: 0, drainTimeoutMs: 100 };
  const { app, port, ada } = await makeHeldApp(limits);
  const ask = async (path: string) => parseAnswers(await exchange(port, getText(ada, path)))[0];
  const closed = app.close();
  while ((await ask('/readyz'))?.status !== 503) assert.ok(app.server.listening);
  assert.match((await ask('/readyz'))!.body, /"isStopping":true/);
  t.mock.timers.tick(59_999);
  assert.equal((await ask('/healthz'))?.status, 200);
  const answer = await ask('/v2/me');
  assert.deepEqual([answer?.status, answer?.headers['connection']], [200, ['close']]);
  assert.ok(app.server.listening);
  t.mock.timers.tick(1);
  await closed;
  assert.ok(!app.server.listening);
});

test('idle connections and silent clients do not keep a server from stopping', async () => {
  const minute = { drainTimeoutMs: 60_000, keepAliveTimeoutMs: 60_000 };
  const { app, port, me } = await makeHeldApp(minute);
  const [idle, silent] = [await open(port), await open(port)];
  idle.write(me.replace('GET', 'HEAD'));
  await once(idle, 'data');
  const ended = received(silent);
  await app.close();
  assert.equal(await ended, '');
  idle.destroy();
});

test('a connection whose response is read slowly is closed after that', async () => {
  const { engine, port, stop, list } = await makeHeldApp({ drainTimeoutMs: 60_000 });
  fixPages(engine, 20_000_000);
  const socket = await open(port);
  socket.write(list);
  await once(socket, 'readable');
  const { closed } = await stop();
  assert.ok((await received(socket)).endsWith('],"has_more":false}'), 'The response was cut');
  await closed;
});

test('a client that never completes its request is disconnected after the drain timeout', async () => {
  const { app, port } = await makeHeldApp({ drainTimeoutMs: 100 });
  let read = (): number => 0;
  app.server.once('connection', (socket: Socket) => (read = () => socket.bytesRead));
  const slow = await open(port);
  const ended = received(slow);
  slow.write('POST /v2/me HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n');
  await until(() => read() > 0);
  await app.close();
  await ended;
});

test('nothing keeps the process running, and a server that never listened stops too', async () => {
  const { app } = await makeTestApp();
  await app.ready();
  await app.close();
});
