import { migrate } from './migrate.ts';
import { openSqlite } from './sqlite.ts';
import { createStore } from './store.ts';
import { storeContract } from './store-contract.ts';

storeContract('SQLite', () => {
  const engine = openSqlite({ path: ':memory:', busyTimeoutMs: 0 });
  migrate(engine);
  return Promise.resolve(createStore(engine));
});
