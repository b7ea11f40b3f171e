import { join } from 'node:path';
import sql, { raw } from 'sql-template-tag';
import { transactionSums, transactionPayees } from '../../packages/server/src/db/derived-tables.ts';
import { run, type Engine } from '../../packages/server/src/db/engine.ts';
import type { DerivedTable } from '../../packages/server/src/db/table.ts';
import { transactions } from '../../packages/server/src/db/tables/tables.ts';
import type { Book } from '../../packages/server/src/operations/caller.ts';
import { benchEntries } from '../measure/book.ts';
import { cpuMs } from '../measure/processor-time.ts';
import { listRows, startApp, writesOf, type Send } from '../measure/requests.ts';
import { measureInTurns } from '../measure/turns.ts';
import { importRows, openBook } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';

const rowsBefore = 50_000;
const rowsOfImport = 4000;
const rowsInRequest = 500;
/** An import is the last, because it leaves other pages in the cache. */
const kinds = [
  ...(['insert', 'notes', 'status', 'category', 'delete'] as const),
  ...(['status of neighbours', 'import'] as const),
] as const;
const goals: Partial<Record<Kind, number>> = {
  import: 1.2,
  insert: 1.15,
  notes: 1.15,
  status: 1.15,
  category: 1.25,
  'status of neighbours': 1.15,
};

type Kind = (typeof kinds)[number];

interface Side {
  readonly engine: Engine;
  readonly book: Book;
  readonly send: Send;
}

/**
 * Compares writes of transactions with the same writes in a database without the derived tables and indexes of search.
 * The unit is the processor time of the process.
 */
export async function measureWriteCost(folder: string): Promise<Figure[]> {
  const { derived } = transactions;
  const own: readonly DerivedTable[] = [transactionPayees, transactionSums];
  const sides = {
    'with ': { side: await openSide(join(folder, 'with.db')), derived },
    'without ': {
      side: await openSide(join(folder, 'without.db')),
      derived: derived.filter((each) => !own.includes(each)),
    },
  };
  await sides['without '].side.engine.write(dropIndexes);
  const targets = Object.entries(sides).map(([name, { side, derived: used }]) => {
    const measure = (): Promise<Record<Kind, number>> => {
      Object.assign(transactions, { derived: used });
      return runRound(side);
    };
    return [name, measure] as const;
  });
  const samples = await measureInTurns(Object.fromEntries(targets), { rounds: 7, warmUps: 2 });
  Object.assign(transactions, { derived });
  for (const { side } of Object.values(sides)) await side.engine.close();
  return kinds.map((kind) => {
    const name = `search: ${kind} against one without its tables and indexes`;
    return samples.times(name, `with ${kind}`, `without ${kind}`, { atMost: goals[kind] });
  });
}

async function openSide(path: string): Promise<Side> {
  const { engine, book, token } = await openBook(`sqlite:${path}`, rowsBefore);
  return { engine, book, send: startApp(engine, token) };
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
