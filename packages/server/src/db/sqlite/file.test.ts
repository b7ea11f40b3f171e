import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { raw } from 'sql-template-tag';
import { fillDemo } from '../../demo/fill.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { getTransaction } from '../../pages/pages.ts';
import { exported } from '../../pages/testing/filled-book.ts';
import { createToken, createUser, findBooks } from '../../resources/users/actions.ts';
import { makeDemoBook } from '../../demo/make-demo-book.ts';
import type { Book } from '../../resources/users/identity.ts';
import { row } from '../engine.ts';
import { schemaVersion } from '../migrations/index.ts';
import { migrate } from './migrate.ts';
import { assertVersion } from './connection.ts';
import { openSqlite } from './sqlite.ts';
import type { SqliteEngine } from './sqlite.ts';

const openapiFile = new URL('../../../../../docs/openapi.json', import.meta.url);

interface OpenApi {
  readonly components: {
    readonly schemas: { readonly Transaction: { readonly properties: object } };
  };
}

const user = { email: 'a@example.com', name: 'A', bookName: 'B', primaryCurrency: 'usd' };

describe('an SQLite file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-store-'));
  const path = join(folder, 'coffer.db');
  let engine: SqliteEngine;
  let book: Book;

  before(async () => {
    engine = openSqlite({ path, busyTimeoutMs: 0 });
    migrate(engine);
    book = await engine.write(() => createUser(user));
    await fillDemo(engine, book.id, makeDemoBook({ transactions: 600 }));
  });
  after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  /** Bypasses the engine, like a defect or another program. */
  const tamper = (statement: string): void => {
    const foreign = new Database(path);
    foreign.unsafeMode(true);
    foreign.pragma('foreign_keys = OFF');
    foreign.exec(statement);
    foreign.close();
  };

  for (const [name, value] of [
    ['journal_mode', 'wal'],
    ['synchronous', 2],
    ['foreign_keys', 1],
    ['trusted_schema', 0],
    ['journal_size_limit', 64 * 2 ** 20],
  ] as const) {
    it(`is opened with ${name} ${value}`, async () => {
      const found = await engine.read(() => row<object>(raw(`PRAGMA ${name}`)));
      assert.deepEqual(Object.values(found ?? {}), [value]);
    });
  }

  it('stores JSON with each key of the contract, and no other', async () => {
    const document = JSON.parse(readFileSync(openapiFile, 'utf8')) as OpenApi;
    const schema = document.components.schemas.Transaction;
    const [first] = await exported(engine, book);
    const json = await engine.read(() => getTransaction(book.id, first?.id ?? 0));
    const keys = Object.keys(JSON.parse(String(json)) as object);
    // The row is neither a split parent nor a group, so it has no children.
    const expected = Object.keys(schema.properties).filter((key) => key !== 'children');
    assert.deepEqual(keys.sort(), expected.sort());
  });

  it('is readable by its owner only', () => {
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('is refused and left unchanged by a program older than its schema', () => {
    const newer = join(folder, 'newer.db');
    const made = openSqlite({ path: newer, busyTimeoutMs: 0 });
    made.execute(`PRAGMA user_version = ${schemaVersion + 1}`);
    assert.throws(() => migrate(made), {
      name: 'NewerDatabaseError',
      message: /run a newer version of Coffer/,
    });
    assert.equal(made.schemaVersion, schemaVersion + 1);
    return made.close();
  });

  it('is refused if it is not a database', () => {
    const text = join(folder, 'notes.txt');
    writeFileSync(
      text,
      'not a database, but long enough to be taken for one by its size'.repeat(20),
    );
    assert.throws(() => openSqlite({ path: text, busyTimeoutMs: 0 }), {
      name: 'DatabaseError',
      kind: 'damaged',
    });
  });

  it('needs a version of SQLite without the bug that corrupts a file with two writers', () => {
    assert.throws(() => assertVersion('3.51.2'), /3\.51\.2 is too old: use 3\.51\.3/);
    assert.throws(() => assertVersion('3.40.1'), /too old/);
    for (const safe of ['3.51.3', '3.53.0', '4.0.0']) assertVersion(safe);
  });

  it('reads while another process writes, and refuses a write as busy', async () => {
    const foreign = new Database(path);
    foreign.exec('BEGIN IMMEDIATE');
    assert.equal((await engine.readStatement(() => findBooks(user.email))).length, 1);
    const write = engine.write(() =>
      createToken({
        userId: book.userId,
        bookId: book.id,
        hash: new Uint8Array(32).fill(9),
        label: null,
        expiresAt: null,
      }),
    );
    await assert.rejects(write, { name: 'DatabaseError', kind: 'busy' });
    foreign.exec('ROLLBACK');
    foreign.close();
  });

  it('finds a row whose stored JSON does not match its columns, and rebuilds the JSON', async () => {
    tamper(`PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '"payee":', '"other":') WHERE name = 'transactions'`);
    tamper(`UPDATE transactions SET date = date WHERE id = (SELECT min(id) FROM transactions)`);
    tamper(`PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '"other":', '"payee":') WHERE name = 'transactions'`);
    await engine.close();
    engine = openSqlite({ path, busyTimeoutMs: 0 });
    const found = await checkDatabase(engine, { repair: false });
    assert.deepEqual(
      found.map(({ check }) => check),
      ['transaction json'],
    );
    await checkDatabase(engine, { repair: true });
    assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
  });

  it('finds a row that refers to a missing record', async () => {
    tamper(
      'UPDATE transactions SET category_id = 999999 WHERE id = (SELECT max(id) FROM transactions)',
    );
    const found = await checkDatabase(engine, { repair: false });
    assert.ok(
      found.some(({ check, detail }) => check === 'foreign keys' && detail.includes('categories')),
    );
  });
});
