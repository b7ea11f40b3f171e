import { Type, type Static } from 'typebox';
import {
  archivedAt,
  closed,
  dependents,
  flag,
  idPath,
  ignoring,
  notBlank,
  nullable,
  object,
  optional,
  partial,
  recordId,
  someId,
  word,
} from '../../operations/schema.ts';
import { maxCategoryDescriptionLength, maxCategoryNameLength } from '../../operations/limits.ts';
import { flags } from './schema.ts';

/** The forms of the list of categories. */
const categoryFormats = ['nested', 'flattened'] as const;

/** The query of GET /v2/categories, with defaults. */
export const CategoryListQuery = closed({
  format: word(categoryFormats, {
    default: 'nested',
    description:
      'Where members of groups are listed.\n\n' +
      '`nested`: only in the `children` of their group. `flattened`: also in the list, so that each appears twice.',
  }),
  is_group: optional(
    flag(
      'Only groups (true), or only categories, members of groups included (false); overrides `format`.',
    ),
  ),
});

/** The path of one category or group. */
export const CategoryPath = idPath('category');

const name = notBlank(
  maxCategoryNameLength,
  'Name, unique among categories and groups in any letter case.',
);
const id = recordId('Id of a category.');
const whole = Type.Object({ id }, { description: 'A whole category; only its id is used.' });

const properties = {
  description: nullable(
    Type.String({
      maxLength: maxCategoryDescriptionLength,
      description: 'Description of the category.',
    }),
  ),
  ...flags,
  archived: flag('Whether it is archived, and no longer offered.'),
  group_id: nullable(recordId('Id of its group; not for groups.')),
  children: Type.Array(Type.Union([id, name, whole]), {
    maxItems: 1000,
    description: 'Members of a group: ids, whole categories, or names of new ones.',
  }),
  order: nullable(someId('Position in lists, or in its group; null: after the others, by name.')),
  collapsed: nullable(flag('Whether screens show the group folded; only for groups.')),
  is_group: nullable(flag('Whether it is a group; cannot be changed later.')),
};
export const CategoryInsert = object('CategoryInsert', 'A new category or group.', {
  name,
  ...partial(properties),
});
export type CategoryInsert = Static<typeof CategoryInsert>;

export const CategoryUpdate = object(
  'CategoryUpdate',
  'Changes to a category or group.',
  {
    ...partial({ name, ...properties }),
    archived_at: archivedAt,
    ...ignoring('id', 'created_at', 'updated_at'),
  },
  { example: { name: 'Groceries' } },
);
export type CategoryUpdate = Static<typeof CategoryUpdate>;

export const CategoryDependents = dependents('category', [
  'budget',
  'category_rules',
  'transactions',
  'children',
  'recurring',
  'plaid_cats',
]);

/** The body of POST /coffer/categories/{id}/merge. */
export const CategoryMerge = object(
  'CategoryMerge',
  'Which category to merge into.',
  {
    into_id: someId('Id of the category that is kept; of a group to merge a group.'),
  },
  { example: { into_id: 12 } },
);

/** Examples of new categories. */
export const newCategories = {
  category: { summary: 'A category', value: { name: 'Rent', exclude_from_budget: true } },
  group: {
    summary: 'A group of two categories, one of them new',
    value: { name: 'Food', is_group: true, children: [12, 'Restaurants'] },
  },
};
