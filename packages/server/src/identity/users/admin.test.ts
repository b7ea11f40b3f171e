import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, it } from 'node:test';
import sql, { raw, type Sql } from 'sql-template-tag';
import { authenticate } from './testing/authenticate.ts';
import { takeLease } from '../../book/leases.ts';
import { rows, type Engine } from '../../db/engine.ts';
import { openPostgres } from '../../db/postgres/postgres.ts';
import { select } from '../../db/rows.ts';
import { openSqlite } from '../../db/sqlite/sqlite.ts';
import { leases } from '../../db/tables/tables.ts';
import { newPostgresUrl } from '../../db/testing/engines.ts';
import { makeFullDatabase } from '../../db/testing/full-database.ts';
import { makeDemoBook } from '../../demo/book/make-demo-book.ts';
import { onEngines } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { move } from '../../maintenance/move/move.ts';
import { detachUser, removeBook, removeUser } from '../../maintenance/user-removal.ts';
import type { Book } from '../../operations/caller.ts';
import type { Problem } from '../../operations/problem.ts';
import { leaseName } from '../../sync/crypto/actions.ts';
import * as users from './actions.ts';
import { contentsOf, createBook, findUser, listUsers, renameBook } from './actions.ts';

const catalogs: Readonly<Record<string, Sql>> = {
  SQLite: sql`SELECT m.name AS name FROM sqlite_schema m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.name = 'book_id' ORDER BY m.name`,
  PostgreSQL: sql`SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'book_id' ORDER BY table_name`,
};
const folder = mkdtempSync(join(tmpdir(), 'coffer-admin-'));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

async function openFull(engineName: string): Promise<Engine> {
  const path = join(folder, `${(files += 1)}.db`);
  await makeFullDatabase(path, makeDemoBook({ transactions: 100 }));
  if (engineName === 'SQLite') return openSqlite({ path, busyTimeoutMs: 0 });
  const url = await newPostgresUrl('empty');
  await move({ engine: 'sqlite', path }, { engine: 'postgres', url });
  const timeouts = { connectTimeoutMs: 30_000, statementTimeoutMs: 60_000 };
  return openPostgres({ url, poolSize: 2, maxWaiting: 9, ...timeouts });
}

onEngines('the administration of users and books', (open) => {
  let engine: Engine;
  before(async () => {
    ({ engine } = await open());
  });

  const addBook = (userId: number, name: string) =>
    engine.write(() => createBook({ userId, name, primaryCurrency: 'usd' }));
  const namesOf = async (userId: number) =>
    pick(await engine.read(() => users.booksOf(userId)), 'name');
  it('finds a user by the address in any letter case, and lists all with the number of their books', async () => {
    const { userId } = (await open()).book;
    await addBook(userId, 'Second');
    const users = await engine.read(listUsers);
    const { email, created_at, ...user } = users.at(-1)!;
    assert.deepEqual(user, { id: userId, name: 'Someone', books: 2 });
    assert.match(created_at, /^\d{4}-.*Z$/);
    const found = await engine.read(() => findUser(email.toUpperCase()));
    assert.deepEqual(found, { id: userId, email, name: 'Someone' });
    assert.equal(await engine.read(() => findUser('nobody@example.com')), null);
  });

  it('creates and renames books, each with a name that no other book of the user has', async () => {
    const { id, userId } = (await open()).book;
    const { id: second, ...made } = await addBook(userId, 'Second');
    assert.deepEqual(made, { userId, name: 'Second', primaryCurrency: 'usd', version: 1 });
    const taken = { details: [{ errMsg: 'The user already has a book "Book"' }] };
    await assert.rejects(addBook(userId, ' bOOK '), taken);
    const rename = (bookId: number, to: string) => engine.write(() => renameBook(bookId, to));
    await assert.rejects(rename(second, 'book'), taken);
    await rename(id, 'BOOK');
    await rename(second, 'Third');
    assert.deepEqual(await namesOf(userId), ['BOOK', 'Third']);
    await addBook((await open()).book.userId, 'Third');
  });

  it('keeps the only book of a user, also when all are removed at once', async () => {
    const { book } = await open();
    const all = [book, await addBook(book.userId, '2'), await addBook(book.userId, '3')];
    const outcomes = await Promise.allSettled(
      all.map(({ id }) => removeBook(engine, id, { files: null })),
    );
    const refused = outcomes.flatMap((each) =>
      each.status === 'rejected' ? [each.reason as Problem] : [],
    );
    const errMsg = 'The only book of a user cannot be removed';
    assert.deepEqual(pick(refused, 'details'), [[{ errMsg }]]);
    assert.equal((await namesOf(book.userId)).length, 1);
  });
});

