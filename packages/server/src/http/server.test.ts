import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { closing, exchange, getText, received, statusesIn } from './testing/test-connection.ts';
import { fixPages, listen, makeTestApp, pageRead, until } from './testing/test-app.ts';

const quick = { headersTimeoutMs: 150, connectionsCheckIntervalMs: 20 };
const { app, ada, hits } = await makeTestApp({
  limits: { ...quick, keepAliveTimeoutMs: 100, socketTimeoutMs: 60_000 },
});
const port = await listen(app);

const me = getText(ada);
const lastMe = getText(ada, '/v2/me', closing);
const list = getText(ada, '/v2/transactions');

async function statuses(bytes: string, at = port): Promise<number[]> {
  return statusesIn(await exchange(at, bytes));
}

test('a smuggled request gets no response', async () => {
  const post = me.replace('GET', 'POST').slice(0, -2);
  const chunked = `${post}Transfer-Encoding: chunked\r\n`;
  for (const bytes of [
    `${chunked}Content-Length: 6\r\n\r\n0\r\n\r\n${me}`,
    `${post}Content-Length: 0\r\nContent-Length: ${me.length}\r\n\r\n${me}`,
    `${post}Content-Length: 0, ${me.length}\r\n\r\n${me}`,
    `${post}Content-Length: +0\r\n\r\n${me}`,
    `${post}Content-Length: 0 0\r\n\r\n${me}`,
    `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${me}`,
    `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${me}`,
    `${post}Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n${me}`,
    `${chunked}\r\n0x0\r\n\r\n${me}`,
    `${chunked}\r\n10000000000000000\r\n${me}`,
    `${chunked}\r\n0\n\n${me}`,
    `${post}X: a\rContent-Length: 0\r\n\r\n${me}`,
  ]) {
    const answers = await statuses(bytes);
    assert.ok(answers.length <= 1, `${answers.length} responses to ${bytes}`);
    assert.ok(answers.every((status) => status >= 400 && status < 500));
  }
});

test('for a client that reads nothing, one response is prepared, not all requested ones', async () => {
  const patient = await makeTestApp();
  const json = Buffer.alloc(20_000_000, ' ');
  let made = 0;
  patient.engine.instead.set(pageRead, () => {
    made += 1;
    return { json, hasMore: false };
  });
  const at = await listen(patient.app);
  const socket = connect(at, '127.0.0.1').pause();
  socket.write(getText(patient.ada, '/v2/transactions').repeat(20));
  await until(() => made > 0);
  // Meanwhile a request on another connection is handled.
  await exchange(at, lastMe);
  assert.equal(made, 1);
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
  await until(() => bytes > 20 * json.length);
  assert.equal(made, 20);
  socket.destroy();
});

describe('after a request with a long response', async () => {
  const wordy = await makeTestApp();
  const own = getText(wordy.ada, '/v2/transactions');
  const body = 'Content-Type: application/json\r\nContent-Length: 3000000\r\n';
  const large = getText(wordy.ada, '/v2/transactions', body) + ' '.repeat(3_000_000);
  const at = await listen(wordy.app);

  test('invalid bytes are refused, and a body that is too large: nothing is cut, nor handled later', async () => {
    fixPages(wordy.engine, 2_000_000);
    const nonsense = 'nonsense\r\n\r\n';
    for (const [bytes, expected, counted] of [
      [nonsense, [400], 0],
      [own + nonsense, [200, 400], 1],
      [own + own + own + nonsense + own, [200, 200, 200, 400], 3],
      ...Array.from({ length: 5 }, () => [own + own + large + own, [200, 200, 413], 3] as const),
    ] as const) {
      const first = wordy.hits();
      assert.deepEqual(await statuses(bytes, at), expected);
      assert.equal(wordy.hits() - first, counted);
    }
  });

  test('responses sent before a refusal in the middle of a body reach a client that reads late', async () => {
    // More than the buffer of a client that reads nothing, less than the buffers of the system.
    fixPages(wordy.engine, 300_000);
    const accepted = once(wordy.app.server, 'connection');
    const socket = connect(at, '127.0.0.1').pause();
    socket.write(own + large);
    const [served] = (await accepted) as [Socket];
    await once(served, 'close');
    assert.deepEqual(statusesIn(await received(socket.resume())), [200, 413]);
  });
});

test('a body that becomes invalid during its request never causes a second response', async () => {
  const broken = `${me.replace('GET', 'POST').slice(0, -2)}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;
  const [first, ...others] = await statuses(me + broken + me);
  assert.equal(first, 200);
  assert.ok(others.length <= 1 && others.every((status) => status >= 400), String(others));
});

test('Expect and Upgrade are ignored, and CONNECT closes the connection', async () => {
  const counted = hits();
  for (const line of ['Expect: tea\r\n', 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'])
    assert.deepEqual(await statuses(getText(ada, '/v2/me', line + closing)), [200]);
  assert.equal(hits(), counted + 2);
  assert.equal(await exchange(port, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'), '');
});

describe('an inactive connection is closed', { timeout: 60_000 }, () => {
  test('when its client sends nothing, and without a response when it is idle after one', async () => {
    assert.deepEqual(await statuses(''), [408]);
    assert.deepEqual(await statuses(me), [200]);
  });

  test('with 408 when its header arrives slowly', async () => {
    const socket = connect(port, '127.0.0.1');
    const drip = setInterval(() => socket.write('X: y\r\n'), 10);
    socket.write('GET /v2/me HTTP/1.1\r\n');
    assert.deepEqual(statusesIn(await received(socket)), [408]);
    clearInterval(drip);
  });

  test('when the body of a refused request does not arrive', async () => {
    const { app: hasty } = await makeTestApp({
      limits: { headersTimeoutMs: 100, requestTimeoutMs: 100, connectionsCheckIntervalMs: 20 },
    });
    const request = 'POST /v2/me HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n';
    assert.deepEqual(await statuses(request, await listen(hasty)), [401]);
  });

  test('when its client does not read the response', async () => {
    const patient = await makeTestApp({ limits: { socketTimeoutMs: 100 } });
    fixPages(patient.engine, 20_000_000);
    const accepted = once(patient.app.server, 'connection');
    const socket = connect(await listen(patient.app), '127.0.0.1').pause();
    socket.write(list.replace(ada.token, patient.ada.token));
    const [served] = (await accepted) as [Socket];
    await once(served, 'close');
    socket.destroy();
  });
});

test('connections over the maximum are closed', async () => {
  const { app: small } = await makeTestApp({ limits: { maxConnections: 2 } });
  const at = await listen(small);
  const open = [connect(at, '127.0.0.1'), connect(at, '127.0.0.1')];
  await Promise.all(open.map((socket) => once(socket, 'connect')));
  assert.equal(await exchange(at, lastMe), '');
  for (const socket of open) socket.destroy();
});
