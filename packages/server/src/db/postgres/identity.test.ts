import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { createUser } from '../../identity/users/actions.ts';
import { readiness } from '../readiness.ts';
import { noPostgres, openSmallPostgres } from '../testing/engines.ts';
import { startPostgres, startStandby, type PostgresServer } from '../testing/postgres-server.ts';
import { openPostgresDatabase, serverWarnings } from './open.ts';

const pool = { poolSize: 2, maxWaiting: 9, connectTimeoutMs: 5000, statementTimeoutMs: 30_000 };
let server: PostgresServer;

async function ask<T extends object>(url: string, text: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return (await client.query<T>(text).finally(() => client.end())).rows;
}

async function visit(url: string): Promise<void> {
  const opened = await openPostgresDatabase({ url, ...pool });
  await opened.close();
}

/** Returns the id of the database after a node has opened it. */
async function open(url: string, user = 'coffer'): Promise<string> {
  await visit(url.replace('//coffer@', `//${user}@`));
  return idIn(url);
}

async function idIn(url: string): Promise<string> {
  const text = "SELECT value FROM database_identity WHERE name = 'id'";
  const [{ value }] = (await ask<{ value: string }>(url, text)) as [{ value: string }];
  assert.match(value, /^[0-9a-f]{32}$/);
  return value;
}

describe('the id of a PostgreSQL database', { skip: noPostgres, timeout: 300_000 }, () => {
  before(async () => {
    server = await startPostgres({ fsync: 'on', full_page_writes: 'on' });
  });
  after(() => server.stop());

  it('changes once in a copy, even if several nodes start together', async () => {
    const url = await server.newDatabase();
    const id = await open(url);
    assert.equal(await open(url), id, 'opened again');
    const copy = url.replace(/\w+\?/, 'copy?');
    const [, name = ''] = /\/(\w+)\?/.exec(url) ?? [];
    await ask(url.replace(/\w+\?/, 'postgres?'), `CREATE DATABASE copy TEMPLATE ${name}`);
    await Promise.all(Array.from({ length: 4 }, () => visit(copy)));
    const first = await idIn(copy);
    assert.notEqual(first, id);
    assert.equal(await open(copy), first);
    assert.equal(await open(url), id);
  });

  it('changes when the tables are created again, as from a dump', async () => {
    const url = await server.newDatabase();
    const id = await open(url);
    const again = 'CREATE TABLE books (LIKE dropped INCLUDING ALL)';
    await ask(url, `ALTER TABLE books RENAME TO dropped; ${again}`);
    const restored = await open(url);
    assert.notEqual(restored, id);
    assert.equal(await open(url), restored);
  });

  it('is unchanged for a user with fewer permissions, and then with more again', async () => {
    const url = await server.newDatabase();
    const id = await open(url);
    await ask(
      url,
      `REVOKE EXECUTE ON FUNCTION pg_control_system(), pg_walfile_name(pg_lsn) FROM PUBLIC;
       CREATE ROLE clerk LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO clerk`,
    );
    assert.equal(await open(url, 'clerk'), id);
    await ask(
      url,
      `UPDATE database_identity SET value = '{"books":"1"}' WHERE name = 'fingerprint';
       GRANT UPDATE ON ALL TABLES IN SCHEMA public TO clerk`,
    );
    const moved = await open(url, 'clerk');
    assert.notEqual(moved, id);
    assert.equal(await open(url), moved);
  });

  it('is unchanged on a standby, and changes when that is promoted', async () => {
    const url = await server.newDatabase();
    const id = await open(url);
    const user = { email: 'a@example.com', name: 'x', bookName: 'x', primaryCurrency: 'usd' };
    assert.deepEqual(await serverWarnings(openSmallPostgres(url)), []);
    const standby = await startStandby(server);
    const there = url.replace(/host=.*/, `host=${encodeURIComponent(standby.dataFolder)}`);
    const engine = openSmallPostgres(there);
    const write = (): Promise<unknown> => engine.write(() => createUser(user));
    try {
      // A node can be started on it, because its schema is current.
      assert.equal(await open(there), id);
      const warnings = (await serverWarnings(engine)).join();
      assert.match(warnings, /PostgreSQL is a standby: nothing can be /);
      const message = 'The database server accepts no writes: it is a standby';
      await assert.rejects(write(), { name: 'DatabaseError', kind: 'readOnly', message });
      assert.deepEqual(await readiness(engine), { canRead: true, canWrite: false });
      await ask(url, "INSERT INTO leases VALUES ('x', 'x', 1, 1)");
      while ((await ask(there, 'SELECT name FROM leases, pg_sleep(0.01)')).length === 0);
      await ask(there, 'SELECT pg_promote()');
      await write();
      assert.deepEqual(await readiness(engine), { canRead: true, canWrite: true });
      const promoted = await open(there);
      assert.notEqual(promoted, id);
      assert.equal(await open(there), promoted);
    } finally {
      await standby.stop();
    }
    assert.equal(await open(url), id);
  });
});
