import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import sql, { raw } from 'sql-template-tag';
import { row, rows, run, type Engine, type Steps } from '../db/engine.ts';
import { openPostgres } from '../db/postgres/postgres.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import { newPostgresUrl, usualEngines } from '../db/testing/engines.ts';
import { newFolder } from '../db/testing/folder.ts';
import { makeFullDatabase } from '../db/testing/full-database.ts';
import { makeDemoBook } from '../demo/book/make-demo-book.ts';
import { createDiskStore } from '../files/disk.ts';
import { newKey } from '../files/store.ts';
import {
  bookOf,
  createToken,
  createUser,
  findUser,
  listUsers,
  newToken,
} from '../identity/users/actions.ts';
import { createLink, createSession } from '../identity/sessions/actions.ts';
import { checkDatabase } from './doctor.ts';
import { move } from './move/move.ts';
import { notesOf } from './notes.ts';
import { everyTable } from './tables.ts';
import {
  detachUser,
  finishRemovals,
  hasRemovals,
  removeAbandoned,
  removeUser,
} from './user-removal.ts';

const busyTimeoutMs = 2000;
const mark = 'canary';

/** Adds the mark to each text of the first user that no constraint forbids. Returns the columns. */
async function markTexts(engine: Engine): Promise<string[]> {
  const marked: string[] = [];
  for (const { name, columns } of everyTable) {
    const owner = ['book_id', 'user_id', 'id'].find((each) => Object.hasOwn(columns, each));
    if (owner === undefined || (owner === 'id' && name !== 'users')) continue;
    for (const [column, { type }] of Object.entries(columns)) {
      if (type !== 'text') continue;
      const set = raw(`${column} = coalesce(${column}, '') || ' ${mark} ${name} ${column}'`);
      await engine
        .write(() => run(sql`UPDATE ${raw(name)} SET ${set} WHERE ${raw(owner)} = 1`))
        .then(() => marked.push(`${name}.${column}`))
        .catch(() => undefined);
    }
  }
  return marked;
}

/** The files below a folder that contain the mark. */
function markedFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(mark));
}

function* markedRows(query: string): Steps<string[]> {
  const found = yield* rows<{ place: string }>(raw(query));
  return found.map(({ place }) => place);
}

async function openMarked(path: string): Promise<Engine> {
  await makeFullDatabase(path, makeDemoBook({ transactions: 400 }));
  const engine = openSqlite({ path, busyTimeoutMs });
  const marked = await markTexts(engine);
  for (const column of ['transactions.payee', 'import_preview_entries.entries', 'users.email'])
    assert.ok(marked.includes(column), marked.join());
  assert.ok(marked.length > 60, `${marked.length} columns`);
  return engine;
}

/** Opens a marked database in which an older version deleted rows, which overwrote nothing. */
async function openUsed(path: string): Promise<Engine> {
  await (await openMarked(path)).close();
  const older = new DatabaseSync(path);
  older.exec(`PRAGMA secure_delete = OFF;
    UPDATE transactions SET notes = notes || hex(zeroblob(id % 300)) WHERE book_id = 1;
    DELETE FROM transactions WHERE book_id = 1 AND id % 3 = 0;
    DELETE FROM changed_records WHERE book_id = 1 AND place % 2 = 0`);
  older.close();
  return openSqlite({ path, busyTimeoutMs });
}

it('a removal leaves nothing readable in any file of SQLite, while another user writes', async () => {
  const folder = newFolder();
  const path = join(folder, 'coffer.db');
  const engine = await openUsed(path);
  const files = createDiskStore(`${path}-files`);
  const keys = [newKey(1), newKey(2)];
  await files.write(keys[0]!, Buffer.from(mark));
  await files.write(keys[1]!, Buffer.from('of another user'));
  assert.ok(markedFiles(folder).length >= 2);

  const server = openSqlite({ path, busyTimeoutMs });
  let isDone = false;
  let written = 0;
  const writing = async (): Promise<void> => {
    for (; !isDone; written += 1) {
      await setImmediate();
      await server.write(() => run(raw("UPDATE tags SET description = 'x' WHERE book_id = 2")));
    }
  };
  const removing = removeUser(engine, 1, { files }).finally(() => (isDone = true));
  const [summary] = await Promise.all([removing, writing()]);
  assert.deepEqual(summary, { isErased: true, files: 1 });
  assert.ok(written > 20, `${written} writes`);
  assert.deepEqual(markedFiles(folder), []);
  assert.equal((await files.read(keys[1]!))?.length, 15);
  const found = await checkDatabase(engine, { repair: false });
  assert.deepEqual(
    found.filter(({ detail }) => detail.includes(' 1 ')),
    [],
  );
  assert.ok(existsSync(`${path}-wal`));
  await Promise.all([engine.close(), server.close()]);
});

