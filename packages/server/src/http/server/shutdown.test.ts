import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { exchange, received, parseAnswers } from '../testing/test-connection.ts';
import { listen, makeTestApp, pageRead, until } from '../testing/test-app.ts';

function open(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
  });
}

/** Creates an application whose pages wait until `letGo` is called. */
async function makeHeldApp(limits = {}) {
  const made = await makeTestApp({ limits });
  let letGo = (): void => {};
  let isHeld = false;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  made.engine.instead.set(pageRead, async (read) => {
    isHeld = true;
    await gate;
    return read();
  });
  const request = `GET /v2/transactions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${made.ada.token}\r\n\r\n`;
  return { ...made, request, letGo: () => letGo(), held: () => until(() => isHeld) };
}

test('a running response is sent completely when the server stops, then the connection is closed', async () => {
  const { app, request, letGo, held } = await makeHeldApp();
  const socket = await open(await listen(app));
  const text = received(socket);
  socket.write(request);
  await held();
  const closed = app.close();
  await until(() => !app.server.listening);
  letGo();
  const [answer, ...others] = parseAnswers(await text);
  assert.equal(answer?.status, 200);
  assert.deepEqual(answer.headers['connection'], ['close']);
  assert.equal((JSON.parse(answer.body) as { transactions: unknown[] }).transactions.length, 30);
  assert.deepEqual(others, []);
  await closed;
});

test('a request on an old connection while the server stops gets its response with Connection: close', async () => {
  const { app, request, letGo, held, ada } = await makeHeldApp();
  const port = await listen(app);
  const [first, second] = [await open(port), await open(port)];
  const texts = [received(first), received(second)];
  // A connection with half a request is not idle.
  second.write(`GET /v2/me HTTP/1.1\r\nHost: a\r\n`);
  first.write(request);
  await held();
  const closed = app.close();
  await until(() => !app.server.listening);
  second.write(`Authorization: Bearer ${ada.token}\r\n\r\n`);
  const [late] = parseAnswers((await texts[1]) ?? '');
  assert.equal(late?.status, 200);
  assert.deepEqual(late.headers['connection'], ['close']);
  letGo();
  assert.equal(parseAnswers((await texts[0]) ?? '')[0]?.status, 200);
  await closed;
});

test('the second of two pipelined requests gets its response too', async () => {
  const { app, request, letGo, held } = await makeHeldApp();
  const socket = await open(await listen(app));
  const text = received(socket);
  socket.write(request.replace('/transactions', '/me') + request);
  await held();
  const closed = app.close();
  await until(() => !app.server.listening);
  letGo();
  assert.deepEqual(
    parseAnswers(await text).map(({ status }) => status),
    [200, 200],
  );
  await closed;
});

test('a busy client receives Connection: close before the server stops accepting connections', async () => {
  const { app, ada } = await makeTestApp({ limits: { closeNoticeMs: 60_000 } });
  const port = await listen(app);
  const request = `GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`;
  const socket = await open(port);
  const told = received(socket);
  socket.write(request);
  await new Promise((resolve) => socket.once('data', resolve));
  const closed = app.close();
  // Even a new connection is accepted.
  const [late] = parseAnswers(await exchange(port, request));
  assert.equal(late?.status, 200);
  assert.deepEqual(late.headers['connection'], ['close']);
  socket.write(request);
  const answers = parseAnswers(await told);
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers['connection']?.[0]]),
    [
      [200, 'keep-alive'],
      [200, 'close'],
    ],
  );
  await closed;
});

test(
  'a server with a stop delay reports that it is not ready and continues to serve, even without connections',
  { timeout: 60_000 },
  async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { app, ada } = await makeTestApp({
      limits: { stopDelayMs: 60_000, closeNoticeMs: 0, drainTimeoutMs: 100 },
    });
    const port = await listen(app);
    const askFor = (target: string) =>
      exchange(
        port,
        `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`,
      );
    const statusOf = async (target: string) => parseAnswers(await askFor(target))[0]?.status;
    const closed = app.close();
    while ((await statusOf('/readyz')) !== 503) assert.ok(app.server.listening);
    t.mock.timers.tick(59_999);
    assert.equal(await statusOf('/healthz'), 200);
    const [answer] = parseAnswers(await askFor('/v2/me'));
    assert.deepEqual([answer?.status, answer?.headers['connection']], [200, ['close']]);
    assert.ok(app.server.listening);
    t.mock.timers.tick(1);
    await closed;
    assert.ok(!app.server.listening);
  },
);

test('a connection so new that its first request has not arrived yet is still served', async () => {
  const { app, request, letGo, held, ada } = await makeHeldApp();
  const port = await listen(app);
  const busy = await open(port);
  const answered = received(busy);
  busy.write(request);
  await held();
  const taken = new Promise((resolve) => app.server.once('connection', resolve));
  const fresh = await open(port);
  await taken;
  const text = received(fresh);
  const closed = app.close();
  await until(() => !app.server.listening);
  fresh.write(`GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`);
  assert.equal(parseAnswers(await text)[0]?.status, 200);
  letGo();
  await answered;
  await closed;
});

test('idle connections do not keep a server from stopping', async () => {
  const { app, ada } = await makeTestApp({
    limits: { drainTimeoutMs: 60_000, keepAliveTimeoutMs: 60_000 },
  });
  const socket = await open(await listen(app));
  socket.write(`HEAD /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  await app.close();
  socket.destroy();
});

test(
  'a connection whose response is read slowly is closed after that',
  { timeout: 60_000 },
  async () => {
    const { app, engine, request } = await makeHeldApp({ drainTimeoutMs: 60_000 });
    const json = Buffer.alloc(20_000_000, ' ');
    engine.instead.set(pageRead, () => ({ json, hasMore: false }));
    const socket = await open(await listen(app));
    socket.write(request);
    await new Promise((resolve) => socket.once('readable', resolve));
    const closed = app.close();
    await until(() => !app.server.listening);
    assert.ok((await received(socket)).endsWith('],"has_more":false}'), 'The response was cut');
    await closed;
  },
);

test('a silent client does not keep a server from stopping', { timeout: 60_000 }, async () => {
  const { app } = await makeTestApp({ limits: { drainTimeoutMs: 60_000 } });
  const ended = received(await open(await listen(app)));
  await app.close();
  assert.equal(await ended, '');
});

test(
  'a client that never completes its request is disconnected after the drain timeout',
  { timeout: 60_000 },
  async () => {
    const { app } = await makeTestApp({ limits: { drainTimeoutMs: 100 } });
    let read = (): number => 0;
    app.server.once('connection', (socket: Socket) => (read = () => socket.bytesRead));
    const slow = await open(await listen(app));
    const ended = received(slow);
    slow.write('POST /v2/me HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n');
    await until(() => read() > 0);
    await app.close();
    await ended;
  },
);

test('nothing keeps the process running, and a server that never listened stops too', async () => {
  const { app } = await makeTestApp();
  await app.ready();
  await app.close();
});
