import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Engine, Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { manualAccounts, plaidAccounts, transactions } from '../db/tables/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { recordingEngine, type RecordingEngine } from '../db/testing/recording-engine.ts';
import { BulkRows, type TransactionRow } from '../ledger/transactions/writes.ts';
import type { Change } from './change.ts';
import { UndoneBook } from './testing/undone-book.ts';

/** More than a version may have for its diffs to be read at once. */
const many = 2100;

function* addMany(change: Change, count = many): Steps<void> {
  const bulk = new BulkRows(change);
  const amount = { currency: 'usd', status: 'reviewed', date: '2024-01-01' };
  for (let at = 0; at < count; at += 1) {
    const id = yield* bulk.nextId();
    bulk.add({ id, ...amount, amount: at, to_base: at, payee: `P ${at % 2}`, notes: `N ${at}` });
  }
  yield* bulk.flush();
}

const rowsOf = ({ bookId }: Change): Steps<TransactionRow[]> =>
  select(transactions, { book_id: bookId });

const isOdd = ({ amount }: TransactionRow): boolean => amount % 2 === 1;

/** Sets other notes of each row, and the payee of some. */
function* renew(change: Change, rows: readonly TransactionRow[]): Steps<TransactionRow[]> {
  const notesOf = (before: TransactionRow) => ({ notes: `New ${before.id}` });
  const [some = [], others = []] = [true, false].map((isSome) =>
    rows.filter(({ amount }) => (amount % 3 === 0) === isSome),
  );
  return [
    ...(yield* change.updateEach(
      transactions,
      some.map((before) => ({ before, values: { payee: 'New', ...notesOf(before) } })),
    )),
    ...(yield* change.updateEach(
      transactions,
      others.map((before) => ({ before, values: notesOf(before) })),
    )),
  ];
}

function* removeOdd(change: Change): Steps<void> {
  yield* change.removeAll(transactions, (yield* rowsOf(change)).filter(isOdd));
}

function* renewAll(change: Change): Steps<void> {
  yield* renew(change, yield* rowsOf(change));
}

function* changeTwiceAndRemove(change: Change): Steps<void> {
  const all = yield* change.updateAll(transactions, yield* rowsOf(change), { payee: 'Old' });
  yield* change.removeAll(transactions, (yield* renew(change, all)).filter(isOdd));
}

function* removeAll(change: Change): Steps<void> {
  yield* change.removeAll(transactions, yield* rowsOf(change));
}

/** Changes half of the rows in one way and half in another: the same column, from two values to one. */
function* nameAlike(change: Change): Steps<void> {
  yield* change.updateAll(transactions, yield* rowsOf(change), { payee: 'Alike' });
}

/** Changes of many transactions after which an undo restores the state before. */
const restored = {
  'every second transaction that was removed': removeOdd,
  'new values of several columns, others for each row': renewAll,
  'transactions that were changed twice and then removed, or not': changeTwiceAndRemove,
  'members of groups that were removed with their groups': removeAll,
  'values of which many are the same': nameAlike,
};

/** Makes the first tenth of the transactions groups of the others. */
function* groupAll(change: Change): Steps<void> {
  const all = yield* rowsOf(change);
  const updates = all.slice(many / 10).map((before, at) => {
    return { before, values: { group_parent_id: all[at % (many / 10)]!.id } };
  });
  yield* change.updateEach(transactions, updates);
}

