import { categories } from '../db/tables/tables.ts';
import { changed, noContent, refusedWith } from '../operations/responses.ts';
import { DeleteQuery } from '../operations/schema.ts';
import { write } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { recordOf } from '../operations/records.ts';
import * as actions from './categories/actions.ts';
import { countDependents, mergeCategory, removeCategory } from './merge-categories.ts';
import * as requests from './categories/requests.ts';
import { Category } from './categories/schema.ts';

const one = {
  path: '/v2/categories/{id}',
  tag: 'categories',
  params: requests.CategoryPath,
} as const;

/** The operations that delete and merge categories. */
export const categoryMergeRoutes: readonly Operation[] = [
  write(
    'DELETE',
    {
      ...one,
      id: 'deleteCategory',
      summary: 'Delete a category or a group',
      description:
        'If records depend on it, the response is 422. With `force=true` transactions become uncategorized, ' +
        'and members belong to no group.',
      query: DeleteQuery,
      response: noContent('The category or group is deleted.'),
      refusals: {
        422: refusedWith(422, requests.CategoryDependents, 'Records depend on it.'),
      },
    },
    function* ({ bookId, params, query, refuse }, change) {
      const category = yield* recordOf(categories, 'category', bookId, params.id);
      const dependents = yield* countDependents(category);
      if (!query.force && Object.values(dependents).some((count) => count > 0))
        refuse(422, { category_name: category.name, dependents });
      yield* removeCategory(change, category);
    },
  ),
  write(
    'POST',
    {
      id: 'mergeCategory',
      path: '/coffer/categories/{id}/merge',
      tag: 'categories',
      params: requests.CategoryPath,
      summary: 'Merge a category or a group into another one',
      description:
        'Gives everything that refers to the category to the category `into_id`, and deletes it. ' +
        'A group merges with a group only: its members move.',
      body: requests.CategoryMerge,
      response: changed(Category, 'The category that is kept.'),
    },
    function* ({ bookId, params, body }, change) {
      const from = yield* recordOf(categories, 'category', bookId, params.id);
      yield* mergeCategory(change, from, body.into_id);
      return yield* actions.complete(yield* recordOf(categories, 'category', bookId, body.into_id));
    },
  ),
];
