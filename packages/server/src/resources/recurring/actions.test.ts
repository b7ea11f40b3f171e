import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Change } from '../../changes/change.ts';
import { changing } from '../../changes/changing.ts';
import { undo } from '../../changes/undo.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import {
  books,
  categories,
  manualAccounts,
  recurringItems,
  transactions,
} from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { recordingEngine } from '../../db/testing/recording-engine.ts';
import type { RecordingEngine } from '../../db/testing/recording-engine.ts';
import { removeCategory } from '../categories/merge.ts';
import { BulkRows } from '../transactions/actions.ts';
import type { NewTransaction } from '../transactions/actions.ts';
import { newBook } from '../users/testing/new-book.ts';
import * as actions from './actions.ts';
import { addRecurring, changeRecurring, deleteRecurring } from './commands.ts';
import type { CriteriaInput, OverridesInput } from './schema.ts';

const nowMs = Date.parse('2026-06-15T12:00:00.000Z');

for (const { name, skip, open } of usualEngines) {
  describe(`recurring items on ${name}`, { skip }, () => {
    let engine: RecordingEngine;
    let bookId: number;
    let account: number;
    let category: number;
    before(async () => {
      engine = recordingEngine(await open(() => nowMs));
    });
    beforeEach(async () => {
      bookId = (await newBook(engine)).id;
      await run(function* (change) {
        const balance = { currency: 'usd', balance: 0, balance_as_of: change.at };
        const made = { name: 'Checking', type: 'cash', created_by_name: 'A', ...balance };
        account = (yield* change.insert(manualAccounts, made)).id;
        category = (yield* change.insert(categories, { name: 'Home' })).id;
      });
    });

    const run = <T>(work: (change: Change) => Steps<T>): Promise<T> =>
      engine.write(() => changing({ bookId, actor: 'test', operation: 'test' }, work));
    const row = (date: string, more: Partial<NewTransaction> = {}): Omit<NewTransaction, 'id'> => ({
      ...{ date, amount: 9_500_000, to_base: 9_500_000, currency: 'usd' },
      ...{ payee: 'LANDLORD', notes: `Note of ${date}`, category_id: null, status: 'unreviewed' },
      ...{ manual_account_id: account, ...more },
    });
    /** Inserts transactions as others do, linked to their items, and returns them by date. */
    const insert = async (...rows: readonly Omit<NewTransaction, 'id'>[]) => {
      await run(function* (change) {
        const bulk = new BulkRows(change);
        const all: NewTransaction[] = [];
        for (const each of rows) all.push({ ...each, id: yield* bulk.nextId() });
        for (const each of yield* actions.matchRecurring(change, all)) bulk.add(each);
        yield* bulk.flush();
      });
      return stored();
    };
    const stored = () =>
      engine.read(() =>
        select(transactions, { book_id: bookId }, { orderBy: ['date', 'payee', 'amount', 'id'] }),
      );
    const linkedDates = async () =>
      (await stored()).filter((each) => each.recurring_id !== null).map(({ date }) => date);
    const add = (criteria: Partial<CriteriaInput> = {}, overrides: OverridesInput = {}) =>
      engine.write(() =>
        addRecurring(bookId, 1, {
          transaction_criteria: {
            ...{ granularity: 'month', quantity: 1, anchor_date: '2026-01-31', amount: '950' },
            ...{ payee: ' landlord', manual_account_id: account, ...criteria },
          },
          overrides,
        }),
      );
    const undoLast = () => run((change) => undo(change, change.version - 1));

    it('are linked to new transactions that fit, which show their text and become reviewed', async () => {
      const item = await add({}, { payee: 'Rent', category_id: category });
      const others = [
        row('2026-03-31', { currency: 'eur' }),
        row('2026-03-31', { amount: 9_500_001 }),
        row('2026-03-31', { manual_account_id: null }),
        row('2026-03-31', { payee: 'Landlady' }),
        row('2026-03-31', { is_pending: true }),
        row('2026-03-15'),
      ];
      // Two rows for one expected date: the closer one is linked.
      const all = await insert(row('2026-02-25'), row('2026-03-01'), ...others);
      const linked = all.filter(({ recurring_id: id }) => id !== null);
      assert.equal(all.length, 8);
      assert.deepEqual(
        linked.map((each) => [each.date, each.recurring_id, each.payee, each.notes, each.status]),
        [['2026-03-01', item.id, 'Rent', null, 'reviewed']],
      );
      const [{ category_id, own_payee, own_notes, own_category_id }] = linked as [(typeof all)[0]];
      assert.deepEqual(
        [category_id, own_payee, own_notes, own_category_id],
        [category, 'LANDLORD', 'Note of 2026-03-01', null],
      );
      await insert(row('2026-02-27'), row('2026-03-31', { original_name: 'landlord', payee: 'X' }));
      assert.deepEqual(await linkedDates(), ['2026-03-01', '2026-03-31'], 'a date is taken once');
    });

    it('are matched by as many statements for a thousand rows as for one', async () => {
      await add({ amount_tolerance: '50' });
      const statements = async (count: number) => {
        const before = engine.recorded.length;
        await run(function* (change) {
          const rows = Array.from({ length: count }, (_, at) => ({
            ...row('2026-03-30'),
            id: at + 1,
          }));
          const matched = yield* actions.matchRecurring(change, rows);
          assert.equal(matched.filter(({ recurring_id: id }) => id !== null).length, 1);
        });
        return engine.recorded.length - before;
      };
      assert.equal(await statements(1000), await statements(1));
    });

    it('accept amounts within the tolerance, and choose the closest', async () => {
      const near = await add({ amount: '900', amount_tolerance: '60' });
      const exact = await add({ amount: '955', amount_tolerance: 5 });
      const all = await insert(row('2026-02-28'), row('2026-02-28', { amount: 9_000_000 }));
      assert.deepEqual(
        all.map(({ recurring_id: id }) => id),
        [near.id, exact.id],
      );
    });

    it('are linked to existing transactions of two years when they are new or change', async () => {
      await insert(row('2023-12-31'), row('2026-04-30'), row('2026-05-31'), row('2026-05-14'));
      const item = await add();
      assert.deepEqual(await linkedDates(), ['2026-04-30', '2026-05-31']);
      await undoLast();
      assert.deepEqual(await linkedDates(), []);
      assert.equal(await engine.read(() => find(recurringItems, { id: item.id })), undefined);
    });

    it('change what linked transactions show, as one version that can be undone', async () => {
      const item = await add();
      await insert(row('2026-04-30', { category_id: category }), row('2026-05-31'));
      const shown = async () =>
        (await stored()).map(({ payee, notes, category_id }) => [payee, notes, category_id]);
      assert.deepEqual(await shown(), [
        [' landlord', null, category],
        [' landlord', null, null],
      ]);
      const overrides = { payee: 'Rent', notes: 'flat', category_id: category };
      await engine.write(() => changeRecurring(bookId, item.id, { overrides }));
      assert.deepEqual(await shown(), [
        ['Rent', 'flat', category],
        ['Rent', 'flat', category],
      ]);
      const own = (await stored()).map((each) => [each.own_payee, each.own_notes]);
      assert.deepEqual(own[0], ['LANDLORD', 'Note of 2026-04-30']);
      const range = { start_date: '2026-05-01', end_date: '2026-06-30' };
      const expected = await engine.read(() => actions.expectedOccurrences(bookId, range));
      assert.deepEqual(
        expected.map((each) => [each.item.id, each.date, each.isFound]),
        [
          [item.id, '2026-05-31', true],
          [item.id, '2026-06-30', false],
        ],
      );
      await undoLast();
      assert.deepEqual((await shown())[1], [' landlord', null, null]);
      assert.equal(await engine.write(() => deleteRecurring(bookId, item.id)), 2);
      assert.deepEqual(await shown(), [
        ['LANDLORD', 'Note of 2026-04-30', category],
        ['LANDLORD', 'Note of 2026-05-31', null],
      ]);
      assert.deepEqual(await linkedDates(), []);
      await undoLast();
      assert.deepEqual(await linkedDates(), ['2026-04-30', '2026-05-31']);
      assert.equal((await shown())[0]![0], ' landlord');
    });

    it('cannot be undone while later transactions are linked to them', async () => {
      await add();
      const version = (await engine.read(() => find(books, { id: bookId })))!.version;
      await insert(row('2026-04-30'));
      await assert.rejects(
        run((change) => undo(change, version)),
        ({ conflicts }: { conflicts: unknown[] }) => {
          const [conflict] = conflicts as { record: string; column: string; reason: string }[];
          assert.deepEqual(
            [conflict!.record, conflict!.column, conflict!.reason],
            ['transactions', 'recurring_id', 'used since'],
          );
          return true;
        },
      );
    });

    it('keep own text for rows that others link, in one statement for 500', async () => {
      const { id } = await add({}, { notes: 'n' });
      const other = (await newBook(engine)).id;
      const own = { recurring_id: id, payee: 'P', notes: 'N', category_id: 3 };
      const before = engine.recorded.length;
      const all = await engine.read(() =>
        actions.shownTexts(
          bookId,
          Array.from({ length: 500 }, () => own),
        ),
      );
      assert.equal(engine.recorded.length - before, 1);
      const text = { own_payee: 'P', own_notes: 'N', own_category_id: 3 };
      const shown = { payee: ' landlord', notes: 'n', category_id: 3, ...text };
      assert.deepEqual([all.length, all[0]], [500, shown]);
      assert.deepEqual(await engine.read(() => actions.shownText(bookId, own)), shown);
      const foreign = await engine.read(() => actions.shownText(other, own));
      assert.deepEqual([foreign.payee, foreign.own_payee], ['P', null]);
      const known = (book: number) =>
        engine.read(() => actions.knownRecurringIds(book, [id, 999_999]));
      assert.deepEqual([[...(await known(bookId))], [...(await known(other))]], [[id], []]);
    });

    it('lose their links when they are dismissed, and get them back when they are accepted', async () => {
      const { id } = await add({}, { category_id: category });
      await insert(row('2026-04-30'));
      const state = async () => {
        const known = await engine.read(() => actions.knownRecurringIds(bookId, [id]));
        const count = () => actions.recurringOfCategory.count(bookId, category);
        const [only] = await stored();
        return [only!.recurring_id, only!.payee, known.size, await engine.read(count)];
      };
      assert.deepEqual(await state(), [id, ' landlord', 1, 1]);
      await engine.write(() => changeRecurring(bookId, id, { status: 'dismissed' }));
      assert.deepEqual(await state(), [null, 'LANDLORD', 0, 0]);
      await engine.write(() => changeRecurring(bookId, id, { status: 'reviewed' }));
      assert.deepEqual(await state(), [id, ' landlord', 1, 1]);
    });

    it('follow changes of categories and accounts', async () => {
      const item = await add({}, { category_id: category });
      const [linked] = await insert(row('2026-04-30', { category_id: null }));
      assert.equal(linked!.category_id, category);
      const { recurringOfCategory, recurringOfAccount } = actions;
      const count = (id: number) => engine.read(() => recurringOfCategory.count(bookId, id));
      assert.equal(await count(category), 1);
      const other = await run((change) => change.insert(categories, { name: 'Other' }));
      await run((change) => recurringOfCategory.move(change, category, other.id));
      assert.equal((await stored())[0]!.category_id, other.id);
      assert.deepEqual([await count(category), await count(other.id)], [0, 1]);
      await run((change) => recurringOfCategory.detach(change, other.id));
      assert.equal((await stored())[0]!.category_id, null);
      await engine.write(() =>
        changeRecurring(bookId, item.id, { overrides: { category_id: category } }),
      );
      await run((change) => removeCategory(change, { ...other, id: category }));
      assert.equal((await stored())[0]!.category_id, null);
      await run((change) => recurringOfAccount.removeOf(change, 'plaid', account));
      assert.equal((await engine.read(() => actions.listRecurring(bookId)))[0]!.id, item.id);
      const synced = { manual_account_id: null, plaid_account_id: account + 1 };
      await run((change) => recurringOfAccount.moveTo(change, account, synced));
      assert.equal((await linkedDates()).length, 1);
      await run((change) => recurringOfAccount.removeOf(change, 'manual', account));
      assert.equal((await linkedDates()).length, 1);
      await run((change) => recurringOfAccount.removeOf(change, 'plaid', account + 1));
      assert.deepEqual(await engine.read(() => actions.listRecurring(bookId)), []);
      assert.equal((await stored())[0]!.payee, 'LANDLORD');
    });
  });
}