onEngines('the removal of what has rows in every table', (_open, engineName) => {
  let engine: Engine;
  let [ada, ben]: Book[] = [];
  beforeEach(async () => {
    engine = await openFull(engineName);
    const booksOf = async (userId: number) => (await engine.read(() => users.booksOf(userId)))[0]!;
    [ada, ben] = [await booksOf(1), await booksOf(2)];
  });
  afterEach(() => engine.close());

  /** Every row of a book, in every table that has rows of books. */
  const rowsOf = ({ id }: Book): Promise<Map<string, string[]>> =>
    engine.read(function* () {
      const found = new Map<string, string[]>();
      for (const { name } of yield* rows<{ name: string }>(catalogs[engineName]!)) {
        const all = yield* rows(sql`SELECT * FROM ${raw(name)} WHERE book_id = ${id}`);
        found.set(name, all.map((row) => JSON.stringify(row)).toSorted());
      }
      return found;
    });
  const tablesOf = async (book: Book, isFilled: boolean) =>
    [...(await rowsOf(book))]
      .filter(([, all]) => all.length > 0 === isFilled)
      .map(([table]) => table);
  const leasesOf = async () => pick(await engine.read(() => select(leases, {})), 'name');

  it('removes a book with every row of it in every table, and nothing else', async () => {
    assert.deepEqual(await tablesOf(ada!, false), []);
    const contents = await engine.read(() => contentsOf(ada!.id));
    assert.deepEqual(contents, { transactions: 100, tokens: 1 });
    const second = { userId: ada!.userId, name: 'Second', primaryCurrency: 'usd' };
    await engine.write(() => createBook(second));
    await engine.write(() => takeLease(leaseName(ada!.id, 1), 'a node', 1000));
    const [kept, held] = [await rowsOf(ben!), await leasesOf()];
    await removeBook(engine, ada!.id, { files: null });
    assert.deepEqual(await tablesOf(ada!, true), []);
    assert.deepEqual(pick(await engine.read(() => users.booksOf(ada!.userId)), 'name'), ['Second']);
    assert.deepEqual(await rowsOf(ben!), kept);
    const others = held.filter((lease) => !lease.startsWith(`crypto ${ada!.id}/`));
    assert.deepEqual([await leasesOf(), others.length], [others, held.length - 1]);
    const found = await checkDatabase(engine, { repair: false });
    assert.ok(!JSON.stringify(found).includes(`book ${ada!.id}`), JSON.stringify(found));
  });

  it('removes a user with all books, whole or not at all, and the tokens open nothing', async () => {
    const hash = new Uint8Array(32).fill(7);
    const token = { userId: ada!.userId, bookId: ada!.id, hash, label: null, expiresAt: null };
    await engine.write(() => users.createToken(token));
    const all = async () => [await rowsOf(ada!), await rowsOf(ben!), await leasesOf()];
    const kept = await all();
    const failing = engine.write(function* () {
      yield* detachUser(ada!.userId);
      throw new Error('The disk is full');
    });
    await assert.rejects(failing, { message: 'The disk is full' });
    assert.deepEqual(await all(), kept);
    assert.notEqual(await engine.read(() => authenticate(hash)), null);
    await removeUser(engine, ada!.userId, { files: null });
    assert.deepEqual(await tablesOf(ada!, true), []);
    assert.equal(await engine.read(() => authenticate(hash)), null);
    assert.deepEqual(pick(await engine.read(listUsers), 'id'), [ben!.userId]);
    assert.deepEqual(await rowsOf(ben!), kept[1]);
  });
});
