import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { rows } from './engine.ts';
import { migratePostgres, serverWarnings } from './migrate-postgres.ts';
import { openPostgres } from './postgres.ts';
import { createStore } from './store.ts';
import { postgresPrograms, startPostgres, startStandby } from './testing/postgres-server.ts';

const skip = postgresPrograms() === null && 'missing: postgres';
const pool = { poolSize: 2, maxWaiting: 2, connectTimeoutMs: 5000, statementTimeoutMs: 4000 };
const user = {
  name: 'x',
  bookName: 'x',
  primaryCurrency: 'usd',
  nowIso: '2026-01-01T00:00:00.000Z',
};

test(
  'a standby is read from, takes no writes until it is promoted, and then all',
  { skip, timeout: 60_000 },
  async (t) => {
    const primary = await startPostgres({ fsync: 'on', full_page_writes: 'on' });
    t.after(() => primary.stop());
    const url = await primary.newDatabase();
    const before = openPostgres({ url, ...pool });
    await migratePostgres(before);
    assert.deepEqual(await serverWarnings(before), []);

    const standby = await startStandby(primary);
    t.after(() => standby.stop());
    const place = encodeURIComponent(standby.dataFolder);
    const engine = openPostgres({ url: url.replace(/host=.*/, `host=${place}`), ...pool });
    t.after(() => engine.close());
    const store = createStore(engine);
    await createStore(before).createUser({ ...user, email: 'before@example.com' });
    await before.close();
    // A node can be started on it, as its schema is current.
    await migratePostgres(engine);
    assert.match((await serverWarnings(engine)).join(), /PostgreSQL is a standby: nothing can be /);
    while ((await store.findBooks('before@example.com')).length === 0);
    const write = (): Promise<unknown> => store.createUser({ ...user, email: 'after@example.com' });
    await assert.rejects(write(), {
      name: 'StoreUnavailableError',
      message: 'The database server takes no writes: it is a standby',
    });
    assert.deepEqual(await store.readiness(), { canRead: true, canWrite: false });

    await engine.read(() => rows(sql`SELECT pg_promote()`));
    await write();
    assert.deepEqual(await store.readiness(), { canRead: true, canWrite: true });
  },
);
