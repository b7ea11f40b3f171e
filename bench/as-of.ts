import { join } from 'node:path';
import { changing } from '../packages/server/src/book/change.ts';
import { select } from '../packages/server/src/db/rows.ts';
import { transactions } from '../packages/server/src/db/tables/tables.ts';
import type { Engine } from '../packages/server/src/db/engine.ts';
import { updateTransactions } from '../packages/server/src/ledger/transactions/writes.ts';
import { listTransactions } from '../packages/server/src/pages/pages.ts';
import { RememberedKeys } from '../packages/server/src/pages/remembered-keys.ts';
import { listEarlier } from '../packages/server/src/ledger/transactions/earlier/earlier-list.ts';
import { bookOf } from '../packages/server/src/identity/users/actions.ts';
import { firstPage } from './measure/book.ts';
import { cpuMs } from './measure/processor-time.ts';
import { measureInTurns } from './measure/turns.ts';
import type { Figure } from './report/figure.ts';
import { openBook } from './measure/workspace.ts';

const rows = 100_000;
const blockSize = 500;

/**
 * Measures pages of a book of 100,000 transactions as they were, relative to the same page of the present book, after
 * 0, 1,000 and 100,000 of them were changed. The first page of a list rebuilds all changed rows, later ones their own.
 */
export async function measureAsOf(folder: string): Promise<Figure[]> {
  const url = `sqlite:${join(folder, 'as-of.db')}`;
  const { engine, book } = await openBook(url, rows);
  const { id } = book;
  const figures: Figure[] = [];
  const version = (await engine.read(() => bookOf(id))).version;
  for (const [changes, first, later] of [
    [0, 2, 2],
    [1000, 40, 12],
    [rows, 1000, 60],
  ] as const) {
    await changeRows(engine, id, changes);
    const pages = await measurePages(engine, id, version);
    for (const [which, atMost] of Object.entries({ first, later })) {
      const name = `${which} page as of ${changes.toLocaleString('en')} changes ago`;
      figures.push(pages.times(name, which, 'present', { atMost }));
    }
  }
  await engine.close();
  return figures;
}

async function changeRows(engine: Engine, bookId: number, count: number): Promise<void> {
  const all = await engine.read(() => select(transactions, { book_id: bookId }, { limit: count }));
  for (let at = 0; at < count; at += blockSize) {
    const noted = all.slice(at, at + blockSize).map((before) => {
      return { before, columns: { notes: `${before.notes ?? ''}${before.id}` } };
    });
    const cause = { bookId, actor: 'bench', operation: 'bench' };
    await engine.write(() => changing(cause, (change) => updateTransactions(change, noted)));
  }
}

async function measurePages(engine: Engine, bookId: number, version: number) {
  const { version: current } = await engine.read(() => bookOf(bookId));
  const at = { version, current };
  const later = { ...firstPage, offset: firstPage.limit };
  const measure = async () => {
    const keys = new RememberedKeys(1000);
    return {
      present: await cpuMs(() => engine.read(() => listTransactions(bookId, later, keys))),
      first: await cpuMs(() => engine.read(() => listEarlier(bookId, firstPage, at, keys))),
      later: await cpuMs(() => engine.read(() => listEarlier(bookId, later, at, keys))),
    };
  };
  return measureInTurns({ '': measure }, { rounds: 7 });
}
