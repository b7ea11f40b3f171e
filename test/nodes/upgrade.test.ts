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

const forbidden: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^DROP (?!INDEX\b)/i, 'drops'],
  [/^(TRUNCATE|DELETE)\b/i, 'empties'],
  [/^ALTER TABLE .*\bDROP (?!NOT NULL|DEFAULT|EXPRESSION|CONSTRAINT \w+_fkey\b)/i, 'drops'],
  [/^ALTER .*\bRENAME\b/i, 'renames'],
  [/^ALTER TABLE .*\bALTER (COLUMN )?"?\w+"? (SET DATA )?TYPE\b/i, 'retypes'],
  [/^ALTER TABLE .*\bSET NOT NULL\b/i, 'restricts'],
  [/^ALTER TABLE .*\bADD (CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)\b/i, 'restricts'],
  [/^ALTER TABLE .*\bADD (COLUMN )?(?!.*\bDEFAULT\b).*\bNOT NULL\b/i, 'restricts'],
  [/^ALTER TABLE .*\bADD (COLUMN )?.*\b(CHECK|UNIQUE|REFERENCES)\b/i, 'restricts'],
  [/^CREATE UNIQUE INDEX\b/i, 'restricts'],
];

/**
 * Returns the statements of a schema change with which the previous release could not work, each with what it does: it
 * drops, empties, renames, retypes or restricts what existed. Tables that the change itself creates are exempt. So are
 * unique indexes of a column that it adds, which the previous release leaves null, and a check of the added column that
 * lists its default among the permitted values, which is what the rows of the previous release have.
 */
function contractions(script: string): string[] {
  const statements = script
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .split(';')
    .map((statement) => statement.trim());
  const made = new Set(
    statements.flatMap((statement) => /^CREATE TABLE (\w+)/i.exec(statement)?.[1] ?? []),
  );
  return statements.flatMap((statement) => {
    const table = /\b(?:TABLE|ON|FROM) (?:ONLY )?(\w+)/i.exec(statement)?.[1] ?? '';
    if (made.has(table) || isOfNewColumn(statement, table, statements)) return [];
    if (hasListedDefault(statement)) return [];
    const found = forbidden.find(([pattern]) => pattern.test(statement));
    return found === undefined ? [] : [`${found[1]}: ${statement}`];
  });
}

/** Whether a statement creates a unique index of a nullable column without a default that the same change adds. */
function isOfNewColumn(statement: string, table: string, all: readonly string[]): boolean {
  if (!/^CREATE UNIQUE INDEX\b/i.test(statement)) return false;
  const columns = /\(([^()]*)\)/.exec(statement)?.[1]?.split(', ') ?? [];
  return columns.some((column) =>
    all.some((each) =>
      new RegExp(`^ALTER TABLE ${table} ADD COLUMN ${column} (?!.*NULL|.*DEFAULT)`).test(
        `${each} `,
      ),
    ),
  );
}

/** Whether a statement only adds a column of numbers whose one check permits its default. */
function hasListedDefault(statement: string): boolean {
  const added =
    /^ALTER TABLE \w+ ADD COLUMN (\w+) \w+ NOT NULL DEFAULT (\d+) CHECK \(\1 IN \(([\d, ]+)\)\)$/i;
  const [, , normal = '', permitted = ''] = added.exec(statement) ?? [];
  return permitted.split(', ').includes(normal) && normal !== '';
}

describe('a schema change on PostgreSQL', () => {
  const shrinking: [statement: string, what: string][] = [
    ['DROP TABLE tags', 'drops'],
    ['ALTER TABLE tags DROP COLUMN name', 'drops'],
    ['ALTER TABLE tags ADD COLUMN a TEXT, DROP name', 'drops'],
    ['DELETE FROM tags', 'empties'],
    ['TRUNCATE tags', 'empties'],
    ['ALTER TABLE tags RENAME COLUMN name TO title', 'renames'],
    ['ALTER TABLE tags RENAME TO labels', 'renames'],
    ['ALTER TABLE tags ALTER COLUMN name TYPE BIGINT', 'retypes'],
    ['ALTER TABLE tags ALTER name SET DATA TYPE BIGINT', 'retypes'],
    ['ALTER TABLE tags ALTER COLUMN name SET NOT NULL', 'restricts'],
    ['ALTER TABLE tags ADD COLUMN a TEXT NOT NULL', 'restricts'],
    ["ALTER TABLE tags ADD COLUMN a TEXT CHECK (a <> '')", 'restricts'],
    ['ALTER TABLE tags ADD COLUMN a SMALLINT NOT NULL DEFAULT 2 CHECK (a IN (0, 1))', 'restricts'],
    ['ALTER TABLE tags ADD COLUMN a SMALLINT NOT NULL DEFAULT 1 CHECK (b IN (0, 1))', 'restricts'],
    [
      'ALTER TABLE tags ADD COLUMN a SMALLINT NOT NULL DEFAULT 1 CHECK (a IN (0, 1)) UNIQUE',
      'restricts',
    ],
    ['ALTER TABLE tags ADD CONSTRAINT c UNIQUE (name)', 'restricts'],
    ['CREATE UNIQUE INDEX i ON tags (name)', 'restricts'],
  ];
  test('that takes something away is found', () => {
    for (const [statement, what] of shrinking) {
      const found = contractions(`CREATE TABLE a (b TEXT); ${statement}; -- DROP TABLE c`);
      assert.deepEqual(found, [`${what}: ${statement}`]);
    }
  });

  test('that adds is permitted, and so is any change to its own tables', () => {
    const script = `
      CREATE TABLE files (id BIGINT NOT NULL UNIQUE);
      CREATE UNIQUE INDEX i ON files (id);
      ALTER TABLE files ADD CONSTRAINT c CHECK (id > 0);
      ALTER TABLE tags ADD COLUMN a TEXT;
      ALTER TABLE tags ADD COLUMN b BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE tags ADD COLUMN c SMALLINT NOT NULL DEFAULT 1 CHECK (c IN (0, 1));
      ALTER TABLE tags ALTER COLUMN name DROP NOT NULL;
      CREATE INDEX j ON tags (a);
      CREATE UNIQUE INDEX u ON tags (name, a) WHERE a IS NOT NULL;
      DROP INDEX k;
      INSERT INTO files SELECT id FROM tags`;
    assert.deepEqual(contractions(script), []);
  });

  test('after the first release only adds', () => {
    for (const { postgres } of schemas.migrations) {
      assert.match(postgres, /\bCREATE\b|\bALTER\b/);
      assert.deepEqual(contractions(postgres), []);
    }
  });
});
