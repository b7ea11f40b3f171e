import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { endsWithFile } from '../../../../core/src/testing/ends.ts';
import { findProgram } from '../../../../core/src/testing/starts.ts';
import type { DatabaseConfig } from '../../config.ts';
import { openDatabase } from '../../database.ts';
import { newPostgresUrl, noPostgres } from '../../db/testing/engines.ts';
import { newFolder } from '../../db/testing/folder.ts';
import { makeDemoBook } from '../../demo/book/make-demo-book.ts';
import { fillDemo } from '../../demo/fill.ts';
import { copyFiles } from '../../files/content.ts';
import { createDiskStore } from '../../files/disk.ts';
import { noFileStore, parseFilesLocation, type FilesLocation } from '../../files/store.ts';
import { s3Server, startS3Server } from '../../files/testing/s3-server.ts';
import { newBook } from '../../identity/users/testing/new-book.ts';
import { filesInDatabase, filesOfBackup } from '../backup-files.ts';
import { checkFiles } from '../doctor.ts';
import { removeUser } from '../user-removal.ts';
import { backupProblem, versionProblem, openPlace, type BackupSource } from './place.ts';

const s3Options = { now: () => s3Server.nowMs };
const signal = new AbortController().signal;
const at = (day: number) => new Date(Date.UTC(2026, 10, day, 3));

async function makeSource(kind: 'sqlite' | 'postgres') {
  const folder = newFolder();
  const files = join(folder, 'coffer.db-files');
  const database: DatabaseConfig =
    kind === 'sqlite'
      ? { engine: 'sqlite', path: join(folder, 'coffer.db') }
      : { engine: 'postgres', url: await newPostgresUrl() };
  const engine = await openDatabase(database);
  endsWithFile(() => engine.close());
  const store = createDiskStore(files);
  const { id, userId } = await newBook(engine);
  await fillDemo(engine, id, makeDemoBook({ transactions: 200 }), store);
  const location = { kind: 'folder', path: files } as const;
  const source: BackupSource = { database, files: kind === 'sqlite' ? null : location, store };
  return { folder, files, engine, source, userId };
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && !each.name.endsWith('-lock'))
    .map((each) => join(each.parentPath, each.name).slice(folder.length + 1))
    .toSorted();

const noDump = findProgram('pg_dump') === null && 'missing: pg_dump';

