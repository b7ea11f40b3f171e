import { createHash } from 'node:crypto';
import type { Book, Store } from '../packages/server/src/main.ts';
import type { Figure } from './figure.ts';

const limit = 1000;

/** The one book of the benchmark's database. */
export async function onlyBook(store: Store): Promise<Book> {
  const [book] = await store.findBooks('bench@example.com');
  if (book === undefined) throw new Error('The book of the benchmark is missing');
  return book;
}

/** Both books were made from the same entries, so that every page has to be the same bytes. */
export async function compareWalks(stores: readonly [Store, Store], rows: number): Promise<Figure> {
  const [sqlite, postgres] = [await walk(stores[0]), await walk(stores[1])];
  const pages = Math.max(sqlite.length, postgres.length);
  if (sqlite.length !== Math.ceil(rows / limit))
    throw new Error(`The walk has ${sqlite.length} pages`);
  const differing = Array.from({ length: pages }).filter(
    (_, page) => sqlite[page] !== postgres[page],
  );
  return {
    name: 'PostgreSQL: pages that differ from SQLite’s',
    value: differing.length,
    unit: `of ${pages}`,
    atMost: 0,
  };
}

/** A digest of each page, with whether more follow. */
async function walk(store: Store): Promise<string[]> {
  const { id } = await onlyBook(store);
  const digests: string[] = [];
  for (let offset = 0, isMore = true; isMore; offset += limit) {
    const { json, hasMore } = await store.listTransactions(id, { ...plainQuery, limit, offset });
    digests.push(`${createHash('sha256').update(json).digest('hex')} ${hasMore}`);
    isMore = hasMore;
  }
  return digests;
}

/** A list as it is without any parameter. */
export const plainQuery = {
  includePending: false,
  includeSplitParents: false,
  includeGroupChildren: false,
  includeChildren: false,
  includeMetadata: false,
  includeFiles: false,
};
