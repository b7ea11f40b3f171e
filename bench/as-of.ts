import { join } from 'node:path';
import { changing } from '../packages/server/src/changes/changing.ts';
import type { Change } from '../packages/server/src/changes/change.ts';
import { select } from '../packages/server/src/db/rows.ts';
import type { Steps } from '../packages/server/src/db/engine.ts';
import { transactions } from '../packages/server/src/db/tables.ts';
import type { Engine } from '../packages/server/src/main.ts';
import { listTransactions } from '../packages/server/src/pages/pages.ts';
import type { TransactionQuery } from '../packages/server/src/pages/query.ts';
import { RememberedKeys } from '../packages/server/src/pages/remembered-keys.ts';
import { listEarlier } from '../packages/server/src/resources/transactions/earlier/earlier-list.ts';
import { updateTransactions } from '../packages/server/src/resources/transactions/actions.ts';
import type { TransactionRow } from '../packages/server/src/resources/transactions/actions.ts';
import { bookOf } from '../packages/server/src/resources/users/actions.ts';
import { cpuMs, median } from './measure/processor-time.ts';
import type { Figure } from './report/figure.ts';
import { openBook } from './measure/workspace.ts';

const rows = 100_000;
const rounds = 7;
const blockSize = 500;

const page: TransactionQuery = {
  ...{ limit: 1000, offset: 0 },
  ...{ include_pending: false, include_split_parents: false, include_group_children: false },
  ...{ include_metadata: false, include_files: false, include_children: false },
};

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
    const times = await measurePages(engine, id, version);
    const name = `as of ${changes.toLocaleString('en')} changes ago`;
    figures.push({ name: `first page ${name}`, value: times.first, unit: 'times', atMost: first });
    figures.push({ name: `later page ${name}`, value: times.later, unit: 'times', atMost: later });
  }
  await engine.close();
  return figures;
}

async function changeRows(engine: Engine, bookId: number, count: number): Promise<void> {
  const all = await engine.read(() => select(transactions, { book_id: bookId }, { limit: count }));
  for (let at = 0; at < count; at += blockSize) {
    const block = all.slice(at, at + blockSize);
    const cause = { bookId, actor: 'bench', operation: 'bench' };
    await engine.write(() => changing(cause, (change) => addNotes(change, block)));
  }
}

function* addNotes(change: Change, block: readonly TransactionRow[]): Steps<void> {
  yield* updateTransactions(
    change,
    block.map((before) => ({ before, columns: { notes: `${before.notes ?? ''}${before.id}` } })),
  );
}

async function measurePages(engine: Engine, bookId: number, version: number) {
  const { version: current } = await engine.read(() => bookOf(bookId));
  const times = { present: [] as number[], first: [] as number[], later: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const keys = new RememberedKeys(1000);
    const at = { version, current };
    const later = { ...page, offset: page.limit };
    times.present.push(await cpuMs(() => engine.read(() => listTransactions(bookId, later, keys))));
    times.first.push(await cpuMs(() => engine.read(() => listEarlier(bookId, page, at, keys))));
    times.later.push(await cpuMs(() => engine.read(() => listEarlier(bookId, later, at, keys))));
  }
  const present = median(times.present);
  return { first: median(times.first) / present, later: median(times.later) / present };
}
