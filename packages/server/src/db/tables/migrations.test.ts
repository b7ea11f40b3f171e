import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { raw } from 'sql-template-tag';
import { endsWithFile } from '../../../../core/src/testing/ends.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { dialectOf, row, rows, type Engine } from '../engine.ts';
import { fillDerived, outdatedBooks } from '../fill-derived.ts';
import { migratePostgres } from '../postgres/open.ts';
import { migrate } from '../sqlite/migrate.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { makeBaseFile, makeBaseUrl } from '../testing/base-schema.ts';
import { catalogOf } from '../testing/catalog.ts';
import { engines, newPostgresUrl, openSmallPostgres } from '../testing/engines.ts';
import { newFolder } from '../testing/folder.ts';
import { schemas, schemaVersion, type Schemas } from './migrations.ts';
import { bookTables } from './tables.ts';

/** SHA-256 of each script that was released. A release adds those of its own. */
const released: readonly Readonly<Record<'sqlite' | 'postgres', string>>[] = [];

it('a released migration never changes', () => {
  const digests = schemas.migrations.slice(0, released.length).map(({ sqlite, postgres }) => ({
    sqlite: hash('sha256', sqlite),
    postgres: hash('sha256', postgres),
  }));
  assert.deepEqual(digests, released);
});

it('each table is described after those that it refers to', () => {
  const order = bookTables.map((table) => table.name);
  for (const [at, table] of bookTables.entries())
    for (const { references } of Object.values(table.columns))
      if (references !== undefined) assert.ok(order.indexOf(references) <= at, table.name);
});

/** The tables that migration 13 rebuilds. */
const looseTables = ['access_tokens', 'sessions', 'sign_in_links'];

const planted = 'CREATE TABLE planted (book_id BIGINT); ALTER TABLE tags ADD COLUMN mood TEXT';
const later: Schemas = {
  base: schemas.base,
  migrations: [...schemas.migrations, { sqlite: planted, postgres: planted }],
};

interface Opened {
  readonly engine: Engine;
  readonly migrate: (known?: Schemas) => Promise<void>;
}

const atSqlite = (path: string): Opened => {
  const engine = openSqlite({ path, busyTimeoutMs: 60_000 });
  endsWithFile(() => engine.close());
  return { engine, migrate: async (known) => migrate(engine, undefined, known) };
};
const atPostgres = (url: string): Opened => {
  const engine = openSmallPostgres(url, { statementTimeoutMs: 30_000 });
  return { engine, migrate: (known) => migratePostgres(engine, known) };
};

/** Returns functions that open the same database: of the base schema, or new. */
const databases = {
  SQLite: {
    base: async () => {
      const path = join(newFolder(), 'coffer.db');
      makeBaseFile(path);
      return () => atSqlite(path);
    },
    fresh: async () => () => atSqlite(join(newFolder(), 'coffer.db')),
  },
  PostgreSQL: {
    base: async () => {
      const url = await makeBaseUrl();
      return () => atPostgres(url);
    },
    fresh: async () => {
      const url = await newPostgresUrl('empty');
      return () => atPostgres(url);
    },
  },
};

