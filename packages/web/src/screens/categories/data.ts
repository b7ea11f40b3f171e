import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ApiError } from '../../api/errors.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import type { PlaceUpdate } from '../../books/categories.ts';
import type { Look } from '../../books/looks.ts';
import type { Category, Tag, Schemas } from '../../books/types.ts';

export type CategoryInsert = Schemas['CategoryInsert'];
export type TagInsert = Schemas['TagInsert'];

/** Creates a category or a group. */
export function createCategory(body: CategoryInsert): Promise<Category> {
  return request('POST /v2/categories', { body });
}

/** Changes a category or a group. */
export function updateCategory(id: number, body: Schemas['CategoryUpdate']): Promise<Category> {
  return request('PUT /v2/categories/{id}', { path: { id }, body });
}

/** Changes what people see of a category. */
export function saveLook(id: number, { icon, colour }: Look): Promise<unknown> {
  return request('PUT /coffer/category_settings/{id}', { path: { id }, body: { icon, colour } });
}

/** Writes new places, one after another. */
export async function placeCategories(updates: readonly PlaceUpdate[]): Promise<void> {
  for (const { id, values } of updates) await updateCategory(id, values);
}

/** Deletes a category or a group; `force` also if records depend on it. */
export function removeCategory(id: number, force: boolean): Promise<unknown> {
  return request('DELETE /v2/categories/{id}', { path: { id }, query: { force } });
}

/** Gives everything of a category to another one, and deletes it. */
export function mergeCategory(id: number, intoId: number): Promise<Category> {
  return request('POST /coffer/categories/{id}/merge', { path: { id }, body: { into_id: intoId } });
}

/** Creates a tag. */
export function createTag(body: TagInsert): Promise<Tag> {
  return request('POST /v2/tags', { body });
}

/** Changes a tag. */
export function updateTag(id: number, body: Schemas['TagUpdate']): Promise<Tag> {
  return request('PUT /v2/tags/{id}', { path: { id }, body });
}

/** Deletes a tag; `force` also if records depend on it. */
export function removeTag(id: number, force: boolean): Promise<unknown> {
  return request('DELETE /v2/tags/{id}', { path: { id }, query: { force } });
}

/** Numbers of records by kind. */
export type Dependents = Readonly<Record<string, number>>;

/** Returns what depends on a record whose deletion was refused; null for any other error. */
export function dependentsOf(error: unknown): Dependents | null {
  if (!(error instanceof ApiError) || error.status !== 422) return null;
  const { dependents } = (error.body ?? {}) as { dependents?: Dependents };
  return dependents ?? null;
}

/** What refers to a category. */
export interface Uses {
  readonly transactions: number;
  readonly rules: number;
  readonly recurring: number;
}

/** How many records refer to a category, or to a group itself. */
export function useUses({ id, is_group: isGroup }: Category): UseQueryResult<Uses> {
  return useQuery({
    queryKey: [...keys.transactions, 'uses', id],
    queryFn: async ({ signal }) => {
      const query = { category_ids: String(id), limit: 1 };
      const [found, rules, items] = await Promise.all([
        request('GET /coffer/transactions', { query, signal }),
        request('GET /coffer/rules', { signal }),
        request('GET /v2/recurring_items', { signal }),
      ]);
      return {
        // A filter by a group finds the transactions of its members, which stay with them.
        transactions: isGroup ? 0 : (found.total ?? 0),
        rules: rules.rules.filter(({ actions }) => actions.category_id === id).length,
        recurring: items.recurring_items.filter(({ overrides }) => overrides.category_id === id)
          .length,
      };
    },
  });
}
