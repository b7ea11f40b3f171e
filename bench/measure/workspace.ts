import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUser } from '../../packages/server/src/identity/users/actions.ts';
import { importEntries } from '../../packages/server/src/imports/commit.ts';
import { openDatabase } from '../../packages/server/src/database.ts';
import { parseDatabase } from '../../packages/server/src/config.ts';
import type { Book } from '../../packages/server/src/operations/caller.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import { addToken } from '../../test/service/owners.ts';
import { benchEntries } from './book.ts';

/** A fixed time for every book, because pages of two engines are compared byte by byte. */
export const benchClock = (): number => Date.parse('2026-01-01T00:00:00.000Z');

export function makeBook(engine: Engine, email = 'bench@example.com'): Promise<Book> {
  const names = { name: 'Bench', bookName: 'Bench', primaryCurrency: 'usd' };
  return engine.write(() => createUser({ email, ...names }));
}

export function makeToken(engine: Engine, { userId, id: bookId }: Book): Promise<string> {
  return addToken(engine, { userId, bookId });
}

export function importRows(
  engine: Engine,
  { id }: Pick<Book, 'id'>,
  rows: number | Iterable<ImportEntry>,
): ReturnType<typeof importEntries> {
  const entries = () => (typeof rows === 'number' ? benchEntries(rows) : rows);
  return importEntries(engine, id, { entries, defaultAccount: null, dryRun: false });
}

interface OpenBook {
  readonly engine: Engine;
  readonly book: Book;
  readonly token: string;
  readonly importMs: number;
}

export async function openBook(url: string, rows = 0, now = Date.now): Promise<OpenBook> {
  const engine = await openDatabase(parseDatabase(url), { now });
  const book = await makeBook(engine);
  const token = await makeToken(engine, book);
  const startedMs = performance.now();
  if (rows !== 0) await importRows(engine, book, rows);
  return { engine, book, token, importMs: performance.now() - startedMs };
}

export async function fillBook(url: string, rows: number): Promise<string> {
  const { engine, token } = await openBook(url, rows);
  await engine.close();
  return token;
}

/** A temporary folder with a database of one book and a token for it. The caller must remove the folder. */
export interface Workspace {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly token: string;
  readonly importMs: number;
}

export async function makeWorkspace(rows: number): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-bench-'));
  const databaseUrl = `sqlite:${join(folder, 'bench.db')}`;
  const { engine, token, importMs } = await openBook(databaseUrl, rows, benchClock);
  await engine.close();
  return { folder, databaseUrl, token, importMs };
}

/** Copies the database, which no server may have open, for a second server, and returns the URL of the copy. */
export async function copyDatabase({ databaseUrl }: Workspace, name: string): Promise<string> {
  const copy = `${databaseUrl}-${name}`;
  await copyFile(databaseUrl.slice('sqlite:'.length), copy.slice('sqlite:'.length));
  return copy;
}

export async function savePage(
  folder: string,
  { port, token }: { readonly port: number; readonly token: string },
  path = '/v2/transactions',
): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const file = join(folder, `${path.replaceAll(/\W+/g, '-')}.json`);
  await writeFile(file, Buffer.from(await response.arrayBuffer()));
  return file;
}
