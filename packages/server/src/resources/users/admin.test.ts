import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql, { raw } from 'sql-template-tag';
import { takeLease } from '../../changes/leases.ts';
import { rows } from '../../db/engine.ts';
import type { Engine } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { budgetSettings, connections, deletedAccounts, leases } from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { fillDemo } from '../../demo/fill.ts';
import { makeDemoBook } from '../../demo/make-demo-book.ts';
import { requestSync } from '../connections/actions.ts';
import { saveReading, findAccount, leaseName, linkCryptoAccount } from '../crypto/actions.ts';
import { changing } from '../../changes/changing.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import * as users from './actions.ts';
import * as admin from './admin.ts';
import type { Book } from './identity.ts';
import { newBook } from './testing/new-book.ts';

const readAtIso = '2026-01-02T00:00:00.000Z';
const catalogs = {
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

for (const { name, skip, open } of usualEngines) {
  describe(`the administration of users and books on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    const addBook = (userId: number, bookName: string) =>
      engine.write(() => admin.createBook({ userId, name: bookName, primaryCurrency: 'usd' }));
    const namesOf = async (userId: number) =>
      (await engine.read(() => admin.booksOf(userId))).map((book) => book.name);
    const remove = (book: Book) => engine.write(() => admin.removeBook(book.id));
    const leasesOf = async () =>
      (await engine.read(() => select(leases, {}))).map((lease) => lease.name);

    /** Every row of a book, in every table that has rows of books. */
    const rowsOf = (bookId: number): Promise<Map<string, string[]>> =>
      engine.read(function* () {
        const found = new Map<string, string[]>();
        for (const table of yield* rows<{ name: string }>(catalogs[name])) {
          const all = yield* rows(sql`SELECT * FROM ${raw(table.name)} WHERE book_id = ${bookId}`);
          found.set(table.name, all.map((row) => JSON.stringify(row)).toSorted());
        }
        return found;
      });
    const sizes = async (bookId: number) =>
      [...(await rowsOf(bookId))].map(([table, all]) => [table, all.length > 0] as const);

    it('finds a user by the address in any letter case, and lists all with the number of their books', async () => {
      const { userId } = await newBook(engine);
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
      const { id, userId } = await newBook(engine);
      const second = await addBook(userId, 'Second');
      assert.deepEqual(
        { ...second, id: 0 },
        { id: 0, userId, name: 'Second', primaryCurrency: 'usd', version: 1 },
      );
      const taken = { details: [{ errMsg: 'The user already has a book "Book"' }] };
      await assert.rejects(addBook(userId, ' bOOK '), taken);
      const rename = (bookId: number, to: string) =>
        engine.write(() => admin.renameBook(bookId, to));
      await assert.rejects(rename(second.id, 'book'), taken);
      await rename(id, 'BOOK');
      await rename(second.id, 'Third');
      assert.deepEqual(await namesOf(userId), ['BOOK', 'Third']);
      await addBook((await newBook(engine)).userId, 'Third');
    });

    it('removes a book with every row of it in every table, and nothing else', async () => {
      const book = await newBook(engine);
      const other = await addBook(book.userId, 'Other');
      for (const each of [book, other]) await fillBook(engine, each);
      const filled = await sizes(book.id);
      assert.ok(filled.length > 10);
      assert.deepEqual(
        filled.filter(([, isFilled]) => !isFilled),
        [],
      );
      const contents = await engine.read(() => admin.contentsOf(book.id));
      assert.deepEqual(contents, { transactions: 100, tokens: 1 });
      const [kept, held] = [await rowsOf(other.id), await leasesOf()];
      await remove(book);
      assert.deepEqual(
        (await sizes(book.id)).filter(([, isFilled]) => isFilled),
        [],
      );
      assert.deepEqual(await namesOf(book.userId), ['Other']);
      assert.deepEqual(await rowsOf(other.id), kept);
      const gone = held.filter((lease) => lease.startsWith(`crypto ${book.id}/`));
      assert.equal(gone.length, 1);
      assert.deepEqual(
        await leasesOf(),
        held.filter((lease) => !gone.includes(lease)),
      );
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    });

    it('keeps the only book of a user', async () => {
      const first = await newBook(engine);
      const second = await addBook(first.userId, 'Second');
      await remove(first);
      const last = { details: [{ errMsg: 'The only book of a user cannot be removed' }] };
      await assert.rejects(remove(second), last);
      assert.deepEqual(await namesOf(first.userId), ['Second']);
    });

    it('keeps one book when all are removed at once', async () => {
      const first = await newBook(engine);
      const all = [first, await addBook(first.userId, '2'), await addBook(first.userId, '3')];
      const outcomes = await Promise.allSettled(all.map(remove));
      assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 1);
      assert.equal((await namesOf(first.userId)).length, 1);
    });

    it('removes a user with all books, and the tokens open nothing', async () => {
      const book = await newBook(engine);
      const second = await addBook(book.userId, 'Second');
      const stays = await newBook(engine);
      for (const each of [book, second, stays]) await fillBook(engine, each);
      const kept = await rowsOf(stays.id);
      const hash = new Uint8Array(32).fill(tokens - 1);
      assert.notEqual(await engine.read(() => users.authenticate(hash)), null);
      await engine.write(() => admin.removeUser(book.userId));
      for (const { id } of [book, second])
        assert.ok((await sizes(id)).every(([, isFilled]) => !isFilled));
      assert.deepEqual(await namesOf(book.userId), []);
      assert.equal(await engine.read(() => users.authenticate(hash)), null);
      const ids = (await engine.read(admin.listUsers)).map(({ id }) => id);
      assert.deepEqual([ids.includes(book.userId), ids.includes(stays.userId)], [false, true]);
      assert.deepEqual(await rowsOf(stays.id), kept);
    });

    it('removes a user whole or not at all', async () => {
      const book = await newBook(engine);
      const second = await addBook(book.userId, 'Second');
      for (const each of [book, second]) await fillBook(engine, each);
      const kept = [await rowsOf(book.id), await rowsOf(second.id), await leasesOf()];
      const failing = engine.write(function* () {
        yield* admin.removeUser(book.userId);
        throw new Error('The disk is full');
      });
      await assert.rejects(failing, { message: 'The disk is full' });
      assert.deepEqual([await rowsOf(book.id), await rowsOf(second.id), await leasesOf()], kept);
    });
  });
}