for (const [kind, name, ending, skip] of [
  ['sqlite', 'SQLite', 'bak', false],
  ['postgres', 'PostgreSQL', 'dump', noPostgres || noDump],
] as const)
  describe(`scheduled backups of ${name}`, { skip }, () => {
    it('in a folder have the attached files, and leave nothing of killed ones', async () => {
      const { folder, files, engine, source, userId } = await makeSource(kind);
      const to = join(folder, 'backups');
      const location = { kind: 'folder', path: to } as const;
      assert.equal(await backupProblem(source, location), null);
      const place = await openPlace(source, location);
      const names = [1, 2].map((day) => place.nameOf(at(day)));
      assert.match(names[0]!, new RegExp(`^\\w+-20261101T030000Z\\.${ending}$`));
      const stem = names[0]!.slice(0, names[0]!.indexOf('-2026'));
      for (const each of names) {
        const made = await place.make(engine, each, signal);
        assert.ok(made.bytes > 10_000);
        assert.deepEqual({ ...made, bytes: 0 }, { bytes: 0, attached: 3, hasFiles: true, lost: 0 });
      }
      const copies = filesIn(files).map((key) => `${names[1]}.files/${key}`);
      assert.deepEqual(
        filesIn(to).filter((each) => each.startsWith(names[1]!)),
        [names[1]!, ...copies].toSorted(),
      );
      // Lost files are counted; the next backup has them from the last one.
      const [first = ''] = filesIn(files);
      rmSync(join(files, first));
      const third = place.nameOf(at(3));
      assert.equal((await place.make(engine, third, signal)).lost, 0);
      for (const each of [...names, third])
        rmSync(join(to, `${each}.files`, first), { force: true });
      assert.equal((await place.make(engine, third, signal)).lost, 1);
      // What a kill leaves goes, and what belongs to others stays.
      const uuid = '01234567-89ab-cdef-0123-456789abcdef';
      const strays = [`.${names[0]}.${uuid}.tmp`, `.${names[0]}.${uuid}.tmp-journal`];
      const others = ['other-20261101T030000Z.bak', `${stem}-notes.txt`, `.${uuid}.tmp`];
      for (const each of [...strays, ...others]) writeFileSync(join(to, each), 'x');
      mkdirSync(join(to, `${stem}-20251101T030000Z.${ending}.files`, '1'), { recursive: true });
      await place.remove(names[0]!);
      await place.sweep();
      const left = readdirSync(to).toSorted();
      const kept = [names[1]!, third].flatMap((each) => [each, `${each}.files`]);
      assert.deepEqual(left, [...kept, ...others].toSorted());
      assert.deepEqual((await place.names()).toSorted(), [names[1], third]);
      // A backup restores every file.
      rmSync(files, { recursive: true });
      await place.make(engine, place.nameOf(at(4)), signal);
      assert.equal((await checkFiles(engine, source.store)).findings.length, 3);
      await removeUser(engine, userId, { files: null });
      const none = await place.make(engine, place.nameOf(at(5)), signal);
      assert.deepEqual([none.attached, none.lost], [0, 0]);
    });

    it('leave attached files in their bucket, and count them', async () => {
      const { folder, engine, source } = await makeSource(kind);
      const path = join(folder, 'backups');
      mkdirSync(path);
      const files = parseFilesLocation('s3://key:secret@127.0.0.1:9/bucket');
      const place = await openPlace({ ...source, files }, { kind: 'folder', path });
      const name = place.nameOf(at(1));
      const { attached, hasFiles, lost } = await place.make(engine, name, signal);
      assert.deepEqual([attached, hasFiles, lost], [3, false, 0]);
      assert.deepEqual(filesIn(path), [name]);
    });

    it('in a bucket have each attached file once, as long as a backup needs it', async () => {
      const { folder, files, engine, source, userId } = await makeSource(kind);
      const { location } = await startS3Server();
      const { objects } = s3Server;
      const below = () =>
        [...objects.keys()].map((each) => each.replace('of/coffer/', '')).toSorted();
      const place = await openPlace(source, location, s3Options);
      const [one, two] = [place.nameOf(at(1)), place.nameOf(at(2))];
      const made = await place.make(engine, one, signal);
      assert.deepEqual({ ...made, bytes: 0 }, { bytes: 0, attached: 3, hasFiles: true, lost: 0 });
      assert.equal(objects.get(`of/coffer/${one}`)!.length, made.bytes);
      const copies = filesIn(files).map((key) => `files/${key}`);
      assert.deepEqual(below(), [...copies, one, `${one}.files`].toSorted());
      // Downloaded as they are, they restore the attached files.
      const drill = join(folder, 'drill');
      for (const [each, bytes] of objects) {
        const path = join(drill, each);
        mkdirSync(join(path, '..'), { recursive: true });
        writeFileSync(path, bytes);
      }
      if (kind === 'sqlite') {
        const backup = join(drill, 'of/coffer', one);
        const restored = createDiskStore(join(drill, 'restored'));
        const { total, written, faults } = await copyFiles(
          filesInDatabase(backup),
          filesOfBackup(backup),
          restored,
        );
        assert.deepEqual([total, written, faults.size], [3, 3, 0]);
      }
      const downloaded = createDiskStore(join(drill, 'of/coffer/files'));
      assert.deepEqual((await checkFiles(engine, downloaded)).findings, []);
      await removeUser(engine, userId, { files: null });
      await place.make(engine, two, signal);
      await place.sweep();
      assert.equal(below().length, 7, 'the first backup still needs the files');
      await place.remove(one);
      await place.sweep();
      assert.deepEqual(below(), [two, `${two}.files`]);
      // Without its list, a backup may need any file.
      objects.set('of/coffer/files/1/' + 'a'.repeat(32), Buffer.of(1));
      objects.delete(`of/coffer/${two}.files`);
      await place.sweep();
      assert.equal(below().length, 2);
      assert.deepEqual(await place.names(), [two]);
      assert.deepEqual(
        readdirSync(folder).filter((each) => each.includes('backup')),
        [],
        'nothing stays here',
      );
    });

    it('leave nothing when they fail or are stopped', async () => {
      const { folder, engine, source } = await makeSource(kind);
      const to = join(folder, 'backups');
      mkdirSync(to);
      const broken: BackupSource =
        source.database.engine === 'sqlite'
          ? { ...source, database: { engine: 'sqlite', path: join(folder, 'none.db') } }
          : { ...source, database: { engine: 'postgres', url: `${source.database.url}_none` } };
      const place = await openPlace(broken, { kind: 'folder', path: to });
      await assert.rejects(place.make(engine, place.nameOf(at(1)), signal));
      assert.deepEqual(readdirSync(to), []);
      await assert.rejects(
        (await openPlace(source, { kind: 'folder', path: to })).make(
          engine,
          'x',
          AbortSignal.abort(),
        ),
      );
      const { location } = await startS3Server();
      s3Server.fault = (response) => response.writeHead(403).end('<Code>AccessDenied</Code>');
      const refused = (await openPlace(source, location, s3Options)).make(engine, 'x', signal);
      await assert.rejects(refused, { message: 'The file store returned 403 (AccessDenied)' });
      s3Server.fault = null;
    });
  });

describe('backups that cannot be made', () => {
  const store = noFileStore;
  const sqlite = (path: string): BackupSource => ({
    database: { engine: 'sqlite', path },
    files: null,
    store,
  });
  const to = (path: string): FilesLocation => ({ kind: 'folder', path });
  it('are refused with the reason', async () => {
    const folder = newFolder();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    assert.match((await backupProblem(sqlite(':memory:'), to(folder)))!, /^A database in memory/);
    assert.match(
      (await backupProblem(sqlite('x.db'), to(join(file, 'a'))))!,
      /cannot write to ".*file\/a"/,
    );
    const { PATH = '' } = process.env;
    process.env['PATH'] = folder;
    try {
      const served = {
        ...sqlite(''),
        database: { engine: 'postgres', url: 'postgres://h/d' },
      } as const;
      assert.match(
        (await backupProblem(served, to(folder)))!,
        /need pg_dump, which is not on the PATH/,
      );
      // An older pg_dump.
      for (const program of ['pg_dump', 'pg_restore'])
        writeFileSync(join(folder, program), `#!/bin/sh\necho "${program} (PostgreSQL) 9.6.1"\n`, {
          mode: 0o700,
        });
      assert.equal(await backupProblem(served, to(folder)), null);
      if (noPostgres !== false) return;
      const engine = await openDatabase({ engine: 'postgres', url: await newPostgresUrl() });
      const problem = await versionProblem(engine);
      await engine.close();
      assert.match(problem!, /^pg_dump 9 cannot dump the server, which is PostgreSQL \d+: install/);
    } finally {
      process.env['PATH'] = PATH;
    }
  });
});
