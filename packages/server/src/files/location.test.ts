import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilesLocation } from './location.ts';

test('a folder is a path or a URL', () => {
  assert.equal(parseFilesLocation(''), null);
  for (const [text, path] of [
    ['./files', './files'],
    ['/var/lib/coffer/a b', '/var/lib/coffer/a b'],
    ['file:///var/a%20b', '/var/a b'],
    ['C:\\files', 'C:\\files'],
  ] as const)
    assert.deepEqual(parseFilesLocation(text), { kind: 'folder', path });
});

test('a bucket is a URL with a key and a secret', () => {
  assert.deepEqual(parseFilesLocation('s3://K%2F:s%40c@s3.example.org/my-bucket'), {
    ...{ kind: 's3', origin: 'https://s3.example.org', bucket: 'my-bucket', prefix: '' },
    ...{ region: 'us-east-1', accessKey: 'K/', secretKey: 's@c' },
  });
  const other = parseFilesLocation('s3+http://k:s@127.0.0.1:9000/b/coffer/x/?region=eu-west-1');
  assert.deepEqual(other, {
    ...{ kind: 's3', origin: 'http://127.0.0.1:9000', bucket: 'b', prefix: 'coffer/x/' },
    ...{ region: 'eu-west-1', accessKey: 'k', secretKey: 's' },
  });
});

test('everything else is refused, without its secret', () => {
  for (const text of [
    's3://s3.example.org/bucket',
    's3://key@s3.example.org/bucket',
    's3://key:hidden@s3.example.org',
    's3://key:hidden@s3.example.org/',
    's3://key:hidden@s3.example.org/a b',
    's3://key:hidden@s3.example.org/b/../c//d',
    's3://key:hidden@s3.example.org/.hidden',
    's3://key:hidden@s3.example.org/b?acl=hidden',
    's3://key:hidden@s3.example.org/b?region=a/b',
    's3://key:hid%den@s3.example.org/b',
    'https://key:hidden@s3.example.org/b',
    'file://host/files',
  ])
    assert.throws(
      () => parseFilesLocation(text),
      (error: Error) => !error.message.includes('hidden') && error.message.length > 10,
      text,
    );
});
