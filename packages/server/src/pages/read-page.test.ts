import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { changing } from '../book/change.ts';
import { run, type Emit, type Engine, type Step, type Steps } from '../db/engine.ts';
import { drawIdentity } from '../db/tables/migrations.ts';
import { engines } from '../db/testing/engines.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { BulkRows } from '../ledger/transactions/writes.ts';
import type { TransactionPage, TransactionQuery } from './filter.ts';
import { listTransactions, stateOf, readPage, type BookState } from './pages.ts';
import { RememberedKeys } from './remembered-keys.ts';
import { plainQuery } from './testing/plain-query.ts';

const plain: TransactionQuery = { ...plainQuery, limit: 2 };
const filtered: TransactionQuery = { ...plain, manual_account_id: 0 };
const days = ['2024-01-01', '2024-01-31', '2024-02-01', '2024-02-02', '2024-02-02'];

function* addRows(bookId: number, dates: readonly string[]): Steps<void> {
  yield* changing({ bookId, actor: 'token 1', operation: 'test' }, function* (change) {
    const bulk = new BulkRows(change);
    for (const date of dates) {
      const amount = { amount: 1, currency: 'usd', to_base: 1 };
      const id = yield* bulk.nextId();
      bulk.add({ id, date, ...amount, payee: 'P', status: 'reviewed' });
    }
    yield* bulk.flush();
  });
}

