import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { checkDatabase } from '../../packages/server/src/maintenance/doctor.ts';
import { everyTable } from '../../packages/server/src/maintenance/tables.ts';
import { openDatabase, parseDatabase } from '../../packages/server/src/main.ts';
import type { Book, Engine } from '../../packages/server/src/main.ts';
import { benchEntries } from '../measure/book.ts';
import { benchClock, importRows as importAll } from '../measure/workspace.ts';
import { copyBook, bookCount, fillDatabase, makeBooks, openForCopies } from './fill.ts';

const folder = mkdtempSync(join(tmpdir(), 'coffer-growth-'));
const open = (name: string) =>
  openDatabase(parseDatabase(`sqlite:${join(folder, name)}`), { now: benchClock });

/** Returns every row of every table, generated columns and sequences included, without what is random. */
function whole(name: string): Record<string, unknown[]> {
  const database = new Database(join(folder, name), { readonly: true });
  const names = everyTable
    .map((table) => table.name)
    .filter((each) => each !== 'database_identity');
  const read = (table: string) => database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all();
  const rows = Object.fromEntries(
    [...names, 'id_sequences', 'sqlite_sequence'].map((table) => [table, read(table)]),
  );
  database.close();
  return rows;
}

async function importRows(engine: Engine, book: Book, rows: number): Promise<void> {
  const entries = Array.from(benchEntries(rows), (entry, at) => ({
    ...entry,
    category: at % 7 === 0 ? null : entry.category,
    account: at % 11 === 0 ? null : entry.account,
  }));
  await importAll(engine, book, entries);
}

async function problemsOf(name: string): Promise<unknown[]> {
  const engine = await open(name);
  const findings = await checkDatabase(engine, { repair: false });
  await engine.close();
  return findings;
}

describe('a copied book', () => {
  after(() => rmSync(folder, { recursive: true }));

  // Neither a multiple of the ids that an import reserves at once, nor less than them.
  const rows = [1200, 700];

  it('is what an import of the same file would be, in every table', async () => {
    const [imported, copied] = [await open('imported.db'), await open('copied.db')];
    const books = await makeBooks(imported, 4);
    await importRows(imported, books[0]!, rows[0]!);
    for (const book of books.slice(1)) await importRows(imported, book, rows[1]!);
    await imported.close();
    await makeBooks(copied, 4);
    await importRows(copied, books[0]!, rows[0]!);
    await importRows(copied, books[1]!, rows[1]!);
    await copied.close();
    const database = openForCopies(join(folder, 'copied.db'));
    copyBook(database, 2, 3);
    copyBook(database, 2, 4);
    database.close();
    assert.deepEqual(whole('copied.db'), whole('imported.db'));
    assert.deepEqual(await problemsOf('copied.db'), []);
  });

  it('is one of a hundred in a filled database, which has exactly the requested rows', async () => {
    const filled = await fillDatabase(join(folder, 'filled.db'), 12_345);
    const { transactions = [], transaction_counts: counts = [] } = whole('filled.db');
    assert.equal(transactions.length, 12_345);
    assert.equal(filled.same.rows, 1000);
    assert.ok(filled.growing.rows >= 1234 && filled.growing.rows < 1234 + bookCount);
    const books = new Set((counts as { book_id: number }[]).map(({ book_id }) => book_id));
    assert.equal(books.size, bookCount);
    assert.deepEqual(await problemsOf('filled.db'), []);
  });
});
