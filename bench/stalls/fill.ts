import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import sql from 'sql-template-tag';
import { parseDatabase } from '../../packages/server/src/config.ts';
import { openDatabase } from '../../packages/server/src/database.ts';
import { rows as rowsOf, type Engine, type Steps } from '../../packages/server/src/db/engine.ts';
import { followAll } from '../../packages/server/src/db/follow-search.ts';
import type { DemoBook } from '../../packages/server/src/demo/book/demo-book.ts';
import { makeDemoBook } from '../../packages/server/src/demo/book/make-demo-book.ts';
import { fillDemo } from '../../packages/server/src/demo/fill.ts';
import { importRows, makeBook, makeToken } from '../measure/workspace.ts';

/** A user with a demo book, and the records of it that requests name. */
export interface BookUser {
  readonly token: string;
  readonly rows: number;
  /** The manual accounts by their transactions, the one with most first. */
  readonly accounts: readonly number[];
  /** The categories with most transactions, the largest first. */
  readonly categories: readonly number[];
  readonly tags: readonly number[];
}

/** A filled database. */
export interface FilledBooks {
  /** The owner of the large book. */
  readonly owner: BookUser;
  /** Nine users with a twentieth of its rows each, for the mix. */
  readonly others: readonly BookUser[];
  /** The token of a user whose small book the probes read and write. */
  readonly probe: string;
  /** The address of a user who will be removed, with a tenth of the rows. */
  readonly removed: string;
}

const probedRows = 1000;
const otherUsers = 9;

/** Fills a new database. A file of SQLite has the result in a second file, and is not filled again. */
export async function fillBooks(url: string, rows: number): Promise<FilledBooks> {
  const known = url.startsWith('sqlite:') ? `${url.slice('sqlite:'.length)}.json` : null;
  if (known !== null && existsSync(known))
    return JSON.parse(readFileSync(known, 'utf8')) as FilledBooks;
  const engine = await openDatabase(parseDatabase(url));
  const small = demoOf(rows / 20);
  const filled: FilledBooks = {
    owner: await fillUser(engine, 'owner', demoOf(rows)),
    others: await eachInTurn(otherUsers, (at) => fillUser(engine, `user-${at}`, small)),
    probe: await probedBook(engine),
    removed: emailOf('removed'),
  };
  await fillUser(engine, 'removed', demoOf(rows / 10));
  await engine.close();
  if (known !== null) writeFileSync(known, JSON.stringify(filled));
  return filled;
}

async function probedBook(engine: Engine): Promise<string> {
  const book = await makeBook(engine, emailOf('probe'));
  await importRows(engine, book, probedRows);
  return makeToken(engine, book);
}

function emailOf(name: string): string {
  return `${name}@example.com`;
}

async function eachInTurn<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let at = 0; at < count; at += 1) made.push(await make(at));
  return made;
}

const places = ['Harbour', 'Ridge', 'Linden', 'Quarry', 'Mill', 'Orchard', 'Station', 'Castle'];

/** A demo book in which nine of ten transactions have a note that no other has. */
function demoOf(rows: number): DemoBook {
  const demo = makeDemoBook({ transactions: Math.max(100, Math.floor(rows)) });
  const transactions = demo.transactions.map((each, at) => {
    const word = (at * 2_654_435_761) % 4_294_967_296;
    const notes = `Order ${at} at ${places[at % places.length]} Street ${word.toString(36)}`;
    return at % 10 === 0 ? each : { ...each, notes };
  });
  return { ...demo, transactions };
}

async function fillUser(engine: Engine, name: string, demo: DemoBook): Promise<BookUser> {
  const book = await makeBook(engine, emailOf(name));
  await fillDemo(engine, book.id, demo);
  // The job of the server would do it while requests are measured.
  await followAll(engine, book.id);
  const token = await makeToken(engine, book);
  const known = await engine.read(() => recordsOf(book.id));
  return { token, rows: demo.transactions.length, ...known };
}

function* recordsOf(bookId: number): Steps<Pick<BookUser, 'accounts' | 'categories' | 'tags'>> {
  const ids = (found: readonly { readonly id: number }[]): number[] => found.map(({ id }) => id);
  return {
    accounts: ids(
      yield* rowsOf<{ id: number }>(sql`SELECT manual_account_id AS id FROM transactions
        WHERE book_id = ${bookId} AND manual_account_id IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1`),
    ),
    categories: ids(
      yield* rowsOf<{ id: number }>(sql`SELECT category_id AS id FROM transactions
        WHERE book_id = ${bookId} AND category_id IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1`),
    ),
    tags: ids(
      yield* rowsOf<{ id: number }>(sql`SELECT id FROM tags WHERE book_id = ${bookId} ORDER BY id`),
    ),
  };
}
