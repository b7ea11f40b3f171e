import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import sql from 'sql-template-tag';
import { row, type Steps } from '../../packages/server/src/db/engine.ts';
import {
  serverOwner,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';
import { chooseEngine } from '../service/engine.ts';
import { useStore } from '../service/owners.ts';
import { missing, startPostgresEngine } from '../service/postgres-engine.ts';
import { startService } from '../service/started-service.ts';
import { textOf } from './deploy-files.ts';
import { until } from './nodes.ts';
import { replaced, skipWithout } from './proxies.ts';

const skip = missing || skipWithout('pgbouncer');
const timeout = 300_000;
const password = 'a password';
const specification = new URL('../spec/', import.meta.url);
/** A part of the tests of the specification: every kind of statement, on reads and writes. */
const chosen = '{2,4-o,5,7,9,records/[bct],transactions/o}*.test.ts';

describe('PgBouncer, by the file in deploy/', { skip, timeout }, () => {
  let postgres: PostgresServer;
  let bouncer: PgBouncer;
  let direct: string;

  before(async () => {
    postgres = await startPostgres();
    bouncer = await startPgBouncer(postgres.dataFolder);
    direct = await postgres.newDatabase();
  });
  after(async () => {
    await bouncer.stop();
    await postgres.stop();
  });

  const prepared = (): Steps<number> =>
    countOf(sql`SELECT count(*) AS count FROM pg_prepared_statements`);
  const limitOf = (name: string) => (): Steps<number> =>
    countOf(sql`SELECT setting::bigint AS count FROM pg_settings WHERE name = ${name}`);

  test('pools transactions', async () => {
    const pools = await bouncer.show('SHOW DATABASES');
    assert.ok(pools.length > 0);
    const settings = await bouncer.show('SHOW CONFIG');
    assert.equal(settings.find(({ key }) => key === 'pool_mode')?.['value'], 'transaction');
  });

  for (const [way, isPooled] of [
    ['directly', false],
    ['through it', true],
  ] as const) {
    test(`a connection ${way} ${isPooled ? 'does not prepare' : 'prepares'} statements`, async () => {
      const url = isPooled ? bouncer.through(direct) : direct;
      const count = await useStore(url, (engine) => engine.read(prepared));
      assert.equal(count === 0, isPooled);
    });
  }

  test('sets the limits that a node has without it', () =>
    useStore(bouncer.through(direct), async (engine) => {
      assert.equal(await engine.read(limitOf('statement_timeout')), 3000);
      assert.equal(await engine.read(limitOf('lock_timeout')), 2000);
      assert.equal(await engine.read(limitOf('idle_in_transaction_session_timeout')), 3000);
    }));

  test('a node returns 503 while PostgreSQL is down, and 200 when it is back', async (t) => {
    chooseEngine({
      newDatabase: async () => ({
        url: bouncer.through(await postgres.newDatabase()),
        remove: () => undefined,
      }),
      newRedisUrl: () => '',
    });
    const service = await startService();
    t.after(() => service.close());
    const statusOf = async (target: string): Promise<number> => (await service.ask(target)).status;
    assert.equal(await statusOf('/v2/me'), 200);
    postgres.process.kill('SIGQUIT');
    await once(postgres.process, 'exit');
    const { status, lines } = await service.ask('/v2/me');
    assert.equal(status, 503);
    assert.ok(lines['retry-after']);
    await postgres.restart();
    await until(async () => (await statusOf('/v2/me')) === 200, 'the node returns 200');
  });
});

function* countOf(statement: ReturnType<typeof sql>): Steps<number> {
  return (yield* row<{ count: number }>(statement))?.count ?? 0;
}

// A file registers its tests only once in a process, so this one needs a process of its own.
test('test/spec on PostgreSQL through PgBouncer', { skip, timeout }, async (t) => {
  const engine = await startPostgresEngine();
  t.after(() => engine.stop());
  const { url } = await engine.newDatabase();
  const bouncer = await startPgBouncer(new URL(url).searchParams.get('host')!);
  t.after(() => bouncer.stop());
  chooseEngine({
    newRedisUrl: () => engine.newRedisUrl(),
    newDatabase: async () => {
      const { url: direct } = await engine.newDatabase();
      return { url: bouncer.through(direct), remove: () => undefined };
    },
  });
  const files = globSync(chosen, { cwd: specification }).toSorted();
  assert.ok(files.length >= 7, 'The files were not found');
  for (const file of files) {
    await t.test(file, async () => {
      await import(new URL(file, specification).href);
    });
  }
  const databases = await bouncer.show('SHOW DATABASES');
  assert.ok(databases.length > files.length, 'Some files did not use PgBouncer');
});

type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>;

/**
 * Starts PgBouncer in its own process, with the configuration in `deploy/`, for every database of the PostgreSQL server
 * whose socket is in `socketFolder`.
 */
async function startPgBouncer(socketFolder: string) {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-pgbouncer-'));
  const configuration = replaced(textOf('pgbouncer.ini'), {
    'coffer = host=10.0.0.20 port=5432 dbname=coffer ': `* = host=${socketFolder} port=5432 `,
    'listen_addr = 10.0.0.22\n': `unix_socket_dir = ${folder}\nadmin_users = coffer\n`,
    '/etc/pgbouncer': folder,
    '/var/log/postgresql': folder,
    '/var/run/postgresql': folder,
  });
  writeFileSync(join(folder, 'pgbouncer.ini'), configuration);
  writeFileSync(join(folder, 'userlist.txt'), `"coffer" "${password}"\n`);
  if (serverOwner.uid !== undefined) chownSync(folder, serverOwner.uid, serverOwner.gid);
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], {
    ...serverOwner,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  const urlOf = (database: string): string =>
    `postgres://coffer:${encodeURIComponent(password)}@localhost:6432/${database}?host=${encodeURIComponent(folder)}`;
  const show = async (command: string): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: urlOf('pgbouncer') });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(command)).rows;
    } finally {
      await client.end();
    }
  };
  const responds = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start:\n${log}`);
    return (await show('SHOW VERSION').catch(() => [])).length > 0;
  };
  await until(responds, 'PgBouncer responds');
  return {
    /** The URL of a database of the server, through PgBouncer. */
    through: (url: string) => urlOf(new URL(url).pathname.slice(1)),
    show,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
