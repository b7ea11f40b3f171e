import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import type { DemoBook } from '../../records/demo/demo-book.ts';
import { makeDemoBook } from '../../records/demo/make-demo-book.ts';
import { fill } from '../filled-model.ts';
import type { Filled } from '../filled-model.ts';
import { migrate } from '../migrate.ts';
import { openSqlite } from '../sqlite.ts';
import { createStore } from '../store.ts';

const nowIso = '2026-01-02T03:04:05.678Z';

/**
 * Makes a database file with two users, the second of whom has `demo`, and with a row at least in every table: tokens,
 * files, synced crypto accounts, a split, a recurring item's text, and ids that were given and are gone.
 */
export async function makeFullDatabase(path: string, demo: DemoBook): Promise<Filled> {
  const engine = openSqlite({ path, busyTimeoutMs: 0 });
  migrate(engine);
  const store = createStore(engine);
  const make = (name: string) =>
    store.createUser({
      email: `${name}@Example.com`,
      name,
      bookName: `${name}’s "book"\t\\N`,
      primaryCurrency: 'usd',
      nowIso,
    });
  const first = await make('ada');
  const second = await make('ben');
  await store.fillDemo(first.id, makeDemoBook({ transactions: 100 }));
  const filled = await fill(store, second, demo);
  for (const { id: bookId, userId } of [first, second]) {
    await store.createToken({
      userId,
      bookId,
      hash: randomBytes(32),
      label: null,
      nowIso,
      expiresAt: null,
    });
    const accountId = await store.createCryptoAccount(bookId, {
      provider: 'ethereum',
      displayName: '🪙\r\n',
      sealedCredentials: randomBytes(100),
      nowIso,
    });
    const balance = { symbol: 'btc', name: 'BTC', quantity: `0.${'1'.repeat(18)}` };
    const worth = { coingeckoId: null, toBase: 2 ** 53 - 1, priceAsOfIso: nowIso };
    await store.saveCryptoReading(bookId, accountId, {
      balances: [{ ...balance, ...worth }],
      readAtIso: nowIso,
    });
  }
  await store.close();
  addTheRest(path, first.id);
  return filled;
}

/** What no operation of the store writes yet, and what only foreign tools do. */
function addTheRest(path: string, bookId: number): void {
  const database = new Database(path);
  try {
    const { id } = database
      .prepare<[number], { id: number }>('SELECT min(id) AS id FROM transactions WHERE book_id = ?')
      .get(bookId) ?? { id: 0 };
    database
      .prepare(
        `UPDATE transactions SET own_payee = 'own', own_notes = '', own_category_id = 7, recurring_id = 9,
          external_id = 'x', notes = char(9, 10, 13, 92, 8, 127, 133, 8232, 65279), payee = '\\N' WHERE id = ?`,
      )
      .run(id);
    database
      .prepare(
        `INSERT INTO transaction_files (book_id, transaction_id, uploaded_by, name, type, size, created_at)
          VALUES (?, ?, 1, 'r.pdf', 'application/pdf', 9007199254740991, ?)`,
      )
      .run(bookId, id, nowIso);
    database.exec(`
      UPDATE sqlite_sequence SET seq = seq + 1000 WHERE name = 'access_tokens';
      UPDATE id_sequences SET next_id = next_id + 12345;
      CREATE TABLE _replica (seq INTEGER); INSERT INTO _replica VALUES (1)`);
  } finally {
    database.close();
  }
}
