import type BetterSqlite3 from 'better-sqlite3';
import Database from 'better-sqlite3';
import type { Table } from '../../packages/server/src/db/table.ts';
import { books } from '../../packages/server/src/db/tables.ts';
import {
  openDatabase,
  parseDatabase,
  type Book,
  type Engine,
} from '../../packages/server/src/main.ts';
import { idsAtOnce, movedTables } from '../../packages/server/src/maintenance/tables.ts';
import { benchClock, importRows, makeBook, makeToken } from '../measure/workspace.ts';

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

/** The ids of the rows of a book in one table, and how much greater those of the copy are. */
interface Ids {
  readonly first: number;
  readonly last: number;
  readonly shift: number;
}

type IdsByTable = ReadonlyMap<string, Ids>;

/** The tables that columns without a declared reference refer to. */
const referred: Readonly<Record<string, string>> = {
  category_id: 'categories',
  import_id: 'imports',
  manual_account_id: 'manual_accounts',
  plaid_account_id: 'plaid_accounts',
  tag_id: 'tags',
  transaction_id: 'transactions',
};

const tablesOfBook = movedTables.filter(({ columns }) => Object.hasOwn(columns, 'book_id'));

/**
 * Copies an imported book to an empty one, with the rows of every table: they get the ids, and the sequences the
 * values, that an import of the same file would give them. A test compares the whole database with one of imports.
 *
 * Every index begins with the book, so the copies of a table stay in a few pages of each index.
 */
export function copyBook(database: BetterSqlite3.Database, from: number, to: number): void {
  const ids = idsOf(database, from);
  database.transaction(() => {
    for (const table of tablesOfBook) copyRows(database, table, { from, to }, ids);
    const transactions = ids.get('transactions');
    if (transactions !== undefined) reserve(database, transactions);
    const state = Object.keys(books.columns).filter((name) => /version$|^changed_at$/.test(name));
    const own = database.prepare(`
      UPDATE books SET (${state.join(', ')}) = (SELECT ${state.join(', ')} FROM books WHERE id = ?)
      WHERE id = ?`);
    own.run(from, to);
  })();
}

function idsOf(database: BetterSqlite3.Database, bookId: number): IdsByTable {
  const ids = new Map<string, Ids>();
  for (const { name, columns } of tablesOfBook) {
    if (!Object.hasOwn(columns, 'id')) continue;
    const find = database.prepare<[number], { first: number | null; last: number }>(
      `SELECT min(id) AS first, max(id) AS last FROM ${name} WHERE book_id = ?`,
    );
    const { first, last } = find.get(bookId)!;
    if (first !== null) ids.set(name, { first, last, shift: nextId(database, name) - first });
  }
  return ids;
}

function nextId(database: BetterSqlite3.Database, table: string): number {
  const next =
    table === 'transactions'
      ? `SELECT next_id FROM id_sequences WHERE name = 'transactions'`
      : `SELECT max(id) + 1 FROM ${table}`;
  return database.prepare(next).pluck().get() as number;
}

function reserve(database: BetterSqlite3.Database, { first, last }: Ids): void {
  const atOnce = idsAtOnce(tablesOfBook.find(({ name }) => name === 'transactions')!);
  const reserved = Math.ceil((last - first + 1) / atOnce) * atOnce;
  database
    .prepare(`UPDATE id_sequences SET next_id = next_id + ? WHERE name = 'transactions'`)
    .run(reserved);
}

interface Books {
  readonly from: number;
  readonly to: number;
}

function copyRows(
  database: BetterSqlite3.Database,
  table: Table,
  { from, to }: Books,
  ids: IdsByTable,
): void {
  const columns = Object.keys(table.columns);
  const values = columns.map((column) => valueOf(table, column, to, ids));
  const own = ids.get(table.name);
  if (Object.hasOwn(table.columns, 'id') && own === undefined) return;
  // A range of ids is read in their order, and inserts at the end of a table are the fastest.
  const rows =
    own === undefined
      ? `book_id = ${from}`
      : `id BETWEEN ${own.first} AND ${own.last} AND +book_id = ${from} ORDER BY id`;
  database.exec(`
    INSERT INTO ${table.name} (${columns.join(', ')})
    SELECT ${values.join(', ')} FROM ${table.name} WHERE ${rows}`);
}

/** Returns the expression for a column of the copy. Null and 0, which some tables have in its place, stay. */
function valueOf({ name, columns }: Table, column: string, to: number, ids: IdsByTable): string {
  if (column === 'book_id') return String(to);
  if (name === 'changed_records' && /^(first|last)_id$/.test(column)) {
    const shifts = [...ids].map(([record, { shift }]) => `WHEN '${record}' THEN ${shift}`);
    return `${column} + CASE record ${shifts.join(' ')} END`;
  }
  const target = column === 'id' ? name : (columns[column]?.references ?? referred[column]);
  const shift = ids.get(target ?? '')?.shift;
  return shift === undefined ? column : `${column} + ${shift} * (${column} <> 0)`;
}
