import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { createDiskStore } from './disk.ts';
import { openFiles } from './open.ts';
import { createS3Store, encode, queryText, signedHeaders, signedTarget } from './s3.ts';
import { FileStoreError, newKey, noFileStore, parseFilesLocation } from './store.ts';
import type { S3Location, FileStore } from './store.ts';
import { s3Server, startS3Server } from './testing/s3-server.ts';

const folder = await mkdtemp(join(tmpdir(), 'coffer-store-'));
after(() => rm(folder, { recursive: true }));
const key = `7/${'ab'.repeat(16)}`;
const bytes = Buffer.from([0, 255, 10, 13]);
const download = {
  name: 'Bon "é".pdf',
  type: 'application/pdf',
  nowMs: Date.UTC(2026, 0, 2),
  expiresAtMs: Date.UTC(2026, 0, 2, 1),
};
const { location } = await startS3Server();
const { objects } = s3Server;
const s3 = (changed: Partial<S3Location> = {}, timeoutMs = 2000) =>
  createS3Store({ ...location, ...changed }, { now: () => s3Server.nowMs, timeoutMs });

const stores: Readonly<Record<string, FileStore>> = {
  'a folder': createDiskStore(join(folder, 'new', 'files')),
  'a bucket': s3(),
};

async function keysIn(store: FileStore): Promise<string[]> {
  const found = await Array.fromAsync(store.list());
  return found.map((file) => file.key).toSorted();
}

for (const [name, store] of Object.entries(stores))
  describe(`files in ${name}`, () => {
    it('are read, listed and deleted as a map of keys does it', async () => {
      const model = new Map<string, Buffer>();
      const keys = [newKey(7), newKey(7), newKey(70), `7/${'0'.repeat(32)}`];
      const step = fc.record({
        key: fc.constantFrom(...keys),
        content: fc.option(fc.uint8Array({ maxLength: 20 })),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
          for (const { key, content } of steps) {
            if (content === null) {
              await store.remove(key);
              model.delete(key);
            } else if (!model.has(key)) {
              await store.write(key, content);
              model.set(key, Buffer.from(content));
            }
          }
          for (const each of keys) {
            const found = await store.read(each);
            assert.deepEqual(found && Buffer.from(found), model.get(each) ?? null);
            assert.equal(await store.size(each), model.get(each)?.length ?? null);
          }
          assert.deepEqual(await keysIn(store), [...model.keys()].toSorted());
        }),
        { numRuns: runs(15) },
      );
    });

    it('have keys, and nothing else names a file', async () => {
      const outside = `7/../${'a'.repeat(32)}`;
      for (const text of ['', '../x', outside, `7/${'A'.repeat(32)}`, `${key}x`, '7/a']) {
        const refused = (work: () => unknown) =>
          assert.rejects(async () => work(), /Not the key of a file/);
        await refused(() => store.write(text, bytes));
        await refused(() => store.read(text));
        await refused(() => store.size(text));
        await refused(() => store.remove(text));
      }
    });
  });

describe('a folder', () => {
  it('has files that only their owner can read, and a complete file or none', async () => {
    const path = join(folder, 'own');
    const store = createDiskStore(path);
    assert.deepEqual(await keysIn(store), []);
    await store.write(key, bytes);
    assert.equal((await stat(join(path, key))).mode & 0o777, 0o600);
    assert.equal((await stat(join(path, '7'))).mode & 0o777, 0o700);
    assert.deepEqual(await readdir(join(path, '7')), [key.slice(2)]);
    // The new name is that of a folder, so the last step fails.
    const taken = newKey(7);
    await mkdir(join(path, taken, 'x'), { recursive: true });
    await assert.rejects(store.write(taken, bytes), {
      name: 'FileStoreError',
      message: /stored \(E/,
    });
    assert.deepEqual(await keysIn(store), [key]);
    // A process that was killed leaves such a file; the job deletes it.
    await writeFile(join(path, `${key}.tmp`), 'half');
    await writeFile(join(path, '7', 'other'), '');
    assert.deepEqual(await keysIn(store), [key, `${key}.tmp`]);
    await store.remove(`${key}.tmp`);
    assert.deepEqual(await keysIn(store), [key]);
    assert.equal(store.linkTo(key, download), null);
  });

  it('that cannot be used fails without its path', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const store = createDiskStore(file);
    await assert.rejects(store.write(key, bytes), (error: Error) => {
      assert.ok(error instanceof FileStoreError);
      return !error.message.includes(folder) && /\(E[A-Z]+\)/.test(error.message);
    });
    assert.equal(await store.read(key), null);
    await mkdir(join(folder, 'own', newKey(9)), { recursive: true });
    const [other = ''] = await readdir(join(folder, 'own', '9'));
    const dir = createDiskStore(join(folder, 'own')).read(`9/${other}`);
    await assert.rejects(dir, { message: 'The file cannot be read (EISDIR)' });
  });

  it('is next to the database, temporary for one in memory, and missing for one on a server', async () => {
    const beside = await openFiles(null, join(folder, 'my.db'));
    await beside.store.write(key, bytes);
    assert.ok((await stat(join(folder, 'my.db-files', key))).isFile());
    const temporary = await openFiles(null, ':memory:');
    await temporary.store.write(key, bytes);
    assert.deepEqual(Buffer.from((await temporary.store.read(key))!), bytes);
    await temporary.close();
    assert.equal(await temporary.store.read(key), null);
    const none = await openFiles(null, null);
    assert.equal(none.store, noFileStore);
    await assert.rejects(none.store.write(key, bytes), /set FILES_URL/);
    assert.deepEqual(await keysIn(none.store), []);
    const given = await openFiles({ kind: 'folder', path: dirname(join(folder, 'x/y')) }, null);
    await given.store.write(key, bytes);
    assert.ok((await stat(join(folder, 'x', key))).isFile());
  });
});

