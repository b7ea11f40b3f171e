import { createToken, importEntries, createUser } from '../../packages/server/src/main.ts';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, openDatabase, parseDatabase } from '../../packages/server/src/main.ts';
import type { Book, Engine } from '../../packages/server/src/main.ts';
import { benchEntries } from './book.ts';

/** A fixed time for every book, because pages of two engines are compared byte by byte. */
export const benchClock = (): number => Date.parse('2026-01-01T00:00:00.000Z');

/** A temporary folder with a database of one book and a token for it. The caller must remove the folder. */
export interface Workspace {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly token: string;
  readonly importMs: number;
}

/** Creates a book of `rows` entries in a new database. */
export async function makeWorkspace(rows: number): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-bench-'));
  const databaseUrl = `sqlite:${join(folder, 'bench.db')}`;
  const engine = await openDatabase(parseDatabase(databaseUrl), { now: benchClock });
  const book = await makeBook(engine);
  const { text, hash } = newToken();
  await engine.write(() =>
    createToken({
      userId: book.userId,
      bookId: book.id,
      hash,
      label: 'bench',
      expiresAt: null,
    }),
  );
  const startedMs = performance.now();
  await importEntries(engine, book.id, {
    entries: () => benchEntries(rows),
    defaultAccount: null,
    dryRun: false,
  });
  const importMs = performance.now() - startedMs;
  await engine.close();
  return { folder, databaseUrl, token: text, importMs };
}

/** Copies the database, which no server may have open, for a second server, and returns the URL of the copy. */
export async function copyDatabase({ databaseUrl }: Workspace, name: string): Promise<string> {
  const copy = `${databaseUrl}-${name}`;
  await copyFile(databaseUrl.slice('sqlite:'.length), copy.slice('sqlite:'.length));
  return copy;
}

/** Creates a user with an empty book. */
export function makeBook(engine: Engine): Promise<Book> {
  return engine.write(() =>
    createUser({
      email: 'bench@example.com',
      name: 'Bench',
      bookName: 'Bench',
      primaryCurrency: 'usd',
    }),
  );
}

/** Saves one page of the service as a file, which the ceiling sends. */
export async function savePage(workspace: Workspace, port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/v2/transactions`, {
    headers: { Authorization: `Bearer ${workspace.token}` },
  });
  const path = join(workspace.folder, 'page.json');
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  return path;
}
