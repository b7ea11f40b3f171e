import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maxUploadBytes } from '../../wire/multipart.ts';
import { kilobytes, linkText, nameOf, readLink, typeOf } from './rules.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');

test('the first bytes decide the type', () => {
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

test('a name has no folder and no control character, and is never empty', () => {
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

test('a size is in kilobytes, rounded up', () => {
  const sizes = [1, 1024, 1025, maxUploadBytes - 1].map((size) => kilobytes(new Uint8Array(size)));
  assert.deepEqual(sizes, [1, 1, 2, 10_240]);
});

test('a link is read in exactly the form in which it is written', () => {
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
