import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import sql from 'sql-template-tag';
import { row } from '../db/engine.ts';
import { fillDerived, outdatedBooks } from '../db/fill-derived.ts';
import { schemaVersion } from '../db/migrations/index.ts';
import { oldSchemas, unpackOldSchema } from '../db/testing/old-schemas.ts';
import { columnsOf, dump } from '../db/testing/whole-database.ts';
import { authenticate } from '../resources/users/actions.ts';
import { tokenHash } from '../resources/users/token.ts';
import { backUp } from './backup.ts';
import { checkDatabase } from './doctor.ts';
import { openSqliteDatabase } from './open-sqlite.ts';
import type { Migration, OpenOptions } from './open-sqlite.ts';

const root = mkdtempSync(join(tmpdir(), 'coffer-open-'));
after(() => rmSync(root, { recursive: true }));

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'folder-'));
  path = join(folder, 'coffer.db');
});

const open = (options: Partial<OpenOptions> = {}) =>
  openSqliteDatabase(path, {
    occupation: 'command',
    busyTimeoutMs: 0,
    openTimeoutMs: 0,
    ...options,
  });
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

  it(
    'waits for another process that is about to write the first page',
    { timeout: 300_000 },
    async () => {
      const holding = spawn(process.execPath, ['--input-type=module', '--eval', holder(path)]);
      await once(holding.stdout, 'data');
      await open({ busyTimeoutMs: 30_000, openTimeoutMs: 30_000 }).close();
      const database = new Database(path);
      assert.equal(database.pragma('journal_mode', { simple: true }), 'wal');
      assert.equal(database.prepare('SELECT count(*) FROM held').pluck().get(), 0);
      database.close();
      await once(holding, 'exit');
    },
  );

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

for (const old of oldSchemas) {
  // The newest schema is opened as it is; older ones are migrated.
  const skip = old.version === schemaVersion && 'it has the newest schema';

  describe(`a database of schema version ${old.version}`, () => {
    beforeEach(() => unpackOldSchema(old, path));

    it('keeps every row in the migration, and accepts its old tokens', async () => {
      const columns = columnsOf(path);
      const before = dump(path, columns);
      const engine = open();
      for (const token of Object.values(old.tokens)) {
        assert.ok(await engine.readStatement(() => authenticate(tokenHash(token))));
      }
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
      await engine.close();
      assert.equal(versionOf(path), schemaVersion);
      assert.deepEqual(dump(path, columns), before);
    });

    it('has the tables of the newest schema when they are filled', async () => {
      const engine = open();
      for (const id of await engine.read(() => outdatedBooks()))
        await engine.write(() => fillDerived(id));
      assert.deepEqual(await engine.read(() => outdatedBooks()), []);
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
      const { hidden, counted } = (await engine.readStatement(() =>
        row<{ hidden: number; counted: number }>(sql`
          SELECT (SELECT count(*) FROM transactions WHERE listed = 0) AS hidden,
            (SELECT sum(number) FROM hidden_counts WHERE granularity = 'month') AS counted`),
      ))!;
      assert.ok(hidden > 0);
      assert.equal(counted, hidden);
      await engine.close();
    });

    it(
      'is backed up first, in a file readable by its owner only, and the file is reported',
      { skip },
      async () => {
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
        assert.equal(versionOf(migration.backup), old.version);
        assert.deepEqual(columnsOf(migration.backup), columns);
        assert.deepEqual(dump(migration.backup, columns), before);
        await open({ onMigration: (again) => reported.push(again) }).close();
        assert.equal(reported.length, 1);
      },
    );

    it('is unchanged if it cannot be backed up', { skip }, () => {
      const damaged = new Database(path);
      damaged.pragma('foreign_keys = OFF');
      damaged.exec('UPDATE transactions SET category_id = 999999 WHERE id = 501');
      damaged.close();
      const columns = columnsOf(path);
      const before = dump(path, columns);
      assert.throws(() => open(), {
        name: 'NoBackupError',
        message: new RegExp(
          `^The database could not be backed up to ".*coffer\\.db\\.before-schema-${schemaVersion}-.*", ` +
            `so it was not migrated from schema version ${old.version} to ${schemaVersion}: is damaged`,
        ),
      });
      assert.equal(versionOf(path), old.version);
      assert.deepEqual(dump(path, columns), before);
      assert.deepEqual(files(), ['coffer.db']);
    });

    it('is unchanged if the migration fails, and leaves no backup', { skip }, () => {
      // Other tables already have the names of the next schema.
      const foreign = new Database(path);
      for (const name of namesMadeAfter(old.version)) foreign.exec(`CREATE TABLE ${name} (x)`);
      foreign.close();
      assert.throws(() => open(), { code: 'SQLITE_ERROR' });
      assert.deepEqual(files(), ['coffer.db']);
      assert.equal(versionOf(path), old.version);
    });

    it(
      'is migrated once if many processes open it at once',
      { skip, timeout: 300_000 },
      async () => {
        const module = new URL('open-sqlite.ts', import.meta.url).href;
        const script = `
        const { openSqliteDatabase } = await import(${JSON.stringify(module)});
        const reported = [];
        const options = { occupation: 'command', busyTimeoutMs: 30_000, openTimeoutMs: 30_000 };
        const onMigration = (migration) => reported.push(migration);
        await openSqliteDatabase(${JSON.stringify(path)}, { ...options, onMigration }).close();
        console.log(reported.length);`;
        const ends = await Promise.all(Array.from({ length: 4 }, () => runScript(script)));
        assert.deepEqual(ends.toSorted(), ['0', '0', '0', '1']);
        assert.equal(files().length, 2);
        assert.equal(versionOf(path), schemaVersion);
      },
    );
  });
}

/** A script that creates a database outside WAL mode, and commits 200 ms after it has printed "held". */
const holder = (file: string): string => `
  const { default: Database } = await import(${JSON.stringify(import.meta.resolve('better-sqlite3'))});
  const database = new Database(${JSON.stringify(file)});
  database.exec('BEGIN IMMEDIATE; CREATE TABLE held (x)');
  console.log('held');
  setTimeout(() => database.exec('COMMIT'), 200);`;

/** Returns the tables of the newest schema that an older one does not have. */
function namesMadeAfter(version: number): string[] {
  const place = mkdtempSync(join(root, 'newest-'));
  const [older, newest] = [join(place, 'older.db'), join(place, 'newest.db')];
  unpackOldSchema(
    oldSchemas.find((old) => old.version === version)!,
    older,
  );
  backUp(older, newest);
  const before = Object.keys(columnsOf(older));
  const options: OpenOptions = { occupation: 'command', busyTimeoutMs: 0, openTimeoutMs: 0 };
  void openSqliteDatabase(newest, options).close();
  return Object.keys(columnsOf(newest)).filter((name) => !before.includes(name));
}

async function runScript(script: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return output.trim();
}
