import assert from 'node:assert/strict';
import { existsSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { raw } from 'sql-template-tag';
import { row, run, type Steps } from '../engine.ts';
import type { DatabaseError } from '../errors.ts';
import { readiness } from '../readiness.ts';
import { newFolder } from '../testing/folder.ts';
import { migrate } from './migrate.ts';
import { asDatabaseError, isUnsound } from './connection.ts';
import { openSqlite, type SqliteEngine } from './sqlite.ts';
import { createUser, findBooks, revokeToken } from '../../identity/users/actions.ts';

const ready = { canRead: true, canWrite: true };
const busyTimeoutMs = 2000;

describe('an error of SQLite', () => {
  const kinds = {
    busy: 'BUSY BUSY_SNAPSHOT LOCKED LOCKED_SHAREDCACHE',
    unavailable: 'CANTOPEN CANTOPEN_FULLPATH',
    full: 'FULL',
    readOnly: 'READONLY_DBMOVED',
    failing: 'IOERR_BLOCKED IOERR_CORRUPTFS IOERR_FSYNC PROTOCOL',
    damaged: 'CORRUPT NOTADB',
    refused: 'CONSTRAINT_CHECK',
  } as const;
  it('has a kind by its code, and is unchanged if a statement is wrong, as is any other error', () => {
    for (const [kind, codes] of Object.entries(kinds))
      for (const code of codes.split(' ')) {
        const cause = new Database.SqliteError('planted', `SQLITE_${code}`);
        const error = asDatabaseError(cause) as DatabaseError;
        assert.deepEqual([error.name, error.kind, error.cause], ['DatabaseError', kind, cause]);
        assert.equal(error.message === 'planted', kind === 'refused', 'has a message for the user');
      }
    for (const fault of [new Database.SqliteError('planted', 'SQLITE_ERROR'), new Error('planted')])
      assert.equal(asDatabaseError(fault), fault);
  });

  it('counts as a damaged file unless the disk, another process or the memory is the cause', () => {
    const unsound = (code: string) => isUnsound(new Database.SqliteError('planted', code));
    for (const code of ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_ERROR'])
      assert.ok(unsound(code));
    for (const code of ['BUSY_RECOVERY', 'LOCKED', 'FULL', 'IOERR_READ', 'READONLY', 'NOMEM'])
      assert.ok(!unsound(`SQLITE_${code}`), code);
    assert.ok(!isUnsound(new Error('SQLITE_CORRUPT')));
  });

  it('reports a missing folder', () => {
    const path = join(tmpdir(), 'no-such-folder', 'coffer.db');
    assert.throws(() => openSqlite({ path, busyTimeoutMs }), {
      name: 'DatabaseError',
      kind: 'unavailable',
      message: /^Cannot open database because the directory does not exist/,
    });
  });

  it('is the same from a script, a migration, an export and a write', async () => {
    const engine = openSqlite({ path: ':memory:', busyTimeoutMs });
    engine.execute('CREATE TABLE checked (x CHECK (x > 0))');
    const refused = { name: 'DatabaseError', kind: 'refused', message: /^CHECK constraint failed/ };
    const insert = raw('INSERT INTO checked VALUES (0)');
    assert.throws(() => engine.execute(insert.sql), refused);
    const write = engine.write(() => run(insert));
    await assert.rejects(write, refused);
    assert.throws(() => engine.stream(() => run(insert)), refused);
    await engine.close();
  });
});

describe('an SQLite file when its disk fails', () => {
  let folder: string;
  let path: string;
  let engine: SqliteEngine;

  beforeEach(() => {
    folder = newFolder();
    path = join(folder, 'coffer.db');
    engine = openSqlite({ path, busyTimeoutMs });
    migrate(engine);
  });
  afterEach(() => engine.close());

  const addUser = (name: string, to = engine) => {
    const user = { email: `${name}@example.com`, name, bookName: 'Book', primaryCurrency: 'usd' };
    return to.write(() => createUser(user));
  };
  const isThere = async (name: string): Promise<boolean> =>
    (await engine.readStatement(() => findBooks(`${name}@example.com`))).length === 1;

  const pragma = async (name: string): Promise<unknown> => {
    const found = await engine.read(() => row<Record<string, unknown>>(raw(`PRAGMA ${name}`)));
    return Object.values(found ?? {})[0];
  };

  /** Throws the engine's error for a failed system call. */
  const failing = (code: string) =>
    function* (): Steps<void> {
      yield raw('SELECT 1');
      throw new Database.SqliteError('planted', code);
    };

  /** Refuses every write, like a file system that was remounted read-only. */
  const refuseWrites = (): void => engine.execute('PRAGMA query_only = ON');

  const fillUp = (): void => engine.execute('PRAGMA max_page_count = 1');
  const freeRoom = (): void => engine.execute('PRAGMA max_page_count = 4294967294');

  const refuseLarge = async (): Promise<void> => {
    fillUp();
    await assert.rejects(addUser('x'.repeat(200_000)), { name: 'DatabaseError', kind: 'full' });
  };
  const logBytes = (): number => statSync(`${path}-wal`).size;

  /** Reads an older state, so that the log must be kept. */
  const holdLog = () => {
    const reader = new Database(path);
    reader.exec('BEGIN; SELECT count(*) FROM users');
    return { release: () => reader.close() };
  };

  it('replaces a connection after an error of the disk, with the same pragmas, and keeps it after others', async () => {
    for (const [code, kind] of [
      ['SQLITE_IOERR_FSYNC', 'failing'],
      ['SQLITE_IOERR_READ', 'failing'],
      ['SQLITE_CORRUPT', 'damaged'],
    ] as const) {
      engine.execute('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF');
      await assert.rejects(engine.read(failing(code)), { name: 'DatabaseError', kind });
      await addUser(code);
      assert.equal(await isThere(code), true);
      const pragmas = [await pragma('synchronous'), await pragma('foreign_keys')];
      assert.deepEqual([...pragmas, await pragma('busy_timeout')], [2, 1, 0]);
    }
    engine.execute('PRAGMA synchronous = EXTRA');
    await assert.rejects(engine.write(failing('SQLITE_CONSTRAINT')), { kind: 'refused' });
    assert.equal(await pragma('synchronous'), 3);
    assert.deepEqual(await readiness(engine), ready);
  });

  it('refuses one write when the file becomes read-only, and accepts the next', async () => {
    refuseWrites();
    await assert.rejects(addUser('ada'), { name: 'DatabaseError', kind: 'readOnly' });
    await addUser('bob');
    assert.deepEqual([await isThere('ada'), await isThere('bob')], [false, true]);
  });

  it('does not create another file when its own is missing, and continues when it is back', async () => {
    const away = join(folder, 'away.db');
    renameSync(path, away);
    await assert.rejects(engine.write(failing('SQLITE_IOERR_WRITE')), { kind: 'failing' });
    await assert.rejects(addUser('ada'), { name: 'DatabaseError', kind: 'unavailable' });
    assert.deepEqual(await readiness(engine), { canRead: false, canWrite: false });
    assert.equal(existsSync(path), false);
    renameSync(away, path);
    assert.deepEqual(await readiness(engine), ready);
    await addUser('bob');
    assert.deepEqual([await isThere('ada'), await isThere('bob')], [false, true]);
  });

  it('does not continue when another program has changed the schema', async () => {
    const foreign = new Database(path);
    foreign.exec('CREATE TABLE other (x)');
    await assert.rejects(engine.read(failing('SQLITE_IOERR_READ')));
    await assert.rejects(addUser('ada'), { name: 'DatabaseError', kind: 'unavailable' });
    assert.deepEqual(await readiness(engine), { canRead: false, canWrite: false });
    foreign.exec('DROP TABLE other');
    foreign.close();
    assert.deepEqual(await readiness(engine), ready);
    await addUser('ada');
    assert.equal(await isThere('ada'), true);
  });

  it('keeps its connection when the disk is full, and is ready when there is space again', async () => {
    fillUp();
    const large = 'x'.repeat(200_000);
    await assert.rejects(addUser(large), { name: 'DatabaseError', kind: 'full' });
    assert.equal(await isThere(large), false);
    assert.deepEqual(await readiness(engine), ready, 'a small write succeeds if there is space');
    await assert.rejects(addUser(large), { name: 'DatabaseError', kind: 'full' });
    freeRoom();
    await addUser(large);
    assert.equal(await isThere(large), true);
  });

  it('runs a checkpoint when the disk is full, to free the space of the log', async () => {
    for (const name of ['ada', 'bob', 'cleo']) await addUser(name);
    assert.ok(logBytes() > 0);
    await refuseLarge();
    assert.equal(logBytes(), 0);
  });

  it('repeats a checkpoint that failed on a full disk when there is space again', async () => {
    const folding = holdLog();
    await refuseLarge();
    assert.ok(logBytes() > 0);
    folding.release();
    freeRoom();
    await addUser('ada');
    assert.equal(logBytes(), 0);
  });

  it('is not ready to write after a refused write until a write has reached the disk', async () => {
    await refuseLarge();
    assert.equal(engine.canWrite, false);
    // Only a write can show it, and a write that changes nothing would not reach the disk.
    const folding = holdLog();
    const before = logBytes();
    assert.equal(await engine.write(() => revokeToken(1, 1)), false);
    assert.ok(logBytes() > before);
    assert.equal(engine.canWrite, true);
    const after = logBytes();
    assert.equal(await engine.write(() => revokeToken(1, 1)), false);
    assert.equal(logBytes(), after, 'no more such writes');
    folding.release();
  });

  it('reports that it cannot write as long as no write succeeds', async () => {
    const foreign = new Database(path);
    const refused = refuseLarge();
    foreign.exec('BEGIN IMMEDIATE');
    await refused;
    assert.deepEqual(await readiness(engine), { canRead: true, canWrite: false });
    foreign.exec('ROLLBACK');
    assert.deepEqual(await readiness(engine), ready);
    foreign.close();
  });

  it('does not block while another process writes, and writes when that has finished', async () => {
    // Opened as by a server: nothing to migrate.
    const later = openSqlite({ path, busyTimeoutMs });
    const foreign = new Database(path);
    foreign.exec('BEGIN IMMEDIATE');
    const writes = ['ada', 'bob'].map((name) => addUser(name, later));
    assert.equal(await isThere('ada'), false);
    assert.deepEqual(await readiness(later), ready, 'a lock is not a failure');
    foreign.exec('ROLLBACK');
    foreign.close();
    await Promise.all(writes);
    assert.deepEqual([await isThere('ada'), await isThere('bob')], [true, true]);
    await later.close();
  });

  it('keeps a database in memory, whatever happens', async () => {
    const memory = openSqlite({ path: ':memory:', busyTimeoutMs });
    memory.execute('CREATE TABLE kept (x)');
    await assert.rejects(memory.read(failing('SQLITE_IOERR_READ')));
    assert.equal(await memory.read(() => row(raw('SELECT * FROM kept'))), undefined);
    await memory.close();
  });
});
