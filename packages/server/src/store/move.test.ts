import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql, { raw } from 'sql-template-tag';
import { makeDemoBook } from '../records/demo/make-demo-book.ts';
import type { Store } from '../records/store.ts';
import type { TransactionQuery } from '../records/transaction-query.ts';
import { row, rows } from './engine.ts';
import type { Operation } from './engine.ts';
import { exported, bookArbitrary, queryArbitrary } from './store-model.ts';
import { withIds } from './filled-model.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { migrate } from './migrate.ts';
import { pairTables } from './move-catalog.ts';
import type { MoveEnd } from './move-end.ts';
import { ownSchema, postgresCatalog } from './move-postgres-catalog.ts';
import { sqliteCatalog } from './move-sqlite-catalog.ts';
import { move } from './move.ts';
import { openPostgresStore } from './open-postgres.ts';
import { openStoreOf } from './open-store.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import { makeFullDatabase } from './testing/full-database.ts';
import { postgresPrograms, startPostgres } from './testing/postgres-server.ts';
import type { PostgresServer } from './testing/postgres-server.ts';
import { columnsOf, dump } from './testing/whole-database.ts';
import type { Dump } from './testing/whole-database.ts';

const skip = postgresPrograms() === null && 'missing: postgres';
const options = { poolSize: 2, maxWaiting: 9, connectTimeoutMs: 5000, statementTimeoutMs: 30_000 };
const root = mkdtempSync(join(tmpdir(), 'coffer-move-'));
let server: PostgresServer;
let files = 0;

after(() => rmSync(root, { recursive: true }));

const newPath = (): string => join(root, `${(files += 1)}.db`);
const atFile = (path: string): MoveEnd => ({ engine: 'sqlite', path });
const atServer = (url: string): MoveEnd => ({ engine: 'postgres', url });

/** What is in the tables of this program; a foreign one is not moved. */
function whole(path: string): Dump {
  const columns = Object.entries(columnsOf(path)).filter(([table]) => table !== '_replica');
  return dump(path, Object.fromEntries(columns));
}

/** Runs an operation on a PostgreSQL database, as it is. */
async function ask<T>(url: string, operation: () => Operation<T>): Promise<T> {
  const engine = openPostgres({ url, ...options });
  try {
    return await engine.read(operation);
  } finally {
    await engine.close();
  }
}

async function askFile<T>(path: string, operation: () => Operation<T>): Promise<T> {
  const engine = openSqlite({ path, busyTimeoutMs: 0 });
  migrate(engine);
  try {
    return await engine.read(operation);
  } finally {
    await engine.close();
  }
}

const openFile = (path: string): Store =>
  openStoreOf(path, { occupation: 'command', busyTimeoutMs: 0, openTimeoutMs: 0 });

/** Everything that a store shows of a book, as bytes where it gives bytes. */
async function shown(
  store: Store,
  bookId: number,
  queries: readonly TransactionQuery[],
): Promise<unknown> {
  const pages: unknown[] = [];
  for (const query of queries) {
    const { json, ...rest } = await store.listTransactions(bookId, query);
    pages.push([Buffer.from(json).toString('latin1'), rest]);
  }
  return {
    pages,
    transactions: await exported(store, { id: bookId }),
    categories: await store.listCategories(bookId),
    tokens: await store.listTokens(bookId),
    crypto: await store.listCryptoAccounts(bookId),
    findings: await store.check({ repair: false }),
  };
}

/** Makes a user with a token and a book, closes the store and returns the ids that were given. */
async function makeMore(store: Store, name: string): Promise<number[]> {
  const nowIso = '2026-01-01T00:00:00.000Z';
  const user = { email: `${name}@example.com`, name, bookName: 'B', nowIso };
  const book = await store.createUser({ ...user, primaryCurrency: 'usd' });
  const hash = Buffer.alloc(32, name);
  const named = { userId: book.userId, bookId: book.id, label: null, nowIso, expiresAt: null };
  const token = await store.createToken({ ...named, hash });
  await store.fillDemo(book.id, makeDemoBook({ transactions: 100 }));
  const [first] = await exported(store, book);
  await store.close();
  return [book.id, book.userId, token, first?.id ?? 0];
}

/** What SQLite keeps of the ids that were given, and how. */
function* readSequences(): Operation<unknown> {
  return yield* rows(sql`
    SELECT name, seq, typeof(seq) AS type FROM sqlite_sequence
    UNION ALL SELECT name, next_id, typeof(next_id) FROM id_sequences ORDER BY name`);
}

/** Every index and constraint, by name. */
function* readDefinitions(): Operation<unknown> {
  return yield* rows(sql`
    SELECT conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE connamespace = ${ownSchema}
    UNION ALL SELECT relname, pg_get_indexdef(oid) FROM pg_class WHERE relnamespace = ${ownSchema} AND relkind = 'i'
    ORDER BY 1, 2`);
}

