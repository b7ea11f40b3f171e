import { join } from 'node:path';
import sql, { raw } from 'sql-template-tag';
import { row, run, type Engine } from '../../../db/engine.ts';
import { select } from '../../../db/rows.ts';
import { transactionFiles } from '../../../db/tables/tables.ts';
import { newFolder } from '../../../db/testing/folder.ts';
import { makeFullDatabase } from '../../../db/testing/full-database.ts';
import { makeDemoBook } from '../../../demo/book/make-demo-book.ts';
import { newKey } from '../../../files/store.ts';
import { checkDatabase } from '../../../maintenance/doctor.ts';
import { openSqliteDatabase } from '../../../maintenance/open-sqlite.ts';
import { everyTable } from '../../../maintenance/tables.ts';
import { createUser } from '../../../identity/users/actions.ts';
import type { Book } from '../../../operations/caller.ts';
import { importBook, type ImportedBook, type ImportTarget } from '../import-book.ts';
import { archiveBook } from '../write-archive.ts';
import { memoryStore, written } from './archives.ts';

export type Store = ReturnType<typeof memoryStore>;
export const nowMs = Date.parse('2026-11-26T12:00:00.000Z');
const png = Buffer.from('\x89PNG and more', 'latin1');

/** Returns the archive of a book. */
export async function archived(
  engine: Engine,
  files: Store,
  id: number,
  asOf?: string,
): Promise<Buffer> {
  const { pieces } = await archiveBook(engine, id, { files, asOf });
  return Buffer.concat(await Array.fromAsync(pieces));
}

/** Opens a SQLite database with a row in every table, whose files have contents. */
export async function openFull(): Promise<{ engine: Engine; files: Store }> {
  const path = join(newFolder(), 'full.db');
  await makeFullDatabase(path, makeDemoBook({ transactions: 300 }));
  const wait = { busyTimeoutMs: 0, openTimeoutMs: 0 };
  const engine = openSqliteDatabase(path, { occupation: 'command', ...wait });
  const files = memoryStore();
  await engine.write(function* () {
    for (const { id, book_id } of yield* select(transactionFiles, {})) {
      const key = newKey(book_id);
      files.kept.set(key, Buffer.concat([png, Buffer.from(String(id))]));
      yield* run(sql`UPDATE transaction_files SET storage_key = ${key}, size = 1 WHERE id = ${id}`);
    }
  });
  return { engine, files };
}

/** The database whose first book is archived, and the archive. */
export const full = await openFull();
export const archive = await archived(full.engine, full.files, 1);

/** How many rows each table has. */
export async function counts(engine: Engine): Promise<Record<string, number>> {
  return engine.read(function* () {
    const all: Record<string, number> = {};
    for (const { name } of everyTable)
      all[name] = (yield* row<{ n: number }>(sql`SELECT count(*) AS n FROM ${raw(name)}`))!.n;
    return all;
  });
}

/** What the doctor finds, except values that the full database itself has without their rates. */
export async function faultsOf(engine: Engine): Promise<unknown[]> {
  const found = await checkDatabase(engine, { repair: false });
  return found.filter(({ check }) => check !== 'to_base');
}

/** Imports an archive, to a database without users by default. */
export function imported(
  engine: Engine,
  bytes: Uint8Array,
  more: Partial<ImportTarget> = {},
): Promise<ImportedBook> {
  return importBook(written(bytes), { engine, files: memoryStore(), userId: null, ...more });
}

/** Creates a user with an empty book. */
export function makeUser(engine: Engine, email = 'me@example.com'): Promise<Book> {
  const user = { email, name: 'Me', bookName: 'Mine', primaryCurrency: 'usd' };
  return engine.write(() => createUser(user));
}
