import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { closing, exchange, getText, parseAnswers } from './testing/test-connection.ts';
import { fixPages, holdPages, listen, makeTestApp, until, pageRead } from './testing/test-app.ts';
import { pick } from './testing/pick.ts';

// Without a log there is no other listener for errors of a response.
const { app, engine, ada } = await makeTestApp({ logLevel: 'silent' });
const big = Buffer.from(`"${'é'.repeat(2_000_000)}"`);
const page = { json: big, hasMore: true };
const port = await listen(app);

test('a page is sent in pieces with their total length in bytes, and HEAD receives only the header', async () => {
  engine.instead.set(pageRead, () => page);
  const request = getText(ada, '/v2/transactions', closing);
  const [answer, ...others] = parseAnswers(await exchange(port, request));
  const body = Buffer.from(answer?.body ?? '', 'latin1').toString();
  assert.equal(body, `{"transactions":[${big.toString()}],"has_more":true}`);
  const length = [String(Buffer.byteLength(body))];
  assert.deepEqual([answer?.headers['content-length'], others], [length, []]);
  const both = getText(ada, '/v2/transactions') + getText(ada, '/v2/me', closing);
  const text = await exchange(port, both.replaceAll('GET', 'HEAD'));
  const heads = parseAnswers(text, { bodiless: true });
  assert.deepEqual(pick(heads, 'status'), [200, 200]);
  assert.deepEqual(heads[0]?.headers['content-length'], length);
});

test('clients that disconnect before, while or after a page is compressed or sent cause no error', async () => {
  let gone = 0;
  app.server.on('connection', (socket) => socket.once('close', () => (gone += 1)));
  const { held, letGo } = holdPages(engine, page);
  const sockets = Array.from({ length: 20 }, (_, at) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    const accepts = at < 10 ? 'Accept-Encoding: gzip\r\n' : '';
    socket.write(getText(ada, '/v2/transactions', accepts));
    return socket;
  });
  await held(sockets.length);
  for (const [at, socket] of sockets.entries()) {
    if (at % 2 === 0) socket.resetAndDestroy();
    else socket.once('data', () => socket.destroy());
  }
  await until(() => gone === sockets.length / 2);
  letGo();
  await Promise.all(sockets.map((socket) => until(() => socket.destroyed)));
  fixPages(engine, 1);
  const request = getText(ada, '/v2/me', closing);
  assert.equal(parseAnswers(await exchange(port, request))[0]?.status, 200);
});
