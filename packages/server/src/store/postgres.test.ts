import { after } from 'node:test';
import { migratePostgres } from './migrate-postgres.ts';
import { openPostgres } from './postgres.ts';
import { createStore } from './store.ts';
import { storeContract } from './store-contract.ts';
import { startPostgres } from './testing/postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());

storeContract('PostgreSQL', async () => {
  const engine = openPostgres({
    url: await server.newDatabase(),
    poolSize: 4,
    maxWaiting: 100,
    connectTimeoutMs: 5000,
    statementTimeoutMs: 30_000,
  });
  await migratePostgres(engine);
  return createStore(engine);
});
