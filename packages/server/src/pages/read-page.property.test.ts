import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { changing } from '../changes/changing.ts';
import type { Change } from '../changes/change.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { engines } from '../db/testing/engines.ts';
import { categories, transactions } from '../db/tables.ts';
import { BulkRows } from '../resources/transactions/actions.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { listTransactions, stateOf } from './pages.ts';
import type { TransactionQuery } from './query.ts';
import { readPage } from './read-page.ts';
import { RememberedKeys } from './remembered-keys.ts';
import { fill, withIds } from './testing/filled-book.ts';
import type { Filled } from './testing/filled-book.ts';
import { bookArbitrary, queryArbitrary } from './testing/page-model.ts';
import { stepwiseEngine } from './testing/stepwise-engine.ts';
import { runs } from '../../../core/src/testing/length.ts';

/** Lists of more books: `COFFER_GUARD_CASES=10000`; other ones: `COFFER_GUARD_SEED=5`. */
const cases = Number(process.env['COFFER_GUARD_CASES'] ?? 0);
const seed = Number(process.env['COFFER_GUARD_SEED'] ?? 0) || (cases === 0 ? 15 : undefined);
const listsOfBook = 50;

/** A write by one of two nodes. `row` and `value` choose the record and what it becomes. */
interface Write {
  readonly kind: 'add' | 'move' | 'hide' | 'recategorize' | 'regroup' | 'remove';
  readonly node: number;
  readonly row: number;
  readonly value: number;
}

/** A list by one of two nodes; `writes` are committed while it is read, each before a statement. */
interface List {
  readonly node: number;
  readonly query: TransactionQuery;
  readonly before: readonly Write[];
  readonly writes: readonly { readonly at: number; readonly write: Write }[];
}

const node = fc.nat(1);
const writeArbitrary: fc.Arbitrary<Write> = fc.record({
  kind: fc.constantFrom('add', 'move', 'hide', 'recategorize', 'regroup', 'remove'),
  ...{ node, row: fc.nat(99), value: fc.nat(9) },
});

/** Few queries for many lists, so that most find something remembered. */
const listsArbitrary: fc.Arbitrary<readonly List[]> = fc
  .array(queryArbitrary, { minLength: 4, maxLength: 4 })
  .chain((queries) =>
    fc.array(
      fc.record({
        node,
        query: fc
          .record({
            query: fc.constantFrom(...queries),
            offset: fc.oneof(fc.constant(0), fc.nat(5), fc.nat(70)),
            pages: fc.nat(3),
          })
          .map(({ query, offset, pages }) => ({ ...query, offset: offset + pages * query.limit })),
        before: rarely(fc.array(writeArbitrary, { maxLength: 2 }), []),
        writes: rarely(
          fc.array(fc.record({ at: fc.nat(4), write: writeArbitrary }), { maxLength: 3 }),
          [],
        ),
      }),
      { minLength: listsOfBook, maxLength: listsOfBook, size: 'max' },
    ),
  );

function rarely<T>(arbitrary: fc.Arbitrary<T>, otherwise: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary });
}

const dates = ['2023-12-30', '2023-12-31', '2024-01-01', '2024-01-15', '2024-02-29', '2024-03-01'];

function apply(engine: Engine, { book }: Filled, write: Write): Promise<void> {
  const cause = { bookId: book.id, actor: 'token 1', operation: 'test' };
  return engine.write(() => changing(cause, (change) => applied(change, write)));
}

function* applied(change: Change, { kind, row, value }: Write): Steps<void> {
  const date = dates[value % dates.length]!;
  if (kind === 'add') {
    const bulk = new BulkRows(change);
    for (let at = 0; at <= value % 4; at += 1) {
      const amount = { amount: row, currency: 'usd', to_base: row };
      const id = yield* bulk.nextId();
      bulk.add({ id, date, ...amount, payee: 'New', status: 'reviewed' });
    }
    yield* bulk.flush();
    return;
  }
  const groups = yield* select(categories, { book_id: change.bookId });
  if (kind === 'regroup') {
    const group = groups.find(({ is_group }) => is_group);
    const member = groups.filter(({ is_group }) => !is_group)[row % 3]!;
    yield* change.update(categories, member, {
      group_id: value % 2 === 0 ? (group?.id ?? null) : null,
    });
    return;
  }
  const all = yield* select(transactions, { book_id: change.bookId });
  const chosen = all[row % Math.max(1, all.length)];
  if (chosen === undefined) return;
  const category = groups[value % groups.length]?.id ?? null;
  if (kind === 'move') yield* change.update(transactions, chosen, { date });
  if (kind === 'hide') yield* change.update(transactions, chosen, { is_pending: value % 2 === 0 });
  if (kind === 'recategorize')
    yield* change.update(transactions, chosen, { category_id: category });
  const isReferred = all.some(({ split_parent_id: a, group_parent_id: b }) =>
    [a, b].includes(chosen.id),
  );
  if (kind === 'remove' && !isReferred) yield* change.removeAll(transactions, [chosen]);
}

/** A page as text, for comparisons. */
type Shown = string;

async function plainPage(engine: Engine, bookId: number, query: TransactionQuery): Promise<Shown> {
  const nothing = new RememberedKeys(0);
  return shown(await engine.read(() => listTransactions(bookId, query, nothing)));
}

function shown({ json, hasMore }: { json: Buffer; hasMore: boolean }): Shown {
  return `${hasMore} ${json.toString()}`;
}

/** Reads a page while others write, and checks that it is of a state that the book had since authentication. */
async function check(
  nodes: readonly Engine[],
  memories: readonly RememberedKeys[],
  filled: Filled,
  list: List,
): Promise<void> {
  const [engine, memory] = [nodes[list.node]!, memories[list.node]!];
  const query = withIds(filled, list.query);
  for (const write of list.before) await apply(nodes[write.node]!, filled, write);
  const state = await engine.readStatement(() => stateOf(filled.book.id));
  const expected = [await plainPage(engine, filled.book.id, query)];
  const reading = stepwiseEngine(engine, async (statement) => {
    for (const { at, write } of list.writes) {
      if (at !== statement) continue;
      await apply(nodes[write.node]!, filled, write);
      expected.push(await plainPage(engine, filled.book.id, query));
    }
  });
  const found = shown(await readPage(reading, state, query, memory));
  if (!expected.includes(found)) assert.equal(found, expected.at(-1));
}

for (const { name, skip, openNodes } of engines) {
  describe(`pages by their version on ${name}`, { skip }, () => {
    const lists = cases > 0 ? cases : name === 'SQLite' ? 1000 : 300;
    let nodes: readonly Engine[];
    before(async () => {
      nodes = await openNodes([Date.now, Date.now]);
    });

    it(`equal those of a transaction, whatever is written meanwhile: ${lists.toLocaleString('en')} lists`, async () => {
      await fc.assert(
        fc.asyncProperty(bookArbitrary, listsArbitrary, async (demo, all) => {
          const filled = await fill(nodes[0]!, await newBook(nodes[0]!), demo);
          const memories = nodes.map(() => new RememberedKeys(50));
          for (const list of all) await check(nodes, memories, filled, list);
        }),
        { numRuns: runs(Math.ceil(lists / listsOfBook)), ...(seed !== undefined && { seed }) },
      );
    });
  });
}
