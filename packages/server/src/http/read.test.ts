import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { closing, exchange, getText, parseAnswers } from './testing/test-connection.ts';
import { as, listen, makeTestApp } from './testing/test-app.ts';
import { assertErrorFormat } from './testing/test-answers.ts';

/* Other types, and most bodies that are no JSON, are in test/spec/records/bodies.test.ts. */

const limit = 10_000;
const { app, ada } = await makeTestApp({ limits: { bodyLimitBytes: limit, bodyTimeoutMs: 100 } });
const port = await listen(app);

const json = { 'content-type': 'application/json' };

function send(payload: string | Buffer, headers: Record<string, string> = json) {
  return app.inject({ url: '/v2/me', headers: { ...as(ada), ...headers }, payload });
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test('any JSON is accepted up to the largest size and depth, under each name of UTF-8', async () => {
  const texts = ['"text"', ' {"a": [1, {"b": null}]}\n', '"[[["', `"\\"${'['.repeat(40)}"`];
  const limits = [nested(32), `"${'x'.repeat(limit - 2)}"`, '{"constructor":"Bauhaus"}'];
  for (const text of [...texts, ...limits])
    assert.equal((await send(text)).statusCode, 200, text.slice(0, 50));
  for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'utf8']) {
    const type = `Application/JSON ; charset=${charset}`;
    assert.equal((await send('{}', { 'content-type': type })).statusCode, 200, type);
  }
  for (const type of ['nonsense', ''])
    assert.equal((await send('', { 'content-type': type })).statusCode, 200);
});

test('an invalid body is 400', async () => {
  const poison = ['{"a":[{"__proto__":{"x":1}}]}', '{"\\u005f_proto__":{"x":1}}'];
  for (const body of ['{} {}', '  ', Buffer.from('{}', 'utf16le'), ...poison]) {
    const answer = await send(body);
    assert.equal(answer.statusCode, 400, body.toString().slice(0, 50));
    assert.equal(assertErrorFormat(answer).message, 'Invalid Request');
    assert.equal(({} as { x?: unknown }).x, undefined);
  }
});

describe('over a connection', () => {
  const get = (more: string, type = 'application/json') =>
    getText(ada, '/v2/me', `Content-Type: ${type}\r\n${more}`).slice(0, -2);
  const ask = async (text: string) => parseAnswers(await exchange(port, text))[0]!;
  const chunked = 'Transfer-Encoding: chunked\r\n';

  test('a body that is too large is 413: by its length before its first byte, or by its chunks', async () => {
    const { status, headers } = await ask(`${get(`Content-Length: ${limit + 1}\r\n`)}\r\n`);
    assert.deepEqual([status, headers['connection']], [413, ['close']]);
    assert.ok(headers['ratelimit-limit']);
    const chunk = `${(4096).toString(16)}\r\n${' '.repeat(4096)}\r\n`;
    assert.equal((await ask(`${get(chunked)}\r\n${chunk.repeat(4)}`)).status, 413);
  });

  test('small chunks are joined, and none are an empty body of any type', async () => {
    const pieces = '{"a":1}'.replaceAll(/./g, '1\r\n$&\r\n');
    assert.equal((await ask(`${get(chunked + closing)}\r\n${pieces}0\r\n\r\n`)).status, 200);
    const empty = get(chunked + closing, 'application/octet-stream');
    assert.equal((await ask(`${empty}\r\n0\r\n\r\n`)).status, 200);
  });

  test('a body that does not arrive is 408 and counted, and the connection is closed', async () => {
    const { status, headers } = await ask(`${get('Content-Length: 100\r\n')}\r\n{"a"`);
    assert.deepEqual([status, headers['connection']], [408, ['close']]);
    assert.ok(headers['ratelimit-limit']);
  });

  test('a request that is refused before its body is read does not wait for the body', async () => {
    const text = `${get(`Content-Length: 100\r\n${closing}`)}\r\n`;
    assert.equal((await ask(text.replace(/Authorization.*\r\n/, ''))).status, 401);
    assert.equal((await ask(text.replace('GET', 'POST'))).status, 405);
  });

  test('a client that sends megabytes can still read the response', async () => {
    for (const size of [limit + 1, 2_000_000, 20_000_000])
      assert.equal(await statusOfUpload(size), 413, String(size));
  });
});

function statusOfUpload(size: number): Promise<number | undefined> {
  const headers = { ...as(ada), ...json, 'content-length': size };
  return new Promise((resolve, reject) => {
    const upload = request({ host: '127.0.0.1', port, path: '/v2/me', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    upload.on('error', reject).end(Buffer.alloc(size, ' '));
  });
}
