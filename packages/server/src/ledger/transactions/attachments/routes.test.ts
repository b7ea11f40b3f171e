import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { DatabaseError } from '../../../db/errors.ts';
import { kilobytes } from '../../../files/content.ts';
import { createDiskStore } from '../../../files/disk.ts';
import { FileStoreError, type FileStore } from '../../../files/store.ts';
import { strictClient } from '../../../http/testing/strict-client.ts';
import { as, makeTestApp } from '../../../http/testing/test-app.ts';
import { vendorProblems } from '../../../http/testing/vendor-document.ts';
import { maxFormBytes, maxUploadBytes } from '../../../operations/upload.ts';
import { noServices } from '../../../services.ts';
import { linkText, nameOf, readLink, typeOf } from './rules.ts';

const folder = mkdtempSync(join(tmpdir(), 'coffer-attachments-'));
after(() => rmSync(folder, { recursive: true }));
const disk: FileStore = createDiskStore(folder);
const faults: Partial<FileStore> = {};
const files = new Proxy(disk, {
  get: (_, name: keyof FileStore): unknown => Reflect.get(faults, name) ?? Reflect.get(disk, name),
});
const png = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const pathOf = (transaction: number | string) => `/v2/transactions/${transaction}/attachments`;
const linkPath = (id: number | string) => `/v2/transactions/attachments/${id}`;

interface Attachment {
  readonly id: number;
  readonly [key: string]: unknown;
}
type ErrorBody = Readonly<{ errors: readonly Readonly<Record<string, unknown>>[] }>;

function form(...parts: readonly [string, string | Buffer, string?, string?][]): FormData {
  const data = new FormData();
  for (const [name, value, filename = 'a.png', type = 'image/png'] of parts)
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, new File([new Uint8Array(value)], filename, { type }));
  return data;
}

const test = await makeTestApp({ services: { ...noServices, files } });
after(() => test.app.close());
const { ok, status: statusOf, refused, changes } = strictClient(test, test.ada);

async function upload(data: FormData, url = pathOf(1001), type?: string) {
  const response = new Response(data);
  const payload = Buffer.from(await response.arrayBuffer());
  const headers = {
    ...as(test.ada),
    'content-type': type ?? response.headers.get('content-type')!,
  };
  const sent = await test.app.inject({ method: 'POST', url, headers, payload });
  const { statusCode: status, body } = sent;
  assert.deepEqual(vendorProblems({ method: 'POST', target: url, status, text: body }), []);
  return { status, body: JSON.parse(body) as Attachment & ErrorBody };
}

const keys = async () => (await Array.fromAsync(disk.list())).length;
const linkOf = async (id: number) => new URL((await ok<{ url: string }>('GET', linkPath(id))).url);
const follow = ({ pathname, search }: URL) => test.app.inject({ url: pathname + search });

