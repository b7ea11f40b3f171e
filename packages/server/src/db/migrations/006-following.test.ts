import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { raw } from 'sql-template-tag';
import { rows } from '../engine.ts';
import type { Engine } from '../engine.ts';
import { migratePostgres } from '../postgres/migrate.ts';
import { openPostgres } from '../postgres/postgres.ts';
import { migrate } from '../sqlite/migrate.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { postgresPrograms, startPostgres } from '../testing/postgres-server.ts';
import type { PostgresServer } from '../testing/postgres-server.ts';
import { migrations } from './index.ts';

const time = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;

/** A new book, one without a log, one with a log from version 5, and one with repairs by the doctor. */
const oldRows = `
  INSERT INTO users (id, email, name, created_at) VALUES (1, 'a@example.com', 'A', '${time(1)}');
  INSERT INTO books (id, user_id, name, primary_currency, version, created_at, changed_at) VALUES
    (1, 1, 'a', 'usd', 1, '${time(1)}', '${time(1)}'), (2, 1, 'b', 'usd', 7, '${time(1)}', '${time(2)}'),
    (3, 1, 'c', 'usd', 6, '${time(1)}', '${time(3)}'), (4, 1, 'd', 'usd', 7, '${time(1)}', '${time(4)}');
  INSERT INTO changes (book_id, version, at, actor, operation) VALUES
    (3, 5, '${time(2)}', 'token 1', 'x'), (3, 6, '${time(3)}', 'token 1', 'x'),
    (4, 2, '${time(2)}', 'token 1', 'x'), (4, 5, '${time(4)}', 'token 1', 'x');`;

let server: PostgresServer | undefined;
after(() => server?.stop());

const sqlite = (): Engine => {
  const engine = openSqlite({ path: ':memory:', busyTimeoutMs: 0 });
  const scripts = migrations.slice(0, 5).map((each) => each.sqlite);
  engine.execute(`${scripts.join(';')}; PRAGMA user_version = 5; ${oldRows}`);
  migrate(engine);
  return engine;
};

const postgres = async (): Promise<Engine> => {
  server = await startPostgres();
  const wait = { connectTimeoutMs: 5000, statementTimeoutMs: 30_000 };
  const url = await server.newDatabase();
  const engine = openPostgres({ url, poolSize: 2, maxWaiting: 10, ...wait });
  const scripts = migrations.slice(0, 5).map((each) => each.postgres);
  await engine.migrate(0, (connection) =>
    connection.command(`${scripts.join(';')}; ${oldRows}
      CREATE TABLE schema_versions (version BIGINT PRIMARY KEY, migrated_at TIMESTAMPTZ NOT NULL);
      INSERT INTO schema_versions SELECT n, now() FROM generate_series(1, 5) n`),
  );
  await migratePostgres(engine);
  return engine;
};

const noPostgres = postgresPrograms() === null && 'missing: postgres';
for (const [name, open, skip] of [
  ['SQLite', sqlite, false],
  ['PostgreSQL', postgres, noPostgres],
] as const)
  describe(`the migration to schema 6 on ${name}`, { skip }, () => {
    it('notes where the log begins, and fills its gaps', async () => {
      const engine = await open();
      const read = (statement: string) => engine.read(() => rows(raw(statement)));
      assert.deepEqual(await read('SELECT id, pruned_version FROM books ORDER BY id'), [
        { id: 1, pruned_version: 0 },
        { id: 2, pruned_version: 7 },
        { id: 3, pruned_version: 4 },
        { id: 4, pruned_version: 0 },
      ]);
      const found = await read(
        'SELECT book_id, version, at, operation FROM changes ORDER BY book_id, version',
      );
      const entry = (book_id: number, version: number, day: number, operation = 'doctor') => ({
        ...{ book_id, version, at: time(day), operation },
      });
      assert.deepEqual(found, [
        ...[entry(3, 5, 2, 'x'), entry(3, 6, 3, 'x')],
        ...[entry(4, 2, 2, 'x'), entry(4, 3, 2), entry(4, 4, 2), entry(4, 5, 4, 'x')],
        ...[entry(4, 6, 4), entry(4, 7, 4)],
      ]);
      await engine.close();
    });
  });
