import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { arrangeCategories } from './rules.ts';
import type { Category } from './schema.ts';

function category(id: number, name: string, more: Partial<Category> = {}): Category {
  return {
    id,
    name,
    description: null,
    is_income: false,
    exclude_from_budget: false,
    exclude_from_totals: false,
    updated_at: '2024-01-01T00:00:00.000Z',
    created_at: '2024-01-01T00:00:00.000Z',
    group_id: null,
    is_group: false,
    archived: false,
    archived_at: null,
    order: null,
    collapsed: false,
    ...more,
  };
}

const book = [
  category(1, 'Rent', { order: 2 }),
  category(2, 'Food', { is_group: true, order: 1 }),
  category(3, 'groceries', { group_id: 2 }),
  category(4, 'Bars', { group_id: 2 }),
  category(5, 'Wine', { group_id: 2, order: 0 }),
  category(6, 'apples'),
  category(7, 'Empty', { is_group: true }),
];

const names = (list: readonly Category[]) => list.map(({ name }) => name);

test('nested: groups have their members; categories with an order come first, the rest by name', () => {
  const list = arrangeCategories(book, { format: 'nested' });
  assert.deepEqual(names(list), ['Food', 'Rent', 'apples', 'Empty']);
  assert.deepEqual(names(list[0]?.children ?? []), ['Wine', 'Bars', 'groceries']);
});

test('a group always has the key children, other categories never have it', () => {
  const list = arrangeCategories(book, { format: 'flattened' });
  for (const listed of list) assert.equal('children' in listed, listed.is_group, listed.name);
  assert.deepEqual(list.find(({ name }) => name === 'Empty')?.children, []);
  assert.ok(!list.some(({ children = [] }) => children.some((child) => 'children' in child)));
});

test('flattened: the members also follow their group', () => {
  const list = arrangeCategories(book, { format: 'flattened' });
  const expected = ['Food', 'Wine', 'Bars', 'groceries', 'Rent', 'apples', 'Empty'];
  assert.deepEqual(names(list), expected);
  assert.deepEqual(names(list[0]?.children ?? []), ['Wine', 'Bars', 'groceries']);
});

test('is_group true lists only groups, false everything else, in both formats', () => {
  for (const format of ['nested', 'flattened'] as const) {
    const groups = arrangeCategories(book, { format, isGroup: true });
    assert.deepEqual(names(groups), ['Food', 'Empty']);
    const others = arrangeCategories(book, { format, isGroup: false });
    assert.deepEqual(names(others), ['Wine', 'Bars', 'groceries', 'Rent', 'apples']);
  }
});

test('the key children comes right after is_group, as in the schema', () => {
  const keys = Object.keys(arrangeCategories(book, { format: 'nested' })[0] ?? {});
  assert.equal(keys[keys.indexOf('is_group') + 1], 'children');
  assert.deepEqual(keys.slice(-4), ['archived', 'archived_at', 'order', 'collapsed']);
});

test('a member whose group is missing is a category without a group', () => {
  const list = arrangeCategories([category(1, 'Orphan', { group_id: 99 })], { format: 'nested' });
  assert.deepEqual(names(list), ['Orphan']);
});

test('names compare by code points after lower-casing, ties by id', () => {
  const list = arrangeCategories(
    [
      category(9, 'zoo'),
      category(8, '😀'),
      category(7, 'ﬀ'),
      category(6, 'Äpfel'),
      category(5, 'B'),
      category(4, 'b'),
      category(3, 'bb'),
      category(2, 'a'),
    ],
    { format: 'nested' },
  );
  assert.deepEqual(names(list), ['a', 'b', 'B', 'bb', 'zoo', 'Äpfel', 'ﬀ', '😀']);
});

test('the arrangement does not depend on the order of the rows, and loses none', () => {
  const arbitraryBook = fc
    .array(
      fc.record({
        name: fc.string({ unit: 'grapheme', maxLength: 3 }),
        order: fc.option(fc.nat(3)),
        is_group: fc.boolean(),
        group: fc.nat(12),
      }),
      { maxLength: 12 },
    )
    .map((drafts) =>
      drafts.map(({ name, order, is_group, group }, at) => {
        const isMember = !is_group && drafts[group]?.is_group === true;
        return category(at, name, { order, is_group, group_id: isMember ? group : null });
      }),
    );
  fc.assert(
    fc.property(arbitraryBook, (rows) => {
      const list = arrangeCategories(rows, { format: 'flattened' });
      assert.deepEqual(list, arrangeCategories(rows.toReversed(), { format: 'flattened' }));
      assert.equal(new Set(list.map(({ id }) => id)).size, rows.length);
      assert.equal(list.length, rows.length);
    }),
  );
});
