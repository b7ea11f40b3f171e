import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '@coffer/server/src/config.ts';
import { serve } from '@coffer/server/src/main.ts';
import {
  coffer,
  makeBook,
  makeFolder,
  outcomeOf,
  refuses,
  runCoffer,
} from '../../testing/run-coffer.ts';

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
  const files = { attached_files: 3, files_copied: 3, files_lost: 0 };
  const folderOfFiles = { files_folder: `${file}.files` };
  assert.deepEqual(written, { file, bytes: size, ...counts, ...files, ...folderOfFiles });
  await coffer('restore', file, ...elsewhere(folder));
  const restored = await coffer('restore', file, '--json', '--replace', ...elsewhere(folder));
  const { elapsed_ms: restoreMs, ...put } = JSON.parse(restored) as Record<string, unknown>;
  const path = join(folder, 'restored.db');
  assert.deepEqual(put, {
    database: path,
    bytes: statSync(path).size,
    ...counts,
    ...files,
    files_copied: 0,
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
  const files = readdirSync(folder).toSorted().join(' ');
  assert.equal(
    files,
    'coffer.bak coffer.bak.files coffer.db coffer.db-files coffer.db-lock link.bak',
  );
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

/** The files in a folder with attached files, in the order of their names. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .toSorted();
}

test('attached files are in the backup, and damage of any is noticed everywhere', async () => {
  const { folder, file, database } = await makeDatabase();
  const live = join(folder, 'coffer.db-files');
  const [first = '', second = '', third = ''] = filesIn(live);
  const [one, two] = [first, second].map((path) => readFileSync(path));
  const inBackup = (path: string, of = file) => path.replace(live, `${of}.files`);
  const damages: readonly (readonly [string, () => void, RegExp])[] = [
    ['missing', () => rmSync(first), /^is missing/],
    ['empty', () => writeFileSync(first, ''), /^has 0 bytes instead of \d+/],
    ['truncated', () => writeFileSync(first, one!.subarray(1)), /^has \d+ bytes instead of \d+/],
    ['longer', () => writeFileSync(first, Buffer.concat([one!, one!])), /^has \d+ bytes instead/],
    ['overwritten', () => writeFileSync(first, Buffer.from(one!).fill(7)), /^has other bytes than/],
  ];
  for (const [what, damage, pattern] of damages) {
    damage();
    const words = pattern.source.slice(1);
    const loses = async (fault: string, ...argv: string[]) => {
      const { code, stdout, stderr } = await runCoffer([...argv, ...database]);
      assert.equal(code, 1, what);
      assert.match(stdout, /^".*, with 2 of its 3 attached files in "/);
      const key = first.slice(live.length + 1).replace('/', String.raw`\/`);
      assert.match(stderr, new RegExp(`except for 1 attached file, not[^]*\n${key} ${fault}`));
    };
    await loses(words, 'backup', file, '--force');
    assert.equal(filesIn(`${file}.files`).length, 2, what);
    const found = await runCoffer(['doctor', ...database]);
    assert.equal(found.code, 1);
    assert.match(
      found.stdout,
      new RegExp(`^files: The file of the attachment \\d in book 1, ".*", ${words}.*\n$`),
    );
    await loses('is missing', 'restore', file, '--replace');
    writeFileSync(first, one!);
    assert.equal(await coffer('doctor', ...database), 'Everything agrees\n');
  }
  await coffer('backup', file, '--force', ...database);

  // What a backup has is kept although the service loses it, and is not copied again.
  rmSync(first);
  const kept = statSync(inBackup(second)).ino;
  assert.match(await coffer('backup', file, '--force', ...database), /with 3 attached files in /);
  assert.deepEqual([readFileSync(inBackup(first)), statSync(inBackup(second)).ino], [one, kept]);
  // Another backup links what the first one has, but not what is damaged there.
  writeFileSync(inBackup(second), 'damaged');
  const later = join(folder, 'later.bak');
  await coffer('backup', later, ...database);
  assert.equal(statSync(inBackup(first, later)).ino, statSync(inBackup(first)).ino);
  assert.deepEqual(readFileSync(inBackup(second, later)), two);
  assert.equal(statSync(inBackup(third, later)).mode & 0o777, 0o600);

  // A restore brings back what is missing and what is damaged.
  writeFileSync(third, 'damaged');
  const restored = await coffer('restore', later, '--replace', ...database);
  assert.match(restored, /^"sqlite:.*, with 3 attached files in ".*coffer\.db-files", checked, /m);
  assert.equal(await coffer('doctor', ...database), 'Everything agrees\n');
  // Only the files that a restore needs are in its backup.
  await coffer('user', 'remove', '--email', 'demo@coffer.example', '--yes', ...database);
  await coffer('backup', later, '--force', ...database);
  assert.ok(!readdirSync(folder).includes('later.bak.files'));
});

test('attached files in a bucket are counted and stay there', async () => {
  const { file, database } = await makeDatabase();
  const bucket = ['--files', 's3+http://KEY:SECRET@127.0.0.1:1/bucket/of/coffer'];
  const said = await coffer('backup', file, ...bucket, ...database);
  const where = 'the bucket "http://127.0.0.1:1/bucket/of/coffer/"';
  assert.ok(
    said.includes(`MB, without its 3 attached files, which stay in ${where}, checked`),
    said,
  );
  assert.ok(!said.includes('SECRET'));
  const { code, stdout } = await runCoffer(['doctor', ...bucket, ...database]);
  assert.equal(code, 1);
  assert.match(stdout, /^files: .*, cannot be read: The file store cannot be reached/);
  await refuses(['backup', file, '--files', 'ftp://x', ...database], 2, /^--files \(FILES_URL\): /);
});
