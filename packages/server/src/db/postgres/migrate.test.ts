import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { row, rows, run, type Steps } from '../engine.ts';
import { schemaVersion } from '../tables/migrations.ts';
import { newPostgresUrl, noPostgres, openSmallPostgres as open } from '../testing/engines.ts';
import { migratePostgres, serverWarnings } from './open.ts';
import type { PostgresEngine } from './postgres.ts';

/** A new database gets the newest schema at once. */
const everyVersion = [{ version: schemaVersion }];

describe('a PostgreSQL database that is opened', { skip: noPostgres }, () => {
  const versions = (engine: PostgresEngine): Promise<unknown> =>
    engine.read(() => rows(sql`SELECT version FROM schema_versions ORDER BY version`));
  const tables = (engine: PostgresEngine): Promise<unknown> =>
    engine.read(() =>
      rows(sql`SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
    );
  const execute = (engine: PostgresEngine, script: string): Promise<void> =>
    engine.migrate(0, (connection) => connection.command(script));

  /** Holds the lock of migrations; the returned function releases it. */
  const takeLock = async (engine: PostgresEngine): Promise<() => Promise<void>> => {
    const [held, released] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
    const over = engine.migrate(0, async (connection) => {
      await connection.command('SELECT pg_advisory_xact_lock(1131374195)');
      held.resolve(null);
      await released.promise;
    });
    await Promise.race([held.promise, over]);
    return () => {
      released.resolve(null);
      return over;
    };
  };

  const setForAll = (url: string, setting: string): Promise<void> =>
    execute(
      open(url),
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${setting}', current_database()); END $$`,
    );

  it('is made once by four nodes that start together', async () => {
    const url = await newPostgresUrl('empty');
    const nodes = Array.from({ length: 4 }, () => open(url));
    await Promise.all(nodes.map((node) => migratePostgres(node)));
    assert.deepEqual(await versions(nodes[0]!), everyVersion);
  });

  it('waits for a migration on another node for longer than the statement timeout', async () => {
    const url = await newPostgresUrl('empty');
    await setForAll(url, 'statement_timeout = 100');
    const release = await takeLock(open(url, { statementTimeoutMs: 0 }));
    const engine = open(url);
    const migrating = migratePostgres(engine);
    await open(url).read(() => run(sql`SELECT pg_sleep(0.3)`));
    await release();
    await migrating;
    assert.deepEqual(await versions(engine), everyVersion);
  });

  it('is only read if it is current, so that its user need not be allowed to create tables', async () => {
    const url = await newPostgresUrl();
    const owner = open(url);
    const grant = 'GRANT SELECT, UPDATE ON ALL TABLES IN SCHEMA public TO reader';
    await execute(owner, `CREATE ROLE reader LOGIN; ${grant}`);
    const release = await takeLock(owner);
    await migratePostgres(open(url.replace('//coffer@', '//reader@')));
    await release();
    assert.deepEqual(await versions(owner), everyVersion);
  });

  const unfit = (message: RegExp | string) => ({ name: 'UnfitServerError', message });

  it('is refused and left unchanged if its user may not create tables, or another program has', async () => {
    const url = await newPostgresUrl('empty');
    const owner = open(url);
    await execute(owner, 'CREATE ROLE guest LOGIN');
    const guest = migratePostgres(open(url.replace('//coffer@', '//guest@')));
    const denied = /^Cannot create the tables: permission denied for schema public\. Coffer needs/;
    await assert.rejects(guest, unfit(denied));
    assert.deepEqual(await tables(owner), []);
    await execute(owner, 'CREATE TABLE books (isbn TEXT)');
    const existing = /^Cannot create the tables: relation "books" already exists\./;
    await assert.rejects(migratePostgres(owner), unfit(existing));
    assert.deepEqual(await tables(owner), [{ name: 'books' }]);
  });

  it('is refused if its encoding is not UTF-8', async () => {
    const latin = "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'";
    const engine = open(await newPostgresUrl('empty', latin));
    const message = /^The database has the encoding LATIN1: .* with ENCODING 'UTF8'/;
    await assert.rejects(migratePostgres(engine), unfit(message));
  });

  it('is refused on a server older than 15', async () => {
    const url = await newPostgresUrl('empty');
    // Returns what such a server would return.
    await execute(
      open(url),
      `CREATE SCHEMA old; CREATE FUNCTION old.current_setting(name text) RETURNS text LANGUAGE sql
         RETURN CASE name WHEN 'server_version_num' THEN '140012' ELSE pg_catalog.current_setting(name) END`,
    );
    await setForAll(url, 'search_path = old, public, pg_catalog');
    const message = 'PostgreSQL 14 is too old: use version 15 or newer';
    await assert.rejects(migratePostgres(open(url)), unfit(message));
  });

  it('orders every key by bytes, although the collation of the database does not', async () => {
    const engine = open(await newPostgresUrl());
    const others = await engine.read(() =>
      rows(sql`
        SELECT i.indexrelid::regclass::text AS key, c.collname AS collation
        FROM pg_index i JOIN pg_class r ON r.oid = i.indexrelid
          CROSS JOIN unnest(i.indcollation::oid[]) AS used JOIN pg_collation c ON c.oid = used
        WHERE r.relnamespace = 'public'::regnamespace AND c.collname <> 'C'`),
    );
    assert.deepEqual(others, []);
    const order = await engine.read(() =>
      row(sql`SELECT 'a' < 'B' AS linguistic,
        EXISTS (SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu') AS icu`),
    );
    const { linguistic, icu } = order as Record<string, unknown>;
    assert.equal(linguistic, icu);
  });

  it('commits durably even if the server is set not to, and keeps stricter settings', async () => {
    const setting = function* (): Steps<unknown> {
      return yield* row(sql`SELECT current_setting('synchronous_commit') AS kept`);
    };
    const url = await newPostgresUrl('empty');
    const settings = { off: 'on', on: 'on', remote_apply: 'remote_apply' };
    for (const [requested, kept] of Object.entries(settings)) {
      await setForAll(url, `synchronous_commit = ${requested}`);
      assert.deepEqual(await open(url).write(setting), { kept }, `requested ${requested}`);
    }
  });

  it('warns about settings of the server that can lose data', async () => {
    const sentences = await serverWarnings(open(await newPostgresUrl('empty')));
    assert.deepEqual(sentences, [
      'PostgreSQL runs with fsync = off: a crash of its machine can damage the records',
      'PostgreSQL runs with full_page_writes = off: a crash of its machine can damage the records',
    ]);
  });

  it('is refused and left unchanged if it is newer than the program', async () => {
    const engine = open(await newPostgresUrl());
    await engine.write(() => run(sql`INSERT INTO schema_versions VALUES (999, now())`));
    await assert.rejects(migratePostgres(engine), { name: 'NewerDatabaseError' });
  });
});
