import { Type, type Static } from 'typebox';
import { dateTime, id, nullable, object, reference } from '../../wire/schema.ts';
import { maxCategoryDescriptionLength, maxCategoryNameLength } from '../../wire/limits.ts';

/** What a member of a group has of the group. */
export const flags = {
  is_income: Type.Boolean({
    description:
      'Whether its transactions are income. A member of a group has the value of the group.',
  }),
  exclude_from_budget: Type.Boolean({
    description:
      'Whether its transactions are left out of the budget. A member of a group has the value of the group.',
  }),
  exclude_from_totals: Type.Boolean({
    description:
      'Whether its transactions are left out of totals. A member of a group has the value of the group.',
  }),
};

/** The keys before `is_group`, the same for a category, a group and a member of a group. */
const common = {
  id: id('The id of the category, unique over categories and groups.'),
  name: Type.String({
    minLength: 1,
    maxLength: maxCategoryNameLength,
    description: `The name: 1 to ${maxCategoryNameLength} characters.`,
  }),
  description: nullable(
    Type.String({
      maxLength: maxCategoryDescriptionLength,
      description: `A note about the category, at most ${maxCategoryDescriptionLength} characters; null when there is none.`,
    }),
  ),
  ...flags,
  updated_at: dateTime('When the category was last changed, in UTC.'),
  created_at: dateTime('When the category was made, in UTC.'),
};

/** The keys after `is_group` (and `children`). */
const state = {
  archived: Type.Boolean({
    description: 'Whether the category is put away and no longer offered.',
  }),
  archived_at: nullable(
    dateTime('When the category was last archived, in UTC; null when it never was.'),
  ),
  order: nullable(
    Type.Integer({
      description:
        'Its place in lists, ascending; within its group for a member of a group. Null: after all that have a place, by name.',
    }),
  ),
};

/** A category that belongs to a group, as the group shows it. */
export const ChildCategory = object(
  'ChildCategory',
  'A category inside the `children` of its group. It has no `children` of its own.',
  {
    ...common,
    group_id: nullable(id('The id of the group it belongs to.')),
    is_group: Type.Unsafe<false>({
      type: 'boolean',
      enum: [false],
      description: 'Always false: groups do not hold groups.',
    }),
    ...state,
    collapsed: Type.Boolean({ description: 'Always false: only groups can be collapsed.' }),
  },
  'Child category',
);
export type ChildCategory = Static<typeof ChildCategory>;

/** A category, or a group of categories. */
export const Category = object(
  'Category',
  'A category of transactions, or a group of such categories.',
  {
    ...common,
    group_id: nullable(
      id('The id of the group it belongs to; null for a group, and for a category in no group.'),
    ),
    is_group: Type.Boolean({
      description: 'Whether this is a group. Transactions belong to categories, never to a group.',
    }),
    children: Type.Optional(
      Type.Array(reference<ChildCategory>('ChildCategory'), {
        description:
          'The categories of a group, in list order. Always there when `is_group` is true, empty for an empty group; absent otherwise.',
      }),
    ),
    ...state,
    collapsed: Type.Boolean({
      description:
        'Whether a screen shows the group folded. False for a category that is no group.',
    }),
  },
  'Category',
);
export type Category = Static<typeof Category>;

/** The answer to GET /v2/categories. */
export const CategoryListResponse = object(
  'CategoryListResponse',
  'All categories of the book, in one answer without pages.',
  {
    categories: Type.Array(reference<Category>('Category'), {
      description:
        'Sorted by `order`; then those whose `order` is null, by name. Empty when the book has none.',
    }),
  },
  'Category list',
);
export type CategoryListResponse = Static<typeof CategoryListResponse>;