for (const { name, skip, open } of engines)
  describe(`undo of many records on ${name}`, { skip }, () => {
    let engine: RecordingEngine;
    before(async () => {
      const plain: Engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
      engine = recordingEngine(plain);
    });

    /** The number of statements of some work. An engine may update each row by a statement of its own. */
    const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
      const first = engine.recorded.length;
      await work();
      return engine.recorded
        .slice(first)
        .filter(({ step }) => 'insertInto' in step || !step.strings[0]!.startsWith('UPDATE'))
        .length;
    };

    for (const [what, work] of Object.entries(restored))
      it(`restores ${what}, and can be undone, by few statements`, async () => {
        const book = await UndoneBook.open(engine);
        await book.make((change) => addMany(change));
        await book.make(groupAll);
        const before = await book.state();
        const version = await book.make(work);
        const after = await book.state();
        assert.ok((await statementsOf(() => book.undo(version))) < many / 5);
        assert.deepEqual(await book.state(), before);
        assert.ok((await statementsOf(() => book.undo(version + 1))) < many / 5);
        assert.deepEqual(await book.state(), after);
      });

    it('finds the records that were changed since among many that were not', async () => {
      const book = await UndoneBook.open(engine);
      await book.make((change) => addMany(change));
      const removed = await book.make(removeOdd);
      const back = await book.undo(removed);
      const noted = await book.make(renewAll);
      const rows = await book.read(() => select(transactions, { book_id: book.id }));
      const [first, second, third] = [rows[7]!, rows[8]!, rows[10]!];
      await book.make(function* (change) {
        yield* change.update(transactions, first, { notes: 'mine' });
        yield* change.remove(transactions, second);
        yield* change.update(transactions, third, { group_parent_id: rows[11]!.id });
      });
      assert.deepEqual(await book.conflictsOf(noted), [
        `transactions ${first.id} notes: changed since`,
        `transactions ${second.id} : removed since`,
      ]);
      assert.deepEqual((await book.conflictsOf(back)).slice(0, 2), [
        `transactions ${rows[1]!.id} notes: changed since`,
        `transactions ${rows[3]!.id} payee: changed since`,
      ]);
      await book.undoRest(noted);
      const used = `transactions ${third.id} group_parent_id: used since`;
      assert.ok((await book.conflictsOf(back)).includes(used));
    });

    it('does not read the rows that were changed alike', async () => {
      const book = await UndoneBook.open(engine);
      await book.make((change) => addMany(change));
      const all = await book.read(() => select(transactions, { book_id: book.id }));
      // Rows that were changed at other times before are changed alike, too.
      for (let from = 0; from < many; from += 300)
        await book.make((change) =>
          change.updateAll(transactions, all.slice(from, from + 300), { notes: 'N' }),
        );
      const named = await book.make(nameAlike);
      const first = engine.recorded.length;
      await book.undo(named);
      await book.undo(named + 1);
      const readRows = engine.recorded
        .slice(first)
        .filter(({ step }) => !('insertInto' in step) && step.strings[0]!.includes(' payee, '));
      assert.deepEqual(readRows, []);
    });

    it('finds the conflicts of some among many that were changed alike', async () => {
      const book = await UndoneBook.open(engine);
      const [cash] = await book.read(() => select(manualAccounts, { book_id: book.id }));
      const [card] = await book.read(() => select(plaidAccounts, { book_id: book.id }));
      const setOdd = (account: number | null, payee: string) =>
        function* (change: Change): Steps<void> {
          const [odd = [], even = []] = [true, false].map((isWanted) =>
            Array.from(all).filter((row) => isOdd(row) === isWanted),
          );
          yield* change.updateAll(transactions, odd, { payee, manual_account_id: account });
          yield* change.updateAll(transactions, even, { payee });
        };
      await book.make((change) => addMany(change));
      const read = () => book.read(() => select(transactions, { book_id: book.id }));
      let all = await read();
      await book.make(setOdd(cash!.id, 'In'));
      all = await read();
      const out = await book.make(setOdd(null, 'Out'));
      const before = await book.state();
      all = await read();
      const [carded, one, other, named] = all.filter(isOdd).slice(5);
      const gone = all.findLast((row) => !isOdd(row))!;
      const since: Record<string, (change: Change) => Steps<unknown>> = {
        [`${carded!.id} plaid_account_id: changed since`]: (change) =>
          change.update(transactions, carded!, { plaid_account_id: card!.id }),
        [`${other!.id} external_id: taken since`]: (change) =>
          change.updateAll(transactions, [one!, other!], { external_id: 'same' }),
        [`${named!.id} payee: changed since`]: (change) =>
          change.update(transactions, named!, { payee: 'Mine' }),
        [`${gone.id} : removed since`]: (change) => change.remove(transactions, gone),
      };
      for (const [conflict, work] of Object.entries(since)) {
        const version = await book.make(work);
        assert.deepEqual(await book.conflictsOf(out), [`transactions ${conflict}`]);
        await book.undo(version);
      }
      assert.deepEqual(await book.state(), before);
      assert.deepEqual(await book.conflictsOf(out), []);
    });

    it('does not give back what two records would share', async () => {
      const book = await UndoneBook.open(engine);
      const [cash] = await book.read(() => select(manualAccounts, { book_id: book.id }));
      await book.make((change) => addMany(change, 4));
      const setAll = (values: Partial<TransactionRow>) =>
        book.make(function* (change) {
          yield* change.updateAll(transactions, yield* rowsOf(change), values);
        });
      await setAll({ manual_account_id: cash!.id });
      const left = await setAll({ manual_account_id: null });
      const [one, other] = await book.read(() => select(transactions, { book_id: book.id }));
      await book.make((change) =>
        change.updateAll(transactions, [one!, other!], { external_id: 'same' }),
      );
      assert.deepEqual(await book.conflictsOf(left), [
        `transactions ${other!.id} external_id: taken since`,
      ]);
    });

    it('does not give back what two records would share that wait for a third', async () => {
      const book = await UndoneBook.open(engine);
      const [cash] = await book.read(() => select(manualAccounts, { book_id: book.id }));
      const read = () => book.read(() => select(transactions, { book_id: book.id }));
      await book.make((change) => addMany(change, 1200));
      const [first, second, third] = [0, 600, 1199];
      const accountOf = (at: number, isAfter: boolean) => {
        if (at !== first && at !== second && at !== third) return null;
        return (at === third) === isAfter ? cash!.id : null;
      };
      const move = async (isAfter: boolean): Promise<number> => {
        const rows = await read();
        return book.make((change) =>
          change.updateEach(
            transactions,
            rows.map((before, at) => ({
              before,
              values: { notes: `${isAfter} ${at}`, manual_account_id: accountOf(at, isAfter) },
            })),
          ),
        );
      };
      await move(false);
      const moved = await move(true);
      const same = [first, second, third];
      const rows = (await read()).filter((_, at) => same.includes(at));
      await book.make(function* (change) {
        for (const row of rows) yield* change.update(transactions, row, { external_id: 'same' });
      });
      assert.deepEqual(await book.conflictsOf(moved), [
        `transactions ${rows[1]!.id} external_id: taken since`,
      ]);
    });

    it('does not give back an account if the transaction has got one of the other kind since', async () => {
      const book = await UndoneBook.open(engine);
      const [cash] = await book.read(() => select(manualAccounts, { book_id: book.id }));
      const [card] = await book.read(() => select(plaidAccounts, { book_id: book.id }));
      await book.make((change) => addMany(change, 4));
      const accounts = (row: TransactionRow) =>
        isOdd(row) ? { manual_account_id: cash!.id } : { plaid_account_id: card!.id };
      const none = { manual_account_id: null, plaid_account_id: null };
      const setAll = (valuesOf: (row: TransactionRow) => object) =>
        book.make(function* (change) {
          for (const row of yield* rowsOf(change))
            yield* change.update(transactions, row, valuesOf(row));
        });
      await setAll(accounts);
      const left = await setAll(() => none);
      await setAll((row) => (isOdd(row) ? { plaid_account_id: card!.id } : {}));
      const odd = (await book.read(() => select(transactions, { book_id: book.id }))).filter(isOdd);
      assert.deepEqual(
        await book.conflictsOf(left),
        odd.map(({ id }) => `transactions ${id} plaid_account_id: changed since`),
      );
    });
  });
