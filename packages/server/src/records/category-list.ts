import type { Category } from './category.ts';

/** A category as lists show it: a group has `children`, a category that is no group has no such key. */
export interface ListedCategory extends Category {
  readonly children?: readonly Category[];
}

/** Which categories a list is about; the wire's `is_group` beats its `format`. */
export interface CategoryArrangement {
  readonly format: 'nested' | 'flattened';
  readonly isGroup?: boolean;
}

/**
 * Arranges all categories of a book for a list.
 *
 * Nested: groups and categories of no group; members stand only in the `children` of their group.
 * Flattened: the members also stand in the list itself, right after their group and in its order, so each
 * of them appears twice. `isGroup` true: groups only, with `children`. False: no groups; their members
 * stand in the place of the group.
 *
 * Everywhere what has an `order` comes first, ascending; then what has none, by name. Names compare by
 * code points after lower-casing, in no country's order; ties go by id, ascending. A member whose group is
 * not among the categories counts as a category of no group.
 */
export function arrangeCategories(
  categories: readonly Category[],
  { format, isGroup }: CategoryArrangement,
): ListedCategory[] {
  const nested = nest(categories);
  if (isGroup === true) return nested.filter((category) => category.is_group);
  if (isGroup === false) return nested.flatMap((top) => (top.is_group ? membersOf(top) : [top]));
  if (format === 'nested') return nested;
  return nested.flatMap((top) => [top, ...membersOf(top)]);
}

function nest(categories: readonly Category[]): ListedCategory[] {
  const sorted = [...categories].sort(compareCategories);
  const groups = new Map<number, Category[]>();
  for (const category of sorted) if (category.is_group) groups.set(category.id, []);
  const top: ListedCategory[] = [];
  for (const category of sorted) {
    const siblings = category.group_id === null ? undefined : groups.get(category.group_id);
    if (category.is_group) top.push(withChildren(category, groups.get(category.id) ?? []));
    else if (siblings === undefined) top.push(category);
    else siblings.push(category);
  }
  return top;
}

function membersOf(group: ListedCategory): readonly ListedCategory[] {
  return group.children ?? [];
}

/** The keys in the order of the contract: `children` stands right after `is_group`. */
function withChildren(group: Category, children: readonly Category[]): ListedCategory {
  const { archived, archived_at, order, collapsed, ...before } = group;
  return { ...before, children, archived, archived_at, order, collapsed };
}

function compareCategories(a: Category, b: Category): number {
  if (a.order !== null && b.order !== null) return a.order - b.order || compareNames(a, b);
  if (a.order !== null) return -1;
  if (b.order !== null) return 1;
  return compareNames(a, b);
}

function compareNames(a: Category, b: Category): number {
  return compareCodePoints(a.name.toLowerCase(), b.name.toLowerCase()) || a.id - b.id;
}

/** JavaScript's `<` goes by UTF-16 units, which puts astral characters before some of the basic plane. */
function compareCodePoints(a: string, b: string): number {
  const others = b[Symbol.iterator]();
  for (const character of a) {
    const other = others.next();
    if (other.done === true) return 1;
    const difference = character.codePointAt(0)! - other.value.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return others.next().done === true ? 0 : -1;
}
