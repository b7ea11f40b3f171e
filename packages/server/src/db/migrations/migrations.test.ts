import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import sql, { raw } from 'sql-template-tag';
import { isLong } from '../../../../core/src/testing/length.ts';
import { row, rows, type Engine } from '../engine.ts';
import { migratePostgres } from '../postgres/migrate.ts';
import { migrate } from '../sqlite/migrate.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { newPostgresUrl, noPostgres, openSmallPostgres } from '../testing/engines.ts';
import { migrations, schemaVersion } from './index.ts';

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

it('a released migration never changes', () => {
  const digests = migrations
    .slice(0, frozen.length)
    .map(({ sqlite, postgres }) => [sqlite, postgres].map((script) => hash('sha256', script)));
  assert.deepEqual(digests, frozen);
});

const time = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;

/** Books of schema 1, whose last changes are: of a transaction, of a tag, and their own creation. */
const oldRows = `
  INSERT INTO users (id, email, name, created_at) VALUES (1, 'a@example.com', 'A', '${time(1)}');
  INSERT INTO books (id, user_id, name, primary_currency, version, created_at) VALUES
    (1, 1, 'one', 'usd', 7, '${time(1)}'), (2, 1, 'two', 'usd', 6, '${time(1)}'),
    (3, 1, 'three', 'usd', 1, '${time(6)}'), (4, 1, 'four', 'usd', 7, '${time(1)}');
  INSERT INTO tags (id, book_id, name, created_at, updated_at) VALUES
    (1, 1, 'a', '${time(1)}', '${time(3)}'), (2, 2, 'b', '${time(1)}', '${time(4)}');
  INSERT INTO transactions (id, book_id, date, amount, currency, to_base, payee, status, created_at, updated_at) VALUES
    (1, 1, '2026-01-01', 10000, 'usd', 10000, 'p', 'reviewed', '${time(1)}', '${time(5)}'),
    (2, 1, '2026-01-01', 10000, 'usd', 10000, 'q', 'reviewed', '${time(1)}', '${time(2)}'),
    (3, 2, '2026-01-01', 10000, 'usd', 10000, 'r', 'reviewed', '${time(1)}', '${time(3)}');`;
/** The times of the last changes, which schema 3 has. */
const changedDays = [5, 4, 6, 1];

/** Logs of schema 3 for books 2 and 4: one that begins with version 5, and one without the repairs by the doctor. */
const oldLog = `
  UPDATE books SET changed_at = '${time(4)}' WHERE id = 4;
  INSERT INTO changes (book_id, version, at, actor, operation) VALUES
    (2, 5, '${time(2)}', 'token 1', 'x'), (2, 6, '${time(3)}', 'token 1', 'x'),
    (4, 2, '${time(2)}', 'token 1', 'x'), (4, 5, '${time(4)}', 'token 1', 'x');`;

/** A database of an older schema, and its migration to the current one. */
interface OldDatabase {
  readonly engine: Engine;
  migrate(): void | Promise<void>;
}

const scriptOf = (version: number, engine: 'sqlite' | 'postgres'): string =>
  [
    ...migrations.slice(0, version).map((each) => each[engine]),
    oldRows,
    version < 3 ? '' : oldLog,
  ].join(';');

function oldSqlite(version: number): OldDatabase {
  const engine = openSqlite({ path: ':memory:', busyTimeoutMs: 0 });
  engine.execute(`${scriptOf(version, 'sqlite')}; PRAGMA user_version = ${version}`);
  return { engine, migrate: () => migrate(engine) };
}

async function oldPostgres(version: number): Promise<OldDatabase> {
  const options = { statementTimeoutMs: 30_000 };
  const engine = openSmallPostgres(await newPostgresUrl('empty'), options);
  await engine.migrate(0, (connection) =>
    connection.command(`${scriptOf(version, 'postgres')};
      CREATE TABLE schema_versions (version BIGINT PRIMARY KEY, migrated_at TIMESTAMPTZ NOT NULL);
      INSERT INTO schema_versions SELECT n, now() FROM generate_series(1, ${version}) n`),
  );
  return { engine, migrate: () => migratePostgres(engine) };
}

const older = Array.from({ length: schemaVersion - 1 }, (_, at) => at + 1);
for (const [name, make, skip, versions] of [
  ['SQLite', oldSqlite, false, older],
  // The scripts that change rows are those of schema 3 and 6.
  ['PostgreSQL', oldPostgres, noPostgres, isLong ? older : [2, 5]],
] as const)
  describe(`an older database on ${name}`, { skip }, () => {
    const identities = new Set<string>();
    for (const version of versions)
      it(`of schema ${version} keeps its rows, and gets the tables of the newest schema`, async () => {
        const old = await make(version);
        const { engine } = old;
        const read = (statement: string) => engine.read(() => rows<object>(raw(statement)));
        const kept: Record<string, object[]> = {};
        for (const table of ['users', 'tags', 'transactions', 'books'])
          kept[table] = await read(`SELECT * FROM ${table} ORDER BY id`);
        await old.migrate();
        for (const [table, before] of Object.entries(kept)) {
          // Later migrations add columns.
          const columns = Object.keys(before[0]!).join(', ');
          const after = await read(`SELECT ${columns} FROM ${table} ORDER BY id`);
          assert.deepEqual(after, before, table);
        }
        const identity = await engine.read(() =>
          row<{ value: string }>(sql`SELECT value FROM database_identity WHERE name = 'id'`),
        );
        assert.match(identity!.value, /^[0-9a-f]{32}$/);
        assert.ok(!identities.has(identity!.value), 'no other database has its id');
        identities.add(identity!.value);

        const texts = async (statement: string) =>
          (await read(statement)).map((each) => Object.values(each).join(' '));
        const times = await texts('SELECT changed_at FROM books ORDER BY id');
        if (version < 3) assert.deepEqual(times, changedDays.map(time));
        if (version < 3 || version > 5) return;
        const pruned = await texts('SELECT pruned_version FROM books ORDER BY id');
        assert.equal(pruned.join(), '7,4,0,0', 'where the log begins');
        const log = await texts(
          'SELECT book_id, version, at, operation FROM changes ORDER BY book_id, version',
        );
        const expected = [
          `2 5 ${time(2)} x`,
          `2 6 ${time(3)} x`,
          `4 2 ${time(2)} x`,
          `4 3 ${time(2)} doctor`,
          `4 4 ${time(2)} doctor`,
          `4 5 ${time(4)} x`,
          `4 6 ${time(4)} doctor`,
          `4 7 ${time(4)} doctor`,
        ];
        assert.deepEqual(log, expected, 'its gaps are filled');
      });
  });
