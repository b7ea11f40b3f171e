import type { Change } from '../book/change.ts';
import { find, select } from '../db/rows.ts';
import { categories } from '../db/tables/tables.ts';
import { changed, ok } from '../operations/responses.ts';
import {
  formsV1,
  refusedV1,
  shownAs,
  True,
  refuseAny,
  withoutNulls,
  bare,
  givenOrNull,
  openObject,
} from './refusals.ts';
import { read, write, type Operation } from '../operations/operation.ts';
import { countDependents, removeCategory } from '../ledger/remove.ts';
import {
  CategoryPath,
  CategoryListQuery,
  type CategoryUpdate,
} from '../ledger/categories/requests.ts';
import { toWire, arrangeCategories, compareNames } from '../ledger/categories/rules.ts';
import type { Steps } from '../db/engine.ts';
import { given } from '../db/table.ts';
import { maxCategoryNameLength } from '../operations/limits.ts';
import { Problem, type ErrorDetail } from '../operations/problem.ts';
import {
  only,
  closed,
  count,
  exampleOf,
  flag,
  idPath,
  listOf,
  object,
  optional,
  referenceTo,
  text,
} from '../operations/schema.ts';
import { Category, ChildCategory, flags } from '../ledger/categories/schema.ts';
import * as actions from '../ledger/categories/actions.ts';
import { Type, type Static } from 'typebox';

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

