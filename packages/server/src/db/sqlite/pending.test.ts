import type { Identity, Book } from '../../operations/caller.ts';
import {
  bookOfSession,
  createLink,
  createSession,
  endSession,
  identityOfSession,
  listSessions,
  takeLink,
} from '../../identity/sessions/actions.ts';
import { authenticate } from '../../identity/users/testing/authenticate.ts';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { countAttempt } from '../../identity/sessions/passwords.ts';
import {
  createToken,
  createUser,
  listTokens,
  renameUser,
  revokeToken,
} from '../../identity/users/actions.ts';
import { backUp } from '../../maintenance/backup.ts';
import { openSqliteDatabase } from '../../maintenance/open-sqlite.ts';
import { restore } from '../../maintenance/restore.ts';
import type { Engine, Steps } from '../engine.ts';
import { newFolder } from '../testing/folder.ts';

const ada = { email: 'ada@example.com', name: 'Ada', bookName: 'Home', primaryCurrency: 'usd' };
const urgent = { isUrgent: true };

const limits = { busyTimeoutMs: 30_000, openTimeoutMs: 2000 };

/** Opens a database as a server does. */
function openServer(path: string): Engine {
  return openSqliteDatabase(path, { occupation: 'server', ...limits });
}

describe('while another process writes', () => {
  let path: string;
  let engine: Engine;
  let other: Database.Database;
  let book: Book;
  const written = <T>(steps: () => Steps<T>) => engine.write(steps, urgent);
  const hold = (): void => void other.exec('BEGIN IMMEDIATE');
  const free = (): void => void other.exec('COMMIT');
  const pendingFile = () => `${path}-pending`;
  /** Waits for the queue of writes, at whose head the pending rows are copied. */
  const copied = () => engine.write(() => renameUser(book.userId, 'Ada L.'));
  const newToken = (hash: Uint8Array) => () =>
    createToken({ userId: book.userId, bookId: book.id, hash, label: null, expiresAt: null });
  const isKnown = async (hash: Uint8Array, of = engine) =>
    (await of.read(() => authenticate(hash))) !== null;
  /** Makes a token that is still pending when the server closes. */
  const leave = async (hash: Uint8Array) => {
    hold();
    await written(newToken(hash));
    await engine.close();
    free();
  };
  const newSession = (method: 'link' | 'password', replaces: Uint8Array | null) => () =>
    createSession({ userId: book.userId, bookId: book.id, method, userAgent: null, replaces });
  const begin = newSession('password', null);

  beforeEach(async () => {
    path = join(newFolder(), 'coffer.db');
    engine = openServer(path);
    book = await engine.write(() => createUser(ada));
    other = new Database(path, { timeout: 0 });
  });
  afterEach(async () => {
    if (other.inTransaction) free();
    other.close();
    await engine.close();
  });

  it('a token is made, works and is revoked at once, and is in the database when the lock is free', async () => {
    const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const first = await engine.write(newToken(one));
    hold();
    const second = await written(newToken(two));
    assert.equal((await engine.read(() => authenticate(two)))?.callerId, second);
    assert.equal(await written(() => revokeToken(book.id, first)), true);
    assert.ok(!(await isKnown(one)));
    assert.equal(await written(() => revokeToken(book.id, first)), false);
    const before = await engine.read(() => listTokens(book.id));
    assert.deepEqual(
      before.map(({ id, revoked_at }) => `${id} ${revoked_at !== null}`),
      [`${first} true`, `${second} false`],
    );
    assert.equal(statSync(pendingFile()).mode & 0o777, 0o600);
    free();
    await copied();
    assert.deepEqual(await engine.read(() => listTokens(book.id)), before);
    assert.ok(!readdirSync(join(path, '..')).some((name) => name.includes('pending')));
    assert.equal((await engine.read(() => authenticate(two)))?.callerId, second);
  });

  it('sessions begin, replace others and end, links are used once, and attempts count', async () => {
    const link = await engine.write(() => createLink(book));
    const old = await engine.write(begin);
    hold();
    const session = await written(begin);
    const identity = await engine.read(() => sessionOf(session.hash));
    assert.equal(identity?.book.id, book.id);
    await written(() => endSession(book.userId, identity.session!.id));
    assert.equal(await engine.read(() => sessionOf(session.hash)), null);
    const replacing = await written(newSession('link', old.hash));
    assert.equal(await engine.read(() => sessionOf(old.hash)), null);
    assert.notEqual(await written(() => takeLink(link)), null);
    assert.equal(await written(() => takeLink(link)), null);
    const attempt = { email: ada.email, source: '127.0.0.1', device: null };
    const waits: number[] = [];
    for (let tries = 0; tries < 11; tries += 1)
      waits.push(await written(() => countAttempt(attempt)));
    assert.deepEqual(
      waits.map((ms) => ms > 0),
      [...Array<boolean>(10).fill(false), true],
    );
    free();
    await copied();
    assert.ok((await engine.write(() => countAttempt(attempt))) > 0);
    assert.equal(await engine.write(() => takeLink(link)), null);
    const left = await engine.read(() => listSessions(book.userId));
    assert.deepEqual(
      left.map(({ method }) => method),
      ['link'],
    );
    assert.notEqual(await engine.read(() => sessionOf(replacing.hash)), null);
  });

  it('what other writes change waits, and follows what was pending before', async () => {
    const hash = Buffer.alloc(32, 3);
    hold();
    const id = await written(newToken(hash));
    let isDone = false;
    // Only a row in the database itself can be revoked by this write.
    const waiting = engine.write(() => revokeToken(book.id, id)).finally(() => (isDone = true));
    assert.ok(await isKnown(hash));
    assert.ok(!isDone);
    free();
    assert.equal(await waiting, true);
    assert.ok(!(await isKnown(hash)));
  });

  it('a write that is urgent and also changes other tables waits', async () => {
    hold();
    const waiting = written(function* () {
      yield* renameUser(book.userId, 'Countess');
      return yield* begin();
    });
    await engine.read(() => listTokens(book.id));
    setTimeout(free, 100);
    await waiting;
    const [session] = await engine.read(() => listSessions(book.userId));
    assert.equal(session?.method, 'password');
  });

  it('rows of a user who is removed meanwhile are left out', async () => {
    const hash = Buffer.alloc(32, 4);
    hold();
    await written(newToken(hash));
    other.prepare('DELETE FROM users WHERE id = ?').run(book.userId);
    free();
    await engine.write(() => createUser({ ...ada, email: 'ben@example.com' }));
    assert.ok(!(await isKnown(hash)));
    assert.ok(!existsSync(pendingFile()));
  });

  it('a token keeps its id although another process makes one too', async () => {
    const [mine, others] = [Buffer.alloc(32, 5), Buffer.alloc(32, 6)];
    hold();
    const id = await written(newToken(mine));
    other
      .prepare(
        `INSERT INTO access_tokens (user_id, book_id, token_hash, created_at) VALUES (?, ?, ?, '2026-01-01T00:00:00.000Z')`,
      )
      .run(book.userId, book.id, others);
    free();
    await copied();
    assert.equal((await engine.read(() => authenticate(mine)))?.callerId, id);
    assert.notEqual((await engine.read(() => authenticate(others)))?.callerId, id);
  });

  it('a command leaves the rows to the server, and a backup has them', async () => {
    const hash = Buffer.alloc(32, 7);
    hold();
    await written(newToken(hash));
    const command = openSqliteDatabase(path, { occupation: 'command', ...limits });
    assert.ok(!(await isKnown(hash, command)));
    await command.close();
    assert.ok(existsSync(pendingFile()));
    const backup = `${path}.backup`;
    backUp(path, backup);
    const restored = join(newFolder(), 'coffer.db');
    restore(backup, restored, { replace: false, now: new Date() });
    const again = openServer(restored);
    assert.ok(await isKnown(hash, again));
    await again.close();
  });

  it('rows that are left when the server closes are copied by whoever opens the database next', async () => {
    for (const [at, occupation] of (['server', 'command'] as const).entries()) {
      const hash = Buffer.alloc(32, 10 + at);
      await leave(hash);
      assert.ok(existsSync(pendingFile()));
      engine = openSqliteDatabase(path, { occupation, ...limits });
      assert.ok(await isKnown(hash));
      assert.ok(!existsSync(pendingFile()));
      await engine.close();
      engine = openServer(path);
    }
  });

  it('a restore keeps what is left with the database that it replaces', async () => {
    const hash = Buffer.alloc(32, 8);
    const backup = `${path}.backup`;
    backUp(path, backup);
    await leave(hash);
    other.close();
    const { setAside } = restore(backup, path, { replace: true, now: new Date() });
    for (const [file, has] of [
      [setAside!, true],
      [path, false],
    ] as const) {
      engine = openServer(file);
      assert.equal(await isKnown(hash), has, file);
      await engine.close();
    }
    other = new Database(path);
  });

  it('rows of another database, and a damaged file, are not copied', async () => {
    const hash = Buffer.alloc(32, 9);
    await leave(hash);
    other.exec(`UPDATE database_identity SET value = 'another' WHERE name = 'id'`);
    engine = openServer(path);
    assert.ok(!(await isKnown(hash)));
    await engine.close();
    const aside = readdirSync(join(path, '..')).filter((name) => name.includes('-pending'));
    assert.match(aside.join(' '), /^coffer\.db-pending\.unused-\d{8}T\d{6}Z$/);
    writeFileSync(pendingFile(), 'Dear diary, '.repeat(1000));
    assert.throws(() => openServer(path), { kind: 'damaged', message: /-pending" is damaged: / });
    rmSync(pendingFile());
    engine = openServer(path);
  });

  it('a kill loses nothing that was acknowledged', { timeout: 60_000 }, async () => {
    const [kept, revoked] = [Buffer.alloc(32, 11), Buffer.alloc(32, 12)];
    await engine.write(newToken(revoked));
    await engine.close();
    hold();
    const script = `
      const { openSqliteDatabase } = await import(${JSON.stringify(moduleAt('../../maintenance/open-sqlite.ts'))});
      const { createToken, revokeToken } = await import(${JSON.stringify(moduleAt('../../identity/users/actions.ts'))});
      const engine = openSqliteDatabase(${JSON.stringify(path)},
        { occupation: 'server', busyTimeoutMs: 30_000, openTimeoutMs: 2000 });
      const of = { userId: ${book.userId}, bookId: ${book.id} };
      const token = { ...of, hash: Buffer.alloc(32, 11), label: null, expiresAt: null };
      await engine.write(() => createToken(token), { isUrgent: true });
      await engine.write(() => revokeToken(${book.id}, 1), { isUrgent: true });
      console.log('done');`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    free();
    engine = openServer(path);
    assert.ok(await isKnown(kept));
    assert.ok(!(await isKnown(revoked)));
  });
});

function moduleAt(path: string): string {
  return new URL(path, import.meta.url).href;
}

function* sessionOf(hash: Uint8Array): Steps<Identity | null> {
  const bookId = yield* bookOfSession(hash);
  return bookId === null ? null : yield* identityOfSession(hash, bookId);
}