for (const { name, skip } of engines)
  describe(`the schema of ${name}`, { skip }, () => {
    const { base, fresh } = databases[name];
    const read = (engine: Engine, statement: string) =>
      engine.read(() => rows<Record<string, unknown>>(raw(statement)));
    const versionOf = async (engine: Engine): Promise<unknown> => {
      const statement =
        name === 'SQLite'
          ? 'SELECT user_version AS version FROM pragma_user_version'
          : 'SELECT max(version) AS version FROM schema_versions';
      return (await read(engine, statement))[0]?.['version'];
    };
    /** Every row, by table; of books the columns of the base that migrations leave alone. */
    const contentOf = async (engine: Engine): Promise<Record<string, unknown>> => {
      const all: Record<string, unknown> = {};
      const ofBooks = 'SELECT id, user_id, name, primary_currency, version, changed_at FROM books';
      all['books'] = await read(engine, `${ofBooks} ORDER BY id`);
      for (const table of [
        ...['users', 'access_tokens', 'categories', 'transactions'],
        ...['sessions', 'sign_in_links'],
      ])
        all[table] = await read(engine, `SELECT * FROM ${table} ORDER BY id`);
      return all;
    };
    /** Adds a row to each table of signing in and deletes it, so that its id is used up, and adds another one. */
    const signIn = async (engine: Engine): Promise<void> => {
      const times = "'2026-01-01', '2026-01-01'";
      const value = (digit: string) =>
        name === 'SQLite' ? `unhex('${digit.repeat(64)}')` : `'\\x${digit.repeat(64)}'`;
      await engine.write(function* () {
        for (const digit of ['a', 'b']) {
          yield raw(`INSERT INTO access_tokens (user_id, book_id, token_hash, created_at)
            VALUES (1, 1, ${value(digit)}, '2026-01-01')`);
          yield raw(`INSERT INTO sessions (user_id, book_id, secret_hash, method, database_id, created_at, seen_at,
              ends_at)
            VALUES (1, 1, ${value(digit)}, 'link', 'x', ${times}, '2026-02-01')`);
          yield raw(`INSERT INTO sign_in_links (user_id, book_id, secret_hash, database_id, created_at, expires_at)
            VALUES (1, 1, ${value(digit)}, 'x', ${times})`);
        }
        for (const table of looseTables)
          yield raw(`DELETE FROM ${table} WHERE id = (SELECT max(id) FROM ${table})`);
      });
    };
    const nextIds = (engine: Engine) =>
      engine.write(
        function* () {
          const { reserveId } = yield* dialectOf();
          const ids: unknown[] = [];
          for (const table of looseTables) ids.push(yield* row(reserveId(table)));
          return ids;
        },
        { rollback: true },
      );

    it('is the same in a new database and in one that was upgraded from the base', async () => {
      const upgraded = (await base())();
      await upgraded.migrate();
      const created = (await fresh())();
      await created.migrate();
      const [of, new_] = await Promise.all([
        catalogOf(upgraded.engine, name),
        catalogOf(created.engine, name),
      ]);
      // Old databases have what ANALYZE found in empty tables, too; the planner uses the last figures of an index.
      const isReal = (line: string): boolean =>
        !/^statistics (transactions .* 0|id_sequences .*)$/.test(line);
      assert.deepEqual(new_, of.filter(isReal));
      assert.equal(await versionOf(created.engine), schemaVersion);
    });

    it('keeps tokens, sessions and links, and uses no id of a deleted one again', async () => {
      const { engine, migrate: open } = (await base())();
      await signIn(engine);
      const before = [await contentOf(engine), await nextIds(engine)];
      await open();
      const after = [await contentOf(engine), await nextIds(engine)];
      // PostgreSQL has used up the ids that were asked for.
      if (name === 'SQLite') assert.deepEqual(after, before);
      else assert.deepEqual(after[0], before[0]);
    });

    it('of the first release opens as it is, and is filled where it is not yet', async () => {
      const { engine, migrate: open } = (await base())();
      const before = await contentOf(engine);
      await open({ base: schemas.base, migrations: [] });
      assert.deepEqual(await contentOf(engine), before);
      assert.equal(await versionOf(engine), schemas.base);
      await open();
      assert.deepEqual(await engine.read(outdatedBooks), [1]);
      await engine.write(() => fillDerived(1));
      assert.deepEqual(await engine.read(outdatedBooks), []);
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    });

    it('makes each stored balance one that is known for its day, and changes no balance', async () => {
      const { engine, migrate: open } = (await base())();
      await engine.write(function* () {
        const columns = `book_id, name, type, currency, balance, to_base, balance_as_of, created_by_name, created_at, updated_at`;
        const times = `'2026-01-02T09:00:00.000Z', '2026-01-02T09:00:00.000Z'`;
        yield raw(`INSERT INTO manual_accounts (${columns}) VALUES
          (1, 'Bank', 'cash', 'usd', 46444200, 46444200, '2026-01-05T10:00:00.000Z', 'x', ${times}),
          (1, 'Card', 'credit', 'eur', 120000, 120000, '2026-01-06T10:00:00.000Z', 'x', ${times})`);
      });
      const accounts = 'SELECT name, balance, balance_as_of FROM manual_accounts ORDER BY id';
      const before = await read(engine, accounts);
      await open();
      assert.deepEqual(await read(engine, accounts), before);
      const anchors = await read(
        engine,
        `SELECT a.day, a.source, a.balance, a.currency, a.ahead, a.set_at FROM balance_anchors a
          JOIN manual_accounts m ON m.id = a.manual_account_id WHERE m.name IN ('Bank', 'Card') ORDER BY m.id`,
      );
      const known = { source: 'api', ahead: 0 };
      const [bank, card] = ['2026-01-05', '2026-01-06'];
      assert.deepEqual(anchors, [
        {
          ...known,
          day: bank,
          balance: 46_444_200,
          currency: 'usd',
          set_at: `${bank}T10:00:00.000Z`,
        },
        {
          ...known,
          day: card,
          balance: -120_000,
          currency: 'eur',
          set_at: `${card}T10:00:00.000Z`,
        },
      ]);
      await engine.write(() => fillDerived(1));
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    });

    it('is changed once by two nodes that open it at once, and then only newer programs open it', async () => {
      const open = await base();
      const nodes = [open(), open()];
      const before = await contentOf(nodes[0]!.engine);
      await Promise.all(nodes.map((node) => node.migrate(later)));
      const { engine } = nodes[0]!;
      assert.equal(await versionOf(engine), schemaVersion + 1);
      assert.deepEqual(await read(engine, 'SELECT mood FROM tags, planted'), []);
      assert.deepEqual(await contentOf(engine), before);
      await nodes[1]!.migrate(later);
      await assert.rejects(nodes[1]!.migrate(), { name: 'NewerDatabaseError' });
    });

    for (const found of [1, schemas.base - 1])
      it(`${found} is refused with the commit that upgrades it, and nothing is changed`, async () => {
        const { engine, migrate: open } = (await base())();
        await engine.write(function* () {
          yield raw(
            name === 'SQLite'
              ? `PRAGMA user_version = ${found}`
              : `DELETE FROM schema_versions WHERE version > ${found}`,
          );
        });
        const before = await catalogOf(engine, name);
        await assert.rejects(open(), {
          name: 'OlderDatabaseError',
          message:
            `The database has schema version ${found}, from before Coffer 0.1.0, but this program supports only ` +
            '11 and newer. Upgrade it in two steps: first run ' +
            '"git checkout 9dfc56858d9e13e0f0e3b69e9867e8528c2f998a", "npm ci" and "npx coffer doctor" with its ' +
            '--database in the repository of Coffer; then open it with this program',
        });
        assert.deepEqual(await catalogOf(engine, name), before);
      });
  });
