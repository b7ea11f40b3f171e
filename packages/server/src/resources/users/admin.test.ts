import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import sql, { raw, type Sql } from 'sql-template-tag';
import { takeLease } from '../../changes/leases.ts';
import { rows } from '../../db/engine.ts';
import type { Engine } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { budgetSettings, connections, deletedAccounts, leases } from '../../db/tables.ts';
import { fillDemo } from '../../demo/fill.ts';
import { makeDemoBook } from '../../demo/make-demo-book.ts';
import { requestSync } from '../connections/actions.ts';
import { saveReading, findAccount, leaseName, linkCryptoAccount } from '../crypto/actions.ts';
import { changing } from '../../changes/changing.ts';
import { onEngines } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import type { Problem } from '../../wire/problem.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import * as users from './actions.ts';
import * as admin from './admin.ts';
import type { Book } from './identity.ts';

const readAtIso = '2026-01-02T00:00:00.000Z';
const catalogs: Readonly<Record<string, Sql>> = {
  SQLite: sql`SELECT m.name AS name FROM sqlite_schema m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.name = 'book_id' ORDER BY m.name`,
  PostgreSQL: sql`SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'book_id' ORDER BY table_name`,
};

let tokens = 0;

/** Creates a book of the user with a row in every table. */
async function fillBook(engine: Engine, { id: bookId, userId }: Book): Promise<void> {
  await fillDemo(engine, bookId, makeDemoBook({ transactions: 100 }));
  const hash = new Uint8Array(32).fill((tokens += 1));
  const token = { userId, bookId, hash, label: null, expiresAt: null };
  await engine.write(() => users.createToken(token));
  const accountId = await linkCryptoAccount(engine, bookId, {
    ...{ provider: 'ethereum', displayName: null, sealedCredentials: Uint8Array.of(1) },
  });
  const balance = { symbol: 'btc', name: 'BTC', quantity: `1.${'0'.repeat(18)}` };
  const worth = { coingeckoId: null, toBase: null, priceAsOfIso: null };
  await engine.write(function* () {
    yield* changing({ bookId, actor: 'test', operation: 'fill' }, function* (change) {
      const account = (yield* findAccount(bookId, accountId))!;
      yield* saveReading(change, account, { readAtIso, balances: [{ ...balance, ...worth }] });
      yield* change.insert(budgetSettings, {
        ...{ number: 1, granularity: 'month', quantity: 1, anchor_date: '2026-01-01' },
        ...{ hide_no_activity: false, use_last_day_of_month: false, income_option: 'max' },
        rollover_left_to_budget: false,
      });
      yield* change.insert(deletedAccounts, { name: 'Former' });
      yield* change.insert(connections, {
        ...{ provider: 'simplefin', status: 'active', name: 'Bank', created_by_name: 'Ada' },
        sealed_credentials: Uint8Array.of(1),
      });
    });
    yield* requestSync(bookId, { range: null, accountId: null });
    yield sql`INSERT INTO recorded_months (book_id, month) VALUES (${bookId}, '2026-01')`;
    yield sql`INSERT INTO idempotency_keys
        (book_id, token_id, operation, request_key, fingerprint, claim, expires_at_ms)
      VALUES (${bookId}, ${tokens}, 'createTag', 'k', 'f', 'c', 1)`;
    yield* takeLease(leaseName(bookId, accountId), 'a node', 1000);
    yield sql`INSERT INTO transaction_files (book_id, transaction_id, uploaded_by, name, type, size, created_at)
      SELECT book_id, min(id), 1, 'r.pdf', 'application/pdf', 1, ${readAtIso} FROM transactions
      WHERE book_id = ${bookId} GROUP BY book_id`;
    yield sql`INSERT INTO imports (book_id, at, actor) VALUES (${bookId}, ${readAtIso}, 'command')`;
    yield sql`INSERT INTO import_forms (book_id, transaction_id, version, date, amount, payee, is_pending)
      SELECT book_id, min(id), 1, '2024-01-01', 1, 'P', 0 FROM transactions
      WHERE book_id = ${bookId} GROUP BY book_id`;
    yield sql`INSERT INTO account_numbers (book_id, manual_account_id, number_hash)
      SELECT book_id, min(id), 'h' FROM manual_accounts WHERE book_id = ${bookId} GROUP BY book_id`;
    yield sql`INSERT INTO import_settings (book_id, shape, format, settings, updated_at)
      VALUES (${bookId}, 's', 'csv', '{}', ${readAtIso})`;
    yield sql`INSERT INTO sessions (secret_hash, user_id, book_id, method, database_id, created_at, seen_at, ends_at)
      VALUES (${hash}, ${userId}, ${bookId}, 'link', 'd', ${readAtIso}, ${readAtIso}, ${readAtIso})`;
    yield sql`INSERT INTO sign_in_links (secret_hash, user_id, book_id, database_id, created_at, expires_at)
      VALUES (${hash}, ${userId}, ${bookId}, 'd', ${readAtIso}, ${readAtIso})`;
    yield sql`INSERT INTO webhooks (book_id, url, sealed_secret, database_id, cursor_version, cursor_place, cursor_id,
        created_by, created_at, updated_at)
      VALUES (${bookId}, 'u', ${Buffer.of(1)}, 'd', 1, 0, 0, 'command', ${readAtIso}, ${readAtIso})`;
    yield sql`INSERT INTO webhook_attempts (book_id, webhook_id, number, kind, message_id, at, duration_ms, changes)
      SELECT book_id, id, 1, 'ping', 'm', ${readAtIso}, 1, 0 FROM webhooks WHERE book_id = ${bookId}`;
    yield sql`INSERT INTO import_previews (book_id, import_id, status, expires_at_ms, worker_until_ms, bytes, options)
      SELECT book_id, id, 'ready', 1, 0, 1, '{}' FROM imports WHERE book_id = ${bookId}`;
    yield sql`INSERT INTO import_preview_blocks (book_id, import_id, place, content)
      SELECT book_id, import_id, 0, ${Buffer.of(1)} FROM import_previews WHERE book_id = ${bookId}`;
    yield sql`INSERT INTO import_preview_rows (book_id, import_id, place, verdict, nth, content)
      SELECT book_id, import_id, 0, 'new', 0, '{}' FROM import_previews WHERE book_id = ${bookId}`;
  });
}

