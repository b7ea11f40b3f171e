import type { UnsentEntry } from '../books/rows/unsent.ts';

/** Where entries are kept that the server does not have. */
export interface UnsentStore {
  /** Returns the entries of an owner, the oldest first. */
  readonly of: (owner: string) => Promise<UnsentEntry[]>;
  /** Puts some entries and removes others, all or none. */
  readonly write: (put: readonly UnsentEntry[], removed: readonly string[]) => Promise<void>;
}

/** Keeps entries as long as the page lasts. */
export function storeOfPage(): UnsentStore {
  const entries = new Map<string, UnsentEntry>();
  return {
    of: (owner) => Promise.resolve(sorted([...entries.values()], owner)),
    write: (put, removed) => {
      for (const entry of put) entries.set(entry.id, entry);
      for (const id of removed) entries.delete(id);
      return Promise.resolve();
    },
  };
}

/**
 * Keeps entries in the database of the browser (IndexedDB), so that they survive the page and the browser. Where a
 * browser refuses it, such as in some private windows, they last as long as the page.
 */
export function storeOfBrowser(): UnsentStore {
  const opened = open().catch(storeOfPage);
  return {
    of: async (owner) => (await opened).of(owner),
    write: async (put, removed) => (await opened).write(put, removed),
  };
}

const table = 'unsent';

async function open(): Promise<UnsentStore> {
  const { openDB } = await import('idb');
  const database = await openDB('coffer', 1, {
    upgrade: (fresh) => void fresh.createObjectStore(table, { keyPath: 'id' }),
  });
  return {
    of: async (owner) => sorted((await database.getAll(table)) as UnsentEntry[], owner),
    write: async (put, removed) => {
      const { store, done } = database.transaction(table, 'readwrite', { durability: 'strict' });
      for (const entry of put) void store.put(entry);
      for (const id of removed) void store.delete(id);
      await done;
    },
  };
}

function sorted(entries: readonly UnsentEntry[], owner: string): UnsentEntry[] {
  return entries.filter((each) => each.owner === owner).sort((a, b) => a.order - b.order);
}
