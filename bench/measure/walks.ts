import { createHash } from 'node:crypto';
import { findBooks } from '../../packages/server/src/main.ts';
import type { Book, Engine } from '../../packages/server/src/main.ts';
import { listTransactions } from '../../packages/server/src/pages/pages.ts';
import type { TransactionPage } from '../../packages/server/src/pages/query.ts';
import { RememberedKeys } from '../../packages/server/src/pages/remembered-keys.ts';
import type { Figure } from '../report/figure.ts';

const limit = 1000;

/** Returns the only book of the benchmark's database. */
export async function onlyBook(engine: Engine): Promise<Book> {
  const [book] = await engine.readStatement(() => findBooks('bench@example.com'));
  if (book === undefined) throw new Error('The book of the benchmark is missing');
  return book;
}

/** Compares the pages of both engines, which must be the same bytes. */
export async function compareWalks(
  engines: readonly [Engine, Engine],
  rows: number,
): Promise<Figure> {
  const [sqlite, postgres] = [await walk(engines[0]), await walk(engines[1])];
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

/** Returns a digest of each page with its has_more. */
async function walk(engine: Engine): Promise<string[]> {
  const { id } = await onlyBook(engine);
  const digests: string[] = [];
  for (let offset = 0, isMore = true; isMore; offset += limit) {
    const { json, hasMore } = await readPage(engine, id, limit, offset);
    digests.push(`${createHash('sha256').update(json).digest('hex')} ${hasMore}`);
    isMore = hasMore;
  }
  return digests;
}

/** Returns a page of the list without filters. */
export function readPage(
  engine: Engine,
  bookId: number,
  limit: number,
  offset: number,
): Promise<TransactionPage> {
  const query = { ...plainQuery, limit, offset };
  return engine.read(() => listTransactions(bookId, query, unremembered));
}

/** Lists without filters need no remembered keys. */
const unremembered = new RememberedKeys(0);

const plainQuery = {
  include_pending: false,
  include_split_parents: false,
  include_group_children: false,
  include_children: false,
  include_metadata: false,
  include_files: false,
};
