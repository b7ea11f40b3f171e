import type { Category, CategoryListResponse, ChildCategory } from './schema.ts';

const bread: ChildCategory = {
  id: 12,
  name: 'Bread and cake',
  description: null,
  is_income: false,
  exclude_from_budget: false,
  exclude_from_totals: false,
  updated_at: '2026-01-02T09:00:00.000Z',
  created_at: '2026-01-02T09:00:00.000Z',
  group_id: 10,
  is_group: false,
  archived: false,
  archived_at: null,
  order: 1,
  collapsed: false,
};

const food: Category = {
  ...bread,
  id: 10,
  name: 'Food',
  description: 'Everything to eat',
  group_id: null,
  is_group: true,
  children: [bread],
};

const wages: Category = {
  ...bread,
  id: 20,
  name: 'Wages',
  is_income: true,
  group_id: null,
  order: null,
};

const nested: CategoryListResponse = { categories: [food, wages] };
const flattened: CategoryListResponse = { categories: [food, bread, wages] };

/** Example bodies of categories; tests check each against its schema. */
export const categoryExamples = {
  list: {
    nested: { summary: 'format=nested', value: nested },
    flattened: { summary: 'format=flattened', value: flattened },
  },
  one: {
    category: { summary: 'A category in a group', value: bread },
    group: { summary: 'A group', value: food },
  },
  insert: {
    category: { summary: 'A category', value: { name: 'Rent', exclude_from_budget: true } },
    group: {
      summary: 'A group of two categories, one of them new',
      value: { name: 'Food', is_group: true, children: [12, 'Restaurants'] },
    },
  },
  update: { name: { summary: 'Another name', value: { name: 'Groceries' } } },
  merge: { into: { summary: 'Into another category', value: { into_id: 12 } } },
  dependents: {
    group: {
      summary: 'A group with members',
      value: {
        category_name: 'Food',
        dependents: {
          budget: 0,
          category_rules: 0,
          transactions: 0,
          children: 3,
          recurring: 0,
          plaid_cats: 0,
        },
      },
    },
  },
};
