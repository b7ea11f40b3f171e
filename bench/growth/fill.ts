import Database from 'better-sqlite3';
import {
  openDatabase,
  parseDatabase,
  type Book,
  type Engine,
} from '../../packages/server/src/main.ts';
import { benchClock, importRows, makeBook, makeToken } from '../measure/workspace.ts';
import { copyBook } from './copy-book.ts';

export const bookCount = 100;
export const sameRows = 1000;

export interface MeasuredBook {
  readonly token: string;
  readonly rows: number;
  readonly categories: ReadonlyMap<number, number>;
  readonly accountId: number;
}

export interface FilledDatabase {
  readonly url: string;
  readonly rows: number;
  readonly same: MeasuredBook;
  readonly growing: MeasuredBook;
}

/**
 * Fills a new SQLite database with `rows` transactions in {@link bookCount} books: one of {@link sameRows}, one with a
 * tenth of all, which also has the remainder of the division, and equal ones. Three books are imported, and the last of
 * them is copied. `rows` is at least 10,000.
 */
export async function fillDatabase(path: string, rows: number): Promise<FilledDatabase> {
  const url = `sqlite:${path}`;
  const equal = bookCount - 2;
  const ofEqual = Math.floor((rows - sameRows - Math.floor(rows / 10)) / equal);
  const ofGrowing = rows - sameRows - equal * ofEqual;
  const engine = await openDatabase(parseDatabase(url), { now: benchClock });
  const made = await makeBooks(engine, bookCount);
  const [same, growing, copied] = made as [Book, Book, Book];
  await importRows(engine, same, sameRows);
  await importRows(engine, growing, ofGrowing);
  await importRows(engine, copied, ofEqual);
  const tokens = [await makeToken(engine, same), await makeToken(engine, growing)] as const;
  await engine.close();
  const database = openForCopies(path);
  try {
    for (const { id } of made.slice(3)) copyBook(database, copied.id, id);
    return {
      ...{ url, rows },
      same: measuredBook(database, same, tokens[0]),
      growing: measuredBook(database, growing, tokens[1]),
    };
  } finally {
    database.close();
  }
}

export function makeBooks(engine: Engine, count: number): Promise<Book[]> {
  return Array.fromAsync({ length: count }, (_, n) =>
    makeBook(engine, `bench-${n + 1}@example.com`),
  );
}

/** Opens a database without protection against a crash: it is thrown away if one happens. */
export function openForCopies(path: string): Database.Database {
  const database = new Database(path);
  const settings = ['journal_mode = OFF', 'synchronous = OFF', 'locking_mode = EXCLUSIVE'];
  // The copied rows were checked when they were imported.
  const unprotected = ['foreign_keys = OFF', 'ignore_check_constraints = ON'];
  for (const pragma of [...settings, ...unprotected, 'cache_size = -262144'])
    database.pragma(pragma);
  return database;
}

function measuredBook(database: Database.Database, { id }: Book, token: string): MeasuredBook {
  const counted = database
    .prepare<[number], { category_id: number; listed: number }>(
      `SELECT category_id, sum(listed) AS listed FROM transaction_sums WHERE book_id = ? GROUP BY 1 ORDER BY 1`,
    )
    .all(id);
  const categories = new Map(counted.map((each) => [each.category_id, each.listed]));
  const rows = [...categories.values()].reduce((sum, each) => sum + each, 0);
  const account = database.prepare('SELECT min(id) FROM manual_accounts WHERE book_id = ?');
  return { token, rows, categories, accountId: account.pluck().get(id) as number };
}
