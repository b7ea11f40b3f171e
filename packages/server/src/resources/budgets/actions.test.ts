import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Change } from '../../changes/change.ts';
import { changing } from '../../changes/changing.ts';
import { undo } from '../../changes/undo.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import { books, budgets } from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { createCategory } from '../categories/actions.ts';
import type { Rates } from '../currencies/actions.ts';
import { newBook } from '../users/testing/new-book.ts';
import { budgetsOfCategory, deleteBudget, settingsOf, upsertBudget } from './actions.ts';
import { budgetValues } from './rerate.ts';
import { updateSettings } from './settings.ts';

const largest = Number.MAX_SAFE_INTEGER;

/** Rates of one day: a pound is two dollars, and no other rate is known. */
const rates: Rates = {
  *convert(amount, from, to) {
    if (from === to) return amount;
    return from === 'gbp' ? amount * 2 : null;
  },
};

for (const { name, skip, open } of usualEngines) {
  describe(`budgets on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    /** A book with two categories. */
    async function makeBook() {
      const { id: bookId } = await newBook(engine);
      const change = <T>(work: (change: Change) => Steps<T>): Promise<T> =>
        engine.write(() => changing({ bookId, actor: 'test', operation: 'test' }, work));
      const category = (name: string) =>
        change(function* (change) {
          return (yield* createCategory(change, { name })).id;
        });
      const [one, other] = [await category('One'), await category('Other')];
      const version = async () =>
        (await engine.read(() => find(books, { id: bookId })))?.version ?? 0;
      const rows = () => engine.read(() => select(budgets, { book_id: bookId }));
      const set = (category_id: number, month: string, amount: number | string, currency = 'usd') =>
        change((change) =>
          upsertBudget(change, {
            ...{ category_id, start_date: `2024-${month}-01`, amount },
            ...{ currency: currency as 'usd', notes: `${category_id} ${month}` },
          }),
        );
      return { bookId, one, other, change, version, rows, set };
    }

    it('are set, changed and deleted by versions that can be undone', async () => {
      const { bookId, one, change, version, rows, set } = await makeBook();
      const states = [await rows()];
      await set(one, '01', 5);
      states.push(await rows());
      await set(one, '01', 6);
      states.push(await rows());
      await change((change) =>
        deleteBudget(change, { category_id: one, start_date: '2024-01-01' }),
      );
      assert.deepEqual(await rows(), []);
      const last = await version();
      for (let back = 0; back < 3; back += 1) {
        await change((change) => undo(change, last - back));
        assert.deepEqual(await rows(), states.at(-1 - back));
      }
      assert.equal((await engine.read(() => settingsOf(bookId))).granularity, 'month');
    });

    it('have settings whose changes can be undone', async () => {
      const { bookId, change, version } = await makeBook();
      const quantities: number[] = [];
      const settings = () => engine.read(() => settingsOf(bookId));
      for (const quantity of [2, 3, 3]) {
        quantities.push((await settings()).quantity);
        await change((change) => updateSettings(change, { budget_period_quantity: quantity }));
      }
      assert.deepEqual(quantities, [1, 2, 3]);
      const last = await version();
      await change((change) => undo(change, last));
      assert.equal((await settings()).quantity, 2);
      await change((change) => undo(change, last - 1));
      assert.equal((await settings()).quantity, 1);
    });

    it('of a category move into another one, and are added where both have one', async () => {
      const { bookId, one, other, change, version, rows, set } = await makeBook();
      await set(one, '01', 1);
      await set(one, '02', 2);
      await set(one, '03', 3, 'gbp');
      await set(other, '02', 20);
      await set(other, '03', 30);
      const all = await rows();
      const count = (id: number) => engine.read(() => budgetsOfCategory.count(bookId, id));
      assert.deepEqual([await count(one), await count(other)], [3, 2]);
      await change((change) => budgetsOfCategory.move(change, one, other));
      assert.deepEqual(
        (await rows()).map((row) => [row.category_id, row.amount, row.currency, row.notes]),
        [
          [other, 10_000, 'usd', `${one} 01`],
          [other, 220_000, 'usd', `${other} 02`],
          // The pound has no rate, so the budget of March in pounds has no value.
          [other, 300_000, 'usd', `${other} 03`],
        ],
      );
      await change((change) => budgetsOfCategory.detach(change, other));
      assert.equal(await count(other), 0);
      const last = await version();
      await change((change) => undo(change, last));
      await change((change) => undo(change, last - 1));
      assert.deepEqual(await rows(), all);
    });

    it('of a category are not moved if a sum is too large', async () => {
      const { one, other, change, rows, set } = await makeBook();
      await set(one, '01', '900719925474.0991');
      await set(other, '01', '0.0001');
      const all = await rows();
      assert.equal(all[0]?.amount, largest);
      await assert.rejects(change((change) => budgetsOfCategory.move(change, one, other)));
      assert.deepEqual(await rows(), all);
    });

    it('in other currencies get their value at new rates, from the first day of the rates on', async () => {
      const { one, other, change, version, rows, set } = await makeBook();
      await set(one, '01', 1, 'gbp');
      await set(one, '02', 1, 'gbp');
      await set(other, '02', 1, 'chf');
      await set(other, '03', 1);
      const rating = { rates, primaryCurrency: 'usd', since: '2024-02-01' };
      assert.equal(await change((change) => budgetValues.rerate(change, rating)), 1);
      const values = (await rows()).map((row) => row.to_base);
      assert.deepEqual(values, [0, 20_000, 0, 10_000]);
      const before = await version();
      assert.equal(await change((change) => budgetValues.rerate(change, rating)), 0);
      assert.equal(await version(), before);
    });
  });
}
