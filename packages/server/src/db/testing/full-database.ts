import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import { takeLease } from '../../book/leases.ts';
import { changing } from '../../book/change.ts';
import { fillDemo } from '../../demo/fill.ts';
import { fill, type Filled } from '../../pages/testing/filled-book.ts';
import type { DemoBook } from '../../demo/book/demo-book.ts';
import { makeDemoBook } from '../../demo/book/make-demo-book.ts';
import { findAccount, linkCryptoAccount, saveReading } from '../../sync/crypto/actions.ts';
import { createToken, createUser } from '../../identity/users/actions.ts';
import type { Engine } from '../engine.ts';
import { migrate } from '../sqlite/migrate.ts';
import { followAll } from '../follow-search.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import type { Column } from '../table.ts';
import { bookTables } from '../tables/tables.ts';

const nowIso = '2026-01-02T03:04:05.678Z';

/**
 * Creates a database file with two users and at least one row in every table: tokens, files, synced crypto accounts, a
 * split, a recurring item's text, a lease, and ids that are no longer in use. The second user has `demo`.
 */
export async function makeFullDatabase(path: string, demo: DemoBook): Promise<Filled> {
  const engine = openSqlite({ path, busyTimeoutMs: 0, now: () => Date.parse(nowIso) });
  migrate(engine);
  const make = (name: string) =>
    engine.write(() =>
      createUser({
        email: `${name}@Example.com`,
        name,
        bookName: `${name}’s "book"\t\\N`,
        primaryCurrency: 'usd',
      }),
    );
  const first = await make('ada');
  const second = await make('ben');
  await fillDemo(engine, first.id, makeDemoBook({ transactions: 100 }));
  const filled = await fill(engine, second, demo);
  for (const { id: bookId, userId } of [first, second]) {
    const token = { userId, bookId, hash: randomBytes(32), label: null, expiresAt: null };
    await engine.write(() => createToken(token));
    await addCrypto(engine, bookId);
    await followAll(engine, bookId);
  }
  await engine.write(() => takeLease('crypto 1/1', 'a node', 1000));
  await engine.close();
  addTheRest(path, first.id);
  return filled;
}

async function addCrypto(engine: Engine, bookId: number): Promise<void> {
  const accountId = await linkCryptoAccount(engine, bookId, {
    provider: 'ethereum',
    display_name: '🪙\r\n',
    sealed_credentials: randomBytes(100),
  });
  const balance = { symbol: 'btc', name: 'BTC', quantity: `0.${'1'.repeat(18)}` };
  const worth = { coingecko_id: null, to_base: 2 ** 53 - 1, price_as_of: nowIso };
  const reading = { readAtIso: nowIso, balances: [{ ...balance, ...worth }] };
  await engine.write(() =>
    changing({ bookId, actor: 'connector', operation: 'refresh' }, function* (change) {
      yield* saveReading(change, (yield* findAccount(bookId, accountId))!, reading);
    }),
  );
}

