import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { budgets } from '../../db/tables/tables.ts';
import { onEngines, type EngineBook } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { createCategory } from '../categories/actions.ts';
import { upsertBudget, budgetRecord } from './actions.ts';

const ofCategory = budgetRecord.refersTo.categories!;

onEngines('budgets', (open) => {
  let book: EngineBook;
  let [one, other] = [0, 0];
  beforeEach(async () => {
    book = await open();
    const category = (name: string) => book.change((change) => createCategory(change, { name }));
    [one, other] = [(await category('One')).id, (await category('Other')).id];
  });
  const rows = () => book.rows(budgets);
  const set = (category_id: number, month: string, amount: number | string, currency = 'usd') =>
    book.change((change) =>
      upsertBudget(change, {
        category_id,
        start_date: `2024-${month}-01`,
        amount,
        currency: currency as 'usd',
        notes: `${category_id} ${month}`,
      }),
    );

  it('of a category move into another one, and are added where both have one', async () => {
    await set(one, '01', 1);
    await set(one, '02', 2);
    await set(one, '03', 3, 'gbp');
    await set(other, '02', 20);
    await set(other, '03', 30);
    const all = await rows();
    const count = (id: number) => book.read(() => ofCategory.count(book.id, id));
    assert.deepEqual([await count(one), await count(other)], [3, 2]);
    await book.change((change) => ofCategory.move(change, one, other));
    assert.deepEqual(pick(await rows(), 'category_id', 'amount', 'currency', 'notes'), [
      [other, 10_000, 'usd', `${one} 01`],
      [other, 220_000, 'usd', `${other} 02`],
      // The pound has no rate, so the budget of March in pounds has no value.
      [other, 300_000, 'usd', `${other} 03`],
    ]);
    await book.undoLast();
    assert.deepEqual(await rows(), all);
    await book.change((change) => ofCategory.detach(change, other));
    assert.deepEqual([await count(one), await count(other)], [3, 0]);
  });

  it('of a category are not moved if a sum is too large', async () => {
    await set(one, '01', '900719925474.0991');
    await set(other, '01', '0.0001');
    const all = await rows();
    assert.equal(all[0]?.amount, Number.MAX_SAFE_INTEGER);
    await assert.rejects(book.change((change) => ofCategory.move(change, one, other)));
    assert.deepEqual(await rows(), all);
  });
});
