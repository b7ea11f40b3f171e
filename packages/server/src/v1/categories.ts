import type { Change } from '../book/change.ts';
import { find, select } from '../db/rows.ts';
import { categories } from '../db/tables/tables.ts';
import { changed, ok } from '../operations/responses.ts';
import { formsV1, refusedV1, shownAs, True } from './refusals.ts';
import { read, write } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import * as actions from '../ledger/categories/actions.ts';
import { countDependents, removeCategory } from '../ledger/remove.ts';
import { CategoryPath } from '../ledger/categories/requests.ts';
import { toWire } from '../ledger/categories/rules.ts';
import * as rules from './category-rules.ts';
import * as schema from './category-schema.ts';

const area = { tag: 'categories', v1: formsV1.categories } as const;
const all = { ...area, path: '/v1/categories' } as const;
const one = { ...area, path: '/v1/categories/{id}', params: CategoryPath } as const;

const { texts } = rules;

export const categoryRoutesV1: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllCategoriesV1',
      summary: 'List categories',
      description: 'Returns all categories and groups of the book; in a flattened list by name.',
      query: schema.CategoryListQueryV1,
      response: ok(schema.CategoryListV1, 'The categories.'),
    },
    function* ({ bookId, query }) {
      const rows = yield* select(categories, { book_id: bookId });
      return { categories: rules.arrangeV1(rows.map(toWire), query.format) };
    },
    { isCached: true, isOneStatement: true },
  ),
  read(
    {
      ...one,
      id: 'getCategoryByIdV1',
      summary: 'Get a category',
      response: ok(schema.CategoryDetailsV1, 'The category or group.'),
    },
    function* ({ bookId, params }) {
      const row = yield* categoryOf(bookId, params.id);
      const group = yield* find(categories, { book_id: bookId, id: row.group_id ?? 0 });
      return rules.detailsOf(yield* actions.complete(row), group?.name);
    },
  ),
  write(
    'POST',
    {
      ...all,
      id: 'createCategoryV1',
      summary: 'Create a category',
      body: schema.CategoryInsertV1,
      response: changed(schema.NewCategoryV1, 'The id of the category.'),
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
      body: schema.CategoryGroupInsertV1,
      response: changed(schema.NewCategoryV1, 'The id of the group.'),
    },
    function* ({ body }, change) {
      const group = { ...body, archived: null, group_id: null };
      return yield* create(change, group, rules.childrenOf(body));
    },
  ),
  write(
    'PUT',
    {
      ...one,
      id: 'updateCategoryV1',
      summary: 'Update a category or a group',
      body: schema.CategoryUpdateV1,
      response: changed(True, 'It is changed.'),
    },
    function* ({ bookId, params, body }, change) {
      const before = yield* categoryOf(bookId, params.id);
      // This null takes it out of its group.
      const ungrouped = body.group_id === null ? { group_id: null } : {};
      const fields = { ...rules.fieldsOf(body), ...ungrouped };
      const isGiven = typeof body.is_group === 'boolean';
      const isGrouped = before.is_group && typeof body.group_id === 'number';
      rules.refuse([
        ...(isGiven ? [texts.isGroup] : []),
        ...(isGrouped ? [texts.groupInGroup] : []),
        ...rules.textProblems(body),
        ...(Object.keys(fields).length === 0 && !isGiven ? [texts.nothing] : []),
      ]);
      yield* rules.inWords(actions.updateCategory(change, before, fields));
      return true as const;
    },
  ),
  write(
    'POST',
    {
      ...area,
      path: '/v1/categories/group/{group_id}/add',
      params: schema.GroupPathV1,
      id: 'addToCategoryGroupV1',
      summary: 'Add categories to a group',
      description: 'The group keeps its other members.',
      body: schema.CategoryMembersV1,
      response: changed(schema.CategoryGroupV1, 'The group with all members.'),
    },
    function* ({ bookId, params, body }, change) {
      const group = yield* categoryOf(bookId, params.group_id);
      const isWrong = group.is_group ? [] : [texts.notGroup];
      rules.refuse([...isWrong, ...rules.textProblems(body)]);
      const known = (yield* actions.membersOf(group)).map(({ id }) => id);
      const children = [...known, ...rules.childrenOf(body)];
      yield* rules.inWords(actions.updateCategory(change, group, { children }));
      return rules.groupOf(yield* actions.complete(group));
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
      response: changed(schema.CategoryDeletionV1, 'It is deleted, or kept.'),
    },
    function* ({ bookId, params }, change) {
      const category = yield* categoryOf(bookId, params.id);
      const found = [];
      for (const each of [category, ...(yield* actions.membersOf(category))]) {
        const counts = yield* countDependents(each);
        if (Object.values(counts).some((count) => count > 0))
          found.push(shownAs(schema.dependents, { category_name: each.name, ...counts }));
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
function* create(change: Change, body: schema.CategoryBodyV1, children?: (number | string)[]) {
  const name = body.name ?? undefined;
  const missing = name === undefined ? [texts.noName] : [];
  rules.refuse([...missing, ...rules.textProblems(body)]);
  const group = children && { is_group: true, children };
  const insert = { ...rules.fieldsOf(body), ...group, name: name! };
  const { id } = yield* rules.inWords(actions.createCategory(change, insert));
  return { category_id: id };
}
