import { mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkedKey, FileStoreError, isKey, type FileStore, type StoredFile } from './store.ts';

/**
 * Creates a store in a folder, which is created with the first file: one folder for each book.
 *
 * A file gets its name when it is complete and on the disk. A process that is killed can leave files whose names end in
 * `.tmp`.
 */
export function createDiskStore(folder: string): FileStore {
  const pathOf = (key: string): string => join(folder, checkedKey(key));
  return {
    async write(key, bytes) {
      const path = pathOf(key);
      await reported('stored', () => writeWhole(folder, path, bytes));
    },
    async read(key) {
      const path = pathOf(key);
      return reported('read', () => ifFound(readFile(path)));
    },
    async size(key) {
      const path = pathOf(key);
      const found = await reported('read', () => ifFound(stat(path)));
      return found?.isFile() === true ? found.size : null;
    },
    async remove(key) {
      const path = pathOf(key);
      await reported('deleted', () => rm(path, { force: true }));
    },
    list: () => listFolder(folder),
    linkTo: () => null,
  };
}

async function writeWhole(folder: string, path: string, bytes: Uint8Array): Promise<void> {
  const ofBook = dirname(path);
  if ((await mkdir(ofBook, { recursive: true, mode: 0o700 })) !== undefined)
    for (const above of [folder, dirname(folder)]) await syncFolder(above);
  const temporary = `${path}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(ofBook);
}

/** Makes new names in a folder durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function* listFolder(folder: string): AsyncGenerator<StoredFile> {
  for (const book of await namesIn(folder))
    for (const name of await namesIn(join(folder, book))) {
      const key = `${book}/${name}`;
      if (!isKey(key)) continue;
      const found = await reported('listed', () => ifFound(stat(join(folder, key))));
      if (found?.isFile() === true) yield { key, modifiedAtMs: found.mtimeMs };
    }
}

/** The names in a folder; none for a folder that does not exist, or is none. */
function namesIn(path: string): Promise<string[]> {
  return reported('listed', async () => {
    const names: string[] = [];
    const folder = await ifFound(opendir(path));
    if (folder !== null) for await (const { name } of folder) names.push(name);
    return names;
  });
}

async function ifFound<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Keeps only the code of an error, because its text has the path. */
async function reported<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new FileStoreError(`The file cannot be ${what} (${code})`, { cause: error });
  }
}
