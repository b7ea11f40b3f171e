import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql, { raw } from 'sql-template-tag';
import { runs } from '../../../core/src/testing/length.ts';
import { changing } from '../book/change.ts';
import { run, type Engine, type Steps } from '../db/engine.ts';
import { fillDerived, outdatedBooks } from '../db/fill-derived.ts';
import { find } from '../db/rows.ts';
import { given } from '../db/table.ts';
import { transactions } from '../db/tables/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { makeDemoBook } from '../demo/book/make-demo-book.ts';
import { pick } from '../http/testing/pick.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { checkDatabase } from '../maintenance/doctor.ts';
import type { TransactionQuery } from './filter.ts';
import { getTransaction, listTransactions, stateOf, readPage } from './pages.ts';
import { RememberedKeys } from './remembered-keys.ts';
import { fill, withIds, type Filled } from './testing/filled-book.ts';
import {
  bookArbitrary,
  editArbitrary,
  edited,
  engineQueryArbitrary,
  kindsArbitrary,
  listModel,
} from './testing/page-model.ts';
import type { Edit, ModelBook } from './testing/page-model.ts';
import { plainQuery } from './testing/plain-query.ts';

interface WireTransaction {
  readonly id: number;
  readonly [key: string]: unknown;
}

/** Checks that generated rows fail: sums of parts, marks of parents and groups, exchange rates. */
const rulesOfMeaning = [
  'splits',
  'split parents',
  'group parents',
  'group members',
  'to_base',
  'category groups',
];

