import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { runs } from '../../../core/src/testing/length.ts';
import type { Change } from '../changes/change.ts';
import { changing } from '../changes/changing.ts';
import { run, type Engine, type Steps } from '../db/engine.ts';
import { fillDerived, outdatedBooks } from '../db/fill-derived.ts';
import { select } from '../db/rows.ts';
import { categories, transactions } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { checkDatabase } from '../maintenance/doctor.ts';
import { BulkRows } from '../resources/transactions/actions.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { getTransaction, listTransactions, stateOf } from './pages.ts';
import type { TransactionQuery } from './query.ts';
import { readPage } from './read-page.ts';
import { RememberedKeys } from './remembered-keys.ts';
import { fill, withIds, type Filled } from './testing/filled-book.ts';
import {
  bookArbitrary,
  engineQueryArbitrary,
  kindsArbitrary,
  listModel,
  queryArbitrary,
} from './testing/page-model.ts';
import { stepwiseEngine } from './testing/stepwise-engine.ts';

interface WireTransaction {
  readonly id: number;
  readonly [key: string]: unknown;
}

/** Checks that generated rows fail: sums of parts, marks of parents and groups, exchange rates. */
const rulesOfMeaning = ['splits', 'split parents', 'group parents', 'to_base', 'category groups'];

/** Fewer keys than walks, so that some are removed. */
const keys = new RememberedKeys(50);

async function pageOf(
  engine: Engine,
  bookId: number,
  query: TransactionQuery,
): Promise<{ rows: WireTransaction[]; hasMore: boolean }> {
  const page = await engine.read(() => listTransactions(bookId, query, keys));
  return {
    rows: JSON.parse(`[${page.json.toString()}]`) as WireTransaction[],
    hasMore: page.hasMore,
  };
}

/** Reads a page in parts, too, twice: the second time finds what the first one remembered. */
async function pageInParts(
  ...[engine, bookId, query]: Parameters<typeof pageOf>
): ReturnType<typeof pageOf> {
  const found = await pageOf(engine, bookId, query);
  for (let read = 1; read <= 2; read += 1) {
    const state = await engine.readStatement(() => stateOf(bookId));
    const { json, hasMore } = await readPage(engine, state, query, keys);
    assert.deepEqual({ rows: JSON.parse(`[${json.toString()}]`) as unknown, hasMore }, found);
  }
  return found;
}

/** Walks a list like a client: the next offset is the offset plus the limit, until has_more is false. */
async function walk(
  engine: Engine,
  bookId: number,
  query: TransactionQuery,
  read = pageOf,
): Promise<number[]> {
  const ids: number[] = [];
  for (let offset = query.offset; ; offset += query.limit) {
    const { rows, hasMore } = await read(engine, bookId, { ...query, offset });
    assert.ok(rows.length <= query.limit, 'a page has no more rows than its limit');
    ids.push(...rows.map(({ id }) => id));
    if (!hasMore) return ids;
    assert.equal(rows.length, query.limit, 'a page before another one is full');
  }
}

