import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { raw } from 'sql-template-tag';
import type { Store } from '../records/store.ts';
import { row } from './engine.ts';
import type { Operation } from './engine.ts';
import { migrate } from './migrate.ts';
import { openSqlite } from './sqlite.ts';
import type { SqliteEngine } from './sqlite.ts';
import { createStore } from './store.ts';

const nowIso = '2026-01-01T00:00:00.000Z';
const ready = { canRead: true, canWrite: true };
const readOnly = { canRead: true, canWrite: false };
const busyTimeoutMs = 2000;

describe('an SQLite file when its disk fails', () => {
  let folder: string;
  let path: string;
  let engine: SqliteEngine;
  let store: Store;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'coffer-faults-'));
    path = join(folder, 'coffer.db');
    engine = openSqlite({ path, busyTimeoutMs });
    migrate(engine);
    store = createStore(engine);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const addUser = (name: string, to = store) =>
    to.createUser({
      email: `${name}@example.com`,
      name,
      bookName: 'Book',
      primaryCurrency: 'usd',
      nowIso,
    });
  const isThere = async (name: string): Promise<boolean> =>
    (await store.findBooks(`${name}@example.com`)).length === 1;

  const pragma = async (name: string): Promise<unknown> => {
    const found = await engine.read(() => row<Record<string, unknown>>(raw(`PRAGMA ${name}`)));
    return Object.values(found ?? {})[0];
  };

  /** Throws what the engine throws when a system call fails. */
  const failing = (code: string) =>
    function* (): Operation<void> {
      yield raw('SELECT 1');
      throw new Database.SqliteError('planted', code);
    };

  /** Refuses every write, as a file system does that was mounted anew to be read only. */
  const refuseWrites = (): void => engine.execute('PRAGMA query_only = ON');

  /** Leaves room for nothing that is not there yet. */
  const fillUp = (): void => engine.execute('PRAGMA max_page_count = 1');
  const freeRoom = (): void => engine.execute('PRAGMA max_page_count = 4294967294');

  /** Reads an older state, so that the log has to stay. */
  const holdLog = () => {
    const reader = new Database(path);
    reader.exec('BEGIN; SELECT count(*) FROM users');
    return { release: () => reader.close() };
  };

  for (const code of ['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_READ', 'SQLITE_CORRUPT']) {
    it(`gives up a connection after ${code}, and the next one is as safe as the first`, async () => {
      engine.execute('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF');
      await assert.rejects(engine.read(failing(code)), { code });
      await addUser('ada');
      assert.equal(await isThere('ada'), true);
      assert.equal(await pragma('synchronous'), 2);
      assert.equal(await pragma('foreign_keys'), 1);
      assert.equal(await pragma('busy_timeout'), 0);
    });
  }

  it('keeps its connection after an error that says nothing about the disk', async () => {
    engine.execute('PRAGMA synchronous = EXTRA');
    await assert.rejects(engine.write(failing('SQLITE_CONSTRAINT')), { code: 'SQLITE_CONSTRAINT' });
    assert.equal(await pragma('synchronous'), 3);
    assert.deepEqual(await store.readiness(), ready);
  });

  it('refuses one write when the file has become read only, and takes the next', async () => {
    refuseWrites();
    await assert.rejects(addUser('ada'), { code: 'SQLITE_READONLY' });
    await addUser('bob');
    assert.deepEqual([await isThere('ada'), await isThere('bob')], [false, true]);
  });

  it('does not make another file when its own is gone, and goes on when it is back', async () => {
    const away = join(folder, 'away.db');
    renameSync(path, away);
    await assert.rejects(engine.write(failing('SQLITE_IOERR_WRITE')), {
      code: 'SQLITE_IOERR_WRITE',
    });
    await assert.rejects(addUser('ada'), { code: 'SQLITE_CANTOPEN' });
    assert.deepEqual(await store.readiness(), { canRead: false, canWrite: false });
    assert.equal(existsSync(path), false);
    renameSync(away, path);
    assert.deepEqual(await store.readiness(), ready);
    await addUser('bob');
    assert.deepEqual([await isThere('ada'), await isThere('bob')], [false, true]);
  });

  it('does not go on with a database whose schema another program has changed meanwhile', async () => {
    const foreign = new Database(path);
    foreign.exec('CREATE TABLE other (x)');
    await assert.rejects(engine.read(failing('SQLITE_IOERR_READ')));
    await assert.rejects(addUser('ada'), { name: 'StoreUnavailableError' });
    assert.deepEqual(await store.readiness(), { canRead: false, canWrite: false });
    foreign.exec('DROP TABLE other');
    foreign.close();
    assert.deepEqual(await store.readiness(), ready);
    await addUser('ada');
    assert.equal(await isThere('ada'), true);
  });

  it('keeps its connection when the disk is full, and is ready when there is room again', async () => {
    fillUp();
    const large = 'x'.repeat(200_000);
    await assert.rejects(addUser(large), { code: 'SQLITE_FULL' });
    assert.equal(await isThere(large), false);
    assert.deepEqual(await store.readiness(), ready, 'a small write goes where there is room');
    await assert.rejects(addUser(large), { code: 'SQLITE_FULL' });
    freeRoom();
    await addUser(large);
    assert.equal(await isThere(large), true);
  });

  it('folds the log in when the disk is full, to have its room', async () => {
    const log = `${path}-wal`;
    for (const name of ['ada', 'bob', 'cleo']) await addUser(name);
    assert.ok(statSync(log).size > 0);
    fillUp();
    await assert.rejects(addUser('x'.repeat(200_000)), { code: 'SQLITE_FULL' });
    assert.equal(statSync(log).size, 0);
  });

  it('folds the log in when there is room again, which it could not while there was none', async () => {
    const log = `${path}-wal`;
    const folding = holdLog();
    fillUp();
    await assert.rejects(addUser('x'.repeat(200_000)), { code: 'SQLITE_FULL' });
    assert.ok(statSync(log).size > 0);
    folding.release();
    freeRoom();
    await addUser('ada');
    assert.equal(statSync(log).size, 0);
  });

  it('is not ready to write after a refusal until a write has really reached the disk', async () => {
    fillUp();
    await assert.rejects(addUser('x'.repeat(200_000)), { code: 'SQLITE_FULL' });
    assert.equal(engine.canWrite, false);
    // Nothing but a write can tell, and one that changes nothing would not touch the disk by itself.
    const folding = holdLog();
    const logBytes = (): number => statSync(`${path}-wal`).size;
    const before = logBytes();
    assert.equal(await store.revokeToken(1, 1, nowIso), false);
    assert.ok(logBytes() > before);
    assert.equal(engine.canWrite, true);
    const after = logBytes();
    assert.equal(await store.revokeToken(1, 1, nowIso), false);
    assert.equal(logBytes(), after, 'and then no more of it');
    folding.release();
  });

  it('says that it cannot write as long as no write goes through', async () => {
    const foreign = new Database(path);
    try {
      fillUp();
      const refused = addUser('x'.repeat(200_000));
      foreign.exec('BEGIN IMMEDIATE');
      await assert.rejects(refused, { code: 'SQLITE_FULL' });
      assert.deepEqual(await store.readiness(), readOnly);
      foreign.exec('ROLLBACK');
      assert.deepEqual(await store.readiness(), ready);
    } finally {
      foreign.close();
    }
  });

  it('does not stand still while another process writes, and writes when that is done', async () => {
    // Opened like a server's: nothing to migrate.
    const later = createStore(openSqlite({ path, busyTimeoutMs }));
    const foreign = new Database(path);
    foreign.exec('BEGIN IMMEDIATE');
    const startedAtMs = performance.now();
    const writes = ['ada', 'bob'].map((name) => addUser(name, later));
    assert.equal(await isThere('ada'), false);
    assert.ok(performance.now() - startedAtMs < busyTimeoutMs / 2);
    foreign.exec('ROLLBACK');
    foreign.close();
    await Promise.all(writes);
    assert.deepEqual([await isThere('ada'), await isThere('bob')], [true, true]);
    await later.close();
  });

  it('takes a lock that another process holds for no fault', async () => {
    const foreign = new Database(path);
    foreign.exec('BEGIN IMMEDIATE');
    assert.deepEqual(await store.readiness(), ready);
    foreign.close();
  });

  it('keeps books that are in memory, whatever happens', async () => {
    const memory = openSqlite({ path: ':memory:', busyTimeoutMs });
    memory.execute('CREATE TABLE kept (x)');
    await assert.rejects(memory.read(failing('SQLITE_IOERR_READ')));
    assert.equal(await memory.read(() => row(raw('SELECT * FROM kept'))), undefined);
    await memory.close();
  });
});
