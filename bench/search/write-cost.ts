import { join } from 'node:path';
import sql, { raw } from 'sql-template-tag';
import type { DerivedTable } from '../../packages/server/src/db/derived.ts';
import { run } from '../../packages/server/src/db/engine.ts';
import { transactions } from '../../packages/server/src/db/tables.ts';
import { transactionSums } from '../../packages/server/src/db/transaction-sums.ts';
import { transactionTexts } from '../../packages/server/src/db/transaction-texts.ts';
import type { Book, Engine } from '../../packages/server/src/main.ts';
import { benchEntries } from '../measure/book.ts';
import { cpuMs, medianRatio } from '../measure/processor-time.ts';
import { listRows, startApp, writesOf, type Send } from '../measure/requests.ts';
import { importRows, openBook } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';

const rowsBefore = 50_000;
const rowsOfImport = 4000;
const rowsInRequest = 500;
const rounds = 7;
const warmUp = 2;
/** An import is the last, because it leaves other pages in the cache. */
const kinds = [
  ...(['insert', 'notes', 'status', 'category', 'delete'] as const),
  ...(['status of neighbours', 'import'] as const),
] as const;
const goals: Partial<Record<Kind, number>> = {
  ...{ import: 1.2, insert: 1.15, notes: 1.15, status: 1.15, category: 1.25 },
  'status of neighbours': 1.15,
};

type Kind = (typeof kinds)[number];
type Costs = Record<Kind, number[]>;

interface Side {
  readonly engine: Engine;
  readonly book: Book;
  readonly send: Send;
  readonly derived: readonly DerivedTable[];
  readonly costs: Costs;
}

/**
 * Compares writes of transactions with the same writes in a database without the derived tables and indexes of search.
 * The unit is the processor time of the process.
 */
export async function measureWriteCost(folder: string): Promise<Figure[]> {
  const { derived } = transactions;
  const own: readonly DerivedTable[] = [transactionTexts, transactionSums];
  const sides = {
    with: await openSide(join(folder, 'with.db'), derived),
    without: await openSide(
      join(folder, 'without.db'),
      derived.filter((each) => !own.includes(each)),
    ),
  };
  await sides.without.engine.write(dropIndexes);
  for (let round = -warmUp; round < rounds; round += 1) {
    // Each is the first in turn.
    const order = [sides.with, sides.without];
    for (const side of round % 2 === 0 ? order : order.toReversed()) {
      Object.assign(transactions, { derived: side.derived });
      const costs = await runRound(side);
      if (round >= 0) for (const kind of kinds) side.costs[kind].push(costs[kind]);
    }
  }
  Object.assign(transactions, { derived });
  for (const { engine } of Object.values(sides)) await engine.close();
  return kinds.map((kind) => ({
    name: `search: ${kind} against one without its tables and indexes`,
    value: medianRatio(sides.with.costs[kind], sides.without.costs[kind]),
    unit: 'times',
    ...(goals[kind] !== undefined && { atMost: goals[kind] }),
  }));
}

async function openSide(path: string, derived: readonly DerivedTable[]): Promise<Side> {
  const { engine, book, token } = await openBook(`sqlite:${path}`, rowsBefore);
  const costs = Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Costs;
  return { engine, book, send: startApp(engine, token), derived, costs };
}

function* dropIndexes() {
  for (const index of ['by_payee', 'by_notes', 'to_sum'])
    yield* run(raw(`DROP INDEX transactions_${index}`));
  yield* run(sql`
    CREATE INDEX transactions_to_sum ON transactions (book_id, date, category_id, recurring_id, to_base)
    WHERE is_pending = 0 AND is_split_parent = 0 AND group_parent_id IS NULL`);
}

let serial = 0;

async function runRound({ engine, book, send }: Side): Promise<Record<Kind, number>> {
  serial += 1;
  const note = serial;
  const { insert, update, remove } = await writesOf(send);
  const neighbours = await listRows(send, 'limit=500&offset=20000');
  const entries = [...benchEntries(rowsInRequest)];
  const status = neighbours[0]!.status === 'reviewed' ? 'unreviewed' : 'reviewed';
  let ids: number[] = [];
  const works: Record<Kind, () => Promise<unknown>> = {
    import: () => importRows(engine, book, importedAgain(note)),
    insert: async () => {
      const noted = entries.map(({ notes }) => notes && `${notes} ${note}`);
      ids = await insert(rowsInRequest, (at) => ({ notes: noted[at] }));
    },
    notes: () => update(ids, (at) => ({ notes: `Note ${at} ${note}` })),
    status: () => update(ids, () => ({ status: 'reviewed' })),
    category: () => update(ids, () => ({ category_id: null })),
    'status of neighbours': () =>
      update(
        neighbours.map(({ id }) => id),
        () => ({ status }),
      ),
    delete: () => remove(ids),
  };
  const costs = {} as Record<Kind, number>;
  for (const kind of kinds) costs[kind] = await cpuMs(works[kind]);
  return costs;
}

function* importedAgain(round: number) {
  for (const entry of benchEntries(rowsOfImport))
    yield {
      ...entry,
      amount: entry.amount + round,
      notes: entry.notes && `${entry.notes} ${round}`,
    };
}
