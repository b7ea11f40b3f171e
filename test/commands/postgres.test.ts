import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
  outcomeOf,
  readUntil,
  runCoffer,
  spawnCoffer,
  type Outcome,
} from '../../packages/cli/src/testing/run-coffer.ts';

const skip = postgresPrograms() === null && 'missing: postgres';
const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
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
    const again = await run('user', 'create', '--email', 'ME@example.com', '--name', 'Me');
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.match(await coffer('token', 'create', ...email, '--label', 'desk'), /^coffer_\w{49}\n$/);
    assert.match(await coffer('token', 'list', ...email), /\n 1 {2}desk {3}valid /);
    await coffer('token', 'revoke', '1', ...email);
    assert.match(await coffer('token', 'list', ...email), / revoked /);
    await coffer('crypto', 'add', '--provider', 'ethereum', '--address', address, ...email);
    assert.match(await coffer('crypto', 'list', ...email), /\n 1 {2}ethereum {2}- +init/);
    await coffer('crypto', 'remove', '1', ...email);
    const statement = join(folder, 'statement.csv');
    writeFileSync(
      statement,
      'Date,Payee,Amount\n2024-01-31,Café "Zoë",-12.50\n2024-02-01,Pay,100\n',
    );
    const imported = ['import', statement, ...email, '--account', 'Giro', '--json'];
    assert.match(await coffer(...imported, '--dry-run'), /"imported":2/);
    assert.match(await coffer(...imported), /"imported":2/);
    assert.match(await coffer(...imported), /"imported":0,"skipped_duplicates":2/);
    assert.match(await coffer('export', ...email), /\n\d+,2024-01-31,-12.5000,usd,"Café ""Zoë""",/);
    const output = join(folder, 'book.ndjson');
    await coffer('export', ...email, '--format', 'ndjson', '--output', output);
    assert.match(readFileSync(output, 'utf8'), /"payee":"Café \\"Zoë\\""/);
    assert.match(await coffer('demo', '--transactions', '300'), /^coffer_\w{49}\n$/);
    assert.equal(await coffer('doctor'), 'Everything agrees\n');
    assert.match(
      await coffer('doctor', '--json'),
      /^\{"findings":\[\],"change_log":\{"versions":4,"oldest_at"/,
    );
  });

  it('administers users, books, accounts, categories and tokens', async () => {
    await coffer('demo', '--transactions', '100', '--email', 'you@example.com');
    const you = ['--email', 'you@example.com'];
    const whose = ['--book', 'Demo Household', ...you];
    await coffer('user', 'rename', 'You', ...you);
    assert.match(await coffer('user', 'list'), /you@example\.com +You +1 /);
    await coffer('account', 'rename', 'Cash Wallet', 'Purse', ...you);
    await coffer('account', 'archive', 'Purse', ...you);
    assert.match(await coffer('account', 'list', ...you), / Cash Wallet +Purse .* closed /);
    const taken = await run('account', 'rename', 'Family Car', 'PURSE', ...you);
    assert.equal(taken.stderr, "Account with name 'PURSE' already exists\n");
    await coffer('category', 'rename', 'Rent', 'Flat', ...you);
    assert.match(await coffer('category', 'list', ...you), / Flat /);
    await coffer('token', 'rename', 'demo', 'phone', ...you);
    assert.match(await coffer('token', 'list', ...you), / phone +valid /);
    assert.match(await coffer('book', 'create', 'Second', ...you), /^Created the book "Second"/);
    assert.equal((await run('book', 'rename', 'second', ...whose)).code, 1);
    await coffer('book', 'rename', 'Household', ...whose);
    const remove = ['book', 'remove', '--book', 'Household', ...you];
    assert.equal((await run(...remove)).code, 2);
    assert.match(await coffer('book', 'list', ...you), / Household .* 100 /);
    await coffer(...remove, '--yes');
    assert.equal((await run(...remove.with(3, 'Second'), '--yes')).code, 1, 'the only book');
    await coffer('user', 'remove', '--yes', ...you);
    assert.doesNotMatch(await coffer('user', 'list'), /you@example/);
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
    const refused = await runCoffer(['move', '--from', there, '--to', empty]);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /^The target already has rows in .*CREATE DATABASE.*\n$/);
    const flags = ['--port', '0', '--log-level', 'silent', '--database', empty];
    const node = spawnCoffer(['serve', ...flags]);
    const [, origin = ''] = await readUntil(node.stdout, /listening on (\S+)/);
    const headers = { Authorization: `Bearer ${token}` };
    assert.equal((await fetch(`${origin}/v2/me`, { headers })).status, 200);
    const argv = ['move', '--from', empty, '--to', `sqlite:${join(folder, 'third.db')}`];
    const busy = await runCoffer(argv);
    assert.deepEqual([busy.code, busy.stdout], [1, '']);
    assert.match(busy.stderr, /^The source is in use: stop its servers, .*\n$/);
    await stop(node);
    assert.equal((await runCoffer(argv)).code, 0);
  });

  it('warns in the log of a server whose settings can lose records', async () => {
    const node = spawnCoffer(['serve', '--port', '0', '--database', url]);
    await readUntil(node.stdout, /listening/);
    const { code, stderr } = await stop(node);
    assert.equal(code, 0);
    assert.match(stderr, /"level":"?(40|warn)"?.*PostgreSQL runs with fsync = off: a crash/);
  });
});

function stop(node: ReturnType<typeof spawnCoffer>): ReturnType<typeof outcomeOf> {
  const outcome = outcomeOf(node);
  node.kill('SIGTERM');
  return outcome;
}

function openEngine(url: string): ReturnType<typeof openPostgres> {
  const pool = { poolSize: 1, maxWaiting: 1, connectTimeoutMs: 5000, statementTimeoutMs: 5000 };
  return openPostgres({ url, ...pool });
}
