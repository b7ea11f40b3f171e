import { fillDemo } from '../../demo/fill.ts';
import { makeDemoBook } from '../../demo/make-demo-book.ts';
import { newBook } from '../../resources/users/testing/new-book.ts';
import { migrate } from '../sqlite/migrate.ts';
import { openSqlite } from '../sqlite/sqlite.ts';

/** Creates a database file with a demo book of that many transactions, and closes it. */
export async function makeBookFile(path: string, transactions = 300): Promise<void> {
  const engine = openSqlite({ path, busyTimeoutMs: 0 });
  migrate(engine);
  const { id } = await newBook(engine);
  await fillDemo(engine, id, makeDemoBook({ transactions }));
  await engine.close();
}
