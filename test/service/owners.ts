import {
  createUser,
  createToken,
  newToken,
} from '../../packages/server/src/identity/users/actions.ts';
import { openDatabase } from '../../packages/server/src/database.ts';
import { parseDatabase } from '../../packages/server/src/config.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A user with one book and a token. */
export interface Owner {
  readonly email: string;
  readonly bookId: number;
  readonly userId: number;
  readonly token: string;
}

/** Creates a user with an empty book in `usd`, unless `more` says otherwise, and a token with a label. */
export async function addOwner(
  store: Engine,
  name: string,
  more = {},
  label = name,
): Promise<Owner> {
  const user = { email: `${name}@example.com`, bookName: 'Book', primaryCurrency: 'usd', ...more };
  const { id: bookId, userId } = await store.write(() => createUser({ name, ...user }));
  const token = await addToken(store, { bookId, userId }, null, label);
  return { email: user.email, bookId, userId, token };
}

export async function addToken(
  store: Engine,
  { bookId, userId }: Pick<Owner, 'bookId' | 'userId'>,
  expiresAt: string | null = null,
  label = 'a test',
): Promise<string> {
  const { text, hash } = newToken();
  await store.write(() => createToken({ userId, bookId, hash, label, expiresAt }));
  return text;
}

/** Returns the `--database` setting of a path; a URL is returned unchanged. */
export function databaseUrl(database: string): string {
  return /^(sqlite|postgres(ql)?):/.test(database) ? database : `sqlite:${database}`;
}

export async function useStore<T>(
  database: string,
  work: (store: Engine) => Promise<T>,
): Promise<T> {
  const store = await openDatabase(parseDatabase(databaseUrl(database)));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-prove-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