describe('attachments', () => {
  it('are stored, shown with their transaction, and downloaded by a link without a token', async () => {
    const made = await upload(
      form(['file', png, 'dir/Bon é.png', 'text/plain'], ['notes', 'Grüße']),
    );
    assert.equal(made.status, 201);
    const { id, created_at, ...rest } = made.body;
    assert.deepEqual(rest, {
      uploaded_by: test.ada.identity.user.id,
      name: 'Bon é.png',
      type: 'image/png',
      size: 1,
      notes: 'Grüße',
    });
    assert.match(String(created_at), /^2023-11-14T22:13:20\.\d{3}Z$/);
    const list = '/v2/transactions?include_files=true';
    type Listed = readonly { id: number; files: unknown[] }[];
    const { transactions } = await ok<{ transactions: Listed }>('GET', list);
    assert.deepEqual(transactions.find((each) => each.id === 1001)?.files, [made.body]);
    const link = await linkOf(id);
    assert.equal(link.origin, 'http://localhost');
    const { statusCode, headers, rawPayload } = await follow(link);
    assert.equal(statusCode, 200);
    assert.deepEqual(rawPayload, png);
    const expected = {
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="Bon _.png"; filename*=UTF-8''Bon%20%C3%A9.png`,
    };
    assert.deepEqual({ ...headers, ...expected }, { ...headers });
    assert.deepEqual(await changes(), ['attachFileToTransaction']);
  });

  it('are accepted from the official client, which sends them as JSON', async () => {
    const { status, body } = await upload(form(['file', png]), undefined, 'application/json');
    assert.equal(status, 201);
    assert.deepEqual([body['name'], body['notes']], ['a.png', null]);
  });

  it('have a new link at each request, which expires, and which nobody can change', async () => {
    const { body } = await upload(form(['file', png]));
    const ask = (etag = 'x') => {
      const headers = { ...as(test.ada), 'if-none-match': etag };
      return test.app.inject({ url: linkPath(body.id), headers });
    };
    const { etag } = (await ask()).headers;
    test.clock.advance(1000);
    assert.equal((await ask(etag)).statusCode, 200);
    const link = await linkOf(body.id);
    for (const [from, to] of [
      ['signature=', 'signature=_'],
      [/expires=1/, 'expires=2'],
      [/book=1/, 'book=2'],
      [`files/${body.id}`, `files/${body.id + 1}`],
    ] as const) {
      const changed = new URL(link.href.replace(from, to));
      assert.notEqual(changed.href, link.href);
      assert.equal((await follow(changed)).statusCode, 404, changed.href);
    }
    assert.equal((await follow(link)).statusCode, 200);
    test.clock.advance(3_600_001);
    assert.equal((await follow(link)).statusCode, 404);
    test.clock.setWallForward(-86_400_000);
    assert.equal((await follow(link)).statusCode, 404, 'the clock went back');
    test.clock.setWallForward(86_400_000);
  });

  it('are deleted as records: links stop, and the bytes stay for an undo', async () => {
    const { body } = await upload(form(['file', png]));
    const link = await linkOf(body.id);
    const before = await keys();
    await ok('DELETE', linkPath(body.id));
    assert.equal((await follow(link)).statusCode, 404);
    assert.equal(await keys(), before);
    const { statusCode, json } = await test.app.inject({
      method: 'DELETE',
      url: linkPath(body.id),
      headers: as(test.ada),
    });
    assert.equal(statusCode, 404);
    const errors = [{ errMsg: `File attachment ${body.id} not found` }];
    assert.deepEqual(json<ErrorBody>().errors, errors);
  });

  it('are refused with every problem of the form, and then nothing is stored', async () => {
    const before = await keys();
    const zip = Buffer.from('PK\x03\x04');
    const large = Buffer.concat([png, Buffer.alloc(maxUploadBytes - png.length)]);
    for (const [data, ...expected] of [
      [form(['file', 'text']), /Expected 'object', received 'string'/],
      [form(['notes', 'n']), /Missing property 'file'/],
      [form(['file', zip, 'a.zip', 'application/zip']), /type application\/zip not.*image\/heif/],
      [form(['file', zip, 'a.png']), /content is not image\/png/],
      [form(['file', large]), /maximum allowed size of 10MB/],
      [form(['file', png], ['file', png], ['foo', 'x']), /'file' must be sent once/, /"foo"/],
      [form(['file', zip], ['notes', png]), /not allowed/, /'notes'. Expected 'string'/],
      [form(['file', png], ['notes', 'a\0']), /NUL/],
      [form(['file', png], ['notes', 'n'.repeat(65_537)]), /at most 65536/],
    ] as const) {
      const { status, body } = await upload(data);
      assert.equal(status, 400);
      assert.equal(body.errors.length, expected.length, JSON.stringify(body));
      for (const [at, pattern] of expected.entries()) {
        assert.match(String(body.errors[at]?.['errMsg']), pattern);
        assert.ok(['file', 'notes', 'foo'].includes(String(body.errors[at]?.['invalid_property'])));
      }
    }
    assert.equal(await keys(), before);
  });

  it('are refused when the body is no form, too large, or missing', async () => {
    const send = async (payload: string | Buffer | undefined, type: string, more = {}) => {
      const headers = { ...as(test.ada), 'content-type': type, ...more };
      const { statusCode, json } = await test.app.inject({
        method: 'POST',
        url: pathOf(1001),
        headers,
        ...(payload !== undefined && { payload }),
      });
      return [statusCode, json<ErrorBody>().errors[0]?.['invalid_property']];
    };
    const json = 'application/json';
    const multipart = 'multipart/form-data; boundary=B';
    assert.deepEqual(await send(undefined, json), [400, undefined]);
    assert.deepEqual(await send('{"file":"x"}', json), [415, undefined]);
    assert.deepEqual(await send('--B\r\n', json), [400, undefined]);
    const gzip = { 'content-encoding': 'gzip' };
    assert.deepEqual(await send('--B--', multipart, gzip), [415, undefined]);
    assert.deepEqual(await send(Buffer.alloc(maxFormBytes + 1), multipart), [400, 'file']);
    // Other operations accept no form.
    const headers = { ...as(test.ada), 'content-type': multipart };
    const request = { method: 'POST', url: '/v2/tags', payload: '--B--', headers } as const;
    assert.equal((await test.app.inject(request)).statusCode, 415);
  });

  it('need a transaction of the book; else nothing is written', async () => {
    const before = await keys();
    faults.write = () => Promise.reject(new FileStoreError('Unused'));
    for (const id of [2001, 0, 9_999_999_999_999])
      assert.equal((await upload(form(['file', png]), pathOf(id))).status, 404);
    assert.equal((await upload(form(['file', png]), pathOf('abc'))).status, 400);
    delete faults.write;
    assert.equal(await keys(), before);
    for (const method of ['GET', 'DELETE'])
      assert.equal(await statusOf(method, linkPath(9_999_999_999_999)), 404);
    await refused('GET', linkPath('abc'));
  });

  it('leave no bytes behind a record that was not stored, unless it may be stored', async () => {
    const before = await keys();
    const name = 'write books';
    for (const [mayBeStored, left] of [
      [false, 0],
      [true, 1],
    ] as const) {
      const fault = new DatabaseError('unavailable', 'Gone', { mayBeStored });
      const { status } = await test.engine.failing(name, fault, () => upload(form(['file', png])));
      assert.equal(status, 503);
      assert.equal(await keys(), before + left);
    }
  });

  it('return 503 when the file store fails', async () => {
    const { body: kept } = await upload(form(['file', png]));
    const link = await linkOf(kept.id);
    const fail = () => Promise.reject(new FileStoreError('The file cannot be stored (ENOSPC)'));
    Object.assign(faults, { write: fail, read: fail });
    const { status, body } = await upload(form(['file', png]));
    assert.equal(status, 503);
    assert.equal(body.errors[0]?.['errMsg'], 'The file cannot be stored (ENOSPC)');
    assert.equal((await follow(link)).statusCode, 503);
    const url = 'https://s3.example.org/bucket/x';
    Object.assign(faults, { write: undefined, read: undefined, linkTo: () => url });
    assert.equal((await linkOf(kept.id)).href, url);
    faults.size = () => Promise.reject(new FileStoreError('The file cannot be read (EIO)'));
    assert.equal(await statusOf('GET', linkPath(kept.id)), 503);
    delete faults.linkTo;
    delete faults.size;
  });

  it('whose bytes are lost are an error in the response and in the log, never other bytes', async () => {
    const { body } = await upload(form(['file', png]));
    const link = await linkOf(body.id);
    const other = Buffer.from(png).fill(7, 10);
    const url = 'https://s3.example.org/bucket/x';
    for (const [bytes, fault, atLink] of [
      [null, 'is missing', 500],
      [Buffer.of(), 'has 0 bytes instead of 17', 500],
      [png.subarray(0, 16), 'has 16 bytes instead of 17', 500],
      [Buffer.concat([png, png]), 'has 34 bytes instead of 17', 500],
      [other, 'has other bytes than were stored', 200],
      [png, null, 200],
    ] as const) {
      test.log.length = 0;
      Object.assign(faults, { read: () => Promise.resolve(bytes) });
      for (const method of ['GET', 'HEAD'] as const) {
        const sent = await test.app.inject({ method, url: link.pathname + link.search });
        assert.equal(sent.statusCode, fault === null ? 200 : 500, fault ?? '');
        if (fault === null || method === 'HEAD') continue;
        const errMsg = `The bytes of attachment ${body.id} are lost: the stored file ${fault}`;
        assert.deepEqual(sent.json<ErrorBody>().errors, [{ errMsg }]);
        assert.match(test.log.join(''), new RegExp(`"level":50.*${fault}.*"file lost"`));
      }
      // A bucket serves the file itself, so its size is checked before a link is made.
      Object.assign(faults, {
        size: () => Promise.resolve(bytes?.length ?? null),
        linkTo: () => url,
      });
      assert.equal(await statusOf('GET', linkPath(body.id)), atLink);
      Object.assign(faults, { read: undefined, size: undefined, linkTo: undefined });
    }
  });
});

const bytesOf = (text: string) => Buffer.from(text, 'latin1');

it('the first bytes decide the type', () => {
  for (const [start, type] of [
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['%PDF-1.7', 'application/pdf'],
    ['\0\0\0\x18ftypheic', 'image/heic'],
    ['\0\0\0\x18ftyphevx', 'image/heic'],
    ['\0\0\0\x18ftypmif1', 'image/heif'],
    ['\0\0\0\x18ftypavif', null],
    ['\0\0\0\x18ftypisom', null],
    ['PK\x03\x04', null],
    ['<html>%PDF-', null],
    ['\xff\xd8', null],
    ['', null],
  ] as const)
    assert.equal(typeOf(bytesOf(start)), type, JSON.stringify(start));
});

it('a name has no folder and no control character, and is never empty', () => {
  for (const [sent, name] of [
    ['receipt.png', 'receipt.png'],
    ['C:\\photos\\a b.png', 'a b.png'],
    ['../../etc/passwd', 'passwd'],
    ['a\r\n\0\u0085b', 'ab'],
    ['', 'file.png'],
    ['..', 'file.png'],
    ['dir/', 'file.png'],
    ['\ud800', '\ufffd'],
    ['\u{1f600}'.repeat(300), '\u{1f600}'.repeat(255)],
  ] as const)
    assert.equal(nameOf(sent, 'image/png'), name);
});

it('a size is in kilobytes, rounded up', () => {
  const sizes = [1, 1024, 1025, maxUploadBytes - 1].map(kilobytes);
  assert.deepEqual(sizes, [1, 1, 2, 10_240]);
});

it('a link is read in exactly the form in which it is written', () => {
  const link = fc.record({
    bookId: fc.integer({ min: 1 }),
    id: fc.integer({ min: 1 }),
    expiresAtMs: fc.integer({ min: 1, max: 9_999_999_999 }).map((seconds) => seconds * 1000),
    signature: fc.stringMatching(/^[\w-]{43}$/),
  });
  fc.assert(
    fc.property(link, (link) => {
      const [, id = '', query = ''] = /files\/(.*)\?(.*)$/.exec(linkText(link))!;
      assert.deepEqual(readLink(id, query), { ...link });
      assert.equal(readLink(`0${id}`, query), null);
      assert.equal(readLink(id, `${query}&x=1`), null);
      assert.equal(readLink(id, query.replace('book=', 'book=0')), null);
      assert.equal(readLink(id, ''), null);
    }),
  );
});
