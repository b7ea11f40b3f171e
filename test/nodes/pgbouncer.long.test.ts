import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import sql from 'sql-template-tag';
import { row, type Steps } from '../../packages/server/src/db/engine.ts';
import {
  startPostgres,
  type PostgresServer,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import { openDatabase, parseDatabase } from '../../packages/server/src/main.ts';
import { chooseEngine } from '../service/engine.ts';
import { missing, startPostgresEngine } from '../service/postgres-engine.ts';
import { startService } from '../service/started-service.ts';
import { until } from './nodes.ts';
import { startPgBouncer, type PgBouncer } from './pgbouncer.ts';
import { skipWithout } from './proxies.ts';

const skip = missing || skipWithout('pgbouncer');
const timeout = 300_000;
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
      const engine = await openDatabase(parseDatabase(url));
      try {
        assert.equal((await engine.read(prepared)) === 0, isPooled);
      } finally {
        await engine.close();
      }
    });
  }

  test('sets the limits that a node has without it', async () => {
    const engine = await openDatabase(parseDatabase(bouncer.through(direct)));
    try {
      assert.equal(await engine.read(limitOf('statement_timeout')), 3000);
      assert.equal(await engine.read(limitOf('lock_timeout')), 2000);
      assert.equal(await engine.read(limitOf('idle_in_transaction_session_timeout')), 3000);
    } finally {
      await engine.close();
    }
  });

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
