import { recordNotFound } from '@coffer/contract/errors';
import {
  arrangeCategories,
  type CategoryArrangement,
  type ListedCategory,
} from '../../records/category-list.ts';
import type { Store } from '../../records/store.ts';
import type { Route } from '../api.ts';
import { Problem } from '../errors.ts';
import type { Values } from '../validation.ts';

/** GET /v2/categories and GET /v2/categories/{id}. */
export function categoryRoutes(store: Store): Route[] {
  return [
    {
      method: 'GET',
      path: '/v2/categories',
      answer: async ({ identity, query }) => {
        const all = await store.listCategories(identity.book.id);
        return [
          Buffer.from(JSON.stringify({ categories: arrangeCategories(all, toArrangement(query)) })),
        ];
      },
    },
    {
      method: 'GET',
      path: '/v2/categories/{id}',
      answer: async ({ identity, path }) => {
        const all = await store.listCategories(identity.book.id);
        const listed = arrangeCategories(all, { format: 'flattened' });
        return [Buffer.from(JSON.stringify(find(listed, path['id'] as number)))];
      },
    },
  ];
}

function toArrangement({ format, is_group: isGroup }: Values): CategoryArrangement {
  const arrangement = { format: format as CategoryArrangement['format'] };
  return typeof isGroup === 'boolean' ? { ...arrangement, isGroup } : arrangement;
}

function find(listed: readonly ListedCategory[], id: number): ListedCategory {
  const found = listed.find((category) => category.id === id);
  if (found !== undefined) return found;
  throw new Problem('recordNotFound', { details: [{ errMsg: recordNotFound('category', id) }] });
}
