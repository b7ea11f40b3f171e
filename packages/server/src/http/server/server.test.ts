import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { exchange, parseAnswers, received } from '../testing/test-connection.ts';
import { listen, makeTestApp, pageRead, until } from '../testing/test-app.ts';

const quick = { headersTimeoutMs: 150, connectionsCheckIntervalMs: 20 };
const { app, ada, hits } = await makeTestApp({
  limits: { ...quick, keepAliveTimeoutMs: 100, socketTimeoutMs: 60_000 },
});
let port = 0;
before(async () => (port = await listen(app)));
after(() => app.close());

const token = `Authorization: Bearer ${ada.token}\r\n`;
const me = `GET /v2/me HTTP/1.1\r\nHost: a\r\n${token}\r\n`;
const lastMe = me.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');

/** The statuses of the responses, until the server closes the connection. */
async function statuses(bytes: string): Promise<number[]> {
  return parseAnswers(await exchange(port, bytes)).map(({ status }) => status);
}

describe('invalid bytes are refused in the error format, not counted, and the connection is closed', () => {
  const cases: Record<string, [bytes: string, status: number]> = {
    nonsense: ['hello\r\n\r\n', 400],
    'a lower-case method': ['get / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    'a header without a colon': ['GET /v2/me HTTP/1.1\r\nHost a\r\n\r\n', 400],
    'a header line that is folded': ['GET /v2/me HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n', 400],
    'a NUL in a header': ['GET /v2/me HTTP/1.1\r\nHost: a\0\r\n\r\n', 400],
    'a space before the colon': ['GET /v2/me HTTP/1.1\r\nHost : a\r\n\r\n', 400],
    'a negative length': ['POST /v2/me HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', 400],
    'a header of 17 kB': [
      `GET /v2/me HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
    ],
    'a target of 17 kB': [`GET /v2/${'x'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    'TLS to the plain port': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  };
  for (const [name, [bytes, status]] of Object.entries(cases)) {
    test(name, async () => {
      const counted = hits();
      const [answer, ...others] = parseAnswers(await exchange(port, bytes));
      assert.equal(answer?.status, status);
      assert.deepEqual(answer.headers['content-type'], ['application/json; charset=utf-8']);
      assert.deepEqual(answer.headers['connection'], ['close']);
      const { message, errors } = JSON.parse(answer.body) as { message: string; errors: object[] };
      assert.equal(typeof message, 'string');
      assert.equal(errors.length, 1);
      assert.deepEqual(others, []);
      assert.equal(hits(), counted);
    });
  }
});

describe('a smuggled request gets no response', () => {
  const post = `POST /v2/me HTTP/1.1\r\nHost: a\r\n${token}`;
  const cases: Record<string, string> = {
    'length and chunks': `${post}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${me}`,
    'two lengths': `${post}Content-Length: 0\r\nContent-Length: ${me.length}\r\n\r\n${me}`,
    'two lengths in one line': `${post}Content-Length: 0, ${me.length}\r\n\r\n${me}`,
    'a signed length': `${post}Content-Length: +0\r\n\r\n${me}`,
    'a spaced length': `${post}Content-Length: 0 0\r\n\r\n${me}`,
    'a hidden coding': `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${me}`,
    'two codings': `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${me}`,
    'a coding with a tab before the colon': `${post}Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n${me}`,
    'a chunk size that is not a number': `${post}Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${me}`,
    'a chunk size that overflows': `${post}Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n${me}`,
    'a bare line feed in the chunks': `${post}Transfer-Encoding: chunked\r\n\r\n0\n\n${me}`,
    'a bare carriage return in a header': `${post}X: a\rContent-Length: 0\r\n\r\n${me}`,
  };
  for (const [name, bytes] of Object.entries(cases)) {
    test(name, async () => {
      const answers = await statuses(bytes);
      assert.ok(answers.length <= 1, `${answers.length} responses`);
      assert.ok(
        answers.every((status) => status >= 400 && status < 500),
        String(answers),
      );
    });
  }
});

test('pipelined requests receive their responses in order', async () => {
  const other = `GET /v2/transactions/9 HTTP/1.1\r\nHost: a\r\n${token}\r\n`;
  assert.deepEqual(await statuses(me + other + me + other + lastMe), [200, 404, 200, 404, 200]);
});

test('for a client that reads nothing, one response is prepared, not all requested ones', async () => {
  const { app: patient, engine, ada: reader } = await makeTestApp();
  const json = Buffer.alloc(20_000_000, ' ');
  let made = 0;
  engine.instead.set(pageRead, () => {
    made += 1;
    return { json, hasMore: false };
  });
  const socket = connect(await listen(patient), '127.0.0.1').pause();
  const list = `GET /v2/transactions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${reader.token}\r\n\r\n`;
  socket.write(list.repeat(20));
  await until(() => made > 0);
  // Meanwhile a request on another connection is handled.
  await exchange((patient.server.address() as AddressInfo).port, lastMe);
  assert.equal(made, 1);
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
  await until(() => bytes > 20 * json.length);
  assert.equal(made, 20);
  socket.destroy();
  await patient.close();
});

test('invalid bytes after requests are refused after their responses, however long these are', async () => {
  const { app: wordy, engine, ada: reader } = await makeTestApp();
  engine.instead.set(pageRead, () => ({ json: Buffer.alloc(2_000_000, ' '), hasMore: false }));
  const at = await listen(wordy);
  const list = `GET /v2/transactions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${reader.token}\r\n\r\n`;
  for (const [bytes, expected] of [
    ['nonsense\r\n\r\n', [400]],
    [`${list}nonsense\r\n\r\n`, [200, 400]],
    [`${list}${list}${list}nonsense\r\n\r\n${list}`, [200, 200, 200, 400]],
  ] as const) {
    const answers = parseAnswers(await exchange(at, bytes));
    assert.deepEqual(
      answers.map(({ status }) => status),
      expected,
    );
  }
  await wordy.close();
});

test('a body that is too large does not cut earlier responses, and later requests are not handled', async () => {
  const { app: wordy, engine, ada: reader, hits: counted } = await makeTestApp();
  engine.instead.set(pageRead, () => ({ json: Buffer.alloc(2_000_000, ' '), hasMore: false }));
  const at = await listen(wordy);
  const head = `GET /v2/transactions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${reader.token}\r\n`;
  const large = `${head}Content-Type: application/json\r\nContent-Length: 3000000\r\n\r\n${' '.repeat(3_000_000)}`;
  for (let round = 0; round < 5; round += 1) {
    const before = counted();
    const answers = parseAnswers(await exchange(at, `${head}\r\n${head}\r\n${large}${head}\r\n`));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 413],
    );
    assert.equal(counted() - before, 3);
  }
  await wordy.close();
});

test('responses sent before a refusal in the middle of a body reach a client that reads late', async () => {
  const { app: refusing, engine, ada: sender } = await makeTestApp();
  // More than the buffer of a client that reads nothing, less than the buffers of the system.
  const page = { json: Buffer.alloc(300_000, ' '), hasMore: false };
  engine.read = () => Promise.resolve(page as never);
  const accepted = once(refusing.server, 'connection');
  const socket = connect(await listen(refusing), '127.0.0.1').pause();
  const head = `GET /v2/transactions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sender.token}\r\n`;
  const large = `${head}Content-Type: application/json\r\nContent-Length: 3000000\r\n\r\n`;
  socket.write(`${head}\r\n${large}${' '.repeat(3_000_000)}`);
  const [served] = (await accepted) as [Socket];
  await once(served, 'close');
  const answers = parseAnswers(await received(socket.resume()));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 413],
  );
  await refusing.close();
});

