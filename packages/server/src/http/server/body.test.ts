import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { exchange, parseAnswers } from '../testing/test-connection.ts';
import { as, listen, makeTestApp } from '../testing/test-app.ts';
import { assertErrorFormat } from '../testing/test-answers.ts';

const limit = 10_000;
const { app, ada } = await makeTestApp({ limits: { bodyLimitBytes: limit, bodyTimeoutMs: 100 } });
after(() => app.close());

const json = { 'content-type': 'application/json' };

function send(payload: string | Buffer, headers: Record<string, string> = json) {
  return app.inject({ url: '/v2/me', headers: { ...as(ada), ...headers }, payload });
}

describe('a JSON body is accepted, and so is an empty body', () => {
  const depth32 = `${'['.repeat(32)}${']'.repeat(32)}`;
  for (const text of [
    '{}',
    '[]',
    '"text"',
    ' {"a": [1, {"b": null}]}\n',
    '"[[["',
    `"\\"${'['.repeat(40)}"`,
    depth32,
  ]) {
    test(text.slice(0, 30), async () => assert.equal((await send(text)).statusCode, 200));
  }
  const types = ['application/json', 'application/octet-stream', 'text/csv', 'nonsense', ''];
  for (const type of types) {
    test(`empty, of the type "${type}"`, async () => {
      assert.equal((await send('', { 'content-type': type })).statusCode, 200);
      const length = { 'content-type': type, 'content-length': '0' };
      assert.equal((await send('', length)).statusCode, 200);
    });
  }
  test('the type may name UTF-8 as its charset', async () => {
    for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'utf8']) {
      const type = `Application/JSON ; charset=${charset}`;
      assert.equal((await send('{}', { 'content-type': type })).statusCode, 200, type);
    }
  });
  test('of exactly the maximum size', async () => {
    assert.equal((await send(`"${'x'.repeat(limit - 2)}"`)).statusCode, 200);
  });
});

describe('an invalid body is 400', () => {
  const bodies: Record<string, string | Buffer> = {
    'not JSON': '{"a":}',
    'cut off': '{"a":1',
    'two values': '{} {}',
    'only blanks': '  ',
    'not UTF-8': Buffer.from([0x22, 0xff, 0x22]),
    'half a character': Buffer.from([0x22, 0xe2, 0x82, 0x22]),
    'UTF-16': Buffer.from('{}', 'utf16le'),
    'nested 33 deep': `${'['.repeat(33)}${']'.repeat(33)}`,
    'nested deeper than any stack': '['.repeat(limit),
    'a prototype': '{"a":[{"__proto__":{"x":1}}]}',
    'an escaped prototype': '{"\\u005f_proto__":{"x":1}}',
    'a prototype in the constructor': '{"constructor":{"prototype":{"x":1}}}',
  };
  for (const [name, body] of Object.entries(bodies)) {
    test(name, async () => {
      const answer = await send(body);
      assert.equal(answer.statusCode, 400);
      assert.equal(assertErrorFormat(answer).message, 'Invalid Request');
      assert.equal(({} as { x?: unknown }).x, undefined);
    });
  }
  test('but a key may be called constructor', async () => {
    assert.equal((await send('{"constructor":"Bauhaus"}')).statusCode, 200);
  });
});

describe('a body of another type is 415', () => {
  const types = [
    'text/plain',
    'application/xml',
    'application/jsonx',
    'application/json+x',
    'text/json',
  ];
  for (const type of [
    ...types,
    '',
    'application/json; charset=utf-16',
    'a\tb',
    'application/json\ta',
  ]) {
    test(JSON.stringify(type), async () => {
      const answer = await send('{}', type === '' ? {} : { 'content-type': type });
      assert.equal(answer.statusCode, 415);
      assertErrorFormat(answer);
    });
  }
  test('also when it is compressed', async () => {
    const answer = await send(gzipSync('{}'), { ...json, 'content-encoding': 'gzip' });
    assert.equal(answer.statusCode, 415);
  });
});

const head = (more: string) =>
  `POST /v2/me HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${more}`;
const get = (more: string) =>
  head(`Authorization: Bearer ${ada.token}\r\n${more}`).replace('POST', 'GET');

describe('over a connection', () => {
  let port = 0;
  test('a body with a Content-Length that is too large is 413 before its first byte is sent', async () => {
    port = await listen(app);
    const text = await exchange(port, get(`Content-Length: ${limit + 1}\r\n\r\n`));
    const [answer] = parseAnswers(text);
    assert.equal(answer?.status, 413);
    assert.deepEqual(answer.headers['connection'], ['close']);
    assert.ok(answer.headers['ratelimit-limit']);
  });

  test('a body without Content-Length that becomes too large is 413', async () => {
    const chunk = `${(4096).toString(16)}\r\n${' '.repeat(4096)}\r\n`;
    const text = await exchange(port, get(`Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(4)}`));
    assert.equal(parseAnswers(text)[0]?.status, 413);
  });

  test('a body in small chunks is joined', async () => {
    const pieces = '{"a":1}'.replaceAll(/./g, '1\r\n$&\r\n');
    const more = `Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${pieces}0\r\n\r\n`;
    assert.equal(parseAnswers(await exchange(port, get(more)))[0]?.status, 200);
  });

  test('a chunked body without chunks is an empty body of any type', async () => {
    const more = 'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n';
    const request = get(more).replace('application/json', 'application/octet-stream');
    assert.equal(parseAnswers(await exchange(port, request))[0]?.status, 200);
  });

  test('a body that does not arrive is 408 and counted, and the connection is closed', async () => {
    const [answer] = parseAnswers(await exchange(port, get('Content-Length: 100\r\n\r\n{"a"')));
    assert.equal(answer?.status, 408);
    assert.ok(answer.headers['ratelimit-limit']);
    assert.deepEqual(answer.headers['connection'], ['close']);
  });

  test('a request that is refused before its body is read does not wait for the body', async () => {
    const waiting = 'Content-Length: 100\r\nConnection: close\r\n\r\n';
    const [unknown] = parseAnswers(await exchange(port, head(waiting)));
    assert.equal(unknown?.status, 401);
    const post = get(waiting).replace('GET', 'POST');
    assert.equal(parseAnswers(await exchange(port, post))[0]?.status, 405);
  });

  test('a client that sends megabytes can still read the response', async () => {
    for (const size of [limit + 1, 2_000_000, 20_000_000]) {
      assert.equal(await statusOfUpload(port, size), 413, String(size));
    }
  });
});

function statusOfUpload(port: number, size: number): Promise<number | undefined> {
  const headers = { ...as(ada), ...json, 'content-length': size };
  return new Promise((resolve, reject) => {
    const upload = request({ host: '127.0.0.1', port, path: '/v2/me', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    upload.on('error', reject).end(Buffer.alloc(size, ' '));
  });
}
