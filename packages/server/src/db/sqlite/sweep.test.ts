import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { runs } from '../../../../core/src/testing/length.ts';
import { newFolder } from '../testing/folder.ts';
import { SqliteConnection } from './connection.ts';
import { openSqlite } from './sqlite.ts';
import { Sweep } from './sweep.ts';

const mark = 'canary';
const owners = [mark, 'a living text'] as const;
type Change = readonly [owner: 0 | 1, key: number, length: number];

/** Opens a file as an older version did: what is deleted remains in it. */
function openOlder(path: string, pragmas = 'PRAGMA page_size = 1024'): Database.Database {
  const database = new Database(path);
  database.exec(`${pragmas}; PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF;
    CREATE TABLE rows (id INTEGER PRIMARY KEY, owner, content);
    CREATE INDEX contents ON rows (owner, content);
    CREATE TABLE keyed (owner, content, id, PRIMARY KEY (content, id)) WITHOUT ROWID`);
  return database;
}

function apply(database: Database.Database, [owner, key, length]: Change): void {
  const content = `${owners[owner]} ${key} `.repeat(length);
  database.prepare('REPLACE INTO rows VALUES (?, ?, ?)').run(key * 2 + owner, owner, content);
  database.prepare('REPLACE INTO keyed VALUES (?, ?, ?)').run(owner, content, key);
}

function removeMarked(database: Database.Database): void {
  for (const table of ['rows', 'keyed']) database.exec(`DELETE FROM ${table} WHERE owner = 0`);
}

const contentOf = (database: Database.Database): unknown[] => [
  database.prepare('SELECT * FROM rows ORDER BY id').all(),
  database.prepare('SELECT * FROM keyed ORDER BY content, id').all(),
  database.prepare('SELECT content FROM rows INDEXED BY contents ORDER BY 1').all(),
  database.pragma('integrity_check'),
];

function countMarks(path: string): number {
  const found = [path, `${path}-wal`].map((each) => readFileSync(each, 'latin1').split(mark));
  return found.reduce((sum, parts) => sum + parts.length - 1, 0);
}

const change = fc.tuple(
  fc.constantFrom(0 as const, 1 as const),
  fc.nat(300),
  fc.constantFrom(1, 2, 5, 20, 40, 70, 90, 400),
);

/** Makes a file with the marks of deleted rows. */
function makeUsed(path: string, pragmas?: string): Database.Database {
  const database = openOlder(path, pragmas);
  for (let at = 0; at < 300; at += 1) apply(database, [at % 2 === 0 ? 0 : 1, at, 1 + (at % 100)]);
  for (let at = 0; at < 300; at += 3) apply(database, [1, at, 50 + (at % 30)]);
  removeMarked(database);
  assert.ok(countMarks(path) > 100);
  return database;
}

