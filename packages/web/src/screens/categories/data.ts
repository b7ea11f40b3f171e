import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ApiError } from '../../api/errors.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import type { Category, Tag, Schemas } from '../../books/types.ts';

/** Changes a category or a group. */
export function updateCategory(id: number, body: Schemas['CategoryUpdate']): Promise<Category> {
  return request('PUT /v2/categories/{id}', { path: { id }, body });
}

/** Deletes a category or a group; `force` also if records depend on it. */
export function removeCategory(id: number, force: boolean): Promise<unknown> {
  return request('DELETE /v2/categories/{id}', { path: { id }, query: { force } });
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