/** Adds rows that no operation writes yet, or that only other programs write. */
function addTheRest(path: string, bookId: number): void {
  const database = new Database(path);
  try {
    const first = `(SELECT min(id) FROM transactions WHERE book_id = ${bookId})`;
    database.exec(`
      UPDATE transactions SET own_payee = 'own', own_notes = '', own_category_id = 7, recurring_id = 9,
        external_id = 'x', notes = char(9, 10, 13, 92, 8, 127, 133, 8232, 65279), payee = '\\N' WHERE id = ${first};
      INSERT INTO transaction_files (book_id, transaction_id, uploaded_by, name, type, size, created_at, storage_key)
        VALUES (${bookId}, ${first}, 1, 'r.pdf', 'application/pdf', 9007199254740991, '${nowIso}', '1/0a');
      INSERT INTO backup_results VALUES ('succeeded', '${nowIso}', 'ü.bak', 9007199254740991, NULL);
      INSERT INTO stored_files SELECT book_id, storage_key, 9, sha256 FROM transaction_files,
        (SELECT '${'0a'.repeat(32)}' AS sha256);
      INSERT INTO recurring_items (id, book_id, status, source, granularity, quantity, anchor_date, payee, amount,
          to_base, currency, override_category_id, created_by, created_at, updated_at)
        VALUES (9, ${bookId}, 'dismissed', 'system', 'month', 1, '2024-02-29', '\\N', -9007199254740991, 0, 'usd', 7,
          1, '${nowIso}', '${nowIso}');
      UPDATE books SET version = 9, changed_at = '${nowIso}', pruned_version = 7;
      DELETE FROM changed_records;
      DELETE FROM changes;
      INSERT INTO changes SELECT id, 8, '${nowIso}', 'user 1', 'createTag', NULL FROM books;
      INSERT INTO changes SELECT id, 9, '${nowIso}', 'ü', 'undo', 8 FROM books;
      INSERT INTO changed_records SELECT id, 8, 0, 'tags', 1, 9007199254740991, 'made', NULL, 0 FROM books;
      INSERT INTO changed_records SELECT id, 9, 0, 'tags', 2, 2, 'removed', '{"name":"\\n\u00fc"}', 0 FROM books;
      INSERT INTO changed_records SELECT id, 9, 1, 'tags', 1, 1, 'changed', '{"name":["a","b"]}', 1 FROM books;
      INSERT INTO deleted_accounts (book_id, name) SELECT id, 'ü' FROM books;
      INSERT INTO balance_history (book_id, deleted_account_id, month, balance, currency, to_base)
        SELECT book_id, id, '2025-12', 9007199254740991, 'usd', -1 FROM deleted_accounts;
      INSERT INTO imports (book_id, version, undone_version, format, at, actor, file_name, file_hash,
          first_date, last_date)
        SELECT id, 8, 9, 'ü', '${nowIso}', 'command', 'ü.csv', 'ab', '2024-01-01', '2024-02-01' FROM books;
      INSERT INTO imports (book_id, at, actor, file_name, is_preview)
        SELECT id, '${nowIso}', 'token 1', 'ü.csv', 1 FROM books;
      INSERT INTO import_previews SELECT book_id, id, 'ready', 9, 9, 2, '{"map":"ü"}', 1, '{}', '{"accounts":[]}'
        FROM imports WHERE is_preview = 1;
      INSERT INTO import_preview_blocks SELECT book_id, import_id, 0, CAST('ab' AS BLOB) FROM import_previews;
      INSERT INTO import_preview_entries SELECT book_id, import_id, 0, 'd', '[{"payee":"ü"}]', '[[3,"eur"]]'
        FROM import_previews;
      INSERT INTO import_preview_rows SELECT book_id, import_id, 0, 'doubtful', 0, 1, 7, '{"payee":"ü"}'
        FROM import_previews;
      INSERT INTO import_forms SELECT book_id, min(id), 8, 'ü', '2024-02-29', -9007199254740991, '\\N', 'x', 1
        FROM transactions GROUP BY book_id;
      INSERT INTO transfers (book_id, sent_id, received_id, found_by, created_at)
        SELECT book_id, min(id), max(id), 'user', '${nowIso}' FROM transactions GROUP BY book_id;
      INSERT INTO account_numbers (book_id, manual_account_id, number_hash)
        SELECT book_id, min(id), 'ü' FROM manual_accounts GROUP BY book_id;
      INSERT INTO balance_anchors (book_id, manual_account_id, day, source, balance, currency, ahead, set_at)
        SELECT book_id, min(id), '2024-02-29', 'statement', -9007199254740991, 'eur', 1, '${nowIso}'
        FROM manual_accounts GROUP BY book_id;
      INSERT INTO import_origins
        SELECT book_id, min(id), 1, NULL, '2024-02-29', -9007199254740991, 'eur', '\\N', 'x', NULL, 1, 1
        FROM transactions GROUP BY book_id;
      INSERT INTO import_settings SELECT id, 'ü', 'csv', '{"map":{"date":"ü"}}', '${nowIso}' FROM books;
      INSERT INTO recorded_months SELECT id, '2025-12' FROM books;
      INSERT INTO rules (book_id, position, name, conditions, actions, stop, created_at, updated_at)
        SELECT id, 1, 'ü', '{"payee":{"operator":"is","value":"ü"}}', '{"reviewed":true}', 1, '${nowIso}', '${nowIso}'
        FROM books;
      INSERT INTO idempotency_keys SELECT id, 1, 'createTag', 'ü', 'f', NULL, 201, '{"name":"\\n"}', 9 FROM books;
      INSERT INTO idempotency_keys SELECT id, 1, 'createTag', 'k', 'f', 'c', NULL, NULL, 9 FROM books;
      INSERT INTO budgets SELECT book_id, min(id), '2024-03-01', 9007199254740991, 'eur', -1, char(10) || 'ü'
        FROM categories GROUP BY book_id;
      INSERT INTO category_settings SELECT book_id, min(id), 1, 'ü', '#00ff7f' FROM categories GROUP BY book_id;
      INSERT INTO budget_settings SELECT id, 1, 'twice a month', 2, '2024-02-29', 0, 1, 'max', 1 FROM books;
      INSERT INTO book_settings SELECT id, 1, primary_currency, 'usd' FROM books;
      INSERT INTO exchange_rates VALUES ('usd', '1999-01-04', '1.1789', 'file', '${nowIso}');
      INSERT INTO rerates VALUES ('books', '1999-01-04', 1, 9007199254740991);
      INSERT INTO crypto_manual_accounts (book_id, name, symbol, coingecko_id, quantity, to_base, price_as_of,
          balance_as_of, created_by_name, created_at, updated_at)
        SELECT id, 'ü', 'btc', 'bitcoin', '-0.000000000000000001', -9007199254740991, '${nowIso}', '${nowIso}', 'ü',
          '${nowIso}', '${nowIso}' FROM books;
      INSERT INTO cryptocurrencies (coingecko_id, symbol, full_name, created_at)
        VALUES ('a', '$', 'ü', '${nowIso}');
      INSERT INTO cryptocurrency_prices VALUES ('bitcoin', 'usd', '12e-9', '${nowIso}');
      INSERT INTO sessions (secret_hash, user_id, book_id, method, user_agent, database_id, created_at, seen_at,
          ends_at)
        SELECT randomblob(32), user_id, id, 'passkey', 'ü', 'd', '${nowIso}', '${nowIso}', '${nowIso}' FROM books;
      INSERT INTO sign_in_links (secret_hash, user_id, book_id, database_id, created_at, expires_at)
        SELECT randomblob(32), user_id, id, 'd', '${nowIso}', '${nowIso}' FROM books;
      INSERT INTO passwords SELECT id, '$scrypt$ü', '${nowIso}' FROM users;
      INSERT INTO passkeys (user_id, name, credential_id, public_key, counter, transports, host, created_at)
        SELECT id, 'ü', randomblob(16), x'00ff', 4294967295, '["usb"]', 'localhost', '${nowIso}' FROM users;
      INSERT INTO passkey_challenges (challenge, user_id, expires_at)
        SELECT randomblob(32), id, '${nowIso}' FROM users;
      INSERT INTO passkey_challenges (challenge, expires_at) VALUES (randomblob(32), '${nowIso}');
      INSERT INTO sign_in_failures (subject, failures, blocked_until_ms, forgotten_at)
        VALUES (randomblob(32), 11, 9007199254740991, '${nowIso}');
      INSERT INTO job_runs VALUES ('rates', '${nowIso}');
      INSERT OR REPLACE INTO leases VALUES ('rates', 'a node', 1, 1);
      INSERT INTO connections (book_id, provider, status, name, sealed_credentials, created_by_name, created_at,
          updated_at, last_read, problems)
        SELECT id, 'simplefin', 'error', 'ü', x'00ff', '\\N', '${nowIso}', '${nowIso}', NULL, 'a' || char(10) || 'b'
        FROM books;
      INSERT INTO webhooks (book_id, url, description, records, kinds, sealed_secret, sealed_old_secret,
          old_secret_until_ms, disabled_reason, disabled_at, database_id, cursor_version, cursor_place, cursor_id,
          failures, failing_since_ms, delivered_at, created_by, created_at, updated_at)
        SELECT id, 'https://ü', 'a' || char(10), '["tags"]', '["made"]', x'00ff', x'ff00', 9007199254740991,
          'failing', '${nowIso}', 'd', 9, 1, 7, 3, 9007199254740991, '${nowIso}', '\\N', '${nowIso}', '${nowIso}'
        FROM books;
      INSERT INTO webhook_attempts SELECT book_id, id, 1, 'event', 'm', '${nowIso}', 9, 503, 'ü', 2, 9, 1, 7
        FROM webhooks;
      INSERT INTO sync_requests SELECT id, 9007199254740991, '2024-02-29', NULL, NULL, 1 FROM books;
      UPDATE sqlite_sequence SET seq = seq + 1000 WHERE name = 'access_tokens';
      UPDATE id_sequences SET next_id = next_id + 12345;
      CREATE TABLE _replica (seq INTEGER); INSERT INTO _replica VALUES (1)`);
    addRecords(database);
  } finally {
    database.close();
  }
}

/** Adds a record of each book to the tables that have none, with values that their descriptions allow. */
function addRecords(database: Database.Database): void {
  for (const { name, columns } of bookTables) {
    if (database.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined) continue;
    const needed = Object.entries(columns).filter(([, { isOptional }]) => !isOptional);
    const names = needed.map(([column]) => column).join();
    const values = needed.map(([column, each]) => (column === 'book_id' ? 'id' : valueOf(each)));
    database.exec(`INSERT INTO ${name} (${names}) SELECT ${values.join()} FROM books`);
  }
}

const examples = {
  amount: 1,
  currency: 'usd',
  day: '2024-02-29',
  month: '2024-02',
  json: '{}',
  quantity: '1',
};

/** SQL text of a value for a column. */
function valueOf({ type, holds, references, words }: Column): string {
  if (references !== undefined)
    return `(SELECT min(id) FROM ${references} r WHERE r.book_id = books.id)`;
  if (type === 'bytes') return "x'00ff'";
  const text = words?.[0] ?? (holds === undefined ? nowIso : String(examples[holds]));
  return type === 'text' ? `'${text}'` : '1';
}
