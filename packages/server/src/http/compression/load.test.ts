import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { exchange, parseAnswers } from '../testing/test-connection.ts';
import { as, listen, makeTestApp, pageRead, until } from '../testing/test-app.ts';

const { app, engine, ada, log } = await makeTestApp();
let port = 0;
before(async () => (port = await listen(app)));
after(() => app.close());

/** A page of half a megabyte, in pieces as the page engine returns them. */
const row = '{"id":1,"payee":"Müller","amount":"12.3000"},';
const page = { json: Buffer.from(`${row.repeat(11_000)}{}`), hasMore: true };
const whole = Buffer.from(`{"transactions":[${page.json.toString()}],"has_more":true}`);
const bytesThatWait = 16 * 1024 * 1024;

/** All reads of a page wait until `open` is called, so that all pages are sent at the same time. */
function atTheSameTime() {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let reading = 0;
  engine.instead.set(pageRead, async () => {
    reading += 1;
    await gate;
    return page;
  });
  return { open, reading: () => reading };
}

test('of a flood as much is compressed as may wait, and the rest is sent as it is', async () => {
  const { open, reading } = atTheSameTime();
  const flood = Array.from({ length: 200 }, () =>
    app.inject({ url: '/v2/transactions', headers: { ...as(ada), 'accept-encoding': 'gzip' } }),
  );
  await until(() => reading() === flood.length);
  open();
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
  const { open, reading } = atTheSameTime();
  let gone = 0;
  app.server.on('connection', (socket) => socket.once('close', () => (gone += 1)));
  const head = `Host: a\r\nAuthorization: Bearer ${ada.token}\r\nAccept-Encoding: gzip\r\n`;
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(`GET /v2/transactions HTTP/1.1\r\n${head}\r\n`);
    return socket;
  });
  await until(() => reading() === sockets.length);
  open();
  // By now all pages are being compressed, or wait for that.
  for (const socket of sockets) socket.resetAndDestroy();
  await until(() => gone === sockets.length);
  assert.equal(gone, sockets.length);
  const request = `GET /v2/transactions HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
  const [answer] = parseAnswers(await exchange(port, request));
  assert.equal(answer?.status, 200);
  assert.ok(gunzipSync(Buffer.from(answer.body, 'latin1')).equals(whole));
});

test('requests on one connection get their responses in order, compressed or not', async () => {
  engine.instead.set(pageRead, () => page);
  const head = `Host: a\r\nAuthorization: Bearer ${ada.token}\r\n`;
  const large = `GET /v2/transactions HTTP/1.1\r\n${head}Accept-Encoding: gzip\r\n\r\n`;
  const small = `GET /v2/me HTTP/1.1\r\n${head}\r\n`;
  const bare = `HEAD /v2/transactions HTTP/1.1\r\n${head}Accept-Encoding: gzip\r\n\r\n`;
  const last = `GET /v2/me HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
  const answers = parseAnswers(await exchange(port, large + small + bare + large + last));
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers['content-encoding']?.[0]]),
    [
      ...[[200, 'gzip'] as const, [200, undefined] as const, [200, 'gzip'] as const],
      ...[[200, 'gzip'] as const, [200, undefined] as const],
    ],
  );
});

test('none of this was logged as a warning or an error', () => {
  const faults = log.filter((line) => (JSON.parse(line) as { level: number }).level >= 40);
  assert.deepEqual(faults, []);
});