describe('a database that is moved', { skip, timeout: 120_000 }, () => {
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  it('has the same tables and columns on both engines, each of which is moved', async () => {
    const url = await server.newDatabase();
    const engine = openPostgres({ url, ...options });
    await migratePostgres(engine);
    await engine.close();
    const ofServer = await ask(url, () => postgresCatalog.readTables());
    const path = newPath();
    const ofFile = await askFile(path, () => sqliteCatalog.readTables());
    assert.equal(pairTables(ofFile, ofServer).length, ofFile.length);
    const names = ofFile.map(({ name }) => name);
    assert.deepEqual([...names, 'id_sequences'].toSorted(), Object.keys(columnsOf(path)));
    for (const { name, key, stored } of [...ofFile, ...ofServer]) {
      assert.ok(key.length > 0, name);
      assert.ok(
        key.every((column) => stored.includes(column)),
        name,
      );
    }
    const counting = await askFile(path, () =>
      rows<{ name: string }>(sql`
        SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%' UNION SELECT name FROM id_sequences`),
    );
    const nextIds = await ask(url, () => postgresCatalog.readNextIds());
    assert.deepEqual([...nextIds.keys()].toSorted(), counting.map(({ name }) => name).toSorted());
  });

  it('comes back as it was from PostgreSQL, and shows the same bytes there', async () => {
    const cases = fc.tuple(
      bookArbitrary,
      fc.array(queryArbitrary, { minLength: 15, maxLength: 15 }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([demo, shapes]) => {
        const [there, back] = [newPath(), newPath()];
        const filled = await makeFullDatabase(there, demo);
        const before = whole(there);
        for (const [table, lines] of Object.entries(before))
          assert.ok(lines.length > 0, `${table} has rows`);
        const url = await server.newDatabase();
        const summary = await move(atFile(there), atServer(url));
        assert.equal(summary.transactions, demo.transactions.length + 100);
        assert.deepEqual(whole(there), before);
        await move(atServer(url), atFile(back));
        assert.deepEqual(whole(back), before);
        assert.deepEqual(await askFile(back, readSequences), await askFile(there, readSequences));
        const queries = shapes.map((shape) => withIds(filled, shape));
        const stores = [
          openFile(there),
          await openPostgresStore({ url, ...options }),
          openFile(back),
        ];
        const [original, ...moved] = await Promise.all(
          stores.map((store) => shown(store, filled.book.id, queries)),
        );
        for (const each of moved) assert.deepEqual(each, original);
        await Promise.all(stores.map((store) => store.close()));
      }),
      // To shrink takes a minute for each step.
      { numRuns: 8, endOnFailure: true },
    );
  });

  it('has the schema of one that was made there, and is planned by what is in it', async () => {
    const path = newPath();
    await makeFullDatabase(path, makeDemoBook({ transactions: 1500 }));
    const [url, plain] = [await server.newDatabase(), await server.newDatabase()];
    await move(atFile(path), atServer(url));
    const engine = openPostgres({ url: plain, ...options });
    await migratePostgres(engine);
    await engine.close();
    assert.deepEqual(await ask(url, readDefinitions), await ask(plain, readDefinitions));
    const known = await ask(url, () =>
      row<{ count: number }>(
        sql`SELECT count(*) AS count FROM pg_stats WHERE tablename = 'transactions'`,
      ),
    );
    assert.ok(known !== undefined && known.count > 20);
  });

  it('gives ids above every one that was given before, there and back', async () => {
    const [path, back] = [newPath(), newPath()];
    await makeFullDatabase(path, makeDemoBook({ transactions: 100 }));
    const url = await server.newDatabase();
    await move(atFile(path), atServer(url));
    const first = await makeMore(await openPostgresStore({ url, ...options }), 'first');
    assert.deepEqual(await makeMore(openFile(path), 'first'), first);
    await move(atServer(url), atFile(back));
    const second = await makeMore(await openPostgresStore({ url, ...options }), 'second');
    assert.deepEqual(await makeMore(openFile(back), 'second'), second);
    assert.ok(second.every((id, index) => id > (first[index] ?? Infinity)));
  });

  it('gives no id twice even when the sequence of the source was behind', async () => {
    const url = await server.newDatabase();
    const path = newPath();
    await makeFullDatabase(path, makeDemoBook({ transactions: 100 }));
    await move(atFile(path), atServer(url));
    const engine = openPostgres({ url, ...options });
    await engine.write(() => rows(raw('ALTER SEQUENCE transaction_ids RESTART WITH 1')));
    await engine.close();
    const back = newPath();
    await move(atServer(url), atFile(back));
    const last = await askFile(back, () =>
      row<{ last: number; next: number }>(
        sql`SELECT max(id) AS last, (SELECT next_id FROM id_sequences) AS next FROM transactions`,
      ),
    );
    assert.equal(last?.next, (last?.last ?? 0) + 1);
  });

  it('goes from a file to a file, and from a server to a server', async () => {
    const [path, other, back] = [newPath(), newPath(), newPath()];
    await makeFullDatabase(path, makeDemoBook({ transactions: 2500 }));
    const [url, second] = [await server.newDatabase(), await server.newDatabase()];
    await move(atFile(path), atFile(other));
    await move(atFile(other), atServer(url));
    await move(atServer(url), atServer(second));
    await move(atServer(second), atFile(back));
    assert.deepEqual(whole(back), whole(path));
    assert.equal(statSync(back).mode & 0o777, 0o600);
    assert.ok(existsSync(back));
    assert.deepEqual(
      readdirSync(root).filter((name) => name.startsWith('.')),
      [],
    );
  });

  it('tells how far it is, row by row to the end, of both passes', async () => {
    const path = newPath();
    await makeFullDatabase(path, makeDemoBook({ transactions: 2500 }));
    const told: string[] = [];
    const { rows: all } = await move(atFile(path), atServer(await server.newDatabase()), {
      onProgress: ({ step, done, total }) => {
        assert.ok(done <= total);
        if (done === total) told.push(`${step} ${done}`);
      },
    });
    assert.deepEqual(told, [`copy ${all}`, `compare ${all}`]);
  });
});