const statuses = fc.constantFrom('reviewed', 'unreviewed', 'delete_pending');

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

    it(`list the same rows as the model, at any offset: ${walks.toLocaleString('en')} walks`, async () => {
      const query = fc.tuple(engineQueryArbitrary, fc.nat(70));
      const queries = fc.array(query, { minLength: 50, maxLength: 50 });
      await fc.assert(
        fc.asyncProperty(bookArbitrary, queries, async (demo, queries) => {
          const filled = await fill(engine, await newBook(engine), demo);
          const { id } = filled.book;
          for (const [at, [query, offset]] of queries.entries()) {
            const expected = listModel(demo, query).map((index) => filled.ids.transactions[index]);
            const request = withIds(filled, query);
            assert.deepEqual(await walk(engine, id, request), expected);
            if (at % 10 > 0) continue;
            const { rows, hasMore } = await pageInParts(engine, id, { ...request, offset });
            const end = offset + query.limit;
            assert.deepEqual(pick(rows, 'id'), expected.slice(offset, end));
            assert.equal(hasMore, end < expected.length);
          }
        }),
        { numRuns: runs(walks / 50) },
      );
      const findings = await checkDatabase(engine, { repair: false });
      const found = findings.filter(({ check }) => !rulesOfMeaning.includes(check));
      assert.deepEqual(found, []);
    });

    it('list the same rows as the model while the book changes', async () => {
      const step = fc.record({
        edit: editArbitrary,
        query: engineQueryArbitrary,
        isPoll: fc.boolean(),
      });
      const steps = fc.array(step, { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(bookArbitrary, steps, async (demo, steps) => {
          const filled = await fill(engine, await newBook(engine), demo);
          let model: ModelBook = demo;
          for (const { edit, query, isPoll } of steps) {
            const at = await engine.write(() => makeEdit(filled, edit));
            model = edited(model, edit, at);
            const before = new Date(Date.parse(at) - 1).toISOString();
            const asked = isPoll ? { ...query, updated_since: before } : query;
            const expected = listModel(model, asked).map((index) => filled.ids.transactions[index]);
            const request = withIds(filled, asked);
            assert.deepEqual(
              await walk(engine, filled.book.id, request, pageInParts),
              expected,
              JSON.stringify(asked),
            );
          }
        }),
        { numRuns: runs(walks / 25) },
      );
      const findings = await checkDatabase(engine, { repair: false });
      assert.deepEqual(
        findings.filter(({ check }) => !rulesOfMeaning.includes(check)),
        [],
      );
    });

    for (const [table, more] of [
      ['status_counts', fc.record({ status: statuses })],
      ['hidden_counts', fc.constant({})],
    ] as const)
      it(`do not use ${table} that an older node has not kept`, async () => {
        await fc.assert(
          fc.asyncProperty(bookArbitrary, kindsArbitrary, more, async (demo, kinds, others) => {
            const filled = await fill(engine, await newBook(engine), demo);
            const { id } = filled.book;
            await engine.write(function* () {
              yield* run(sql`UPDATE books SET version = version + 1 WHERE id = ${id}`);
              yield* run(sql`UPDATE ${raw(table)} SET number = number + 1 WHERE book_id = ${id}`);
            });
            const query = { ...kinds, ...others };
            const expected = listModel(demo, query).map((index) => filled.ids.transactions[index]);
            assert.deepEqual(await walk(engine, id, query, pageInParts), expected);
            await engine.write(() => fillDerived(id));
            assert.deepEqual(await walk(engine, id, query, pageInParts), expected);
          }),
          { numRuns: runs(walks / 50) },
        );
        assert.deepEqual(await engine.read(() => outdatedBooks()), []);
      });

    it('of a category are the same at deep offsets, also when an older node has not kept its numbers', async () => {
      const demo = makeDemoBook({ transactions: 9000 });
      const filled = await fill(engine, await newBook(engine), demo);
      const { id } = filled.book;
      const ends = [
        {},
        { start_date: '2018-02-10', end_date: '2024-03-31' },
        { end_date: '2024-03-15' },
      ];
      let deep = 0;
      const comparePages = async (): Promise<void> => {
        for (const category_id of [-1, ...demo.categories.keys()])
          for (const range of ends) {
            const query = { ...plainQuery, category_id, ...range, limit: 3 };
            const expected = listModel(demo, query).map((index) => filled.ids.transactions[index]);
            for (let offset = 1000; offset < expected.length + 300; offset += 151) {
              const request = { ...withIds(filled, query), offset };
              const { rows, hasMore } = await pageInParts(engine, id, request);
              assert.deepEqual(pick(rows, 'id'), expected.slice(offset, offset + 3));
              assert.equal(hasMore, offset + 3 < expected.length);
              deep += rows.length > 0 ? 1 : 0;
            }
          }
      };
      await comparePages();
      assert.ok(deep > 10, `${deep} pages`);
      await engine.write(function* () {
        yield* run(sql`UPDATE books SET version = version + 1 WHERE id = ${id}`);
        yield* run(sql`UPDATE activity_sums SET listed = listed + 7 WHERE book_id = ${id}`);
      });
      await comparePages();
      await engine.write(() => fillDerived(id));
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
  });

/** Makes an edit, and returns its time. */
function* makeEdit({ book, ids }: Filled, { row, values }: Edit): Steps<string> {
  const cause = { bookId: book.id, actor: 'test', operation: 'test' };
  return yield* changing(cause, function* (change) {
    const where = { book_id: book.id, id: ids.transactions[row] ?? 0 };
    const found = yield* find(transactions, where);
    if (found === undefined) return change.at;
    if (values === null) yield* change.remove(transactions, found);
    else {
      const { is_pending: is_pending, ...others } = values;
      const set = given({ ...others, is_pending });
      yield* change.update(transactions, found, set, { evenIfEqual: true });
    }
    return change.at;
  });
}

function assertShown(shown: WireTransaction, filled: Filled, index: number): void {
  const row = filled.demo.transactions[index];
  assert.ok(row);
  const { amount, to_base, payee, original_name, notes, date, currency } = shown;
  assert.equal(BigInt(String(amount).replace('.', '')), BigInt(row.amount));
  assert.match(String(amount), /^-?(0|[1-9][0-9]*)\.[0-9]{4}$/);
  assert.equal(to_base, row.to_base / 10_000);
  // A lone surrogate cannot be encoded in UTF-8.
  assert.equal(payee, row.payee.toWellFormed());
  const tags = row.tags.map((tag) => filled.ids.tags[tag]);
  const found = [original_name, notes, date, currency, shown['tag_ids']];
  assert.deepEqual(found, [row.original_name, row.notes, row.date, row.currency, tags]);
  assert.deepEqual(shown['plaid_metadata'], JSON.parse(row.plaid_metadata ?? 'null'));
  assert.deepEqual(shown['custom_metadata'], JSON.parse(row.custom_metadata ?? 'null'));
  assert.deepEqual(shown['files'], []);
  assert.deepEqual(childIds(shown), expectedChildren(filled, index));
}

function childIds(shown: WireTransaction): number[] | undefined {
  return (shown['children'] as WireTransaction[] | undefined)?.map(({ id }) => id);
}

/** The members of a group and the parts of a split. */
function expectedChildren(filled: Filled, index: number): number[] | undefined {
  const parent = filled.demo.transactions[index];
  if (parent?.is_group_parent !== true && parent?.is_split_parent !== true) return undefined;
  return filled.demo.transactions.flatMap((row, child) => {
    const asMember = parent.is_group_parent && row.groupParent === index ? 1 : 0;
    const asPart = parent.is_split_parent && row.splitParent === index ? 1 : 0;
    return Array.from({ length: asMember + asPart }, () => filled.ids.transactions[child] ?? 0);
  });
}
