import type Database from 'better-sqlite3';
import type { Engine } from '../../packages/server/src/main.ts';
import { listTransactions } from '../../packages/server/src/pages/pages.ts';
import { RememberedKeys } from '../../packages/server/src/pages/remembered-keys.ts';
import { readFile } from '../run/ledger.ts';

/** Plain rows only: parents, parts and members would need each other. */
const plain = `is_split_parent = 0 AND split_parent_id IS NULL AND is_group_parent = 0
  AND group_parent_id IS NULL AND tag_ids = '[]' AND is_pending = 0`;

/**
 * Copies rows in a database of any schema until it has about `rowCount`. The database stays consistent: the counts of
 * days and months are correct, and ids continue.
 */
export function growDatabase(path: string, rowCount: number): void {
  readFile(path, (database) => {
    database.pragma('synchronous = OFF');
    database.transaction(() => {
      addRows(database, rowCount);
      countAnew(database);
    })();
    database.pragma('journal_mode = WAL');
  });
}

function addRows(database: Database.Database, rowCount: number): void {
  const columns = database
    .prepare<[], string>("SELECT name FROM pragma_table_info('transactions') WHERE name <> 'id'")
    .pluck()
    .all()
    .map((name) => (name === 'external_id' ? 'NULL' : name));
  const names = columns.filter((name) => name !== 'NULL').join(', ');
  const number = (sql: string): number => database.prepare<[], number>(sql).pluck().get() ?? 0;
  const ownRows = number(`SELECT count(*) FROM transactions WHERE ${plain}`);
  const copies = Math.floor(rowCount / ownRows);
  const step = number('SELECT max(id) FROM transactions') + 1;
  database.exec(`
    INSERT INTO transactions (id, ${names})
    WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${copies})
    SELECT id + n * ${step}, ${names} FROM copies CROSS JOIN transactions WHERE ${plain} AND id < ${step};
    UPDATE id_sequences SET next_id = (SELECT max(id) + 1 FROM transactions) WHERE name = 'transactions'`);
}

function countAnew(database: Database.Database): void {
  const count = (granularity: string, length: number): string => `
    INSERT INTO transaction_counts (book_id, granularity, period, listed)
    SELECT book_id, '${granularity}', substr(date, 1, ${length}), count(*) FROM transactions
    WHERE listed = 1 GROUP BY 1, 3;`;
  // The tables of search and of hidden rows, which older schemas do not have, are filled later.
  const columns = database
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?)')
    .pluck();
  for (const version of ['derived_version', 'hidden_counts_version'])
    if (columns.all('books').includes(version)) database.exec(`UPDATE books SET ${version} = 0`);
  database.exec(`DELETE FROM transaction_counts; ${count('month', 7)} ${count('day', 10)}`);
}

const limit = 1000;
const withoutFilters = {
  include_pending: false,
  include_split_parents: false,
  include_group_children: false,
  include_children: false,
  include_metadata: false,
  include_files: false,
};

type Row = Readonly<Record<string, unknown>>;

/** Returns the rows of a plain list by book, in their total order, read from the file without the service. */
export function listedRows(path: string): Map<number, readonly string[]> {
  const listed = 'SELECT json FROM transactions WHERE book_id = ? AND listed = 1';
  return readFile(path, (database) => {
    const books = database.prepare<[], number>('SELECT id FROM books ORDER BY id').pluck().all();
    const rows = database.prepare<[number], string>(`${listed} ORDER BY date DESC, id DESC`);
    return new Map(books.map((book) => [book, rows.pluck().all(book)]));
  });
}

/**
 * Walks the list of a book page by page and returns where it differs from those rows. A row may have additional keys,
 * which a newer program may add.
 */
export async function pagesOf(
  store: Engine,
  bookId: number,
  rows: readonly string[],
): Promise<string[]> {
  const problems: string[] = [];
  const remembered = new RememberedKeys(10);
  let hasMore = true;
  for (let offset = 0; hasMore; offset += limit) {
    const query = { ...withoutFilters, limit, offset };
    const page = await store.read(() => listTransactions(bookId, query, remembered));
    const found = JSON.parse(`[${page.json.toString()}]`) as Row[];
    const expected = rows.slice(offset, offset + limit).map((text) => JSON.parse(text) as Row);
    hasMore = page.hasMore && offset < rows.length;
    if (found.length !== expected.length || found.some((row, n) => !hasAll(row, expected[n]!)))
      problems.push(`the page at ${offset} of book ${bookId} differs`);
    if (page.hasMore !== offset + limit < rows.length)
      problems.push(`has_more at ${offset} of book ${bookId} is ${page.hasMore}`);
  }
  return problems;
}

function hasAll(found: Row, expected: Row): boolean {
  return Object.entries(expected).every(
    ([key, value]) => JSON.stringify(found[key]) === JSON.stringify(value),
  );
}
