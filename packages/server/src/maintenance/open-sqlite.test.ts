import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { schemas, schemaVersion, type Schemas } from '../db/tables/migrations.ts';
import { makeBaseFile } from '../db/testing/base-schema.ts';
import { newFolder } from '../db/testing/folder.ts';
import { columnsOf, dump } from '../db/testing/whole-database.ts';
import { backUp } from './backup.ts';
import { openSqliteDatabase, type Migration, type OpenOptions } from './open-sqlite.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = newFolder();
  path = join(folder, 'coffer.db');
});

const usual = { occupation: 'command', busyTimeoutMs: 0, openTimeoutMs: 0 } as const;
const open = (options: Partial<OpenOptions> = {}) =>
  openSqliteDatabase(path, { ...usual, ...options });
const versionOf = (file: string): number => {
  const database = new Database(file, { readonly: true });
  const version = database.pragma('user_version', { simple: true }) as number;
  database.close();
  return version;
};
const files = (): string[] => readdirSync(folder).filter((name) => name !== 'coffer.db-lock');

describe('opening a database', () => {
  it('creates a new one without a backup', async () => {
    const reported: Migration[] = [];
    await open({ onMigration: (migration) => reported.push(migration) }).close();
    assert.deepEqual([files(), reported, versionOf(path)], [['coffer.db'], [], schemaVersion]);
    await open().close();
    assert.deepEqual(files(), ['coffer.db']);
  });

  it('of a newer program is refused with both versions, and no byte is changed', async () => {
    await open().close();
    const foreign = new Database(path);
    // A newer program may use another journal mode and another page size.
    foreign.pragma('journal_mode = DELETE');
    foreign.exec(`PRAGMA page_size = 4096; VACUUM; PRAGMA user_version = ${schemaVersion + 1}`);
    foreign.close();
    const bytes = readFileSync(path);
    assert.throws(() => open(), {
      name: 'NewerDatabaseError',
      message: new RegExp(`version ${schemaVersion + 1}, .* at most ${schemaVersion}`),
    });
    assert.ok(readFileSync(path).equals(bytes));
    assert.deepEqual(files(), ['coffer.db']);
  });

  it('from before the first release is refused with the commit that upgrades it, and no byte is changed', () => {
    makeBaseFile(path);
    const old = new Database(path);
    old.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 10');
    old.close();
    const bytes = readFileSync(path);
    const refusal = { name: 'OlderDatabaseError', message: /version 10, .*checkout [0-9a-f]{40}"/ };
    assert.throws(() => open(), refusal);
    assert.throws(() => backUp(path, join(folder, 'a.bak')), refusal);
    assert.ok(readFileSync(path).equals(bytes));
    assert.deepEqual(files(), ['coffer.db']);
  });

  it('waits for another process that is about to write the first page', async () => {
    const holding = spawn(process.execPath, ['--input-type=module', '--eval', holder(path)]);
    await once(holding.stdout, 'data');
    await open({ busyTimeoutMs: 30_000, openTimeoutMs: 30_000 }).close();
    const database = new Database(path);
    assert.equal(database.pragma('journal_mode', { simple: true }), 'wal');
    assert.equal(database.prepare('SELECT count(*) FROM held').pluck().get(), 0);
    database.close();
    await once(holding, 'exit');
  });

  it('that is not a database throws a DatabaseError', () => {
    writeFileSync(path, 'Dear diary'.repeat(500));
    assert.throws(() => open(), { name: 'DatabaseError', kind: 'damaged' });
    assert.deepEqual(files(), ['coffer.db']);
  });

  it('locks the database until it is closed', async () => {
    const server = open({ occupation: 'server' });
    assert.throws(() => open({ occupation: 'server' }), { name: 'DatabaseInUseError' });
    await open().close();
    await server.close();
    await open({ occupation: 'server' }).close();
  });
});

/** The schemas of a newer release. */
const planted = 'CREATE TABLE planted (x TEXT)';
const known: Schemas = {
  base: schemas.base,
  migrations: [...schemas.migrations, { sqlite: planted, postgres: planted }],
};
const newest = schemaVersion + 1;

describe('a database of an older release', () => {
  beforeEach(() => makeBaseFile(path));

  it('is backed up first, in a file readable by its owner only, and the file is reported', async () => {
    const columns = columnsOf(path);
    const before = dump(path, columns);
    const reported: Migration[] = [];
    await open({ known, onMigration: (migration) => reported.push(migration) }).close();
    const [migration] = reported;
    assert.ok(migration);
    assert.deepEqual([migration.from, migration.to], [schemas.base, newest]);
    const name = new RegExp(`^coffer\\.db\\.before-schema-${newest}-\\d{8}T\\d{6}Z$`);
    assert.match(basename(migration.backup), name);
    assert.deepEqual(files(), ['coffer.db', basename(migration.backup)]);
    assert.equal(statSync(migration.backup).mode & 0o777, 0o600);
    assert.equal(versionOf(migration.backup), schemas.base);
    assert.deepEqual(columnsOf(migration.backup), columns);
    assert.deepEqual(dump(migration.backup, columns), before);
    await open({ known, onMigration: (again) => reported.push(again) }).close();
    assert.equal(reported.length, 1);
  });

  for (const [what, damage, refusal] of [
    [
      'it cannot be backed up',
      'PRAGMA foreign_keys = OFF; UPDATE transactions SET category_id = 999999 WHERE id = 1',
      {
        name: 'NoBackupError',
        message: new RegExp(
          `^The database could not be backed up to ".*coffer\\.db\\.before-schema-${newest}-.*", ` +
            `so it was not migrated from schema version ${schemas.base} to ${newest}: is damaged`,
        ),
      },
    ],
    // Another table already has the name of a new one.
    ['the migration fails', 'CREATE TABLE planted (y)', { code: 'SQLITE_ERROR' }],
  ] as const)
    it(`is unchanged if ${what}, and leaves no backup`, () => {
      const foreign = new Database(path);
      foreign.exec(damage);
      foreign.close();
      const columns = columnsOf(path);
      const before = dump(path, columns);
      assert.throws(() => open({ known }), refusal);
      assert.equal(versionOf(path), schemas.base);
      assert.deepEqual(columnsOf(path), columns);
      assert.deepEqual(dump(path, columns), before);
      assert.deepEqual(files(), ['coffer.db']);
    });

  it('is migrated once if several processes open it at once', { timeout: 300_000 }, async () => {
    const module = new URL('open-sqlite.ts', import.meta.url).href;
    const script = `
      const { openSqliteDatabase } = await import(${JSON.stringify(module)});
      const reported = [];
      const wait = { busyTimeoutMs: 30_000, openTimeoutMs: 30_000 };
      const options = { occupation: 'command', ...wait, known: ${JSON.stringify(known)} };
      const onMigration = (migration) => reported.push(migration);
      await openSqliteDatabase(${JSON.stringify(path)}, { ...options, onMigration }).close();
      console.log(reported.length);`;
    const args = ['--input-type=module', '--eval', script];
    const ends = Array.from({ length: 3 }, () => promisify(execFile)(process.execPath, args));
    const counts = (await Promise.all(ends)).map(({ stdout }) => stdout.trim());
    assert.deepEqual(counts.toSorted(), ['0', '0', '1']);
    assert.equal(files().length, 2);
    assert.equal(versionOf(path), newest);
  });
});

/** A script that creates a database outside WAL mode, and commits 200 ms after it has printed "held". */
const holder = (file: string): string => `
  const { default: Database } = await import(${JSON.stringify(import.meta.resolve('better-sqlite3'))});
  const database = new Database(${JSON.stringify(file)});
  database.exec('BEGIN IMMEDIATE; CREATE TABLE held (x)');
  console.log('held');
  setTimeout(() => database.exec('COMMIT'), 200);`;
