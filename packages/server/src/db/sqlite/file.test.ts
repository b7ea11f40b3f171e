import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { raw } from 'sql-template-tag';
import { fillDemo } from '../../demo/fill.ts';
import { makeDemoBook } from '../../demo/book/make-demo-book.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { createUser } from '../../identity/users/actions.ts';
import { insertMany, row, rows, type Steps } from '../engine.ts';
import { newFolder } from '../testing/folder.ts';
import { SqliteConnection, assertVersion } from './connection.ts';
import { migrate } from './migrate.ts';
import { openSqlite, type SqliteEngine } from './sqlite.ts';

const user = { email: 'a@example.com', name: 'A', bookName: 'B', primaryCurrency: 'usd' };

describe('an SQLite file', () => {
  const path = join(newFolder(), 'coffer.db');
  let engine: SqliteEngine;

  before(async () => {
    engine = openSqlite({ path, busyTimeoutMs: 0 });
    migrate(engine);
    const book = await engine.write(() => createUser(user));
    await fillDemo(engine, book.id, makeDemoBook({ transactions: 600 }));
  });
  after(() => engine.close());

  /** Bypasses the engine, like a defect or another program. */
  const tamper = (statement: string): void => {
    const foreign = new Database(path);
    foreign.unsafeMode(true);
    foreign.pragma('foreign_keys = OFF');
    foreign.exec(statement);
    foreign.close();
  };

  it('is opened with the settings that keep it, and is readable by its owner only', async () => {
    for (const [name, value] of [
      ['journal_mode', 'wal'],
      ['synchronous', 2],
      ['foreign_keys', 1],
      ['trusted_schema', 0],
      ['journal_size_limit', 64 * 2 ** 20],
    ] as const) {
      const found = await engine.read(() => row<object>(raw(`PRAGMA ${name}`)));
      assert.deepEqual(Object.values(found ?? {}), [value], name);
    }
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('keeps more pages in memory while a large write runs, and gives them back also after it failed', async () => {
    const cacheKiB = function* (): Steps<number> {
      const [found] = yield* rows<{ cache_size: number }>(raw('PRAGMA cache_size'));
      return -found!.cache_size;
    };
    assert.equal(await engine.write(cacheKiB), 16 * 1024);
    assert.equal(await engine.write(cacheKiB, { isLarge: true }), 128 * 1024);
    assert.equal(await engine.write(cacheKiB), 16 * 1024);
    const failing = function* (): Steps<void> {
      throw new Error('no');
    };
    await assert.rejects(engine.write(failing, { isLarge: true }), { message: 'no' });
    assert.equal(await engine.write(cacheKiB), 16 * 1024);
  });

  it('needs a version of SQLite without the bug that corrupts a file with two writers', () => {
    assert.throws(() => assertVersion('3.51.2'), /3\.51\.2 is too old: use 3\.51\.3/);
    assert.throws(() => assertVersion('3.40.1'), /too old/);
    for (const safe of ['3.51.3', '3.53.0', '4.0.0']) assertVersion(safe);
  });

  it('finds a row whose stored JSON does not match its columns, and rebuilds the JSON', async () => {
    const renameKey = (from: string, to: string): void =>
      tamper(`PRAGMA writable_schema = ON; UPDATE sqlite_schema
        SET sql = replace(sql, '"${from}":', '"${to}":') WHERE name = 'transactions'`);
    renameKey('payee', 'other');
    tamper(`UPDATE transactions SET date = date WHERE id = (SELECT min(id) FROM transactions)`);
    renameKey('other', 'payee');
    await engine.close();
    engine = openSqlite({ path, busyTimeoutMs: 0 });
    const found = await checkDatabase(engine, { repair: false });
    assert.equal(found.map(({ check }) => check).join(), 'transaction json');
    await checkDatabase(engine, { repair: true });
    assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
  });

  it('finds a row that refers to a missing record', async () => {
    const last = '(SELECT max(id) FROM transactions)';
    tamper(`UPDATE transactions SET category_id = 999999 WHERE id = ${last}`);
    const found = await checkDatabase(engine, { repair: false });
    assert.match(found.find(({ check }) => check === 'foreign keys')!.detail, /categories/);
  });
});

/** Returns how many rows each statement has that inserts 60 rows with some columns. */
function inserting(columnCount: number): number[] {
  const connection = new SqliteConnection(':memory:', { openTimeoutMs: 0 });
  const columns = Array.from({ length: columnCount }, (_, at) => `c${at}`);
  connection.execute(`CREATE TABLE kept (${columns.join(', ')})`, 0);
  const { database } = connection;
  const statements: string[] = [];
  const prepare = database.prepare.bind(database);
  database.prepare = (text: string) => {
    statements.push(text);
    return prepare(text);
  };
  const values = Array.from({ length: 60 }, (_, n) => columns.map(() => n));
  connection.run(insertMany('kept', columns, values));
  const counts = raw('SELECT count(*) AS n, count(DISTINCT c0) AS d FROM kept');
  assert.deepEqual(connection.run(rows(counts)), [{ n: 60, d: 60 }]);
  connection.close();
  const inserts = statements.filter((text) => text.startsWith('INSERT'));
  return inserts.map((text) => text.split('(?').length - 1);
}

it('many rows on SQLite are inserted several at once only if they are short', () => {
  assert.deepEqual(inserting(4), [25, 1]);
  // SQLite would copy all changed pages.
  assert.deepEqual(inserting(28), [1]);
});