for (const { name, skip, open } of engines)
  describe(`pages on ${name}`, { skip }, () => {
    // PostgreSQL gets fewer walks, because it is four times as slow and runs the same code.
    const walks = name === 'SQLite' ? 3_000 : 800;
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    it(`list the same rows as the model: ${walks.toLocaleString('en')} walks over generated books`, async () => {
      const queries = fc.array(engineQueryArbitrary, { minLength: 50, maxLength: 50 });
      await fc.assert(
        fc.asyncProperty(bookArbitrary, queries, async (demo, queries) => {
          const filled = await fill(engine, await newBook(engine), demo);
          for (const query of queries) {
            const expected = listModel(demo, query).map((index) => filled.ids.transactions[index]);
            assert.deepEqual(await walk(engine, filled.book.id, withIds(filled, query)), expected);
          }
        }),
        { numRuns: runs(walks / 50) },
      );
      const findings = await checkDatabase(engine, { repair: false });
      const found = findings.filter(({ check }) => !rulesOfMeaning.includes(check));
      assert.deepEqual(found, []);
    });

    it('are the same at any offset as in a walk, also past the end', async () => {
      const offsets = fc.integer({ min: 0, max: 70 });
      await fc.assert(
        fc.asyncProperty(
          bookArbitrary,
          engineQueryArbitrary,
          offsets,
          async (demo, query, offset) => {
            const filled = await fill(engine, await newBook(engine), demo);
            const all = listModel(demo, query).map((index) => filled.ids.transactions[index]);
            const request = withIds(filled, { ...query, offset });
            const { rows, hasMore } = await pageInParts(engine, filled.book.id, request);
            const found = rows.map(({ id }) => id);
            assert.deepEqual(found, all.slice(offset, offset + query.limit));
            assert.equal(hasMore, offset + query.limit < all.length);
          },
        ),
        { numRuns: runs(walks / 25) },
      );
    });

    it('do not use counts of hidden rows that an older node has not kept', async () => {
      await fc.assert(
        fc.asyncProperty(bookArbitrary, kindsArbitrary, async (demo, query) => {
          const filled = await fill(engine, await newBook(engine), demo);
          const { id } = filled.book;
          await engine.write(function* () {
            yield* run(sql`UPDATE books SET version = version + 1 WHERE id = ${id}`);
            yield* run(sql`UPDATE hidden_counts SET number = number + 1 WHERE book_id = ${id}`);
          });
          const expected = listModel(demo, query).map((index) => filled.ids.transactions[index]);
          assert.deepEqual(await walk(engine, id, query, pageInParts), expected);
          await engine.write(() => fillDerived(id));
          assert.deepEqual(await walk(engine, id, query, pageInParts), expected);
        }),
        { numRuns: runs(walks / 50) },
      );
      const outdated = await engine.read(() => outdatedBooks());
      assert.deepEqual(outdated, []);
    });

    it('show every row exactly as it was written', async () => {
      await fc.assert(
        fc.asyncProperty(bookArbitrary, async (demo) => {
          const filled = await fill(engine, await newBook(engine), demo);
          for (const [index, id] of filled.ids.transactions.entries()) {
            const json = await engine.readStatement(() => getTransaction(filled.book.id, id));
            assertShown(JSON.parse(String(json)) as WireTransaction, filled, index);
          }
        }),
        { numRuns: runs(walks / 100) },
      );
    });

    it('do not contain transactions of another book', async () => {
      const [demo] = fc.sample(bookArbitrary, { numRuns: 1, seed: 7 });
      const filled = await fill(engine, await newBook(engine), demo!);
      const other = await newBook(engine);
      assert.ok(filled.ids.transactions.length > 0);
      for (const id of filled.ids.transactions)
        assert.equal(await engine.read(() => getTransaction(other.id, id)), null);
      const [query] = fc.sample(queryArbitrary, { numRuns: 1, seed: 7 });
      assert.deepEqual(await walk(engine, other.id, { ...query!, include_pending: true }), []);
    });
  });

function assertShown(shown: WireTransaction, filled: Filled, index: number): void {
  const row = filled.demo.transactions[index];
  assert.ok(row);
  const { amount, to_base, payee, original_name, notes, date, currency } = shown;
  assert.equal(BigInt(String(amount).replace('.', '')), BigInt(row.amount));
  assert.match(String(amount), /^-?(0|[1-9][0-9]*)\.[0-9]{4}$/);
  assert.equal(to_base, row.toBase / 10_000);
  // A lone surrogate cannot be encoded in UTF-8.
  assert.equal(payee, row.payee.toWellFormed());
  const tags = row.tags.map((tag) => filled.ids.tags[tag]);
  const found = [original_name, notes, date, currency, shown['tag_ids']];
  assert.deepEqual(found, [row.originalName, row.notes, row.date, row.currency, tags]);
  assert.deepEqual(shown['plaid_metadata'], JSON.parse(row.plaidMetadata ?? 'null'));
  assert.deepEqual(shown['custom_metadata'], JSON.parse(row.customMetadata ?? 'null'));
  assert.deepEqual(shown['files'], []);
  assert.deepEqual(childIds(shown), expectedChildren(filled, index));
}

function childIds(shown: WireTransaction): number[] | undefined {
  return (shown['children'] as WireTransaction[] | undefined)?.map(({ id }) => id);
}

/** The members of a group and the parts of a split. */
function expectedChildren(filled: Filled, index: number): number[] | undefined {
  const parent = filled.demo.transactions[index];
  if (parent?.isGroupParent !== true && parent?.isSplitParent !== true) return undefined;
  return filled.demo.transactions.flatMap((row, child) => {
    const asMember = parent.isGroupParent && row.groupParent === index ? 1 : 0;
    const asPart = parent.isSplitParent && row.splitParent === index ? 1 : 0;
    return Array.from({ length: asMember + asPart }, () => filled.ids.transactions[child] ?? 0);
  });
}

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

for (const { name, skip, openNodes } of engines)
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
