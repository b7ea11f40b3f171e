import type { operations } from './openapi-types.ts';
import type { CallOptions } from './options.ts';
import { idPart } from './requests.ts';
import type { Requests } from './requests.ts';
import { isCategory, isCategoryList } from './shapes.ts';
import type { Category } from './shapes.ts';

/** How categories are listed, as the API document has it. */
export type CategoryQuery = NonNullable<operations['getAllCategories']['parameters']['query']>;

/** Reads categories. Everything rejects with an error of this library, or with the reason of an aborted signal. */
export interface Categories {
  /** All categories and groups, in one request; `nested` unless `format` says otherwise. */
  list(query?: CategoryQuery, options?: CallOptions): Promise<readonly Category[]>;
  /** One category, or one group with its members. ApiError 404: there is none. */
  get(id: number, options?: CallOptions): Promise<Category>;
}

/** The categories of a client. */
export function makeCategories(requests: Requests): Categories {
  return {
    list: async (query = {}, options = {}) => {
      const request = { ...options, path: '/categories', query };
      return (await requests.ask(request, isCategoryList, '{ categories }')).categories;
    },
    get: async (id, options = {}) => {
      const path = `/categories/${idPart('id', id)}`;
      return await requests.ask({ ...options, path }, isCategory, 'a category');
    },
  };
}
