import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { row, rows, run } from '../engine.ts';
import type { Steps } from '../engine.ts';
import { migratePostgres, serverWarnings } from './migrate.ts';
import { migrations } from '../migrations/index.ts';
import { openPostgres } from './postgres.ts';
import type { PostgresEngine, PostgresOptions } from './postgres.ts';
import { postgresPrograms, startPostgres } from '../testing/postgres-server.ts';
import type { PostgresServer } from '../testing/postgres-server.ts';

const everyVersion = migrations.map((_, index) => ({ version: index + 1 }));
const skip = postgresPrograms() === null && 'missing: postgres';

describe('a PostgreSQL database that is opened', { skip }, () => {
  let server: PostgresServer;
  const engines: PostgresEngine[] = [];
  before(async () => {
    server = await startPostgres();
  });
  after(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    await server.stop();
  });

  const open = (url: string, options: Partial<PostgresOptions> = {}): PostgresEngine => {
    const pool = { poolSize: 2, maxWaiting: 2, connectTimeoutMs: 5000, statementTimeoutMs: 4000 };
    const engine = openPostgres({ url, ...pool, ...options });
    engines.push(engine);
    return engine;
  };
  const versions = (engine: PostgresEngine): Promise<unknown> =>
    engine.read(() => rows(sql`SELECT version FROM schema_versions ORDER BY version`));
  const tables = (engine: PostgresEngine): Promise<unknown> =>
    engine.read(() =>
      rows(sql`SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
    );
  const execute = (engine: PostgresEngine, script: string): Promise<void> =>
    engine.migrate(0, (connection) => connection.command(script));

  /** Takes the lock of migrations, and resolves when it is held. */
  const lockFor = async (
    seconds: number,
    engine: PostgresEngine,
  ): Promise<{ over: Promise<void> }> => {
    const held = Promise.withResolvers<null>();
    const over = engine.migrate(0, async (connection) => {
      await connection.command('SELECT pg_advisory_xact_lock(1131374195)');
      held.resolve(null);
      await connection.command(`SELECT pg_sleep(${seconds})`);
    });
    await Promise.race([held.promise, over]);
    return { over };
  };

  /** Changes a setting for new connections. */
  const setForAll = (url: string, setting: string): Promise<void> =>
    execute(
      open(url),
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${setting}', current_database()); END $$`,
    );

  it('is migrated once by four nodes that start together, if it is new or has the first schema', async () => {
    const older = await server.newDatabase();
    await execute(
      open(older),
      `${migrations[0]!.postgres};
       CREATE TABLE schema_versions (version BIGINT PRIMARY KEY, migrated_at TIMESTAMPTZ NOT NULL);
       INSERT INTO schema_versions VALUES (1, '2026-01-01');
       INSERT INTO users (email, name, created_at) VALUES ('old@example.com', 'Old', '2026-01-01')`,
    );
    for (const url of [older, await server.newDatabase()]) {
      const nodes = Array.from({ length: 4 }, () => open(url));
      await Promise.all(nodes.map((node) => migratePostgres(node)));
      assert.deepEqual(await versions(nodes[0]!), everyVersion);
    }
    const kept = await open(older).read(() => rows(sql`SELECT email FROM users`));
    assert.deepEqual(kept, [{ email: 'old@example.com' }]);
  });

  it('waits for a migration on another node for longer than the statement timeout', async () => {
    const url = await server.newDatabase();
    await setForAll(url, 'statement_timeout = 100');
    const other = open(url);
    const migrating = await lockFor(0.4, other);
    const engine = open(url);
    await migratePostgres(engine);
    await migrating.over;
    assert.deepEqual(await versions(engine), everyVersion);
  });

  it('is only read if it is current, so that its user need not be allowed to create tables', async () => {
    const url = await server.newDatabase();
    const owner = open(url);
    await migratePostgres(owner);
    await execute(
      owner,
      'CREATE ROLE clerk LOGIN; GRANT SELECT, UPDATE ON ALL TABLES IN SCHEMA public TO clerk',
    );
    const migrating = await lockFor(1, owner);
    let isOver = false;
    void migrating.over.then(() => (isOver = true));
    await migratePostgres(open(url.replace('//coffer@', '//clerk@')));
    assert.equal(isOver, false, 'it does not wait for a migration');
    await migrating.over;
    assert.deepEqual(await versions(owner), everyVersion);
  });

  it('is refused with a clear message if its user may not create tables', async () => {
    const url = await server.newDatabase();
    const owner = open(url);
    await execute(owner, 'CREATE ROLE guest LOGIN');
    await assert.rejects(migratePostgres(open(url.replace('//coffer@', '//guest@'))), {
      name: 'UnfitServerError',
      message: /^Cannot create the tables: permission denied for schema public\. Coffer needs/,
    });
    assert.deepEqual(await tables(owner), []);
  });

  it('is refused and left unchanged if another program uses its table names', async () => {
    const engine = open(await server.newDatabase());
    await execute(engine, 'CREATE TABLE books (isbn TEXT)');
    await assert.rejects(migratePostgres(engine), {
      name: 'UnfitServerError',
      message: /^Cannot create the tables: relation "books" already exists\./,
    });
    assert.deepEqual(await tables(engine), [{ name: 'books' }]);
  });

  it('is refused if its encoding is not UTF-8', async () => {
    const latin = "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'";
    const engine = open(await server.newDatabase(latin));
    await assert.rejects(migratePostgres(engine), {
      name: 'UnfitServerError',
      message: /^The database has the encoding LATIN1: .* with ENCODING 'UTF8'/,
    });
  });

  it('is refused on a server older than 15', async () => {
    const url = await server.newDatabase();
    // Returns what such a server would return.
    await execute(
      open(url),
      `CREATE SCHEMA old; CREATE FUNCTION old.current_setting(name text) RETURNS text LANGUAGE sql
         RETURN CASE name WHEN 'server_version_num' THEN '140012' ELSE pg_catalog.current_setting(name) END`,
    );
    await setForAll(url, 'search_path = old, public, pg_catalog');
    await assert.rejects(migratePostgres(open(url)), {
      name: 'UnfitServerError',
      message: 'PostgreSQL 14 is too old: use version 15 or newer',
    });
  });

  it('orders every key by bytes, whatever the collation of the database', async () => {
    const engine = open(await server.newDatabase());
    await migratePostgres(engine);
    const others = await engine.read(() =>
      rows(sql`
        SELECT i.indexrelid::regclass::text AS key, c.collname AS collation
        FROM pg_index i JOIN pg_class r ON r.oid = i.indexrelid
          CROSS JOIN unnest(i.indcollation::oid[]) AS used JOIN pg_collation c ON c.oid = used
        WHERE r.relnamespace = 'public'::regnamespace AND c.collname <> 'C'`),
    );
    assert.deepEqual(others, []);
  });

  it('has a collation in its tests that does not order by bytes', async () => {
    const engine = open(await server.newDatabase());
    const order = await engine.read(() => row(sql`SELECT ('a' < 'B')::text AS linguistic`));
    const icu = await engine.read(() =>
      rows(sql`SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu'`),
    );
    assert.deepEqual(order, { linguistic: icu.length > 0 ? 'true' : 'false' });
  });

  it('commits durably even if the server is set not to, and keeps stricter settings', async () => {
    const setting = function* (): Steps<unknown> {
      return yield* row(sql`SELECT current_setting('synchronous_commit') AS kept`);
    };
    for (const [requested, kept] of [
      ['off', 'on'],
      ['on', 'on'],
      ['remote_apply', 'remote_apply'],
    ]) {
      const url = await server.newDatabase();
      await setForAll(url, `synchronous_commit = ${requested}`);
      assert.deepEqual(await open(url).write(setting), { kept }, `requested ${requested}`);
    }
  });

  it('warns about settings of the server that can lose data', async () => {
    const sentences = await serverWarnings(open(await server.newDatabase()));
    assert.deepEqual(sentences, [
      'PostgreSQL runs with fsync = off: a crash of its machine can damage the records',
      'PostgreSQL runs with full_page_writes = off: a crash of its machine can damage the records',
    ]);
  });

  it('is refused and left unchanged if it is newer than the program', async () => {
    const engine = open(await server.newDatabase());
    await migratePostgres(engine);
    await engine.write(() => run(sql`INSERT INTO schema_versions VALUES (999, now())`));
    await assert.rejects(migratePostgres(engine), { name: 'NewerDatabaseError' });
  });
});
