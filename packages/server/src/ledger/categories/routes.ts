import { select } from '../../db/rows.ts';
import { categories, categorySettings } from '../../db/tables/tables.ts';
import { changed, created, ok } from '../../operations/responses.ts';
import { read, write, type Operation } from '../../operations/operation.ts';
import { recordOf, refuseNothingToUpdate } from '../../operations/records.ts';
import * as actions from './actions.ts';
import { newCategories } from './requests.ts';
import * as requests from './requests.ts';
import { arrangeCategories, toWire } from './rules.ts';
import { Category, CategoryListResponse } from './schema.ts';
import {
  CategorySettings,
  CategorySettingsList,
  CategorySettingsUpdate,
  settingsToWire,
  updateCategorySettings,
} from './settings.ts';

const one = {
  path: '/v2/categories/{id}',
  tag: 'categories',
  params: requests.CategoryPath,
} as const;
const all = { path: '/v2/categories', tag: 'categories' } as const;

export const categoryRoutes: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllCategories',
      summary: 'List categories',
      description:
        'Returns all categories and groups of the book, sorted by `order`, then those without one by name. ' +
        'Members of a group are sorted in the same way.',
      query: requests.CategoryListQuery,
      response: ok(CategoryListResponse, 'The categories.'),
    },
    function* ({ bookId, query: { format, is_group: isGroup } }) {
      const rows = yield* select(categories, { book_id: bookId });
      return { categories: arrangeCategories(rows.map(toWire), { format, isGroup }) };
    },
    { isCached: true, isOneStatement: true },
  ),
  write(
    'POST',
    {
      ...all,
      id: 'createCategory',
      summary: 'Create a category or a group',
      description:
        'With `is_group`, categories in `children` move into the new group, and names in `children` create ' +
        'new categories. A name that is taken is refused with 400.',
      body: requests.CategoryInsert,
      bodyExamples: newCategories,
      response: created(Category, 'The new category or group.'),
    },
    function* ({ body }, change) {
      return yield* actions.complete(yield* actions.createCategory(change, body));
    },
  ),
  read(
    {
      ...one,
      id: 'getCategoryById',
      summary: 'Get a category',
      description: 'A group has its `children`.',
      response: ok(Category, 'The category or group.'),
    },
    function* ({ bookId, params }) {
      return yield* actions.complete(yield* recordOf(categories, 'category', bookId, params.id));
    },
  ),
  write(
    'PUT',
    {
      ...one,
      id: 'updateCategory',
      summary: 'Update a category or a group',
      description:
        '`children` replaces the members of a group; members that are left out belong to no group.',
      body: requests.CategoryUpdate,
      response: changed(Category, 'The changed category or group.'),
    },
    function* ({ bookId, params, body }, change) {
      const before = yield* recordOf(categories, 'category', bookId, params.id);
      // A changed is_group is refused with its own message.
      if ((body.is_group ?? before.is_group) === before.is_group)
        refuseNothingToUpdate('category', body);
      return yield* actions.complete(yield* actions.updateCategory(change, before, body));
    },
  ),
  read(
    {
      id: 'getAllCategorySettings',
      path: '/coffer/category_settings',
      tag: 'categories',
      summary: 'List the settings of categories',
      description: 'Returns how budgets and screens treat categories and groups.',
      response: ok(CategorySettingsList, 'The settings.'),
    },
    function* ({ bookId }) {
      const rows = yield* select(categorySettings, { book_id: bookId });
      return { category_settings: rows.map(settingsToWire) };
    },
    { isCached: true, isOneStatement: true },
  ),
  write(
    'PUT',
    {
      id: 'updateCategorySettings',
      path: '/coffer/category_settings/{id}',
      tag: 'categories',
      params: requests.CategoryPath,
      summary: 'Change the settings of a category',
      description:
        'Settings that are not sent keep their values. Neither groups nor income categories can have `rollover`: ' +
        'groups have the sums of their members.',
      body: CategorySettingsUpdate,
      response: changed(CategorySettings, 'The settings.'),
    },
    function* ({ bookId, params, body }, change) {
      refuseNothingToUpdate('category setting', body);
      const category = yield* recordOf(categories, 'category', bookId, params.id);
      return settingsToWire(yield* updateCategorySettings(change, category, body));
    },
  ),
];
