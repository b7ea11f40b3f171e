import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig, serve } from '@coffer/server';
import { coffer, makeBook, makeFolder, outcomeOf, refuses } from '../../testing/run-coffer.ts';

/** Creates a database with a demo book. Also returns the option that names it. */
async function makeDatabase(): Promise<{ folder: string; file: string; database: string[] }> {
  const folder = makeFolder();
  const database = ['--database', `sqlite:${join(folder, 'coffer.db')}`];
  await coffer('demo', '--transactions', '200', ...database);
  return { folder, file: join(folder, 'coffer.bak'), database };
}

/** The option that names another database in the folder. */
function elsewhere(folder: string, name = 'restored.db'): string[] {
  return ['--database', `sqlite:${join(folder, name)}`];
}

test('a backup is restored as the same database in another place', async () => {
  const { folder, file, database } = await makeDatabase();
  const said = await coffer('backup', file, ...database);
  assert.match(
    said,
    /^".*coffer\.bak" holds 200 transactions at schema version \d+: \d(\.\d)? MB, /,
  );
  assert.match(said, /^[^\n]*, checked, in [\d.]+ m?s\n$/);
  const restored = await coffer('restore', file, ...elsewhere(folder));
  assert.match(restored, /^"sqlite:.*restored\.db" holds 200 transactions at schema version \d+: /);
  const book = ['--format', 'ndjson', '--email', 'demo@coffer.example'];
  assert.equal(
    await coffer('export', ...book, ...elsewhere(folder)),
    await coffer('export', ...book, ...database),
  );
  assert.equal(await coffer('doctor', ...elsewhere(folder)), 'Everything agrees\n');
});

test('with --json both commands print a line of JSON', async () => {
  const { folder, file, database } = await makeDatabase();
  const backup = JSON.parse(await coffer('backup', file, '--json', ...database)) as object;
  const { size } = statSync(file);
  const { elapsed_ms: backupMs, ...written } = backup as Record<string, unknown>;
  const { schema_version: version } = written;
  const counts = { transactions: 200, schema_version: version };
  assert.deepEqual(written, { file, bytes: size, ...counts });
  await coffer('restore', file, ...elsewhere(folder));
  const restored = await coffer('restore', file, '--json', '--replace', ...elsewhere(folder));
  const { elapsed_ms: restoreMs, ...put } = JSON.parse(restored) as Record<string, unknown>;
  const path = join(folder, 'restored.db');
  assert.deepEqual(put, {
    database: path,
    bytes: statSync(path).size,
    ...counts,
    has_checksum: true,
    set_aside: `${realpathSync(path)}.replaced-20261120T120000Z`,
  });
  for (const elapsedMs of [backupMs, restoreMs]) assert.ok(Number.isInteger(elapsedMs));
});

test('an existing file is only replaced with --force, also through a link', async () => {
  const { folder, file, database } = await makeDatabase();
  writeFileSync(file, 'something else');
  const message = `The file "${file}" already exists. Replace it with --force\n`;
  await refuses(['backup', file, ...database], 1, message);
  assert.equal(readFileSync(file, 'utf8'), 'something else');
  const link = join(folder, 'link.bak');
  symlinkSync(file, link);
  await coffer('backup', link, '--force', ...database);
  assert.equal(readFileSync(file, 'latin1').slice(0, 15), 'SQLite format 3');
  const files = ['coffer.bak', 'coffer.db', 'coffer.db-files', 'coffer.db-lock', 'link.bak'];
  assert.deepEqual(readdirSync(folder).toSorted(), files);
});

test('files of the database and anything but a regular file are refused', async () => {
  const { folder, database } = await makeDatabase();
  const link = join(folder, 'link.db');
  symlinkSync(join(folder, 'coffer.db'), link);
  for (const [target, message] of [
    ['coffer.db', /it is a file of the database itself/],
    ['link.db', /it is a file of the database itself/],
    ['coffer.db-lock', /it is a file of the database itself/],
    ['.', /it is not a regular file/],
    ['nowhere/coffer.bak', /there is no folder ".*nowhere"/],
  ] as const) {
    const before = readFileSync(join(folder, 'coffer.db'));
    await refuses(['backup', join(folder, target), '--force', ...database], 1, message);
    assert.ok(readFileSync(join(folder, 'coffer.db')).equals(before));
  }
});

test('a full disk is reported, and no file is left', { timeout: 30_000 }, async () => {
  const { folder, file, database } = await makeDatabase();
  const place = join(folder, 'place');
  mkdirSync(place);
  const target = join(place, 'coffer.bak');
  writeFileSync(target, 'the last good one');
  // No file can grow beyond 128 kB, as if the disk were full. The log is only read.
  const limited = 'ulimit -f 128 && exec "$@"';
  const guard = join(import.meta.dirname, '../../../coffer.cjs');
  const argv = [process.execPath, guard, 'backup', target, '--force', ...database];
  const child = spawn('sh', ['-c', limited, 'sh', ...argv]);
  const { code, stdout, stderr } = await outcomeOf(child);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(
    stderr,
    /^(The disk is full: nothing was written|The database file cannot be .*)\n$/,
  );
  assert.deepEqual(readdirSync(place), ['coffer.bak']);
  assert.equal(readFileSync(target, 'utf8'), 'the last good one');
  await coffer('backup', file, ...database);
});

test('while a server runs, a backup works, but a restore and a second server are refused', async () => {
  const folder = makeFolder();
  const [, , ...database] = await makeBook(folder);
  const flags = ['--port', '0', '--log-level', 'silent', ...database];
  const [, url = ''] = database;
  const config = readConfig({ port: '0', database: url, logLevel: 'silent' }, {});
  const server = await serve(config);
  const file = join(folder, 'coffer.bak');
  await coffer('backup', file, ...database);
  const inUse = /^The database is in use: stop its server/;
  await refuses(['restore', file, '--replace', ...database], 1, inUse);
  await refuses(
    ['serve', ...flags],
    1,
    /^The database already has a server, or .* stop the other one, or use PostgreSQL, which several /,
  );
  await server.close();
  await coffer('restore', file, '--replace', ...database);
});
