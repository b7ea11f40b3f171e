import type { components } from '../sending/openapi-types.ts';
import type { CallOptions } from '../sending/options.ts';
import { listShape, recordMethods, recordShape } from './resource.ts';
import type { Call, QueryOf, RecordMethods } from './resource.ts';

/** A category, or a group with its members in `children`. */
export type Category = components['schemas']['Category'];
/** A new category or group. */
export type CategoryInsert = components['schemas']['CategoryInsert'];
/** New values for properties of a category or group; a complete record is accepted too. */
export type CategoryUpdate = components['schemas']['CategoryUpdate'];
/** Query parameters of the list of categories. */
export type CategoryQuery = QueryOf<'getAllCategories'>;
/** Query parameters of a deletion. */
export type CategoryDeletion = QueryOf<'deleteCategory'>;

/** Methods of categories. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Categories extends RecordMethods<
  Category,
  CategoryInsert,
  CategoryUpdate,
  CategoryDeletion
> {
  /** All categories and groups, in one request; `format` is `nested` by default. */
  list(query?: CategoryQuery, options?: CallOptions): Promise<readonly Category[]>;
}

const category = recordShape<Category>('a category');
const categories = listShape<Category>('categories');

/** The categories of a client. */
export function makeCategories(call: Call): Categories {
  return {
    ...recordMethods(call, ['categories'], category),
    list: (query, options) => call(categories, ['categories'], { ...options, query }),
  };
}