describe('unused bytes of an SQLite file', () => {
  it('are overwritten while others write, and nothing else is', async () => {
    const cases = fc.tuple(
      fc.array(change, { minLength: 50, maxLength: 400 }),
      fc.array(change, { maxLength: 200 }),
      fc.constantFrom(512, 1024, 16_384, 65_536),
    );
    const property = fc.asyncProperty(cases, ([before, during, pageSize]) => {
      const path = join(newFolder(), 'a.db');
      const other = openOlder(path, `PRAGMA page_size = ${pageSize}`);
      for (const each of before) apply(other, each);
      removeMarked(other);
      other.pragma('wal_autocheckpoint = 7');
      const expected = openOlder(join(newFolder(), 'expected.db'));
      for (const each of before) apply(expected, each);
      removeMarked(expected);
      const connection = new SqliteConnection(path, { openTimeoutMs: 0 });
      const sweep = new Sweep(connection, path);
      const living = during.map(([, key, length]): Change => [1, key, length]);
      while (!sweep.step())
        for (const each of living.splice(0, 3)) {
          apply(other, each);
          apply(expected, each);
        }
      connection.truncateLog();
      assert.equal(countMarks(path), 0);
      assert.deepEqual(contentOf(other), contentOf(expected));
      for (const each of [connection, other, expected]) each.close();
      return Promise.resolve();
    });
    await fc.assert(property, { numRuns: runs(40) });
  });

  it('are forgotten by connections that remember pages', () => {
    const path = join(newFolder(), 'a.db');
    const other = makeUsed(path);
    contentOf(other);
    const connection = new SqliteConnection(path, { openTimeoutMs: 0 });
    const sweep = new Sweep(connection, path);
    while (!sweep.step());
    connection.truncateLog();
    other.exec('UPDATE rows SET owner = owner; UPDATE keyed SET owner = owner');
    assert.equal(countMarks(path), 0);
    for (const each of [connection, other]) each.close();
  });

  it('that move to pages that had their turn get another one', () => {
    const path = join(newFolder(), 'a.db');
    const other = makeUsed(path, 'PRAGMA page_size = 512');
    const connection = new SqliteConnection(path, { openTimeoutMs: 0 });
    const sweep = new Sweep(connection, path);
    let steps = 0;
    for (; !sweep.step(); steps += 1)
      // As a page that is rewritten with bytes of one that had no turn.
      if (steps < 3) {
        other.exec(`INSERT INTO rows VALUES (${1_000_000 + steps}, 0, '${mark.repeat(9)}');
          DELETE FROM rows WHERE owner = 0; DELETE FROM keyed WHERE owner = 0`);
        other.pragma('wal_checkpoint(PASSIVE)');
      }
    connection.truncateLog();
    assert.ok(steps > 3);
    assert.equal(countMarks(path), 0);
    for (const each of [connection, other]) each.close();
  });

  for (const mode of ['PASSIVE', 'TRUNCATE'])
    it(`stay when their pages are no longer free, but as many others are, and the log is ${mode}`, () => {
      const path = join(newFolder(), 'a.db');
      const other = makeUsed(path);
      other.exec('CREATE TABLE long (id INTEGER PRIMARY KEY, content)');
      const insert = other.prepare('INSERT INTO long VALUES (?, ?)');
      for (let id = 0; id < 300; id += 1) insert.run(id, 'x'.repeat(2000));
      other.exec('DELETE FROM long WHERE id < 100');
      const connection = new SqliteConnection(path, { openTimeoutMs: 0 });
      const sweep = new Sweep(connection, path);
      const lists = () => readFileSync(path).subarray(32, 40);
      for (let id = 100; !sweep.step() || id < 110; id += 1) {
        if (id >= 110) continue;
        const before = lists();
        other.exec(`BEGIN; UPDATE long SET content = content || '' WHERE id > 290; INSERT INTO long
        VALUES (${id + 900}, '${'a living text '.repeat(140)}'); DELETE FROM long WHERE id = ${id}; COMMIT`);
        // A command that ends next to the server leaves no log.
        other.pragma(`wal_checkpoint(${mode})`);
        assert.deepEqual(lists(), before, 'the same list and length');
      }
      assert.deepEqual(other.pragma('integrity_check'), [{ integrity_check: 'ok' }]);
      const living = other
        .prepare("SELECT count(*) AS n FROM long WHERE content LIKE '%text '")
        .get();
      assert.ok((living as { n: number }).n >= 10);
      for (const each of [connection, other]) each.close();
    });

  it('wait for others, and for the end of a snapshot', () => {
    const path = join(newFolder(), 'a.db');
    const other = makeUsed(path);
    const connection = new SqliteConnection(path, { openTimeoutMs: 0 });
    const sweep = new Sweep(connection, path);
    const busy = { kind: 'busy' };
    other.exec('BEGIN IMMEDIATE');
    assert.throws(() => sweep.step(), busy);
    other.exec('COMMIT');
    const reader = new Database(path);
    reader.exec('BEGIN; SELECT * FROM rows');
    apply(other, [1, 1, 1]);
    assert.throws(() => sweep.step(), busy);
    reader.exec('COMMIT');
    while (!sweep.step());
    connection.truncateLog();
    assert.equal(countMarks(path), 0);
    for (const each of [connection, other, reader]) each.close();
  });

  const damages: Readonly<Record<string, (file: Buffer) => void>> = {
    'a cell outside of its page': (file) => file.writeUInt16BE(1023, 1024 + 12),
    'a wrong number of fragments': (file) => file.writeUInt8(77, 1024 + 7),
    'free blocks in a circle': (file) => file.writeUInt16BE(1000, 1024 + 1),
    'a free page outside of the file': (file) => file.writeUInt32BE(1e9, 32),
  };
  for (const [name, damage] of Object.entries(damages))
    it(`of a damaged file are left alone: ${name}`, async () => {
      const path = join(newFolder(), 'a.db');
      makeUsed(path).close();
      const file = readFileSync(path);
      damage(file);
      writeFileSync(path, file);
      const engine = openSqlite({ path, busyTimeoutMs: 0 });
      assert.equal(await engine.eraseDeleted(), false);
      await engine.close();
      assert.deepEqual(readFileSync(path).subarray(1024), file.subarray(1024));
    });

  it('of a file with pages about other pages are left alone', async () => {
    const path = join(newFolder(), 'a.db');
    makeUsed(path, 'PRAGMA auto_vacuum = FULL').close();
    const engine = openSqlite({ path, busyTimeoutMs: 0 });
    assert.equal(await engine.eraseDeleted(), false);
    await engine.close();
  });
});
