import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { addTransaction } from '../../book/testing/undone-book.ts';
import { find } from '../../db/rows.ts';
import { categories, transactions } from '../../db/tables/tables.ts';
import { onEngines, type EngineBook } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { Problem } from '../../operations/problem.ts';
import { upsertBudget } from '../budgets/actions.ts';
import { createRule, listRules } from '../rules/actions.ts';
import { createCategory, listCategories, renameCategory } from './actions.ts';
import { mergeCategories } from '../merge.ts';
import { countDependents, removeCategory } from '../remove.ts';
import type { Category } from './schema.ts';

onEngines('categories of a command', (open) => {
  it('are listed by name, each group before its members, and renamed to a free name', async () => {
    const [book, other] = [await open(), await open()];
    const { id: zoo } = await book.change(function* (change) {
      const children = ['Rent', 'Gas'];
      yield* createCategory(change, { name: 'Home', is_group: true, children });
      return yield* createCategory(change, { name: 'Zoo' });
    });
    const names = async () => pick(await book.read(() => listCategories(book.id)), 'name');
    assert.deepEqual(await names(), ['Home', 'Gas', 'Rent', 'Zoo']);
    await book.write(() => renameCategory(book.id, zoo, 'Attic'));
    assert.deepEqual(await names(), ['Attic', 'Home', 'Gas', 'Rent']);
    assert.deepEqual(await book.operations(2), ['category rename']);
    const errMsg = "Category with name 'home' already exists";
    await assert.rejects(
      book.write(() => renameCategory(book.id, zoo, 'home')),
      ({ details }: Problem) => details[0]!.errMsg === errMsg,
    );
    await assert.rejects(
      other.write(() => renameCategory(other.id, zoo, 'X')),
      { kind: 'recordNotFound' },
    );
    assert.deepEqual(await book.operations(3), []);
  });
});

onEngines('merging categories', (open) => {
  let book: EngineBook;
  let ids: Record<'Food' | 'Bread' | 'Home' | 'Rent' | 'Gas' | 'First', number>;
  beforeEach(async () => {
    book = await open();
    await book.change(function* (change) {
      const income = { is_group: true, is_income: true };
      yield* createCategory(change, { name: 'First' });
      yield* createCategory(change, { name: 'Food', ...income, children: ['Bread'] });
      yield* createCategory(change, { name: 'Home', is_group: true, children: ['Rent', 'Gas'] });
    });
    const all = await book.rows(categories);
    ids = Object.fromEntries(all.map(({ name, id }) => [name, id])) as typeof ids;
    await book.change(function* (change) {
      const own = { recurring_id: 1, category_id: ids.First, own_category_id: ids.Rent };
      yield* addTransaction(change, { payee: 'a', category_id: ids.Rent });
      yield* addTransaction(change, { payee: 'b', ...own });
      yield* addTransaction(change, { payee: 'c', category_id: ids.Gas });
    });
  });
  const merge = (from: number, into: number) =>
    book.write(() => mergeCategories(book.id, from, into));

  it('moves transactions, also those that a recurring item covers', async () => {
    const moved = await merge(ids.Rent, ids.Bread);
    const none = { budget: 0, category_rules: 0, recurring: 0, plaid_cats: 0 };
    assert.deepEqual(moved, { ...none, transactions: 1, children: 0 });
    assert.deepEqual(pick(await book.rows(transactions), 'category_id', 'own_category_id'), [
      [ids.Bread, null],
      [ids.First, ids.Bread],
      [ids.Gas, null],
    ]);
    assert.ok(!(await book.state()).get('categories')!.has(String(ids.Rent)));
  });

  it('moves its rules and budgets, and a deletion counts and removes them', async () => {
    const conditions = { payee: { operator: 'contains', value: 'x' } } as const;
    const rule = { name: 'R', conditions, actions: { category_id: ids.Rent } };
    await book.change((change) => createRule(change, rule));
    const period = { start_date: '2026-01-01', amount: 5 };
    await book.change((change) => upsertBudget(change, { ...period, category_id: ids.Rent }));
    const { category_rules, budget } = await merge(ids.Rent, ids.Gas);
    assert.deepEqual([category_rules, budget], [1, 1]);
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
    assert.equal((await merge(ids.Home, ids.Food)).children, 2);
    const all = await book.rows(categories);
    const members = all.filter(({ group_id }) => group_id === ids.Food);
    const expected = ['Bread', 'Rent', 'Gas'].map((each) => [each, true]);
    assert.deepEqual(pick(members, 'name', 'is_income'), expected);
  });
});

describe('POST /coffer/categories/{id}/merge', () => {
  it('returns the category that is kept, and reports what is wrong', async () => {
    const { ok, status, refused, changes } = await openBooks();
    const create = (body: object) => ok<Category>('POST', '/v2/categories', body);
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
    await refused('POST', `/coffer/categories/${group.id}/merge`, { into_id: into.id });
    await changes();
    assert.deepEqual(await ok('POST', url, { into_id: into.id }), into);
    assert.deepEqual(await changes(), ['mergeCategory']);
    assert.equal(await status('POST', url, { into_id: into.id }), 404);
    const { id: into_id } = await create({ name: 'h', is_group: true });
    const kept = await ok<Category>('POST', `/coffer/categories/${group.id}/merge`, { into_id });
    assert.deepEqual(pick(kept.children!, 'name'), ['m']);
  });
});
