import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { received } from './testing/test-connection.ts';
import { as, listen, makeTestApp, type TestUser } from './testing/test-app.ts';
import { JoinedChunks } from './read.ts';
import { uploadLimits } from './server.ts';

const { app, ada, ben, engine, log } = await makeTestApp();
const port = await listen(app);
const megabyte = 2 ** 20;
const formHead = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n';
const ofForm = 'multipart/form-data; boundary=x';
const imports = '/coffer/imports';
const attachments = '/v2/transactions/1001/attachments';

/** Sends the beginning of a request, and leaves the connection open. */
function begin({ token }: TestUser, path: string, type: string, more: string): Socket {
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(`${head}Content-Type: ${type}\r\n${more}`);
  return socket;
}

/**
 * Sends whole requests until one has the status, and returns its Retry-After. Calls `again` before each further one: a
 * request that waits was refused if it arrived while the whole one had the last place.
 */
async function reaches(
  status: number,
  user: TestUser,
  path: string,
  again = (): void => undefined,
): Promise<unknown> {
  const [payload, type] =
    path === imports
      ? ['Date,Payee,Amount\n2024-01-02,Shop,-1\n', 'text/csv']
      : [`${formHead}%PDF-1.4 ${'A'.repeat(6 * megabyte)}\r\n--x--\r\n`, ofForm];
  const headers = { ...as(user), 'content-type': type };
  for (let tries = 0; tries < 500; tries += 1) {
    const response = await app.inject({ method: 'POST', url: path, headers, payload });
    if (response.statusCode === status) return response.headers['retry-after'];
    assert.ok([201, 404, 503].includes(response.statusCode), response.body);
    again();
    for (let turn = 0; turn < 1000; turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`No response was ${status}`);
}

describe('uploads that do not go on', () => {
  it('of one book leave room for those of others, and leave nothing behind when they are ended', async () => {
    const slow: Socket[] = [];
    const add = (): void =>
      void slow.push(begin(ada, imports, 'text/csv', 'Content-Length: 50000000\r\n\r\nDate,'));
    for (let count = 0; count < uploadLimits.mostOfBook; count += 1) add();
    assert.equal(await reaches(503, ada, imports, add), '5');
    await reaches(201, ben, imports);
    for (const socket of slow) socket.destroy();
    await reaches(201, ada, imports);
    assert.ok(!log.join('').includes('provider failed'), 'the service is only busy');
  });

  it('keep nobody out by bytes that they only announce, but by those that have arrived', async () => {
    const lengths = `Content-Length: ${10 * megabyte}\r\n\r\n${formHead}`;
    const slow = Array.from({ length: 4 }, () => begin(ada, attachments, ofForm, lengths));
    await reaches(404, ben, attachments);
    for (const socket of slow.slice(0, 2)) socket.write(Buffer.alloc(9 * megabyte));
    const add = (): void => {
      slow.push(begin(ada, attachments, ofForm, lengths));
      slow.at(-1)!.write(Buffer.alloc(9 * megabyte));
    };
    assert.equal(await reaches(503, ben, attachments, add), '5');
    for (const socket of slow) socket.destroy();
    await reaches(404, ben, attachments);
  });
});

it('a form may have little more than its file', async () => {
  const chunk = `10000\r\n${'A'.repeat(65_536)}\r\n`;
  for (const start of [
    '',
    `${(formHead.length + 9).toString(16)}\r\n${formHead}\r\n--x--\r\n\r\n`,
  ]) {
    const calls = engine.calls.length;
    const socket = begin(ada, imports, ofForm, `Transfer-Encoding: chunked\r\n\r\n${start}`);
    const response = received(socket);
    socket.write(chunk.repeat(52 * 16), 'latin1');
    assert.match(await response, /^HTTP\/1.1 413 /);
    assert.ok(engine.calls.length <= calls + 3, 'nothing was stored');
  }
});

it('chunks of any length are joined in their order', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 50 });
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 100 }), (some, times) => {
      const all = Array.from({ length: times }, () => some.map((each) => Buffer.from(each))).flat();
      const joined = new JoinedChunks();
      for (const chunk of all) joined.add(chunk);
      assert.equal(joined.bytes, Buffer.concat(all).length);
      assert.deepEqual(joined.take(), Buffer.concat(all));
      assert.deepEqual([joined.bytes, joined.take().length], [0, 0]);
    }),
  );
});
