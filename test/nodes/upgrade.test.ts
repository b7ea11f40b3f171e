import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { schemas, schemaVersion } from '../../packages/server/src/db/tables/migrations.ts';
import { noRedis } from '../../packages/server/src/limiter/testing/redis-server.ts';
import { openDatabase } from '../../packages/server/src/database.ts';
import { parseDatabase } from '../../packages/server/src/config.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { postgresPrograms } from '../../packages/server/src/db/testing/postgres-server.ts';
import { ask } from '../service/ask.ts';
import { addOwner, useStore, type Owner } from '../service/owners.ts';
import { coffer } from '../service/coffer.ts';
import { makeSyncedAccounts, type SyncedAccounts } from '../service/synced-accounts.ts';
import { importRows, makeModelBook } from './model-book.ts';
import { killNodes, startNodes, startShared, until, type Node, type Shared } from './nodes.ts';
import { startTraffic } from './traffic.ts';

const skip = (postgresPrograms() === null && 'missing: postgres') || noRedis;
const row = { date: '2025-01-02', amount: '1.0000' };
const refusal = new RegExp(
  `schema version ${schemaVersion + 1}, but this program supports at most ${schemaVersion}`,
);

/** Two nodes of this program, and a schema change as a newer program would make it. */
describe(
  'a node that runs while a newer program changes the schema',
  { skip, timeout: 300_000 },
  () => {
    let shared: Shared;
    let nodes: Node[] = [];
    let accounts: SyncedAccounts | undefined;
    let writer: Owner;
    let importing: Engine;
    const accountCount = 2;

    before(async () => {
      shared = await startShared();
      writer = await useStore(shared.database, (engine) => addOwner(engine, 'writer'));
      accounts = await makeSyncedAccounts(shared.database, writer, accountCount);
      const flags = ['--rate-limit', '1000000'];
      nodes = await startNodes(shared, { flags, environment: accounts.environment });
      importing = await openDatabase(parseDatabase(shared.database));
    });
    after(async () => {
      await importing.close();
      await killNodes(nodes);
      await accounts?.close();
      await shared.stop();
    });

    test('continues to work when the change only adds, and does not start again', async () => {
      const book = await makeModelBook(shared.database, 300);
      const [running, stopped] = nodes as [Node, Node];
      await importRows(importing, writer, [{ ...row, payee: 'before' }]);
      const traffic = startTraffic({
        url: running.url,
        book,
        accounts: accounts!,
        accountOwner: writer,
        accountCount,
        written: Array.from({ length: accountCount }, () => 0),
        seed: 19,
      });
      const continues = async (): Promise<void> => {
        const [reads, writes] = [traffic.reads(), traffic.writes()];
        await until(() => traffic.reads() > reads + 100, 'more pages are read');
        await until(() => traffic.writes() > writes + 20, 'more accounts are refreshed');
      };
      let [beganMs, endedMs] = [0, 0];
      try {
        await continues();
        beganMs = performance.now();
        const tables = await growSchema(shared.database);
        endedMs = performance.now();
        assert.ok(tables.includes('transactions') && tables.length > 10, tables.join());
        await continues();
      } finally {
        await traffic.stop();
      }
      assert.deepEqual(traffic.wrong, []);
      // While the tables change, requests in the way may get 503.
      const others = traffic.failures.filter(
        (failure) =>
          failure.endedMs < beganMs ||
          failure.beganMs > endedMs ||
          !failure.what.includes(': 503 '),
      );
      assert.deepEqual(others, []);
      await importRows(importing, writer, [{ ...row, payee: 'after' }]);
      const list = await ask(`${running.url}/v2/transactions`, { token: writer.token });
      const { transactions } = JSON.parse(list.text) as { transactions: { payee: string }[] };
      const payees = transactions.map(({ payee }) => payee);
      assert.deepEqual(payees, ['after', 'before'], 'an open database can still import');

      const doctor = await coffer('doctor', '--database', shared.database);
      assert.equal(doctor.code, 1);
      assert.match(doctor.stderr, refusal);
      await stopped.end('SIGTERM');
      await assert.rejects(stopped.start(), refusal);
    });
  },
);

/** Makes every change that a release may make, to every table; returns their names. */
async function growSchema(database: string): Promise<string[]> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_versions'",
    );
    const changes = rows.map(
      ({ name }) => `
        ALTER TABLE ${name} ADD COLUMN planted TEXT;
        ALTER TABLE ${name} ADD COLUMN planted_too BIGINT NOT NULL DEFAULT 7;
        CREATE INDEX planted_${name} ON ${name} (planted);`,
    );
    const script = `${changes.join('')} CREATE TABLE planted (id BIGINT PRIMARY KEY);`;
    assert.deepEqual(contractions(script), []);
    await untilChanged(
      client,
      `BEGIN; ${script} INSERT INTO schema_versions SELECT max(version) + 1, now() FROM schema_versions; COMMIT`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Runs a schema change, and repeats it after a deadlock, as a restarted node would. */
async function untilChanged(client: Client, script: string): Promise<void> {
  for (;;) {
    try {
      await client.query(script);
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      if ((error as { code?: string }).code !== '40P01') throw error;
    }
  }
}

/**
 * What a schema change may do to a table that the previous release uses, so that this one still works. A check of an
 * added column must permit its default, which is what the rows of the previous release have.
 */
const additions: readonly RegExp[] = [
  /^(CREATE (TABLE|INDEX)|DROP INDEX|INSERT INTO|UPDATE)\b/,
  /^ALTER TABLE \w+ ADD COLUMN \w+ \w+( NOT NULL DEFAULT \d+)?$/,
  /^ALTER TABLE \w+ ADD COLUMN (\w+) \w+ NOT NULL DEFAULT (\d+) CHECK \(\1 IN \((\d+, )*\2(, \d+)*\)\)$/,
  /^ALTER TABLE \w+ ALTER COLUMN \w+ (DROP NOT NULL|SET STORAGE \w+)$/,
  /^ALTER TABLE \w+ DROP CONSTRAINT \w+_fkey$/,
];

/** Returns the other statements of a schema change, except for those on tables that the change itself creates. */
function contractions(script: string): string[] {
  const statements = script
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const made = new Set(
    statements.flatMap((statement) => /^CREATE TABLE (\w+)/.exec(statement)?.[1] ?? []),
  );
  return statements.filter((statement) => {
    const table = /\b(?:TABLE|ON|FROM) (?:ONLY )?(\w+)/.exec(statement)?.[1] ?? '';
    return !made.has(table) && !additions.some((pattern) => pattern.test(statement));
  });
}

describe('a schema change on PostgreSQL', () => {
  test('that takes something away is found', () => {
    for (const statement of [
      'DROP TABLE tags',
      'DELETE FROM tags',
      'ALTER TABLE tags ADD COLUMN a TEXT, DROP name',
      'ALTER TABLE tags ADD COLUMN a TEXT NOT NULL',
      'ALTER TABLE tags ADD COLUMN a SMALLINT NOT NULL DEFAULT 2 CHECK (a IN (0, 1))',
      'ALTER TABLE tags ADD COLUMN a SMALLINT NOT NULL DEFAULT 1 CHECK (b IN (0, 1))',
      'CREATE UNIQUE INDEX i ON tags (name)',
    ])
      assert.deepEqual(contractions(`CREATE TABLE a (b TEXT); ${statement};`), [statement]);
  });

  test('after the first release only adds', () => {
    for (const { postgres } of schemas.migrations) {
      assert.match(postgres, /\bCREATE\b|\bALTER\b/);
      assert.deepEqual(contractions(postgres), []);
    }
  });
});