describe('a bucket', () => {
  it('has names below the prefix', async () => {
    await s3().write(key, bytes);
    assert.ok(objects.has(`of/coffer/${key}`));
    objects.set('of/coffer/other.txt', bytes);
    assert.ok(!(await keysIn(s3())).includes('other.txt'));
    const [file] = await Array.fromAsync(s3().list());
    assert.equal(file?.modifiedAtMs, s3Server.nowMs);
  });

  it('has links that need no key, with a name and a type, until they expire', async () => {
    await s3().write(key, bytes);
    const link = s3().linkTo(key, download)!;
    const response = await fetch(link);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes);
    assert.equal(response.headers.get('content-type'), 'application/pdf');
    assert.equal(
      response.headers.get('content-disposition'),
      `attachment; filename="Bon ___.pdf"; filename*=UTF-8''Bon%20%22%C3%A9%22.pdf`,
    );
    for (const other of [link.replace('a/ab', 'a/ba'), link.replace('pdf', 'txt')])
      if (other !== link) assert.equal((await fetch(other)).status, 403);
    s3Server.nowMs += 3_600_001;
    assert.equal((await fetch(link)).status, 403);
    s3Server.nowMs -= 3_600_001;
  });

  it('reports what its server refuses, and that it cannot be reached, without a secret', async () => {
    const failing = (message: RegExp) => (error: Error) => {
      assert.match(error.message, message);
      assert.ok(error instanceof FileStoreError && !/sec.ret|127\.0/.test(error.message));
      return true;
    };
    const wrong = s3({ secretKey: 'other' });
    await assert.rejects(wrong.write(newKey(1), bytes), failing(/403 \(SignatureDoesNotMatch\)/));
    await assert.rejects(keysIn(wrong), failing(/403/));
    for (const [status, message] of [
      [500, /500 \(no code\)/],
      [307, /307/],
      [0, /cannot be reached/],
    ] as const) {
      s3Server.fault = (response) => {
        if (status === 0) response.destroy();
        else response.writeHead(status, { location: '/elsewhere' }).end();
      };
      const store = s3();
      await assert.rejects(store.write(key, bytes), failing(message));
      await assert.rejects(store.read(key), failing(message));
      await assert.rejects(store.remove(key), failing(message));
      await assert.rejects(keysIn(store), failing(message));
    }
    s3Server.fault = (response) => response.writeHead(404).end('<Code>NoSuchBucket</Code>');
    await assert.rejects(s3().read(key), failing(/404 \(NoSuchBucket\)/));
    s3Server.fault = (response) => void response.writeHead(200).write('half');
    await assert.rejects(s3({}, 50).read(key), failing(/did not respond in time/));
    s3Server.fault = null;
  });
});

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
    kind: 's3',
    origin: 'https://s3.example.org',
    bucket: 'my-bucket',
    prefix: '',
    region: 'us-east-1',
    accessKey: 'K/',
    secretKey: 's@c',
  });
  const other = parseFilesLocation('s3+http://k:s@127.0.0.1:9000/b/coffer/x/?region=eu-west-1');
  assert.deepEqual(other, {
    kind: 's3',
    origin: 'http://127.0.0.1:9000',
    bucket: 'b',
    prefix: 'coffer/x/',
    region: 'eu-west-1',
    accessKey: 'k',
    secretKey: 's',
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

/** The example of Amazon's documentation of Signature Version 4 for S3. */
const signer = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const request = {
  method: 'GET',
  host: 'examplebucket.s3.amazonaws.com',
  path: '/test.txt',
  query: {},
  atMs: Date.UTC(2013, 4, 24),
};
const signatureOf = (text = '') => /Signature=([0-9a-f]{64})(?:&|$)/.exec(text)?.[1];

test('requests have the signatures of the documentation', () => {
  const none = new Uint8Array();
  const get = signedHeaders(signer, request, none, { range: 'bytes=0-9' });
  assert.equal(get['x-amz-date'], '20130524T000000Z');
  const put = signedHeaders(
    signer,
    { ...request, method: 'PUT', path: '/test%24file.text' },
    Buffer.from('Welcome to Amazon S3.'),
    { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
  );
  const query = { prefix: 'J', 'max-keys': '2' };
  const list = signedHeaders(signer, { ...request, path: '/', query }, none);
  const signatures = [get, put, list].map(({ authorization }) => signatureOf(authorization));
  assert.deepEqual(signatures, [
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ]);
});

test('a link has the signature of the documentation', () => {
  const target = signedTarget(signer, request, 86_400);
  assert.ok(target.startsWith('/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential='));
  const shown = signatureOf(target);
  assert.equal(shown, 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404');
});

test('a query is sorted and encoded, bytes outside of ASCII too', () => {
  const shown = queryText({ b: '*é', 'a b': "!'()", 'a/': '~-._' });
  assert.equal(shown, 'a%20b=%21%27%28%29&a%2F=~-._&b=%2A%C3%A9');
  assert.equal(encode('a+b&c=d'), 'a%2Bb%26c%3Dd');
});
