import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import sql, { raw, type Sql } from 'sql-template-tag';
import { row, rows, type Engine, type Steps } from '../../db/engine.ts';
import { openPostgresDatabase } from '../../db/postgres/open.ts';
import { openPostgres } from '../../db/postgres/postgres.ts';
import { isLong } from '../../../../core/src/testing/length.ts';
import { makeFullDatabase } from '../../db/testing/full-database.ts';
import { newPostgresUrl, noPostgres } from '../../db/testing/engines.ts';
import { newFolder } from '../../db/testing/folder.ts';
import { columnsOf, dump, type Dump } from '../../db/testing/whole-database.ts';
import { fillDemo } from '../../demo/fill.ts';
import { exported } from '../../pages/testing/filled-book.ts';
import { bookArbitrary } from '../../pages/testing/page-model.ts';
import { makeDemoBook } from '../../demo/book/make-demo-book.ts';
import { createToken, createUser } from '../../identity/users/actions.ts';
import { checkDatabase } from '../doctor.ts';
import { openSqliteDatabase } from '../open-sqlite.ts';
import { move } from './move.ts';
import type { MoveEnd } from './ends.ts';
import { movedTables, numberedTables, storageKey } from '../tables.ts';

const options = { poolSize: 2, maxWaiting: 9, connectTimeoutMs: 5000, statementTimeoutMs: 30_000 };
const root = newFolder();
let files = 0;

const newPath = (): string => join(root, `${(files += 1)}.db`);
async function newFile(transactions: number): Promise<string> {
  const path = newPath();
  await makeFullDatabase(path, makeDemoBook({ transactions }));
  return path;
}
const atFile = (path: string): MoveEnd => ({ engine: 'sqlite', path });
const atServer = (url: string): MoveEnd => ({ engine: 'postgres', url });

/** A table of another program, and two tables that are not moved. */
const notMoved = ['_replica', 'database_identity', 'leases'];

function whole(path: string): Dump {
  const columns = Object.entries(columnsOf(path)).filter(([table]) => !notMoved.includes(table));
  return dump(path, Object.fromEntries(columns));
}

function readOnce<T>(engine: Engine, operation: () => Steps<T>): Promise<T> {
  return engine.read(operation).finally(() => engine.close());
}
const ask = <T>(url: string, operation: () => Steps<T>): Promise<T> =>
  readOnce(openPostgres({ url, ...options }), operation);
const askFile = <T>(path: string, operation: () => Steps<T>): Promise<T> =>
  readOnce(openFile(path), operation);

const openFile = (path: string): Engine =>
  openSqliteDatabase(path, { occupation: 'command', busyTimeoutMs: 0, openTimeoutMs: 0 });
const openServer = (url: string): Promise<Engine> => openPostgresDatabase({ url, ...options });

async function makeMore(engine: Engine, name: string): Promise<number[]> {
  const user = { email: `${name}@example.com`, name, bookName: 'B' };
  const book = await engine.write(() => createUser({ ...user, primaryCurrency: 'usd' }));
  const hash = Buffer.alloc(32, name);
  const named = { userId: book.userId, bookId: book.id, label: null, expiresAt: null };
  const token = await engine.write(() => createToken({ ...named, hash }));
  await fillDemo(engine, book.id, makeDemoBook({ transactions: 100 }));
  const [first] = await exported(engine, book);
  await engine.close();
  return [book.id, book.userId, token, first?.id ?? 0];
}

/** Returns the id sequences of SQLite and their types. */
const readSequences = (): Steps<unknown> =>
  rows(sql`
    SELECT name, seq, typeof(seq) AS type FROM sqlite_sequence
    UNION ALL SELECT name, next_id, typeof(next_id) FROM id_sequences ORDER BY name`);

const ownSchema = raw('current_schema()::regnamespace');
const readDefinitions = (): Steps<unknown> =>
  rows(sql`
    SELECT conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE connamespace = ${ownSchema}
    UNION ALL SELECT relname, pg_get_indexdef(oid) FROM pg_class WHERE relnamespace = ${ownSchema} AND relkind = 'i'
    ORDER BY 1, 2`);
const named = (statement: Sql) => () => rows<{ name: string }>(statement);
const names = (found: readonly { name: string }[]) => found.map(({ name }) => name);
const identity = (): Steps<{ value: string } | undefined> =>
  row(sql`SELECT value FROM database_identity WHERE name = 'id'`);

