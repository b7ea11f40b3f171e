import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { ServerResponse } from 'node:http';
import { after, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { createClient, type ClientOptions } from '../../packages/client/src/index.ts';
import { listenHere } from '../../packages/core/src/testing/starts.ts';
import { VirtualClock } from '../../packages/client/src/testing/virtual-clock.ts';

/*
 * Tests the client against a misbehaving service on a real socket. Waits use virtual time. During a request, time
 * passes only while the service lets that request hang.
 */

type Misdeed = (response: ServerResponse, request: IncomingMessage) => void;

const rows = 7;
const token = 'coffer_hush';
/** Marks the timer of an attempt. */
const timeoutMs = 31_337;
const closing: (() => Promise<void>)[] = [];

after(() => Promise.all(closing.map((close) => close())));

async function listen(handle: RequestListener): Promise<string> {
  const { url, close } = await listenHere(createServer(handle));
  closing.push(close);
  return url;
}

/** Starts a service that misbehaves for each of `misdeeds`, one per request, and then responds normally. */
async function bench(misdeeds: readonly Misdeed[], options: Partial<ClientOptions> = {}) {
  const clock = new VirtualClock();
  const came: string[] = [];
  let isHanging = false;
  const url = await listen((request, response) => {
    const misdeed = misdeeds[came.length] ?? givePage;
    came.push(`${request.method} ${request.headers.authorization}`);
    isHanging = misdeed === hang || misdeed === hangInBody;
    misdeed(response, request);
  });
  const client = createClient({ baseUrl: url, token, clock, timeoutMs, ...options });
  const mayPass = ({ delayMs }: { delayMs: number }): boolean => delayMs !== timeoutMs || isHanging;
  const run = <T>(work: Promise<T>): Promise<T> => clock.run(work, { mayPass });
  return { clock, client, url, came, run };
}

const givePage: Misdeed = (response, request) => {
  const query = new URL(request.url ?? '', 'http://a').searchParams;
  const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
  const all = Array.from({ length: rows }, (_, place) => ({ id: place + 1 }));
  const page = { transactions: all.slice(offset, offset + limit), has_more: offset + limit < rows };
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ id: 1, ...page }));
};

const status =
  (
    code: number,
    headers: Record<string, string> = {},
    body = '{"message":"No","errors":[{"errMsg":"No."}]}',
  ): Misdeed =>
  (response) =>
    void response.writeHead(code, headers).end(body);

const hang: Misdeed = () => undefined;
const hangInBody: Misdeed = (response) => void response.writeHead(200).write('{"transactions":');
const reset: Misdeed = (_response, { socket }) => void socket.resetAndDestroy();
const hangUp: Misdeed = (_response, { socket }) => void socket.destroy();

const send =
  (text: string, isReset = false): Misdeed =>
  (_response, { socket }) => {
    socket.write(text, () => (isReset ? socket.resetAndDestroy() : socket.end()));
  };

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const passing: Record<string, Misdeed> = {
  '429 without Retry-After': status(429),
  '429 with Retry-After': status(429, { 'Retry-After': '12' }),
  '503 without Retry-After': status(503),
  '503 with Retry-After': status(503, { 'Retry-After': '12' }),
  'a gateway page': status(502, { 'Content-Type': 'text/html' }, '<h1>Bad gateway</h1>'),
  'a connection reset before the response': reset,
  'a connection closed before the response': hangUp,
  'a connection reset in the head': send('HTTP/1.1 200 OK\r\nContent-Ty', true),
  'a connection reset in the body': send(
    `${ok}Content-Length: 90\r\n\r\n{"transactions":[{"id":1},`,
    true,
  ),
  'a body shorter than its length': send(
    `${ok}Content-Length: 90\r\n\r\n{"transactions":[{"id":1}`,
  ),
  'chunks without an end': send(
    `${ok}Transfer-Encoding: chunked\r\n\r\n10\r\n{"transactions":\r\n`,
  ),
  'a cut body without a length': send(`${ok}Connection: close\r\n\r\n{"transactions":[{"id":1}`),
  'a response that is not HTTP': send('SSH-2.0-OpenSSH_9.2\r\n'),
  'an HTML page instead of JSON': status(200, { 'Content-Type': 'text/html' }, '<h1>Log in</h1>'),
  'no response': hang,
  'a response that stops in its body': hangInBody,
};

for (const [name, misdeed] of Object.entries(passing)) {
  describe(`after ${name}`, () => {
    test('a list is complete, in order and without repeats', async () => {
      const { client, came, run, clock } = await bench([givePage, misdeed, misdeed]);
      const list = await run(client.transactions.toArray({ limit: 3 }, { max: 100 }));
      assert.deepEqual(
        list.map(({ id }) => id),
        [1, 2, 3, 4, 5, 6, 7],
      );
      assert.deepEqual([came.length, clock.pending], [5, []]);
    });

    test('forever, there is an error of the library, after all attempts, in bounded time', async () => {
      const forever = Array.from({ length: 20 }, () => misdeed);
      const limits = { maxAttempts: 4, maxElapsedMs: 200_000 };
      const { client, came, run, clock } = await bench(forever, limits);
      const startMs = clock.nowMs();
      const error: unknown = await run(client.transactions.page()).catch((each: unknown) => each);
      assert.ok(error instanceof Error && error.name !== 'Error', inspect(error));
      assert.deepEqual([(error as { attempts?: number }).attempts, came.length], [4, 4]);
      assert.ok(clock.nowMs() - startMs <= 200_000);
      assert.doesNotMatch(inspect(error, { depth: null, showHidden: true }), /hush/);
      assert.deepEqual(clock.pending, []);
    });

    const isRefused = name.startsWith('429');
    test(`a POST without a key is sent ${isRefused ? 'again' : 'once'}`, async () => {
      const { client, came, run } = await bench([misdeed]);
      const work = run(client.request({ method: 'POST', path: '/things' }));
      if (isRefused) await work;
      else await assert.rejects(work, { attempts: 1 });
      assert.equal(came.length, isRefused ? 2 : 1);
    });
  });
}

test('a JSON body is accepted with any content type', async () => {
  const body = '{"transactions":[],"has_more":false}';
  const { client, run } = await bench([status(200, { 'Content-Type': 'text/plain' }, body)]);
  assert.deepEqual((await run(client.transactions.page())).transactions, []);
});

test('a redirect is not followed, so the token is not sent to another address', async () => {
  const elsewhere: string[] = [];
  const other = await listen((request, response) => {
    elsewhere.push(String(request.headers.authorization));
    response.end('{"id":1}');
  });
  for (const code of [301, 302, 303, 307, 308]) {
    const { client, run, came } = await bench([status(code, { Location: `${other}/v2/me` })]);
    const refusal = { name: 'ApiError', status: code, message: /not followed/ };
    await assert.rejects(run(client.me()), refusal);
    assert.equal(came.length, 1);
  }
  assert.deepEqual(elsewhere, []);
});

test('a refused connection is a NetworkError that names the address', async () => {
  const { client, run, url } = await bench([]);
  await closing.pop()?.();
  await assert.rejects(run(client.me()), (error: Error) => {
    assert.equal(error.name, 'NetworkError');
    assert.ok(error.message.includes(url));
    return true;
  });
});

test('a connection that the service closes between two requests is not a failure', async () => {
  const closing: Misdeed = (response, request) => {
    givePage(response, request);
    response.once('finish', () => request.socket.destroy());
  };
  const { client, run } = await bench(Array.from({ length: 7 }, () => closing));
  const list = await run(client.transactions.toArray({ limit: 1 }, { max: 100 }));
  assert.equal(list.length, 7);
});