for (const { name, skip, open } of engines)
  describe(`a page by its version on ${name}`, { skip }, () => {
    let engine: Engine;
    let bookId: number;
    let remembered: RememberedKeys;
    /** Statements without a snapshot that the last page took, and reads with one. */
    let statements = 0;
    let snapshots = 0;
    let counting: Engine;

    before(async () => {
      engine = await open();
      const stepwise = stepwiseEngine(engine, async () => {
        statements += 1;
      });
      counting = {
        ...stepwise,
        read: (steps, options) => {
          if (options?.onSnapshot !== false) snapshots += 1;
          return stepwise.read(steps, options);
        },
      };
    });

    const filledBook = async (): Promise<BookState> => {
      ({ id: bookId } = await newBook(engine));
      remembered = new RememberedKeys(10);
      await engine.write(() => addRows(bookId, days));
      return present();
    };
    const present = (): Promise<BookState> => engine.readStatement(() => stateOf(bookId));
    const datesOf = async (
      state: BookState,
      query: Partial<TransactionQuery>,
    ): Promise<(string | boolean)[]> => {
      [statements, snapshots] = [0, 0];
      const page = await readPage(counting, state, { ...plain, ...query }, remembered);
      const found = JSON.parse(`[${page.json.toString()}]`) as { date: string }[];
      return [...found.map(({ date }) => date), page.hasMore];
    };

    it('takes one statement when the counts of its months and days are remembered', async () => {
      const state = await filledBook();
      const range = { start_date: '2024-01-02', end_date: '2024-02-01', limit: 1 };
      assert.deepEqual(await datesOf(state, range), ['2024-02-01', true]);
      assert.deepEqual([statements, snapshots], [4, 0], 'months, two times days, page');
      assert.deepEqual(await datesOf(state, { ...range, offset: 1 }), ['2024-01-31', false]);
      assert.deepEqual([statements, snapshots], [1, 0]);
      assert.deepEqual(await datesOf(state, {}), ['2024-02-02', '2024-02-02', true]);
      assert.deepEqual([statements, snapshots], [1, 0]);
    });

    it('takes two statements with a filter, and remembers where the next page begins', async () => {
      const state = await filledBook();
      assert.deepEqual(await datesOf(state, filtered), ['2024-02-02', '2024-02-02', true]);
      assert.deepEqual([statements, snapshots, remembered.size], [2, 0, 1]);
      const next = { ...filtered, offset: 2 };
      assert.deepEqual(await datesOf(state, next), ['2024-02-01', '2024-01-31', true]);
    });

    it('past the end takes no statement with remembered counts, and else proves the version', async () => {
      const state = await filledBook();
      for (const offset of [5, 6, Number.MAX_SAFE_INTEGER]) {
        remembered = new RememberedKeys(10);
        assert.deepEqual(await datesOf(state, { offset }), [false]);
        assert.deepEqual([statements, snapshots], [2, 0], 'months, version');
        assert.deepEqual(await datesOf(state, { offset }), [false]);
        assert.deepEqual([statements, snapshots], [0, 0]);
        assert.deepEqual(await datesOf(state, { ...filtered, offset }), [false]);
        // A long skip is a statement of its own, and finds nothing.
        const taken = offset > 6 ? 2 : 3;
        assert.deepEqual([statements, snapshots], [taken, 0], 'key, page, version');
      }
      const none = { start_date: '2024-01-02', end_date: '2024-01-30' };
      assert.deepEqual(await datesOf(state, none), [false]);
    });

    it('is of the new state after a commit between authentication and the page', async () => {
      const old = await filledBook();
      await datesOf(old, {});
      await engine.write(() => addRows(bookId, ['2024-03-01', '2024-03-02', '2024-03-03']));
      for (const query of [plain, filtered]) {
        assert.deepEqual(await datesOf(old, query), ['2024-03-03', '2024-03-02', true]);
        assert.equal(snapshots, 1);
      }
      const state = await present();
      assert.deepEqual(await datesOf(state, { offset: 6 }), ['2024-01-31', '2024-01-01', false]);
      assert.equal(snapshots, 0);
    });

    it('is of one state, before whichever statement another is committed', async () => {
      await filledBook();
      const textOf = ({ json, hasMore }: TransactionPage) => `${hasMore} ${json.toString()}`;
      const range = { ...plain, start_date: '2024-01-02', limit: 3 };
      for (const query of [plain, filtered, range, { ...plain, offset: 5 }])
        for (const at of [0, 1, 2, 3]) {
          const list = () => listTransactions(bookId, query, new RememberedKeys(0));
          const known = textOf(await engine.read(list));
          const writing = stepwiseEngine(engine, async (statement) => {
            if (statement === at) await engine.write(() => addRows(bookId, ['2024-02-28']));
          });
          const found = await readPage(writing, await present(), query, new RememberedKeys(10));
          assert.ok([known, textOf(await engine.read(list))].includes(textOf(found)));
        }
    });

    it('remembers nothing of a state that ended while it was read', async () => {
      await filledBook();
      for (const query of [plain, filtered, { ...plain, offset: 5 }, { ...filtered, offset: 9 }]) {
        remembered = new RememberedKeys(10);
        let commits = 1;
        const writing = stepwiseEngine(engine, async () => {
          if (commits === 0) return;
          commits -= 1;
          await engine.write(() => addRows(bookId, ['2024-03-01']));
        });
        await readPage(writing, await present(), query, remembered);
        assert.equal(commits, 0);
        assert.equal(remembered.counts.size, 0);
        const ofItsOwnVersion = query === filtered ? 1 : 0;
        assert.equal(remembered.size, ofItsOwnVersion);
      }
    });

    it('of a restored book is not taken from an earlier database with the same version', async () => {
      const old = await filledBook();
      await datesOf(old, {});
      await datesOf(old, filtered);
      // A restored database has another id, and can have the same versions with other content.
      await engine.write(function* () {
        yield* addRows(bookId, ['2024-03-01', '2024-03-02', '2024-03-03']);
        yield* run(sql`UPDATE books SET version = ${old.version} WHERE id = ${bookId}`);
        yield* run(drawIdentity());
      });
      const state = await present();
      assert.equal(state.version, old.version);
      for (const query of [{ ...filtered, offset: 2 }, filtered, plain]) {
        const first = ['2024-03-03', '2024-03-02', true];
        const expected = query.offset === 0 ? first : ['2024-03-01', '2024-02-02', true];
        assert.deepEqual(await datesOf(state, query), expected);
        assert.deepEqual(await datesOf(old, query), expected, 'restored after authentication');
        assert.equal(snapshots, 1);
      }
    });

    it('names the repair if the counts contradict each other', async () => {
      const state = await filledBook();
      await engine.write(() =>
        run(sql`DELETE FROM transaction_counts WHERE book_id = ${bookId} AND granularity = 'day'`),
      );
      await assert.rejects(datesOf(state, {}), { message: /run "coffer doctor --repair"$/ });
    });
  });

/** An engine that calls `between` with the number of each statement that is read without a snapshot. */
function stepwiseEngine(engine: Engine, between: (statement: number) => Promise<void>): Engine {
  return {
    dialect: engine.dialect,
    canWrite: true,
    read: (steps, { onSnapshot = true } = {}) =>
      onSnapshot ? engine.read(steps) : stepwise(engine, steps(), between),
    readStatement: (steps) => engine.readStatement(steps),
    write: (steps, options) => engine.write(steps, options),
    stream: <T>(steps: () => Generator<Step | Emit<T>, void, unknown>) => engine.stream(steps),
    eraseDeleted: () => engine.eraseDeleted(),
    close: () => engine.close(),
  };
}

async function stepwise<T>(
  engine: Engine,
  steps: Steps<T>,
  between: (statement: number) => Promise<void>,
): Promise<T> {
  let statement = 0;
  let next = steps.next();
  while (next.done !== true) {
    const step = next.value;
    // The dialect and the time need no statement.
    if (!('get' in step)) {
      await between(statement);
      statement += 1;
    }
    const result = await engine.readStatement(function* () {
      return yield step;
    });
    next = steps.next(result);
  }
  return next.value;
}