const CategoryV1 = object(
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
interface CategoryV1 extends Omit<Category, 'archived_at' | 'children' | 'collapsed'> {
  readonly archived_on: string | null;
  readonly children?: CategoryV1[];
}

const CategoryListV1 = object('CategoryListV1', 'All categories of the book.', {
  categories: listOf(CategoryV1, 'See `format`.'),
});

const member = { id, name, description, created_at, ...archiving };
const CategoryMemberV1 = object('CategoryMemberV1', 'A member of a group.', member, {
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

const CategoryDetailsV1 = object(
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
type CategoryDetailsV1 = Static<typeof CategoryDetailsV1>;

const CategoryGroupV1 = object(
  'CategoryGroupV1',
  'A group with its members.',
  { ...common, is_group, group_id, children, ...archiving },
  { example: groupExample },
);
type CategoryGroupV1 = Static<typeof CategoryGroupV1>;

const NewCategoryV1 = object(
  'NewCategoryV1',
  'What was created.',
  { category_id: id },
  { example: { category_id: 12 } },
);

const records = count('Number of records.');
const dependents = closed(
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
const CategoryDeletionV1 = bare(
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

const CategoryInsertV1 = openObject('CategoryInsertV1', 'A new category.', single, {
  name: 'Bread',
  group_id: 10,
});
const CategoryGroupInsertV1 = openObject(
  'CategoryGroupInsertV1',
  'A new group.',
  { ...fields, ...members },
  { name: 'Food', new_categories: ['Bread'] },
);
export const CategoryUpdateV1 = openObject(
  'CategoryUpdateV1',
  'Changes to a category or group. `group_id` null takes the category out of its group.',
  { ...single, is_group: givenOrNull(flag('Refused: it cannot be changed.')) },
  { archived: true },
);
export const CategoryMembersV1 = openObject('CategoryMembersV1', 'Members for a group.', members, {
  category_ids: [12],
});
export type CategoryBodyV1 = Static<typeof CategoryUpdateV1> & Static<typeof CategoryMembersV1>;

const CategoryListQueryV1 = Type.Object({
  format: { ...CategoryListQuery.properties.format, default: 'flattened' },
});

const GroupPathV1 = closed({ group_id: idPath('group').properties.id });

const area = { tag: 'categories', v1: formsV1.categories } as const;
const all = { ...area, path: '/v1/categories' } as const;
const one = { ...area, path: '/v1/categories/{id}', params: CategoryPath } as const;

export const categoryRoutesV1: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllCategoriesV1',
      summary: 'List categories',
      description: 'Returns all categories and groups of the book; in a flattened list by name.',
      query: CategoryListQueryV1,
      response: ok(CategoryListV1, 'The categories.'),
    },
    function* ({ bookId, query }) {
      const rows = yield* select(categories, { book_id: bookId });
      return { categories: arrangeV1(rows.map(toWire), query.format) };
    },
    { isCached: true, isOneStatement: true },
  ),
  read(
    {
      ...one,
      id: 'getCategoryByIdV1',
      summary: 'Get a category',
      response: ok(CategoryDetailsV1, 'The category or group.'),
    },
    function* ({ bookId, params }) {
      const row = yield* categoryOf(bookId, params.id);
      const group = yield* find(categories, { book_id: bookId, id: row.group_id ?? 0 });
      return detailsOf(yield* actions.complete(row), group?.name);
    },
  ),
  write(
    'POST',
    {
      ...all,
      id: 'createCategoryV1',
      summary: 'Create a category',
      body: CategoryInsertV1,
      response: changed(NewCategoryV1, 'The id of the category.'),
    },
    function* ({ body }, change) {
      return yield* create(change, body);
    },
  ),
  write(
    'POST',
    {
      ...area,
      path: '/v1/categories/group',
      id: 'createCategoryGroupV1',
      summary: 'Create a category group',
      description: 'Puts the given categories in, which leave their groups, and creates new ones.',
      body: CategoryGroupInsertV1,
      response: changed(NewCategoryV1, 'The id of the group.'),
    },
    function* ({ body }, change) {
      const group = { ...body, archived: null, group_id: null };
      return yield* create(change, group, childrenOf(body));
    },
  ),
  write(
    'PUT',
    {
      ...one,
      id: 'updateCategoryV1',
      summary: 'Update a category or a group',
      body: CategoryUpdateV1,
      response: changed(True, 'It is changed.'),
    },
    function* ({ bookId, params, body }, change) {
      const before = yield* categoryOf(bookId, params.id);
      // This null takes it out of its group.
      const ungrouped = body.group_id === null ? { group_id: null } : {};
      const fields = { ...fieldsOf(body), ...ungrouped };
      const isGiven = typeof body.is_group === 'boolean';
      const isGrouped = before.is_group && typeof body.group_id === 'number';
      refuse([
        ...(isGiven ? [texts.isGroup] : []),
        ...(isGrouped ? [texts.groupInGroup] : []),
        ...textProblems(body),
        ...(Object.keys(fields).length === 0 && !isGiven ? [texts.nothing] : []),
      ]);
      yield* inWords(actions.updateCategory(change, before, fields));
      return true as const;
    },
  ),
  write(
    'POST',
    {
      ...area,
      path: '/v1/categories/group/{group_id}/add',
      params: GroupPathV1,
      id: 'addToCategoryGroupV1',
      summary: 'Add categories to a group',
      description: 'The group keeps its other members.',
      body: CategoryMembersV1,
      response: changed(CategoryGroupV1, 'The group with all members.'),
    },
    function* ({ bookId, params, body }, change) {
      const group = yield* categoryOf(bookId, params.group_id);
      const isWrong = group.is_group ? [] : [texts.notGroup];
      refuse([...isWrong, ...textProblems(body)]);
      const known = (yield* actions.membersOf(group)).map(({ id }) => id);
      const children = [...known, ...childrenOf(body)];
      yield* inWords(actions.updateCategory(change, group, { children }));
      return groupOf(yield* actions.complete(group));
    },
  ),
  write(
    'DELETE',
    {
      ...one,
      id: 'deleteCategoryV1',
      summary: 'Delete a category or a group',
      description:
        'If records depend on it or on a member, it is kept, and the response has their numbers.',
      response: changed(CategoryDeletionV1, 'It is deleted, or kept.'),
    },
    function* ({ bookId, params }, change) {
      const category = yield* categoryOf(bookId, params.id);
      const found = [];
      for (const each of [category, ...(yield* actions.membersOf(category))]) {
        const counts = yield* countDependents(each);
        if (Object.values(counts).some((count) => count > 0))
          found.push(shownAs(dependents, { category_name: each.name, ...counts }));
      }
      if (found.length > 0) return { dependents: found.length === 1 ? found[0]! : found };
      yield* removeCategory(change, category);
      return true;
    },
  ),
  write(
    'DELETE',
    {
      ...one,
      path: '/v1/categories/{id}/force',
      id: 'forceDeleteCategoryV1',
      size: 'unbounded',
      summary: 'Delete a category or a group, whatever depends on it',
      description: 'Transactions become uncategorized, and members belong to no group.',
      response: changed(True, 'It is deleted.'),
    },
    function* ({ bookId, params }, change) {
      yield* removeCategory(change, yield* categoryOf(bookId, params.id));
      return true as const;
    },
  ),
];

function* categoryOf(book_id: number, id: number) {
  const found = yield* find(categories, { book_id, id });
  if (found === undefined) throw refusedV1(formsV1.categories, texts.unknown);
  return found;
}

/** Creates a category, or with children a group. Refuses all that is wrong with the texts of the request. */
function* create(change: Change, body: CategoryBodyV1, children?: (number | string)[]) {
  const name = body.name ?? undefined;
  const missing = name === undefined ? [texts.noName] : [];
  refuse([...missing, ...textProblems(body)]);
  const group = children && { is_group: true, children };
  const insert = { ...fieldsOf(body), ...group, name: name! };
  const { id } = yield* inWords(actions.createCategory(change, insert));
  return { category_id: id };
}

/** v1 had a shorter limit than v2. The limit of its names, 40, is not kept, because clients send longer ones. */
const maxDescriptionLength = 140;

/** What v1 says about categories that it refuses; clients compare some of the texts. */
const texts = {
  unknown: 'This category id does not exist.',
  notGroup: 'This category id is not a category group.',
  nothing: 'No valid fields to update for this category.',
  noName: 'Missing category name.',
  longName: 'Category name must be less than 40 characters.',
  longDescription: 'Category description must be less than 140 characters.',
  isGroup: 'You may not set the is_group property for an existing category.',
  groupInGroup: 'This category cannot be assigned a group because it is a category group.',
  taken: (name: unknown) => `A category with the same name (${String(name)}) already exists.`,
  notAdded: (ids: readonly unknown[]) =>
    'The following category id(s) could not be added as a group because you do not have permissions ' +
    `for this category, or it is already a category group: ${ids.join(', ')}`,
} as const;

/** Throws all texts, if there are any. */
function refuse(problems: readonly string[]): void {
  refuseAny(formsV1.categories, problems);
}

/** Changes categories by the rules of v2, and refuses in the words of v1. */
function* inWords<T>(steps: Steps<T>): Steps<T> {
  try {
    return yield* steps;
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalidBody') refuse(textsOf(error.details));
    throw error;
  }
}

function textsOf(details: readonly ErrorDetail[]): string[] {
  const notAdded = details.filter((each) => 'children_index' in each);
  const others = details.filter((each) => !notAdded.includes(each));
  return [
    ...others.map((each) => ('name' in each ? texts.taken(each['name']) : each.errMsg)),
    ...(notAdded.length > 0 ? [texts.notAdded(notAdded.map((each) => each['category_id']))] : []),
  ];
}

/** Returns what is wrong with the texts of a request. */
function textProblems({ name, description, new_categories }: CategoryBodyV1): string[] {
  // Operations without this field pass on what a client sends in it.
  const added = Array.isArray(new_categories) ? new_categories : [];
  const names = [name, ...added].filter((each) => typeof each === 'string');
  return [
    ...(names.some((each) => each.trim() === '') ? [texts.noName] : []),
    ...(names.some((each) => isLonger(each, maxCategoryNameLength)) ? [texts.longName] : []),
    ...(isLonger(description ?? '', maxDescriptionLength) ? [texts.longDescription] : []),
  ];
}

function isLonger(text: string, most: number): boolean {
  return text.length > most && [...text].length > most;
}

/** Returns the properties of a request that v2 has too. Null means that one is not given. */
function fieldsOf(body: CategoryBodyV1): CategoryUpdate {
  const flags = ['is_income', 'exclude_from_budget', 'exclude_from_totals'] as const;
  const names = ['name', 'description', ...flags, 'archived', 'group_id'] as const;
  return given(only(withoutNulls(body), names));
}

/** Returns the members in a request, as v2 has them. */
function childrenOf({ category_ids, new_categories }: CategoryBodyV1): (number | string)[] {
  return [...(category_ids ?? []), ...(new_categories ?? [])];
}

/** Returns all categories of a book for a list. */
function arrangeV1(all: readonly Category[], format: 'flattened' | 'nested'): CategoryV1[] {
  const arranged = arrangeCategories(all, { format });
  return (format === 'nested' ? arranged : arranged.toSorted(compareNames)).map(listed);
}

function listed({ children = [], ...category }: Category): CategoryV1 {
  const members = children.length > 0 && { children: children.map(listed) };
  return shownAs(CategoryV1, { ...renamed(category), ...members });
}

/** Returns a group with its members. */
function groupOf(group: Category): CategoryGroupV1 {
  const members = (group.children ?? []).map(renamed);
  const children = members.map((member) => shownAs(CategoryMemberV1, member));
  return shownAs(CategoryGroupV1, { ...renamed(group), children });
}

/** Returns a category, or a group with its members, as it is read by its id. */
function detailsOf(category: Category, groupName?: string): CategoryDetailsV1 {
  const named = groupName !== undefined && { group_category_name: groupName };
  const inside = category.is_group ? groupOf(category) : named;
  return shownAs(CategoryDetailsV1, { ...renamed(category), ...inside });
}

function renamed({ archived_at: archived_on, ...category }: Omit<Category, 'children'>) {
  return { ...category, archived_on };
}
