import { compareCodePoints } from '@coffer/core/text';
import type { Row } from '../../db/table.ts';
import type { categories } from '../../db/tables/tables.ts';
import type { Category, ChildCategory } from './schema.ts';

type CategoryRow = Row<typeof categories>;

/** Returns a category as in a response, without the `children` of a group. */
export function toWire(row: CategoryRow): ChildCategory & Category {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    is_income: row.is_income,
    exclude_from_budget: row.exclude_from_budget,
    exclude_from_totals: row.exclude_from_totals,
    updated_at: row.updated_at,
    created_at: row.created_at,
    group_id: row.group_id,
    is_group: row.is_group as false,
    archived: row.archived_at !== null,
    archived_at: row.archived_at,
    order: row.sort_order,
    collapsed: row.collapsed,
  };
}

/** Returns a group with its members in list order, as in a response. */
export function withMembers(group: Category, members: readonly Category[]): Category {
  return withChildren(group, [...members].sort(compareCategories));
}

/** Which categories a list has, and where; `isGroup` overrides `format`. */
export interface CategoryArrangement {
  readonly format: 'nested' | 'flattened';
  readonly isGroup?: boolean | undefined;
}

/**
 * Arranges all categories of a book for a list.
 *
 * Nested: groups, and categories without a group; members are only in the `children` of their group. Flattened: the
 * members also follow their group in the list, in its order, so each of them appears twice. `isGroup` true: only
 * groups, with `children`. False: no groups; their members take the place of the group.
 *
 * Categories with an `order` come first, ascending; then those without one, by name. Names are compared by code points
 * after lower-casing, independent of language; ties are broken by id, ascending. A member whose group is missing is
 * treated as a category without a group.
 */
export function arrangeCategories(
  categories: readonly Category[],
  { format, isGroup }: CategoryArrangement,
): Category[] {
  const nested = nest(categories);
  if (isGroup === true) return nested.filter((category) => category.is_group);
  if (isGroup === false) return nested.flatMap((top) => (top.is_group ? membersOf(top) : [top]));
  if (format === 'nested') return nested;
  return nested.flatMap((top) => [top, ...membersOf(top)]);
}

function nest(categories: readonly Category[]): Category[] {
  const sorted = [...categories].sort(compareCategories);
  const groups = new Map<number, Category[]>();
  for (const category of sorted) if (category.is_group) groups.set(category.id, []);
  const top: Category[] = [];
  for (const category of sorted) {
    const siblings = category.group_id === null ? undefined : groups.get(category.group_id);
    if (category.is_group) top.push(withChildren(category, groups.get(category.id) ?? []));
    else if (siblings === undefined) top.push(category);
    else siblings.push(category);
  }
  return top;
}

function membersOf(group: Category): readonly Category[] {
  return group.children ?? [];
}

/** Keeps the order of the schema: `children` comes right after `is_group`. */
function withChildren(group: Category, children: readonly Category[]): Category {
  const { archived, archived_at, order, collapsed, ...before } = group;
  return {
    ...before,
    children: children as ChildCategory[],
    archived,
    archived_at,
    order,
    collapsed,
  };
}

function compareCategories(a: Category, b: Category): number {
  if (a.order !== null && b.order !== null) return a.order - b.order || compareNames(a, b);
  if (a.order !== null) return -1;
  if (b.order !== null) return 1;
  return compareNames(a, b);
}

/** Compares two categories by name, then by id: negative, zero or positive, for `sort`. */
export function compareNames(a: Category, b: Category): number {
  return compareCodePoints(a.name.toLowerCase(), b.name.toLowerCase()) || a.id - b.id;
}
