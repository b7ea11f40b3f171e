import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { closing, exchange, getText, parseAnswers } from '../testing/test-connection.ts';
import {
  as,
  assertNoFaults,
  holdPages,
  listen,
  makeTestApp,
  pageRead,
  until,
} from '../testing/test-app.ts';

const { app, engine, ada, log } = await makeTestApp();
let port = 0;
before(async () => (port = await listen(app)));
after(() => app.close());

/** A page of half a megabyte, in pieces as the page engine returns them. */
const row = '{"id":1,"payee":"Müller","amount":"12.3000"},';
const page = { json: Buffer.from(`${row.repeat(11_000)}{}`), hasMore: true };
const whole = Buffer.from(`{"transactions":[${page.json.toString()}],"has_more":true}`);
const bytesThatWait = 16 * 1024 * 1024;

test('of a flood as much is compressed as may wait, and the rest is sent as it is', async () => {
  const { held, letGo } = holdPages(engine, page);
  const flood = Array.from({ length: 200 }, () =>
    app.inject({ url: '/v2/transactions', headers: { ...as(ada), 'accept-encoding': 'gzip' } }),
  );
  await held(flood.length);
  letGo();
  const answers = await Promise.all(flood);
  const isCompressed = ({ headers }: (typeof answers)[0]) => headers['content-encoding'] === 'gzip';
  const compressed = answers.filter(isCompressed);
  for (const { rawPayload } of compressed) assert.ok(gunzipSync(rawPayload).equals(whole));
  for (const answer of answers)
    if (!isCompressed(answer)) assert.ok(answer.rawPayload.equals(whole));
  const most = Math.floor(bytesThatWait / whole.length);
  assert.ok(compressed.length >= most, String(compressed.length));
  assert.ok(compressed.length < flood.length, String(compressed.length));
  // Afterwards there is room again.
  const { headers } = await app.inject({
    ...{ url: '/v2/transactions', headers: { ...as(ada), 'accept-encoding': 'gzip' } },
  });
  assert.equal(headers['content-encoding'], 'gzip');
});

test('clients that disconnect while their page is compressed cause no error', async () => {
  const { held, letGo } = holdPages(engine, page);
  let gone = 0;
  app.server.on('connection', (socket) => socket.once('close', () => (gone += 1)));
  const gzip = 'Accept-Encoding: gzip\r\n';
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(getText(ada, '/v2/transactions', gzip));
    return socket;
  });
  await held(sockets.length);
  letGo();
  // By now all pages are being compressed, or wait for that.
  for (const socket of sockets) socket.resetAndDestroy();
  await until(() => gone === sockets.length);
  assert.equal(gone, sockets.length);
  const request = getText(ada, '/v2/transactions', gzip + closing);
  const [answer] = parseAnswers(await exchange(port, request));
  assert.equal(answer?.status, 200);
  assert.ok(gunzipSync(Buffer.from(answer.body, 'latin1')).equals(whole));
});

test('requests on one connection get their responses in order, compressed or not', async () => {
  engine.instead.set(pageRead, () => page);
  const large = getText(ada, '/v2/transactions', 'Accept-Encoding: gzip\r\n');
  const small = getText(ada);
  const bare = large.replace('GET', 'HEAD');
  const last = getText(ada, '/v2/me', closing);
  const answers = parseAnswers(await exchange(port, large + small + bare + large + last));
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers['content-encoding']?.[0]]),
    ['gzip', undefined, 'gzip', 'gzip', undefined].map((coding) => [200, coding]),
  );
});

test('none of this was logged as a warning or an error', () => assertNoFaults(log));
