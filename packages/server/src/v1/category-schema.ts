import { Type, type Static } from 'typebox';
import {
  closed,
  count,
  exampleOf,
  flag,
  idPath,
  listOf,
  object,
  only,
  optional,
  referenceTo,
  text,
} from '../operations/schema.ts';
import { bare, givenOrNull, openObject } from './refusals.ts';
import { CategoryListQuery, CategoryPath } from '../ledger/categories/requests.ts';
import { Category, ChildCategory, flags } from '../ledger/categories/schema.ts';

const { created_at, updated_at, order, archived, ...shown } = Category.properties;
const { id, name, description, is_group, group_id } = shown;
const archiving = { archived, archived_on: shown.archived_at };
const common = { id, name, description, ...flags };

const group = exampleOf(Category);
const archived_on = group.archived_at;
const shownNames = [
  ...(['id', 'name', 'description', 'is_income', 'exclude_from_budget'] as const),
  ...(['exclude_from_totals', 'is_group', 'group_id', 'archived'] as const),
];

export const CategoryV1 = object(
  'CategoryV1',
  'A category, or a group of categories.',
  {
    ...common,
    updated_at,
    created_at,
    is_group,
    group_id,
    ...archiving,
    order,
    children: optional(
      Type.Array(referenceTo<CategoryV1>('CategoryV1'), {
        description: 'Members in list order; absent without members.',
      }),
    ),
  },
  {
    example: { ...only(group, [...shownNames, 'created_at', 'updated_at', 'order']), archived_on },
  },
);
/** As {@link CategoryV1}: its type cannot be inferred, because it is part of itself. */
export interface CategoryV1 extends Omit<Category, 'archived_at' | 'children' | 'collapsed'> {
  readonly archived_on: string | null;
  readonly children?: CategoryV1[];
}

export const CategoryListV1 = object('CategoryListV1', 'All categories of the book.', {
  categories: listOf(CategoryV1, 'See `format`.'),
});

const member = { id, name, description, created_at, ...archiving };
export const CategoryMemberV1 = object('CategoryMemberV1', 'A member of a group.', member, {
  example: {
    ...only(exampleOf(ChildCategory), ['id', 'name', 'description', 'created_at', 'archived']),
    archived_on,
  },
});
type CategoryMemberV1 = Static<typeof CategoryMemberV1>;

const inOrder = 'Members in list order; for groups only.';
const children = listOf(CategoryMemberV1, inOrder);
const groupExample = {
  ...only(group, [...shownNames]),
  archived_on,
  children: [exampleOf(CategoryMemberV1)],
};

export const CategoryDetailsV1 = object(
  'CategoryDetailsV1',
  'One category or group.',
  {
    ...common,
    is_group,
    group_id,
    children: optional(children),
    group_category_name: optional(text('Name of its group; absent without one.')),
    ...archiving,
    order,
  },
  { example: { ...groupExample, order: group.order } },
);
export type CategoryDetailsV1 = Static<typeof CategoryDetailsV1>;

export const CategoryGroupV1 = object(
  'CategoryGroupV1',
  'A group with its members.',
  {
    ...common,
    is_group,
    group_id,
    children,
    ...archiving,
  },
  { example: groupExample },
);
export type CategoryGroupV1 = Static<typeof CategoryGroupV1>;

export const NewCategoryV1 = object(
  'NewCategoryV1',
  'What was created.',
  { category_id: id },
  { example: { category_id: 12 } },
);

const records = count('Number of records.');
export const dependents = closed(
  {
    category_name: text('Name of the category or group.'),
    budget: records,
    category_rules: records,
    transactions: records,
    children: records,
    recurring: records,
  },
  'Number of records that depend on one category.',
);

const oneOrMore = Type.Union([dependents, Type.Array(dependents)]);
const kept = closed({ dependents: oneOrMore }, 'It is kept.');
export const CategoryDeletionV1 = bare(
  'CategoryDeletionV1',
  Type.Union([Type.Literal(true, { description: 'It is deleted.' }), kept], {
    description: '`true`, or what depends on the category; a list for several categories.',
  }),
  true,
);

const categoryId = CategoryPath.properties.id;
const fields = {
  name: givenOrNull(text('Name, at most 100 characters long.')),
  description: givenOrNull(text('At most 140 characters long.')),
  is_income: givenOrNull(flags.is_income),
  exclude_from_budget: givenOrNull(flags.exclude_from_budget),
  exclude_from_totals: givenOrNull(flags.exclude_from_totals),
};
const single = {
  ...fields,
  archived: givenOrNull(archived),
  group_id: givenOrNull({ ...categoryId, description: 'Id of its group; not for groups.' }),
};
const added = { maxItems: 1000, description: 'Categories to put in.' };
const addedNames = { maxItems: 1000, description: 'Names of new categories to put in.' };
const members = {
  category_ids: givenOrNull(Type.Array(categoryId, added)),
  new_categories: givenOrNull(Type.Array(text('A name.'), addedNames)),
};

export const CategoryInsertV1 = openObject('CategoryInsertV1', 'A new category.', single, {
  name: 'Bread',
  group_id: 10,
});
export const CategoryGroupInsertV1 = openObject(
  'CategoryGroupInsertV1',
  'A new group.',
  {
    ...fields,
    ...members,
  },
  { name: 'Food', new_categories: ['Bread'] },
);
export const CategoryUpdateV1 = openObject(
  'CategoryUpdateV1',
  'Changes to a category or group. `group_id` null takes the category out of its group.',
  {
    ...single,
    is_group: givenOrNull(flag('Refused: it cannot be changed.')),
  },
  { archived: true },
);
export const CategoryMembersV1 = openObject('CategoryMembersV1', 'Members for a group.', members, {
  category_ids: [12],
});
export type CategoryBodyV1 = Static<typeof CategoryUpdateV1> & Static<typeof CategoryMembersV1>;

export const CategoryListQueryV1 = Type.Object({
  format: { ...CategoryListQuery.properties.format, default: 'flattened' },
});

export const GroupPathV1 = closed({ group_id: idPath('group').properties.id });