describe('a database that is moved', { skip: noPostgres, timeout: 300_000 }, () => {
  it('has the keys and the numbered tables of both engines', async () => {
    const path = newPath();
    const url = await newPostgresUrl();
    const counting = sql`
      SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%' UNION SELECT name FROM id_sequences`;
    const identities = sql`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = current_schema() AND is_identity = 'YES' UNION SELECT 'transactions'`;
    const numbered = names(numberedTables).toSorted();
    for (const found of [await askFile(path, named(counting)), await ask(url, named(identities))])
      assert.deepEqual(names(found).toSorted(), numbered);
    for (const table of movedTables) {
      const inFile = sql`SELECT name FROM pragma_table_info(${table.name}) WHERE pk > 0 ORDER BY pk`;
      const onServer = sql`SELECT column_name AS name FROM information_schema.key_column_usage
        WHERE constraint_name = ${`${table.name}_pkey`} ORDER BY ordinal_position`;
      const [key, other] = [await askFile(path, named(inFile)), await ask(url, named(onServer))];
      assert.deepEqual(names(key), storageKey(table, 'sqlite'));
      assert.deepEqual(names(other), storageKey(table, 'postgres'));
    }
  });

  it('is unchanged after a move to PostgreSQL and back, and sound there', async () => {
    const property = fc.asyncProperty(bookArbitrary, async (demo) => {
      const [there, back] = [newPath(), newPath()];
      await makeFullDatabase(there, demo);
      const before = whole(there);
      for (const [table, lines] of Object.entries(before))
        assert.ok(lines.length > 0, `${table} has rows`);
      const url = await newPostgresUrl('empty');
      const summary = await move(atFile(there), atServer(url));
      assert.equal(summary.transactions, demo.transactions.length + 100);
      assert.deepEqual(whole(there), before);
      const [file, server] = [openFile(there), await openServer(url)];
      const findings = await checkDatabase(file, { repair: false });
      assert.deepEqual(await checkDatabase(server, { repair: false }), findings);
      await Promise.all([file.close(), server.close()]);
      await move(atServer(url), atFile(back));
      assert.deepEqual(whole(back), before);
      assert.deepEqual(await askFile(back, readSequences), await askFile(there, readSequences));
    });
    // Shrinking takes a minute for each step.
    await fc.assert(property, { numRuns: isLong ? 4 : 1, endOnFailure: true });
  });

  it('has the same schema as a new database, and statistics for the planner', async () => {
    const [url, plain] = [await newPostgresUrl('empty'), await newPostgresUrl()];
    await move(atFile(await newFile(1500)), atServer(url));
    assert.deepEqual(await ask(url, readDefinitions), await ask(plain, readDefinitions));
    const known = sql`SELECT attname AS name FROM pg_stats WHERE tablename = 'transactions'`;
    assert.ok((await ask(url, named(known))).length > 20);
  });

  it('assigns ids above all earlier ones, there and back, even if a sequence was too low', async () => {
    const [path, back, last] = [await newFile(100), newPath(), newPath()];
    const url = await newPostgresUrl('empty');
    await move(atFile(path), atServer(url));
    const first = await makeMore(await openServer(url), 'first');
    assert.deepEqual(await makeMore(openFile(path), 'first'), first);
    await move(atServer(url), atFile(back));
    const second = await makeMore(await openServer(url), 'second');
    assert.deepEqual(await makeMore(openFile(back), 'second'), second);
    assert.ok(second.every((id, index) => id > (first[index] ?? Infinity)));
    const engine = openPostgres({ url, ...options });
    await engine.write(() => rows(raw('ALTER SEQUENCE transaction_ids RESTART WITH 1')));
    await engine.close();
    await move(atServer(url), atFile(last));
    const next = sql`SELECT (SELECT next_id FROM id_sequences) - max(id) AS next FROM transactions`;
    assert.deepEqual(await askFile(last, () => row(next)), { next: 1 });
  });

  it('can be moved from file to file, and from server to server, and gets a new id each time', async () => {
    const [path, other, back] = [await newFile(1100), newPath(), newPath()];
    // The second one has the tables already.
    const [url, second] = [await newPostgresUrl('empty'), await newPostgresUrl()];
    const original = await askFile(path, identity);
    const ids = [original, await ask(second, identity)];
    const reported: string[] = [];
    await move(atFile(path), atFile(other));
    const { rows: all } = await move(atFile(other), atServer(url), {
      onProgress: ({ step, done, total }) => {
        assert.ok(done <= total);
        if (done === total) reported.push(`${step} ${done}`);
      },
    });
    assert.deepEqual(reported, [`copy ${all}`, `compare ${all}`]);
    await move(atServer(url), atServer(second));
    await move(atServer(second), atFile(back));
    assert.deepEqual(whole(back), whole(path));
    assert.equal(statSync(back).mode & 0o777, 0o600);
    assert.ok(!readdirSync(root).some((name) => name.startsWith('.')));
    assert.deepEqual(await askFile(path, identity), original, 'the source keeps its id');
    ids.push(await askFile(other, identity), await askFile(back, identity));
    ids.push(await ask(url, identity), await ask(second, identity));
    const values = ids.map((each) => each?.value ?? '');
    assert.equal(new Set(values).size, 6);
    for (const value of values) assert.match(value, /^[0-9a-f]{32}$/);
  });
});
