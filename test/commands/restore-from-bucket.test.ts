import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  coffer,
  makeFolder,
  refuses,
  runCoffer,
} from '../../packages/cli/src/testing/run-coffer.ts';
import { s3Server, startS3Server } from '../../packages/server/src/files/testing/s3-server.ts';

test('a backup in a bucket is restored from there, with its attached files', async () => {
  const folder = makeFolder();
  const database = ['--database', `sqlite:${join(folder, 'coffer.db')}`];
  await coffer('demo', ...database);
  const file = join(folder, 'a.bak');
  await coffer('backup', file, ...database);
  const { url } = await startS3Server();
  s3Server.nowMs = Date.parse('2026-11-20T12:00:00.000Z');
  const key = (name: string): string => `of/coffer/${name}`;
  const put = (name: string, bytes: Buffer) => s3Server.objects.set(key(name), bytes);
  const place = (name: string): string => url.replace('?', `/${name}?`);
  const to = `sqlite:${join(folder, 'restored.db')}`;
  const restored = ['--database', to, '--replace'];
  await refuses(
    ['restore', url, ...restored],
    1,
    /^There is no backup in "http:.*\/bucket\/of\/coffer\/"\n$/,
  );
  put('coffer-20261101T000000Z.bak', Buffer.from('no database'));
  put('coffer-20261102T000000Z.bak', readFileSync(file));
  put('coffer-20261103T000000Z.bak.files', Buffer.from(''));
  put('coffer-20261104T000000Z.dump', Buffer.from('of PostgreSQL'));
  const files = readdirSync(`${file}.files`, { recursive: true, encoding: 'utf8' });
  const keys = files.filter((name) => /\/./.test(name));
  for (const name of keys) put(`files/${name}`, readFileSync(join(`${file}.files`, name)));

  assert.match(
    await coffer('restore', url, ...restored),
    /, with 3 attached files in ".*restored\.db-files", checked/,
  );
  assert.equal(await coffer('doctor', '--database', to), 'Everything agrees\n');
  await coffer('restore', place('coffer-20261102T000000Z.bak'), ...restored);
  const before = readdirSync(folder);
  for (const [name, message] of [
    [
      'coffer-20261101T000000Z.bak',
      /^Cannot restore "http:[^:]*:\d+\/bucket\/of\/coffer\/coffer-20261101T000000Z\.bak": it is not an SQLite/,
    ],
    ['coffer-20261105T000000Z.bak', /^There is no backup "http:.*coffer-20261105T000000Z\.bak"\n$/],
    ['coffer-20261104T000000Z.dump', /is a backup of PostgreSQL: restore it with pg_restore\n$/],
  ] as const)
    await refuses(['restore', place(name), ...restored], 1, message);
  put('other-20261101T000000Z.bak', readFileSync(file));
  await refuses(
    ['restore', url, ...restored],
    1,
    /several databases \(coffer, other\): name one backup\n$/,
  );
  await refuses(
    ['restore', 's3://KEY@host/bucket', ...restored],
    2,
    /^The backup: Use a URL of the form /,
  );
  // A part of a backup is none.
  s3Server.fault = (response) =>
    void response.writeHead(200, { 'content-length': 9999 }).end('x').destroy();
  await refuses(
    ['restore', place('coffer-20261102T000000Z.bak'), ...restored],
    1,
    /^The file store cannot be reached/,
  );
  s3Server.fault = null;
  assert.deepEqual(readdirSync(folder), before);
  // A lost file is named, and the rest is restored.
  s3Server.objects.delete(key(`files/${keys[0]}`));
  const third = ['--database', `sqlite:${join(folder, 'third.db')}`];
  const lost = await runCoffer(['restore', place('coffer-20261102T000000Z.bak'), ...third]);
  assert.equal(lost.code, 1);
  assert.ok(lost.stderr.includes(`${keys[0]} is missing`), lost.stderr);
});
