import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql, { raw } from 'sql-template-tag';
import { runs } from '../../../core/src/testing/length.ts';
import { computedTables } from '../db/computed-tables.ts';
import { rows, type Engine, type Steps } from '../db/engine.ts';
import { rowsAs, select } from '../db/rows.ts';
import type { Row } from '../db/table.ts';
import { books, categories, manualAccounts, tags, transactions } from '../db/tables/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { recordingEngine } from '../db/testing/recording-engine.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { changing, type Change } from './change.ts';
import { lineShape } from './log.ts';

type Transaction = Row<typeof transactions>;

const words = ['a', 'Zoë "x" \\', 'line\nand\ttab', '\u0001\u001f\u007f', '本屋 😀', "it's", ''];
const day = fc.constantFrom('2024-01-31', '2024-02-01', '2024-02-02', '2025-12-31');
const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { freq: 1 });
const entry = fc.record({
  gap: fc.integer({ min: 1, max: 3 }),
  date: day,
  amount: fc.integer({ min: -1e12, max: 1e12 }),
  payee: fc.constantFrom(...words),
  notes: maybe(fc.constantFrom(...words, 'n'.repeat(400))),
  category: maybe(fc.nat(1)),
  account: maybe(fc.nat(1)),
  tags: fc.constantFrom([], [0], [1, 0], [1, 1]),
  hidden: fc.constantFrom('', '', 'is_pending', 'is_split_parent', 'group_parent_id'),
  isChosen: fc.boolean(),
});
const values = fc.record(
  {
    date: day,
    payee: fc.constantFrom(...words),
    notes: maybe(fc.constantFrom(...words)),
    category: maybe(fc.nat(1)),
    account: maybe(fc.nat(1)),
    tags: fc.constantFrom([], [0], [1, 0]),
    is_pending: fc.boolean(),
    group_parent_id: maybe(fc.constant(7)),
    to_base: fc.integer({ min: -1e12, max: 1e12 }),
  },
  { requiredKeys: [] },
);

