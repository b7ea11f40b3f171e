import { Type, type Static } from 'typebox';
import {
  dateTime,
  exampleOf,
  flag,
  id,
  listOf,
  nullable,
  object,
  optional,
  textUpTo,
} from '../../operations/schema.ts';
import { maxCategoryDescriptionLength, maxCategoryNameLength } from '../../operations/limits.ts';

/** The properties that members of a group have from the group. */
export const flags = {
  is_income: flag('Whether its transactions are income.'),
  exclude_from_budget: flag('Whether budgets omit its transactions.'),
  exclude_from_totals: flag('Whether totals omit its transactions.'),
};

/** The keys before `is_group`, for categories, groups and members of groups. */
const common = {
  id: id('Id, unique among categories and groups.'),
  name: textUpTo(maxCategoryNameLength, 'Name of the category.'),
  description: nullable(
    Type.String({
      maxLength: maxCategoryDescriptionLength,
      description: 'Description of the category.',
    }),
  ),
  ...flags,
  updated_at: dateTime('When it was last changed.'),
  created_at: dateTime('When it was created.'),
};

/** The keys after `is_group` (and `children`). */
const state = {
  archived: flag('Whether it is archived, and no longer offered.'),
  archived_at: nullable(dateTime('When it was archived.')),
  order: nullable(
    Type.Integer({
      description: 'Position in lists, or in its group; null: after the others, by name.',
    }),
  ),
};

/** A category in the `children` of its group. */
export const ChildCategory = object(
  'ChildCategory',
  'A category in the `children` of its group.',
  {
    ...common,
    group_id: nullable(id('Id of its group.')),
    is_group: Type.Unsafe<false>({
      type: 'boolean',
      enum: [false],
      description: 'Always false.',
    }),
    ...state,
    collapsed: flag('Always false.'),
  },
  {
    example: {
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
    },
  },
);
export type ChildCategory = Static<typeof ChildCategory>;

/** A category, or a group of categories. */
export const Category = object(
  'Category',
  'A category, or a group of categories. A member has the `is_income`, `exclude_from_budget` and ' +
    '`exclude_from_totals` of its group.',
  {
    ...common,
    group_id: nullable(id('Id of its group; null for groups.')),
    is_group: flag('Whether it is a group.'),
    children: optional(listOf(ChildCategory, 'Members in list order; present for groups only.')),
    ...state,
    collapsed: flag('Whether screens show the group folded; false for other categories.'),
  },
  {
    example: {
      ...exampleOf(ChildCategory),
      id: 10,
      name: 'Food',
      description: 'Everything to eat',
      group_id: null,
      is_group: true,
      children: [exampleOf(ChildCategory)],
    },
  },
);
export type Category = Static<typeof Category>;

/** The response of GET /v2/categories. */
export const CategoryListResponse = object(
  'CategoryListResponse',
  'All categories of the book.',
  {
    categories: listOf(Category, 'Sorted by `order`, then those without one by name.'),
  },
  { title: 'Category list' },
);
export type CategoryListResponse = Static<typeof CategoryListResponse>;
