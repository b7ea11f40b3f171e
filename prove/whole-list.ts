import Database from 'better-sqlite3';
import type { Store } from '../packages/server/src/main.ts';

const limit = 1000;
/** A list that is asked for nothing in particular. */
const plain = {
  includePending: false,
  includeSplitParents: false,
  includeGroupChildren: false,
  includeChildren: false,
  includeMetadata: false,
  includeFiles: false,
};

/** A transaction on the wire. */
type Row = Readonly<Record<string, unknown>>;

/** The rows that a plain list shows, by book, in their total order, read from the file and not by the service. */
export function listedRows(path: string): Map<number, readonly string[]> {
  const database = new Database(path, { fileMustExist: true });
  try {
    const books = database.prepare<[], number>('SELECT id FROM books ORDER BY id').pluck().all();
    const rows = database
      .prepare<[number], string>(
        'SELECT json FROM transactions WHERE book_id = ? AND listed = 1 ORDER BY date DESC, id DESC',
      )
      .pluck();
    return new Map(books.map((book) => [book, rows.all(book)]));
  } finally {
    database.close();
  }
}

/**
 * Walks the list of a book page by page and says where it is not those rows. A row may have more keys than it had:
 * the newer program may know more of it.
 */
export async function pagesOf(
  store: Store,
  bookId: number,
  rows: readonly string[],
): Promise<string[]> {
  const problems: string[] = [];
  let hasMore = true;
  for (let offset = 0; hasMore; offset += limit) {
    const page = await store.listTransactions(bookId, { ...plain, limit, offset });
    const found = JSON.parse(`[${page.json.toString()}]`) as Row[];
    const expected = rows.slice(offset, offset + limit).map((text) => JSON.parse(text) as Row);
    hasMore = page.hasMore && offset < rows.length;
    if (found.length !== expected.length || found.some((row, n) => !hasAll(row, expected[n]!)))
      problems.push(`the page at ${offset} of book ${bookId} is another one`);
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
