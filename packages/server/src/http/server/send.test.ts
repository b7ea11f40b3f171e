import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { exchange, parseAnswers } from '../testing/test-connection.ts';
import { listen, makeTestApp, pageRead, until } from '../testing/test-app.ts';

// Without a log there is no other listener for errors of a response.
const { app, engine, ada } = await makeTestApp({ logLevel: 'silent' });
const big = Buffer.from(`"${'é'.repeat(2_000_000)}"`);
const page = { json: big, hasMore: true };
let port = 0;
before(async () => (port = await listen(app)));
after(() => app.close());

const head = `Host: a\r\nAuthorization: Bearer ${ada.token}\r\n`;

test('a page is sent in pieces with their total length in bytes', async () => {
  engine.instead.set(pageRead, () => page);
  const request = `GET /v2/transactions HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
  const [answer, ...others] = parseAnswers(await exchange(port, request));
  const body = Buffer.from(answer?.body ?? '', 'latin1').toString();
  assert.equal(body, `{"transactions":[${big.toString()}],"has_more":true}`);
  assert.deepEqual(answer?.headers['content-length'], [String(Buffer.byteLength(body))]);
  assert.deepEqual(others, []);
});

test('HEAD receives only the header, and the next response on the connection is correct', async () => {
  const first = `HEAD /v2/transactions HTTP/1.1\r\n${head}\r\n`;
  const second = `HEAD /v2/me HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
  const answers = parseAnswers(await exchange(port, first + second), { bodiless: true });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  const length = big.length + '{"transactions":[],"has_more":true}'.length;
  assert.deepEqual(answers[0]?.headers['content-length'], [String(length)]);
});

test('clients that disconnect before, while or after a page is sent cause no error', async () => {
  let waiting = 0;
  let gone = 0;
  app.server.on('connection', (socket) => socket.once('close', () => (gone += 1)));
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  engine.instead.set(pageRead, async () => {
    waiting += 1;
    await gate;
    return page;
  });
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(`GET /v2/transactions HTTP/1.1\r\n${head}\r\n`);
    return socket;
  });
  await until(() => waiting === sockets.length);
  for (const [at, socket] of sockets.entries()) {
    if (at % 2 === 0) socket.resetAndDestroy();
    else socket.once('data', () => socket.destroy());
  }
  await until(() => gone === sockets.length / 2);
  letGo();
  await Promise.all(sockets.map((socket) => until(() => socket.destroyed)));
  const request = `GET /v2/me HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
  assert.equal(parseAnswers(await exchange(port, request))[0]?.status, 200);
});