for (const { name, skip, open } of engines)
  describe(`set statements on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    const write = <T>(bookId: number, work: (change: Change) => Steps<T>, rollback = false) =>
      engine.write(() => changing({ bookId, actor: 'x', operation: 'y' }, work), { rollback });

    /** Fills a book. Returns the ids of its tags, categories and accounts, and the chosen rows. */
    const fill = (bookId: number, entries: readonly EntryOf[]) =>
      write(bookId, function* (change) {
        const known = {
          categories: [] as number[],
          accounts: [] as number[],
          tags: [] as number[],
        };
        for (const each of ['1', '2']) {
          known.categories.push((yield* change.insert(categories, { name: each })).id);
          known.tags.push((yield* change.insert(tags, { name: each })).id);
          const account = { name: each, type: 'cash', currency: 'usd', created_by_name: 'x' };
          const balance = { balance: 0, to_base: 0, balance_as_of: change.at, status: 'active' };
          known.accounts.push(
            (yield* change.insert(manualAccounts, { ...account, ...balance })).id,
          );
        }
        let id = bookId * 1000;
        const made = entries.map(({ gap, hidden, isChosen: _, ...each }) => ({
          id: (id += gap),
          ...columnsOf(known, each),
          currency: 'usd',
          to_base: each.amount,
          status: 'reviewed',
          is_pending: hidden === 'is_pending',
          is_split_parent: hidden === 'is_split_parent',
          group_parent_id: hidden === 'group_parent_id' ? 3 : null,
        }));
        yield* change.insertAll(transactions, made as never);
        return known;
      });

    /** Runs a change, returns everything that it has written, and takes it back. */
    const resultOf = (bookId: number, work: (change: Change) => Steps<unknown>) =>
      engine.write(
        function* () {
          yield* changing({ bookId, actor: 'x', operation: 'y' }, work);
          const state: unknown[] = [yield* select(transactions, { book_id: bookId })];
          for (const table of computedTables)
            state.push(
              yield* rows(
                sql`SELECT * FROM ${raw(table.name)} WHERE book_id = ${bookId} ORDER BY ${raw(table.key.join())}`,
              ),
            );
          return [...state, yield* select(books, { id: bookId })];
        },
        { rollback: true },
      );

    it('update and remove as statements for each row do', async () => {
      const random = fc.asyncProperty(
        fc.array(entry, { maxLength: 30 }),
        values,
        fc.boolean(),
        async (entries, sent, isRemoval) => {
          const { id: bookId } = await newBook(engine);
          const known = await fill(bookId, entries);
          const all = await engine.read(() => select(transactions, { book_id: bookId }));
          const chosen = all.filter((_, index) => entries[index]!.isChosen);
          const set = columnsOf(known, sent);
          const ids = chosen.map((row) => row.id);
          const [one, other] = isRemoval
            ? [removed(chosen), (change: Change) => change.removeSet(transactions, ids)]
            : [updated(chosen, set), (change: Change) => change.updateSet(transactions, ids, set)];
          assert.deepEqual(await resultOf(bookId, other), await resultOf(bookId, one));
        },
      );
      await fc.assert(random, { numRuns: runs(60) });
    });

    it('write more rows than one statement, in the order of their ids', async () => {
      const { id: bookId } = await newBook(engine);
      const made = manyFrom(5_000_000, 10_001);
      await write(bookId, (change) => change.insertAll(transactions, made));
      const ids = made.map(({ id }) => id);
      const lines = await write(
        bookId,
        function* (change) {
          yield* change.updateSet(transactions, ids, { payee: 'Q' });
          yield* change.updateSet(transactions, ids, { payee: 'Q' });
          yield* change.removeSet(transactions, ids);
          return yield* rowsAs(
            lineShape,
            sql`SELECT version, place, record, first_id, last_id, kind, diff FROM changed_records
              WHERE book_id = ${bookId} AND version = ${change.version} ORDER BY place`,
          );
        },
        true,
      );
      const changed = lines.filter(({ kind }) => kind === 'changed');
      assert.deepEqual(
        changed.map(({ first_id, last_id }) => [first_id, last_id]),
        [
          [ids[0], ids[9999]],
          [ids[10_000], ids[10_000]],
        ],
      );
      assert.deepEqual(
        lines.slice(changed.length).map(({ kind, first_id }) => [kind, first_id]),
        ids.map((id) => ['removed', id]),
      );
      assert.deepEqual(
        lines.map(({ place }) => place),
        lines.map((_, index) => index),
      );
    });

    it('of values for each row seek it by its id, whatever the statistics say', async () => {
      const { id: bookId } = await newBook(engine);
      await write(bookId, (change) => change.insertAll(transactions, manyFrom(6_000_000, 5000)));
      const all = await engine.read(() => select(transactions, { book_id: bookId }));
      const notes = 'a"\ud800\\';
      const updates = all.slice(0, 500).map((before) => ({ before, values: { notes } }));
      const recording = recordingEngine(engine);
      const cause = { bookId, actor: 'x', operation: 'y' };
      await recording.write(() =>
        changing(cause, (change) => change.updateEach(transactions, updates)),
      );
      const left = await engine.read(() => select(transactions, { book_id: bookId }));
      assert.equal(left.filter((row) => row.notes === 'a"\ufffd\\').length, 500);
      if (name === 'SQLite') return;
      const [update] = recording.recorded.flatMap(({ step }) =>
        'text' in step && step.text.includes('UPDATE transactions') ? [step] : [],
      );
      const plan = await engine.read(() => rows<Record<string, string>>(sql`EXPLAIN ${update!}`));
      const steps = plan.flatMap((each) => Object.values(each)).join('\n');
      assert.match(steps, /Index Cond: \(\(book_id = .*\) AND \(id = /);
    });

    it('do not compare each row with each of many ids, whatever the statistics say', async () => {
      const { id: bookId } = await newBook(engine);
      await write(bookId, (change) => change.insertAll(transactions, manyFrom(7_000_000, 3000)));
      const ids = Array.from({ length: 1500 }, (_, at) => 7_000_000 + at * 2);
      const recording = recordingEngine(engine);
      const cause = { bookId, actor: 'x', operation: 'y' };
      await recording.write(() => changing(cause, (change) => change.removeSet(transactions, ids)));
      const left = await engine.read(() => select(transactions, { book_id: bookId }));
      assert.equal(left.length, 1500);
      if (name === 'SQLite') return;
      const [removal] = recording.recorded.flatMap(({ step }) =>
        'text' in step && step.text.includes('DELETE FROM transactions') ? [step] : [],
      );
      const plan = await engine.read(() => rows<Record<string, string>>(sql`EXPLAIN ${removal!}`));
      const steps = plan.flatMap((each) => Object.values(each)).join('\n');
      // It hashes the elements of an array, or seeks them by an index.
      assert.match(steps, /id = ANY /);
      assert.doesNotMatch(steps, /Nested Loop|Function Scan/);
    });
  });

function manyFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, at) => ({
    id: first + at,
    date: '2024-01-01',
    amount: at,
    currency: 'usd',
    to_base: at,
    payee: 'P',
    status: 'reviewed' as const,
  }));
}

type EntryOf = typeof entry extends fc.Arbitrary<infer T> ? T : never;
interface Known {
  readonly categories: readonly number[];
  readonly accounts: readonly number[];
  readonly tags: readonly number[];
}

/** Returns columns in which places in lists are replaced by ids. */
function columnsOf(known: Known, sent: Readonly<Record<string, unknown>>): Partial<Transaction> {
  const { category, account, tags: tagged, ...others } = sent;
  const idAt = (ids: readonly number[], at: unknown): number | null =>
    at === null ? null : ids[at as number]!;
  return {
    ...others,
    ...(category !== undefined && { category_id: idAt(known.categories, category) }),
    ...(account !== undefined && { manual_account_id: idAt(known.accounts, account) }),
    ...(tagged !== undefined && {
      tag_ids: JSON.stringify((tagged as number[]).map((at) => known.tags[at])),
    }),
  };
}

const removed = (chosen: readonly Transaction[]) => (change: Change) =>
  change.removeAll(transactions, chosen);

const updated = (chosen: readonly Transaction[], set: Partial<Transaction>) => (change: Change) =>
  change.updateAll(transactions, chosen, set);
