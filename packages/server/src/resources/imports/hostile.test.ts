import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { select } from '../../db/rows.ts';
import { importPreviews, imports } from '../../db/tables.ts';
import { as, listen, makeTestApp } from '../../http/testing/test-app.ts';
import type { ImportPreview } from './preview-schema.ts';

const made = await makeTestApp();
const url = '/coffer/imports';
const statement = 'Date,Payee,Amount\n2024-05-01,A,-1\n2024-05-02,B,-2\n';
interface Refusal {
  readonly errors: readonly { readonly errMsg: string }[];
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the type of the body
async function post<T>(path: string, payload: string | object, user = made.ada) {
  const type = typeof payload === 'string' ? 'text/csv' : 'application/json';
  const { statusCode: status, body } = await made.app.inject({
    ...{ method: 'POST', url: url + path },
    headers: { ...as(user), 'content-type': type },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
  return { status, body: JSON.parse(body) as T };
}
const previewsLeft = () => made.engine.read(() => select(importPreviews, {}));

test('the name of a file is a text like others, whatever is in it', async () => {
  const names = ['../../etc/passwd', 'C:\\a\\b.csv', 'a\r\nb\u001b[31m', '\u0000', "*=UTF-8''%00"];
  for (const name of [...names, '🥂'.repeat(127)]) {
    const query = `?file_name=${encodeURIComponent(name)}`;
    const { status, body } = await post<ImportPreview>(query, statement);
    assert.equal(status, 201, name);
    const [row] = await made.engine.read(() => select(imports, { id: body.id }));
    assert.equal(body.file_name, row!.file_name);
    assert.equal(body.file_name, name.replaceAll('\0', ''));
  }
  const long = await post<Refusal>(`?file_name=${'a'.repeat(10_000)}`, statement);
  assert.equal(long.status, 400);
  const part = `Content-Disposition: form-data; name="file"; filename="${'a'.repeat(5000)}"`;
  const form = `--B\r\n${part}\r\n\r\n${statement}\r\n--B--`;
  const { statusCode, body } = await made.app.inject({
    ...{ method: 'POST', url, payload: form },
    headers: { ...as(made.ada), 'content-type': 'multipart/form-data; boundary=B' },
  });
  assert.equal(statusCode, 201);
  assert.equal((JSON.parse(body) as ImportPreview).file_name!.length, 255);
});

test('a hundred thousand choices, and those of another book, import nothing', async () => {
  const { body } = await post<ImportPreview>('', statement);
  const rows = Array.from({ length: 100_000 }, (_, n) => ({ number: n + 1, action: 'skip' }));
  const many = await post<Refusal>(`/${body.id}/commit`, { rows });
  assert.ok([400, 413].includes(many.status), String(many.status));
  const other = await post(`/${body.id}/commit`, { rows: rows.slice(0, 1) }, made.ben);
  assert.equal(other.status, 404);
  const none = await made.engine.read(() => select(imports, { id: body.id }));
  assert.equal(none[0]!.is_preview, true);
});

test('a body that is announced as too large, or that is cut off, leaves nothing', async (t) => {
  const before = (await previewsLeft()).length;
  const port = await listen(made.app);
  t.after(() => made.app.close());
  const token = as(made.ada).authorization;
  const start = (header: string) => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.on('error', () => undefined);
    const head = `POST ${url} HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\nContent-Type: text/csv\r\n`;
    socket.write(`${head}${header}\r\n\r\n`);
    return socket;
  };
  /** What the server sends until it closes the connection. */
  const received = async (socket: Socket) => {
    let text = '';
    socket.on('data', (chunk: string) => (text += chunk));
    await once(socket, 'close');
    return text;
  };
  assert.match(await received(start(`Content-Length: ${51 * 2 ** 20}`)), /^HTTP\/1\.1 413 /);
  const broken = start('Transfer-Encoding: chunked');
  broken.write('5\r\nDate,\r\nZZ\r\n');
  assert.doesNotMatch(await received(broken), /^HTTP\/1\.1 [25]/);
  const cut = start('Content-Length: 100');
  cut.end(statement);
  assert.doesNotMatch(await received(cut), /^HTTP\/1\.1 [25]/);
  assert.equal((await previewsLeft()).length, before);
});
