import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import sql from 'sql-template-tag';
import { row } from '../db/engine.ts';
import { fillDerived, outdatedBooks } from '../db/fill-derived.ts';
import { schemaVersion } from '../db/migrations/index.ts';
import { newFolder } from '../db/testing/folder.ts';
import { oldSchemas, unpackOldSchema, type OldSchema } from '../db/testing/old-schemas.ts';
import { columnsOf, dump } from '../db/testing/whole-database.ts';
import { checkDatabase } from './doctor.ts';
import { openSqliteDatabase } from './open-sqlite.ts';
import type { Migration, OpenOptions } from './open-sqlite.ts';

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

const [old] = oldSchemas as [OldSchema];

describe('a database of an older schema', () => {
  beforeEach(() => unpackOldSchema(old, path));

  it('is backed up first, in a file readable by its owner only, and the file is reported', async () => {
    const columns = columnsOf(path);
    const before = dump(path, columns);
    const reported: Migration[] = [];
    await open({ onMigration: (migration) => reported.push(migration) }).close();
    const [migration] = reported;
    assert.ok(migration);
    assert.deepEqual([migration.from, migration.to], [old.version, schemaVersion]);
    const name = new RegExp(`^coffer\\.db\\.before-schema-${schemaVersion}-\\d{8}T\\d{6}Z$`);
    assert.match(basename(migration.backup), name);
    assert.deepEqual(files(), ['coffer.db', basename(migration.backup)]);
    assert.equal(statSync(migration.backup).mode & 0o777, 0o600);
    assert.equal(versionOf(migration.backup), old.version);
    assert.deepEqual(columnsOf(migration.backup), columns);
    assert.deepEqual(dump(migration.backup, columns), before);
    await open({ onMigration: (again) => reported.push(again) }).close();
    assert.equal(reported.length, 1);
  });

  /* That its tokens still work is in test/commands/upgrade.test.ts. */
  it('keeps every row in the migration, and can fill the new tables', async () => {
    const columns = columnsOf(path);
    const before = dump(path, columns);
    const engine = open();
    assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    assert.equal(versionOf(path), schemaVersion);
    assert.deepEqual(dump(path, columns), before);
    for (const id of await engine.read(() => outdatedBooks()))
      await engine.write(() => fillDerived(id));
    assert.deepEqual(await engine.read(() => outdatedBooks()), []);
    assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    const counts = await engine.readStatement(() =>
      row<{ hidden: number; counted: number }>(sql`
        SELECT (SELECT count(*) FROM transactions WHERE listed = 0) AS hidden,
          (SELECT sum(number) FROM hidden_counts WHERE granularity = 'month') AS counted`),
    );
    assert.ok(counts!.hidden > 0 && counts!.counted === counts!.hidden);
    await engine.close();
  });

  for (const [what, damage, refusal] of [
    [
      'it cannot be backed up',
      'PRAGMA foreign_keys = OFF; UPDATE transactions SET category_id = 999999 WHERE id = 501',
      {
        name: 'NoBackupError',
        message: new RegExp(
          `^The database could not be backed up to ".*coffer\\.db\\.before-schema-${schemaVersion}-.*", ` +
            `so it was not migrated from schema version ${old.version} to ${schemaVersion}: is damaged`,
        ),
      },
    ],
    // Another table already has a name of a later schema.
    ['the migration fails', 'CREATE TABLE webhooks (x)', { code: 'SQLITE_ERROR' }],
  ] as const)
    it(`is unchanged if ${what}, and leaves no backup`, () => {
      const foreign = new Database(path);
      foreign.exec(damage);
      foreign.close();
      const columns = columnsOf(path);
      const before = dump(path, columns);
      assert.throws(() => open(), refusal);
      assert.equal(versionOf(path), old.version);
      assert.deepEqual(columnsOf(path), columns);
      assert.deepEqual(dump(path, columns), before);
      assert.deepEqual(files(), ['coffer.db']);
    });

  it('is migrated once if several processes open it at once', { timeout: 300_000 }, async () => {
    const module = new URL('open-sqlite.ts', import.meta.url).href;
    const script = `
      const { openSqliteDatabase } = await import(${JSON.stringify(module)});
      const reported = [];
      const options = { occupation: 'command', busyTimeoutMs: 30_000, openTimeoutMs: 30_000 };
      const onMigration = (migration) => reported.push(migration);
      await openSqliteDatabase(${JSON.stringify(path)}, { ...options, onMigration }).close();
      console.log(reported.length);`;
    const args = ['--input-type=module', '--eval', script];
    const ends = Array.from({ length: 3 }, () => promisify(execFile)(process.execPath, args));
    const counts = (await Promise.all(ends)).map(({ stdout }) => stdout.trim());
    assert.deepEqual(counts.toSorted(), ['0', '0', '1']);
    assert.equal(files().length, 2);
    assert.equal(versionOf(path), schemaVersion);
  });
});

/** A script that creates a database outside WAL mode, and commits 200 ms after it has printed "held". */
const holder = (file: string): string => `
  const { default: Database } = await import(${JSON.stringify(import.meta.resolve('better-sqlite3'))});
  const database = new Database(${JSON.stringify(file)});
  database.exec('BEGIN IMMEDIATE; CREATE TABLE held (x)');
  console.log('held');
  setTimeout(() => database.exec('COMMIT'), 200);`;
