import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { freePort } from '../../packages/core/src/testing/starts.ts';
import { rows } from '../../packages/server/src/db/engine.ts';
import { openPostgres } from '../../packages/server/src/db/postgres/postgres.ts';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';
import {
  coffer as fileCoffer,
  makeFolder,
  runCoffer,
  type Outcome,
} from '../../packages/cli/src/testing/run-coffer.ts';
import { ask } from '../service/ask.ts';
import { startServer, useServer } from '../service/server-process.ts';

const skip = postgresPrograms() === null && 'missing: postgres';
const email = ['--email', 'me@example.com'];

describe('the command on a PostgreSQL database', { skip, timeout: 300_000 }, () => {
  const folder = makeFolder();
  let server: PostgresServer;
  let url: string;
  before(async () => {
    server = await startPostgres();
    url = await server.newDatabase();
  });
  after(() => server.stop());

  const run = (...argv: readonly string[]): Promise<Outcome> =>
    runCoffer(argv, { environment: { DATABASE_URL: url, ENCRYPTION_KEY: 'a5'.repeat(32) } });
  const coffer = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...argv);
    assert.equal(code, 0, `coffer ${argv.join(' ')}: ${stderr}`);
    return stdout;
  };

  it('does the same as on a file', async () => {
    assert.match(await coffer('user', 'create', ...email, '--name', 'Me'), /\(id 1\) in usd/);
    const statement = join(folder, 'statement.csv');
    writeFileSync(
      statement,
      'Date,Payee,Amount\n2024-01-31,Café "Zoë",-12.50\n2024-02-01,Pay,100\n',
    );
    const imported = ['import', statement, ...email, '--account', 'Giro', '--json'];
    assert.match(await coffer(...imported), /"imported":2/);
    assert.match(await coffer(...imported), /"imported":0,"skipped_duplicates":2/);
    assert.match(await coffer('export', ...email), /\n\d+,2024-01-31,-12.5000,usd,"Café ""Zoë""",/);
    assert.match(await coffer('demo', '--transactions', '300'), /^coffer_\w{49}\n$/);
    assert.equal(await coffer('doctor'), 'Everything agrees\n');
  });

  it('finds inconsistencies by its doctor, and repairs them', async () => {
    const engine = openEngine(url);
    await engine.migrate(0, (connection) =>
      connection.command(
        "UPDATE transaction_counts SET listed = listed + 1 WHERE granularity = 'month'",
      ),
    );
    await engine.close();
    const found = await run('doctor');
    assert.equal(found.code, 1);
    assert.match(
      found.stdout,
      /^transaction_counts: Book 1, month 2024-01: the stored count is 2, the actual count is 1/,
    );
    assert.match(await coffer('doctor', '--repair'), /\(fixed\)\n/);
    assert.equal(await coffer('doctor'), 'Everything agrees\n');
  });

  it('does not claim that nothing was imported when the connection breaks in the commit', async () => {
    const engine = openEngine(url);
    await engine.migrate(0, (connection) =>
      connection.command(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(10); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON transactions DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION wait()`),
    );
    const statement = join(folder, 'broken.csv');
    writeFileSync(statement, 'Date,Payee,Amount\n2024-03-31,Shop,-1\n');
    const importing = run('import', statement, ...email);
    const terminate = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE query = 'COMMIT' AND wait_event = 'PgSleep'`;
    while ((await engine.read(() => rows(terminate))).length === 0);
    const { code, stdout, stderr } = await importing;
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^The connection .*: it is unknown whether the change is stored\nImport ".*" again: /,
    );
    assert.doesNotMatch(stderr, /not imported/);
    await engine.migrate(0, (connection) =>
      connection.command('DROP TRIGGER waits ON transactions; DROP FUNCTION wait'),
    );
    await engine.close();
  });

  it('refuses backups and names the tools of PostgreSQL', async () => {
    const backup = join(folder, 'coffer.bak');
    for (const argv of [
      ['backup', backup],
      ['restore', backup],
    ]) {
      assert.deepEqual(await run(...argv), {
        code: 1,
        stdout: '',
        stderr:
          'This command is for SQLite files. Use pg_dump and pg_restore for a PostgreSQL database\n',
      });
    }
    assert.equal(existsSync(backup), false);
  });

  it('reports in one line why a database cannot be used, without its password', async () => {
    const port = await freePort();
    const place = `?host=${encodeURIComponent(server.dataFolder)}`;
    for (const [database, message] of [
      [`postgres://me:hunter2@127.0.0.1:${port}/x`, /reached: connect ECONNREFUSED 127\.0\.0\.1/],
      [`postgres://me:hunter2@localhost:${port}/x`, /reached: connect ECONNREFUSED /],
      [`postgres://me:hunter2@localhost/x${place}`, /reached: role "me" does not exist/],
      [`postgres://coffer:hunter2@localhost/x${place}`, /reached: database "x" does not exist/],
      [`postgres://me:hunter2@db.invalid/x`, /reached: getaddrinfo \w+ db\.invalid/],
      [`postgres://me:hunter2@127.0.0.1:${port}/x?sslrootcert=/no/ca.pem`, /ENOENT.*ca\.pem/],
      [`postgres://me:hunter2%zz@127.0.0.1:${port}/x`, /reached|cannot be read/],
    ] as const) {
      const argv = ['serve', '--port', '0', '--database', database];
      const { code, stdout, stderr } = await runCoffer(argv);
      assert.deepEqual([code, stdout], [1, ''], stderr);
      assert.match(stderr, message);
      assert.match(stderr, /^[^\n]+\n$/);
      assert.doesNotMatch(stderr, /hunter2/);
    }
  });

  it('moves to PostgreSQL and back, and tokens still open the book', async () => {
    const there = `sqlite:${join(folder, 'there')}`;
    const back = `sqlite:${join(folder, 'back')}`;
    const empty = await server.newDatabase();
    const token = (await fileCoffer('demo', '--transactions', '2500', '--database', there)).trim();
    const exported = (database: string) =>
      fileCoffer('export', '--format', 'ndjson', '--database', database);
    const original = await exported(there);
    for (const [from, to] of [
      [there, empty],
      [empty, back],
    ] as const) {
      const moved = await fileCoffer('move', '--from', from, '--to', to);
      assert.match(moved, /^Moved 1 book with 2,500 /);
      const files = to === back ? ['--files', join(folder, 'there-files')] : [];
      const found = await fileCoffer('doctor', '--database', to, ...files);
      assert.equal(found, 'Everything agrees\n');
      assert.equal(await exported(to), original);
    }
    await useServer({ database: empty }, async ({ url: origin }) =>
      assert.equal((await ask(`${origin}/v2/me`, { token })).status, 200),
    );
  });

  it('warns in the log of a server whose settings can lose records', async () => {
    const node = await startServer({ database: url });
    assert.equal(await node.end('SIGTERM'), 0);
    assert.match(node.log(), /"level":"?(40|warn)"?.*PostgreSQL runs with fsync = off: a crash/);
  });
});

function openEngine(url: string): ReturnType<typeof openPostgres> {
  const pool = { poolSize: 1, maxWaiting: 1, connectTimeoutMs: 5000, statementTimeoutMs: 5000 };
  return openPostgres({ url, ...pool });
}
