import { exportBook } from '../../packages/server/src/main.ts';
import { createHash } from 'node:crypto';
import { useStore } from '../run/book.ts';

/** Returns a hash of everything in the first book of a database. */
export function bookDigest(database: string): Promise<string> {
  return useStore(database, async (store) => {
    const { transactions, ...book } = await exportBook(store, 1);
    const rest = { ...book, startedAt: null };
    const hash = createHash('sha256');
    hash.update(JSON.stringify(rest));
    for await (const transaction of transactions) hash.update(JSON.stringify(transaction));
    return hash.digest('hex');
  });
}
