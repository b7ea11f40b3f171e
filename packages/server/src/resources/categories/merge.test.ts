import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { UndoneBook } from '../../changes/testing/undone-book.ts';
import { addTransaction } from '../../changes/testing/undone-book.ts';
import type { Engine } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { categories, transactions } from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { bookClient } from '../../http/testing/book-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import { createCategory } from './actions.ts';
import { upsertBudget } from '../budgets/actions.ts';
import { createRule, listRules } from '../rules/actions.ts';
import { countDependents, mergeCategories, removeCategory } from './merge.ts';
import type { Category } from './schema.ts';

for (const { name, skip, open } of usualEngines) {
  describe(`merging categories on ${name}`, { skip }, () => {
    let engine: Engine;
    let book: UndoneBook;
    let ids: Record<'Food' | 'Bread' | 'Home' | 'Rent' | 'Gas' | 'First', number>;
    before(async () => {
      engine = await open();
    });
    beforeEach(async () => {
      book = await UndoneBook.open(engine);
      await book.change(function* (change) {
        const income = { is_group: true, is_income: true };
        yield* createCategory(change, { name: 'Food', ...income, children: ['Bread'] });
        yield* createCategory(change, { name: 'Home', is_group: true, children: ['Rent', 'Gas'] });
      });
      const all = await book.read(() => select(categories, { book_id: book.id }));
      ids = Object.fromEntries(all.map(({ name, id }) => [name, id])) as typeof ids;
      await book.change(function* (change) {
        const own = { recurring_id: 1, category_id: ids.First, own_category_id: ids.Rent };
        yield* addTransaction(change, { payee: 'a', category_id: ids.Rent });
        yield* addTransaction(change, { payee: 'b', ...own });
        yield* addTransaction(change, { payee: 'c', category_id: ids.Gas });
      });
    });
    const merge = (from: number, into: number, bookId = book.id) =>
      engine.write(() => mergeCategories(bookId, from, into));
    const row = (each: Row<typeof transactions>) => [each.category_id, each.own_category_id];

    it('moves transactions, also those that a recurring item covers, and can be undone', async () => {
      const before = await book.state();
      const moved = await merge(ids.Rent, ids.Bread);
      const none = { budget: 0, category_rules: 0, recurring: 0, plaid_cats: 0 };
      assert.deepEqual(moved, { ...none, transactions: 1, children: 0 });
      const rows = await book.read(() => select(transactions, { book_id: book.id }));
      assert.deepEqual(rows.map(row), [
        [ids.Bread, null],
        [ids.First, ids.Bread],
        [ids.Gas, null],
      ]);
      assert.ok(!(await book.state()).get('categories')!.has(String(ids.Rent)));
      await book.undo(await book.version());
      assert.deepEqual(await book.state(), before);
    });

    it('moves its rules and budgets, and a deletion counts and removes them', async () => {
      const conditions = { payee: { operator: 'contains', value: 'x' } } as const;
      const rule = { name: 'R', conditions, actions: { category_id: ids.Rent } };
      await book.change((change) => createRule(change, rule));
      const period = { start_date: '2026-01-01', amount: 5 };
      await book.change((change) => upsertBudget(change, { ...period, category_id: ids.Rent }));
      const before = await book.state();
      const { category_rules, budget } = await merge(ids.Rent, ids.Gas);
      assert.deepEqual([category_rules, budget], [1, 1]);
      await book.undo(await book.version());
      assert.deepEqual(await book.state(), before);
      await merge(ids.Rent, ids.Gas);
      const [moved] = await book.read(() => listRules(book.id));
      assert.deepEqual(moved?.actions, { category_id: ids.Gas });
      const gas = (await book.read(() => find(categories, { book_id: book.id, id: ids.Gas })))!;
      const counts = await book.read(() => countDependents(gas));
      assert.deepEqual([counts.category_rules, counts.budget], [1, 1]);
      await book.change((change) => removeCategory(change, gas));
      assert.equal((await book.state()).get('budgets')!.size, 0);
      assert.deepEqual(await book.read(() => listRules(book.id)), []);
    });

    it('moves the members of a group, which get the flags of the other group', async () => {
      const before = await book.state();
      assert.equal((await merge(ids.Home, ids.Food)).children, 2);
      const members = await book.read(() =>
        select(categories, { book_id: book.id, group_id: ids.Food }),
      );
      assert.deepEqual(
        members.map(({ name, is_income }) => [name, is_income]),
        ['Bread', 'Rent', 'Gas'].map((each) => [each, true]),
      );
      await book.undo(await book.version());
      assert.deepEqual(await book.state(), before);
    });

    it('is refused into itself, between a group and a category, and between books', async () => {
      const before = await book.state();
      const other = await UndoneBook.open(engine);
      for (const [from, into] of [
        [ids.Rent, ids.Rent],
        [ids.Rent, ids.Food],
        [ids.Food, ids.Rent],
        [ids.Rent, 987_654],
      ] as const)
        await assert.rejects(merge(from, into), { kind: 'invalidBody' });
      await assert.rejects(merge(987_654, ids.Rent), { kind: 'recordNotFound' });
      await assert.rejects(merge(ids.Rent, ids.Gas, other.id), { kind: 'recordNotFound' });
      assert.deepEqual(await book.state(), before);
    });
  });
}

describe('POST /coffer/categories/{id}/merge', () => {
  it('returns the category that is kept, and reports what is wrong', async () => {
    const made = await makeTestApp();
    const { send, refused, changes } = bookClient(made, made.ada);
    const create = async (body: object) =>
      (await send<Category>('POST', '/v2/categories', body)).body;
    const [from, into] = [await create({ name: 'a' }), await create({ name: 'b' })];
    const group = await create({ name: 'g', is_group: true, children: ['m'] });
    const url = `/coffer/categories/${from.id}/merge`;
    for (const into_id of [from.id, group.id, 987_654, 0]) {
      const [problem, ...others] = await refused('POST', url, { into_id });
      const { errMsg, ...keys } = problem!;
      assert.match(String(errMsg), /^Body property into_id /);
      const property = { instancePath: '/body/into_id', invalid_property: 'into_id' };
      assert.deepEqual([keys, others], [{ ...property, category_id: into_id }, []]);
    }
    for (const body of [{}, { into_id: null }, { into_id: 1e300 }, { into_id: into.id, force: 1 }])
      await refused('POST', url, body);
    await changes();
    const merged = await send<Category>('POST', url, { into_id: into.id });
    assert.deepEqual([merged.status, merged.body], [200, into]);
    assert.deepEqual(await changes(), ['mergeCategory']);
    assert.equal((await send('POST', url, { into_id: into.id })).status, 404);
    const target = await create({ name: 'h', is_group: true });
    const body = { into_id: target.id };
    const groups = await send<Category>('POST', `/coffer/categories/${group.id}/merge`, body);
    assert.deepEqual(
      groups.body.children?.map(({ name }) => name),
      ['m'],
    );
  });
});
