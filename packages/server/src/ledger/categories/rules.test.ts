import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrangeCategories } from './rules.ts';
import type { Category } from './schema.ts';

const plain = {
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
};
const category = (id: number, name: string, more: Partial<Category> = {}): Category => ({
  id,
  name,
  ...plain,
  ...more,
});

const book = [
  category(1, 'Rent', { order: 2 }),
  category(2, 'Food', { is_group: true, order: 1 }),
  category(3, 'groceries', { group_id: 2, order: 1 }),
  category(4, 'Bars', { group_id: 2, order: 1 }),
  category(5, 'Wine', { group_id: 2, order: 0 }),
  category(6, 'apples'),
  category(7, 'Empty', { is_group: true }),
];

const names = (list: readonly Category[] = []) => list.map(({ name }) => name).join(' ');

test('members are in their group, or follow it in a flattened list; those with an order are first', () => {
  const [nested, flattened] = (['nested', 'flattened'] as const).map((format) =>
    arrangeCategories(book, { format }),
  ) as [Category[], Category[]];
  assert.equal(names(nested), 'Food Rent apples Empty');
  assert.equal(names(flattened), 'Food Wine Bars groceries Rent apples Empty');
  for (const list of [nested, flattened]) {
    assert.equal(names(list[0]!.children), 'Wine Bars groceries');
    // A group always has the key, other categories never.
    for (const each of list) assert.equal('children' in each, each.is_group, each.name);
    assert.ok(!list.some(({ children = [] }) => children.some((child) => 'children' in child)));
  }
  assert.deepEqual(flattened.at(-1)!.children, []);
  const other = arrangeCategories(book.toReversed(), { format: 'flattened' });
  assert.deepEqual(other, flattened, 'whatever the order of the rows');
});

test('is_group true lists only groups, false everything else, in both formats', () => {
  for (const format of ['nested', 'flattened'] as const)
    for (const [isGroup, expected] of [
      [true, 'Food Empty'],
      [false, 'Wine Bars groceries Rent apples'],
    ] as const)
      assert.equal(names(arrangeCategories(book, { format, isGroup })), expected);
});

test('the key children comes right after is_group, as in the schema', () => {
  const keys = Object.keys(arrangeCategories(book, { format: 'nested' })[0] ?? {});
  assert.equal(keys[keys.indexOf('is_group') + 1], 'children');
  assert.deepEqual(keys.slice(-4), ['archived', 'archived_at', 'order', 'collapsed']);
});

test('a member whose group is missing is a category without a group', () => {
  const list = arrangeCategories([category(1, 'Orphan', { group_id: 99 })], { format: 'nested' });
  assert.equal(names(list), 'Orphan');
});

test('names compare by code points after lower-casing, ties by id', () => {
  const texts = ['a', 'bb', 'b', 'B', 'Äpfel', 'ﬀ', '😀', 'zoo'];
  const rows = texts.map((name, at) => category(at, name)).toReversed();
  assert.equal(names(arrangeCategories(rows, { format: 'nested' })), 'a b B bb zoo Äpfel ﬀ 😀');
});
