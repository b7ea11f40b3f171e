import sql from 'sql-template-tag';
import type { Category } from '../records/category.ts';
import { rows } from './engine.ts';
import type { Operation } from './engine.ts';

interface CategoryRow {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly is_income: number;
  readonly exclude_from_budget: number;
  readonly exclude_from_totals: number;
  readonly is_group: number;
  readonly group_id: number | null;
  readonly sort_order: number | null;
  readonly collapsed: number;
  readonly archived_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Every category and group of a book, by id. */
export function* listCategories(bookId: number): Operation<Category[]> {
  const found = yield* rows<CategoryRow>(sql`
    SELECT id, name, description, is_income, exclude_from_budget, exclude_from_totals, is_group, group_id,
      sort_order, collapsed, archived_at, created_at, updated_at
    FROM categories WHERE book_id = ${bookId} ORDER BY id`);
  return found.map(toCategory);
}

function toCategory(found: CategoryRow): Category {
  return {
    id: found.id,
    name: found.name,
    description: found.description,
    is_income: found.is_income === 1,
    exclude_from_budget: found.exclude_from_budget === 1,
    exclude_from_totals: found.exclude_from_totals === 1,
    updated_at: found.updated_at,
    created_at: found.created_at,
    group_id: found.group_id,
    is_group: found.is_group === 1,
    archived: found.archived_at !== null,
    archived_at: found.archived_at,
    order: found.sort_order,
    collapsed: found.collapsed === 1,
  };
}