onEngines('the administration of users and books', (open, engineName) => {
  let engine: Engine;
  before(async () => {
    ({ engine } = await open());
  });

  const addBook = (userId: number, name: string) =>
    engine.write(() => admin.createBook({ userId, name, primaryCurrency: 'usd' }));
  const namesOf = async (userId: number) =>
    pick(await engine.read(() => admin.booksOf(userId)), 'name');
  const remove = (book: Book) => engine.write(() => admin.removeBook(book.id));
  const leasesOf = async () => pick(await engine.read(() => select(leases, {})), 'name');
  /** A user with two books, which have a row in every table. */
  const filledBooks = async () => {
    const { book } = await open();
    const second = await addBook(book.userId, 'Second');
    for (const each of [book, second]) await fillBook(engine, each);
    return [book, second] as const;
  };
  /** Every row of a book, in every table that has rows of books. */
  const rowsOf = (bookId: number): Promise<Map<string, string[]>> =>
    engine.read(function* () {
      const found = new Map<string, string[]>();
      for (const { name } of yield* rows<{ name: string }>(catalogs[engineName]!)) {
        const all = yield* rows(sql`SELECT * FROM ${raw(name)} WHERE book_id = ${bookId}`);
        found.set(name, all.map((row) => JSON.stringify(row)).toSorted());
      }
      return found;
    });
  /** The tables that have rows of a book, or have none. */
  const tablesOf = async (bookId: number, isFilled: boolean) =>
    [...(await rowsOf(bookId))]
      .filter(([, all]) => all.length > 0 === isFilled)
      .map(([table]) => table);

  it('finds a user by the address in any letter case, and lists all with the number of their books', async () => {
    const { userId } = (await open()).book;
    await addBook(userId, 'Second');
    const users = await engine.read(admin.listUsers);
    const { email, createdAt, ...user } = users.at(-1)!;
    assert.deepEqual(user, { id: userId, name: 'Someone', books: 2 });
    assert.match(createdAt, /^\d{4}-.*Z$/);
    const found = await engine.read(() => admin.findUser(email.toUpperCase()));
    assert.deepEqual(found, { id: userId, email, name: 'Someone' });
    assert.equal(await engine.read(() => admin.findUser('nobody@example.com')), null);
  });

  it('creates and renames books, each with a name that no other book of the user has', async () => {
    const { id, userId } = (await open()).book;
    const { id: second, ...made } = await addBook(userId, 'Second');
    assert.deepEqual(made, { userId, name: 'Second', primaryCurrency: 'usd', version: 1 });
    const taken = { details: [{ errMsg: 'The user already has a book "Book"' }] };
    await assert.rejects(addBook(userId, ' bOOK '), taken);
    const rename = (bookId: number, to: string) => engine.write(() => admin.renameBook(bookId, to));
    await assert.rejects(rename(second, 'book'), taken);
    await rename(id, 'BOOK');
    await rename(second, 'Third');
    assert.deepEqual(await namesOf(userId), ['BOOK', 'Third']);
    await addBook((await open()).book.userId, 'Third');
  });

  it('removes a book with every row of it in every table, and nothing else', async () => {
    const [book, other] = await filledBooks();
    assert.deepEqual(await tablesOf(book.id, false), []);
    assert.ok((await tablesOf(book.id, true)).length > 10);
    const contents = await engine.read(() => admin.contentsOf(book.id));
    assert.deepEqual(contents, { transactions: 100, tokens: 1 });
    const [kept, held] = [await rowsOf(other.id), await leasesOf()];
    await remove(book);
    assert.deepEqual(await tablesOf(book.id, true), []);
    assert.deepEqual(await namesOf(book.userId), ['Second']);
    assert.deepEqual(await rowsOf(other.id), kept);
    const others = held.filter((lease) => !lease.startsWith(`crypto ${book.id}/`));
    assert.equal(others.length, held.length - 1);
    assert.deepEqual(await leasesOf(), others);
    assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
  });

  it('keeps the only book of a user, also when all are removed at once', async () => {
    const { book } = await open();
    const all = [book, await addBook(book.userId, '2'), await addBook(book.userId, '3')];
    const outcomes = await Promise.allSettled(all.map(remove));
    const refused = outcomes.flatMap((each) =>
      each.status === 'rejected' ? [each.reason as Problem] : [],
    );
    const errMsg = 'The only book of a user cannot be removed';
    assert.deepEqual(pick(refused, 'details'), [[{ errMsg }]]);
    assert.equal((await namesOf(book.userId)).length, 1);
  });

  it('removes a user with all books, whole or not at all, and the tokens open nothing', async () => {
    const [book, second] = await filledBooks();
    const hash = new Uint8Array(32).fill(tokens);
    const [stays] = await filledBooks();
    const rowsOfAll = async () => [
      ...[await rowsOf(book.id), await rowsOf(second.id), await rowsOf(stays.id)],
      await leasesOf(),
    ];
    const kept = await rowsOfAll();
    const failing = engine.write(function* () {
      yield* admin.removeUser(book.userId);
      throw new Error('The disk is full');
    });
    await assert.rejects(failing, { message: 'The disk is full' });
    assert.deepEqual(await rowsOfAll(), kept);
    assert.notEqual(await engine.read(() => users.authenticate(hash)), null);
    await engine.write(() => admin.removeUser(book.userId));
    for (const { id } of [book, second]) assert.deepEqual(await tablesOf(id, true), []);
    assert.deepEqual(await namesOf(book.userId), []);
    assert.equal(await engine.read(() => users.authenticate(hash)), null);
    const ids = pick(await engine.read(admin.listUsers), 'id');
    assert.deepEqual([ids.includes(book.userId), ids.includes(stays.userId)], [false, true]);
    assert.deepEqual(await rowsOf(stays.id), kept[2]);
  });
});
