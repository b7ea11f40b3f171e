import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import sql, { raw } from 'sql-template-tag';
import { row, rows } from '../engine.ts';
import type { Engine } from '../engine.ts';
import { migratePostgres } from '../postgres/migrate.ts';
import { openPostgres } from '../postgres/postgres.ts';
import { migrate } from '../sqlite/migrate.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { postgresPrograms, startPostgres } from '../testing/postgres-server.ts';
import type { PostgresServer } from '../testing/postgres-server.ts';
import { migrations } from './index.ts';

/** The SHA-256 of the scripts for SQLite and PostgreSQL. */
const frozen = [
  [
    'dc2f8f15c773028181d2c24d010d00f22381543d8f9feb289a83accffd517411',
    '111cc47b0b36473b5fa72a16678381b7f629fef5e68ae5d530c33e053a8c74ac',
  ],
  [
    'b7b3f82269a3dbd4cf3b2dba5808ef79c6bd413388fcd18d812f3cc640df135d',
    'ddb9ac74ff4ef7998f6c99872d84efde5c0ed0fbc8edf4af2508a9ae673c376a',
  ],
];

const tables = ['users', 'tags', 'transactions', 'books'];
const time = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;

/** Three books, whose last changes are: of a transaction, of a tag, and their own creation. */
const oldRows = `
  INSERT INTO users (id, email, name, created_at) VALUES (1, 'a@example.com', 'A', '${time(1)}');
  INSERT INTO books (id, user_id, name, primary_currency, version, created_at) VALUES
    (1, 1, 'one', 'usd', 7, '${time(1)}'), (2, 1, 'two', 'usd', 8, '${time(1)}'), (3, 1, 'three', 'usd', 1, '${time(6)}');
  INSERT INTO tags (id, book_id, name, created_at, updated_at) VALUES
    (1, 1, 'a', '${time(1)}', '${time(3)}'), (2, 2, 'b', '${time(1)}', '${time(4)}');
  INSERT INTO transactions (id, book_id, date, amount, currency, to_base, payee, status, created_at, updated_at) VALUES
    (1, 1, '2026-01-01', 10000, 'usd', 10000, 'p', 'reviewed', '${time(1)}', '${time(5)}'),
    (2, 1, '2026-01-01', 10000, 'usd', 10000, 'q', 'reviewed', '${time(1)}', '${time(2)}'),
    (3, 2, '2026-01-01', 10000, 'usd', 10000, 'r', 'reviewed', '${time(1)}', '${time(3)}');`;

/** A database of schema 2, and its migration to the current schema. */
interface OldDatabase {
  readonly engine: Engine;
  migrate(): void | Promise<void>;
}

let server: PostgresServer;

const ofBooks = 'id, user_id, name, version, created_at';

function rowsOf(engine: Engine, table: string, columns: string): Promise<object[]> {
  return engine.read(() => rows(sql`SELECT ${raw(columns)} FROM ${raw(table)} ORDER BY id`));
}

function oldSqlite(): OldDatabase {
  const engine = openSqlite({ path: ':memory:', busyTimeoutMs: 0 });
  const [first, second] = migrations;
  engine.execute(`${first!.sqlite}; ${second!.sqlite}; PRAGMA user_version = 2; ${oldRows}`);
  return { engine, migrate: () => migrate(engine) };
}

async function oldPostgres(): Promise<OldDatabase> {
  const wait = { connectTimeoutMs: 5000, statementTimeoutMs: 30_000 };
  const url = await server.newDatabase();
  const engine = openPostgres({ url, poolSize: 2, maxWaiting: 10, ...wait });
  const [first, second] = migrations;
  await engine.migrate(0, (connection) =>
    connection.command(`
      ${first!.postgres}; ${second!.postgres}; ${oldRows}
      CREATE TABLE schema_versions (version BIGINT PRIMARY KEY, migrated_at TIMESTAMPTZ NOT NULL);
      INSERT INTO schema_versions VALUES (1, now()), (2, now())`),
  );
  return { engine, migrate: () => migratePostgres(engine) };
}

describe('a released migration', () => {
  it('never changes', () => {
    const digests = migrations
      .slice(0, frozen.length)
      .map(({ sqlite, postgres }) => [sqlite, postgres].map((script) => hash('sha256', script)));
    assert.deepEqual(digests, frozen);
  });
});

const noPostgres = postgresPrograms() === null && 'missing: postgres';
for (const [name, make, skip] of [
  ['SQLite', oldSqlite, false],
  ['PostgreSQL', oldPostgres, noPostgres],
] as const) {
  describe(`a ${name} database of schema 2`, { skip }, () => {
    before(async () => {
      if (name === 'PostgreSQL') server = await startPostgres();
    });
    after(async () => {
      if (name === 'PostgreSQL') await server.stop();
    });

    it('keeps every row, and sets the time of the last change of each book', async () => {
      const old = await make();
      const { engine } = old;
      const kept: object[][] = [];
      for (const table of tables)
        kept.push(await rowsOf(engine, table, table === 'books' ? ofBooks : '*'));
      await old.migrate();
      // Later migrations add columns.
      for (const [at, table] of tables.entries()) {
        const columns = Object.keys(kept[at]![0]!).join(', ');
        assert.deepEqual(await rowsOf(engine, table, columns), kept[at], table);
      }
      const times = await old.engine.read(() =>
        rows(sql`SELECT id, changed_at FROM books ORDER BY id`),
      );
      assert.deepEqual(times, [
        { id: 1, changed_at: time(5) },
        { id: 2, changed_at: time(4) },
        { id: 3, changed_at: time(6) },
      ]);
      await old.engine.close();
    });

    it('gets an identity that no other database has', async () => {
      const found: string[] = [];
      for (const old of [await make(), await make()]) {
        await old.migrate();
        const identity = await old.engine.read(() =>
          row<{ value: string }>(sql`SELECT value FROM database_identity WHERE name = 'id'`),
        );
        found.push(identity?.value ?? '');
        await old.engine.close();
      }
      assert.match(found.join(), /^[0-9a-f]{32},[0-9a-f]{32}$/);
      assert.notEqual(found[0], found[1]);
    });

    it('accepts books that an older node creates, and deletes the log together with its book', async () => {
      const old = await make();
      await old.migrate();
      const left = await old.engine.write(function* () {
        yield sql`INSERT INTO books (id, user_id, name, primary_currency, created_at)
          VALUES (9, 1, 'nine', 'usd', ${time(1)})`;
        yield sql`INSERT INTO changes VALUES (9, 2, ${time(2)}, 'user 1', 'createTag', NULL)`;
        yield sql`INSERT INTO changed_records VALUES (9, 2, 0, 'tags', 1, 1, 'made', NULL, 0)`;
        yield sql`DELETE FROM books WHERE id = 9 AND changed_at = '1970-01-01T00:00:00.000Z'`;
        return yield* row(sql`
          SELECT (SELECT count(*) FROM changes) AS changes, (SELECT count(*) FROM changed_records) AS records`);
      });
      assert.deepEqual(left, { changes: 0, records: 0 });
      await old.engine.close();
    });
  });
}