it('a removal that was interrupted shows the user nowhere, and is finished by the server', async () => {
  const folder = newFolder();
  const path = join(folder, 'coffer.db');
  const engine = await openUsed(path);
  const email = (await engine.read(listUsers))[0]!.email;
  await engine.write(() => detachUser(1));
  assert.deepEqual(
    (await engine.read(listUsers)).map(({ id }) => id),
    [2],
  );
  assert.equal(await engine.read(() => findUser(email)), null);
  const opened = sql`SELECT count(*) AS count FROM access_tokens WHERE book_id = 1`;
  assert.deepEqual(await engine.read(() => row(opened)), { count: 0 });

  // Killed after some transactions.
  const controller = new AbortController();
  let writes = 0;
  const slow: Engine = {
    dialect: engine.dialect,
    canWrite: true,
    read: (steps, options) => engine.read(steps, options),
    readStatement: (steps) => engine.readStatement(steps),
    stream: (steps) => engine.stream(steps),
    write: async (steps, options) => {
      if ((writes += 1) === 12) controller.abort();
      return engine.write(steps, options);
    },
    eraseDeleted: () => Promise.resolve(false),
    close: () => engine.close(),
  };
  const { signal } = controller;
  assert.equal((await finishRemovals(slow, { files: null, signal })).isErased, false);
  assert.match((await notesOf(engine)).join(), /Books whose removal is not finished: 1/);
  const files = createDiskStore(`${path}-files`);
  // Others use the database all the time.
  const run = (on: Engine): Promise<void> => removeAbandoned(on, { files });
  const isLeft = (): Promise<boolean> => engine.read(hasRemovals);
  assert.ok(await isLeft(), 'rows');
  await run(slow);
  assert.ok(await isLeft(), 'traces');
  assert.match((await notesOf(engine)).join(), /traces of what was removed/);
  await run(engine);
  assert.equal(await isLeft(), false);
  assert.doesNotMatch((await notesOf(engine)).join(), /removal|removed/);
  assert.deepEqual(markedFiles(folder), []);
  await engine.close();
});

for (const { skip } of usualEngines.filter(({ name }) => name === 'PostgreSQL'))
  it('a removal leaves nothing that SQL can read on PostgreSQL', { skip }, async () => {
    const path = join(newFolder(), 'coffer.db');
    await (await openMarked(path)).close();
    const url = await newPostgresUrl('empty');
    await move({ engine: 'sqlite', path }, { engine: 'postgres', url });
    const timeouts = { connectTimeoutMs: 30_000, statementTimeoutMs: 60_000 };
    const engine = openPostgres({ url, poolSize: 2, maxWaiting: 9, ...timeouts });
    const names = await engine.read(() =>
      markedRows(`SELECT table_name AS place FROM information_schema.tables
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`),
    );
    const places = names.map(
      (name) => `SELECT '${name}' AS place FROM ${name} t WHERE CAST(t AS TEXT) LIKE '%${mark}%'`,
    );
    const samples = `SELECT 'pg_stats ' || tablename AS place FROM pg_stats WHERE schemaname = 'public'
      AND concat(most_common_vals, histogram_bounds) LIKE '%${mark}%'`;
    const query = [...places, samples].join(' UNION ');
    assert.ok((await engine.read(() => markedRows(query))).length > 30);
    const summary = await removeUser(engine, 1, { files: null });
    assert.deepEqual(summary, { isErased: true, files: 0 });
    assert.deepEqual(await engine.read(() => markedRows(query)), []);
    await engine.close();
  });

for (const { name, skip, open } of usualEngines)
  it(
    `what a request wrote that had begun before opens nothing, and goes, on ${name}`,
    { skip },
    async () => {
      const engine = await open();
      const { id: bookId, userId } = await engine.write(() =>
        createUser({ email: 'late@example.com', name: '', bookName: 'B', primaryCurrency: 'usd' }),
      );
      const { id: stays } = await engine.write(() =>
        createUser({ email: 'stays@example.com', name: '', bookName: 'C', primaryCurrency: 'usd' }),
      );
      await engine.write(() => detachUser(userId));
      const { userId: other } = await engine.read(() => bookOf(stays));
      await engine.write(function* () {
        for (const book of [bookId, stays]) {
          const of = { userId: other, bookId: book };
          const { hash } = newToken();
          yield* createToken({ ...of, hash, label: null, expiresAt: null });
          yield* createSession({ ...of, method: 'link', userAgent: null, replaces: null });
          yield* createLink({ id: book, userId: other });
        }
      });
      await finishRemovals(engine, { files: null });
      for (const table of ['access_tokens', 'sessions', 'sign_in_links']) {
        const left = await engine.read(() =>
          rows<{ book_id: number }>(sql`SELECT book_id FROM ${raw(table)}`),
        );
        assert.deepEqual(left, [{ book_id: stays }], table);
      }
      await assert.rejects(
        engine.write(() =>
          createToken({
            userId: other,
            bookId,
            hash: newToken().hash,
            label: null,
            expiresAt: null,
          }),
        ),
        { name: 'NoSuchBookError' },
      );
    },
  );