test('a body that becomes invalid during its request never causes a second response', async () => {
  const broken = `POST /v2/me HTTP/1.1\r\nHost: a\r\n${token}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;
  const answers = await statuses(me + broken + me);
  assert.equal(answers[0], 200);
  assert.ok(
    answers.length <= 2 && answers.slice(1).every((status) => status >= 400),
    String(answers),
  );
});

test('an unknown Expect header is ignored, and the request is counted', async () => {
  const counted = hits();
  const [answer] = parseAnswers(
    await exchange(port, lastMe.replace('\r\n', '\r\nExpect: tea\r\n')),
  );
  assert.equal(answer?.status, 200);
  assert.equal(hits(), counted + 1);
});

test('an Upgrade header is ignored, and CONNECT closes the connection', async () => {
  const more = '\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
  assert.deepEqual(await statuses(lastMe.replace('\r\n', more)), [200]);
  const connects = await exchange(port, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.equal(connects, '');
});

describe('an inactive connection is closed', { timeout: 60_000 }, () => {
  test('when its client sends nothing', async () => {
    assert.equal(parseAnswers(await exchange(port, ''))[0]?.status, 408);
  });

  test('with 408 when its header arrives slowly', async () => {
    const socket = connect(port, '127.0.0.1');
    const drip = setInterval(() => socket.write('X: y\r\n'), 10);
    socket.write('GET /v2/me HTTP/1.1\r\n');
    const [answer] = parseAnswers(await received(socket));
    clearInterval(drip);
    assert.equal(answer?.status, 408);
  });

  test('when the body of a refused request does not arrive', async () => {
    const { app: hasty } = await makeTestApp({
      limits: { headersTimeoutMs: 100, requestTimeoutMs: 100, connectionsCheckIntervalMs: 20 },
    });
    const request = 'POST /v2/me HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n';
    const [answer] = parseAnswers(await exchange(await listen(hasty), request));
    assert.equal(answer?.status, 401);
    await hasty.close();
  });

  test('when its client does not read the response', async (t) => {
    const {
      app: patient,
      engine,
      ada: reader,
    } = await makeTestApp({ limits: { socketTimeoutMs: 1_000 } });
    t.after(() => patient.close());
    engine.instead.set(pageRead, () => ({ json: Buffer.alloc(20_000_000, ' '), hasMore: false }));
    const socket = connect(await listen(patient), '127.0.0.1').pause();
    t.after(() => socket.destroy());
    socket.write(me.replace('/me', '/transactions').replace(ada.token, reader.token));
    const [accepted] = (await once(patient.server, 'connection')) as [Socket];
    const startedMs = performance.now();
    await once(accepted, 'close');
    assert.ok(performance.now() - startedMs < 1_500, 'Open for too long');
  });

  test('without a response when it is idle after a response', async () => {
    assert.deepEqual(await statuses(me), [200]);
  });
});

test('connections over the maximum are closed', async () => {
  const { app: small } = await makeTestApp({ limits: { maxConnections: 2 } });
  const smallPort = await listen(small);
  const open = [connect(smallPort, '127.0.0.1'), connect(smallPort, '127.0.0.1')];
  await Promise.all(
    open.map((socket) => new Promise((resolve) => socket.once('connect', resolve))),
  );
  assert.equal(await exchange(smallPort, lastMe), '');
  for (const socket of open) socket.destroy();
  await small.close();
});
