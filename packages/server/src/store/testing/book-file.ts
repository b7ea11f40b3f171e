import { makeDemoBook } from '../../records/demo/make-demo-book.ts';
import { migrate } from '../migrate.ts';
import { openSqlite } from '../sqlite.ts';
import { createStore } from '../store.ts';

/** Makes a database file with a demo book of so many transactions, and closes it. */
export async function makeBookFile(path: string, transactions = 300): Promise<void> {
  const engine = openSqlite({ path, busyTimeoutMs: 0 });
  migrate(engine);
  const store = createStore(engine);
  const nowIso = '2026-01-01T00:00:00.000Z';
  const user = { email: 'a@example.com', name: 'A', bookName: 'B', primaryCurrency: 'usd', nowIso };
  const { id } = await store.createUser(user);
  await store.fillDemo(id, makeDemoBook({ transactions }));
  await store.close();
}
