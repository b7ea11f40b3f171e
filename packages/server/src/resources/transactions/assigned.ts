import sql, { join } from 'sql-template-tag';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { flag, integer, text } from '../../db/table.ts';
import type { ErrorDetail } from '../../wire/problem.ts';

/** The categories and tags that a request assigns, as they are in the book. */
export interface KnownReferences {
  readonly categories: ReadonlyMap<number, { readonly name: string; readonly is_group: boolean }>;
  readonly tagIds: ReadonlySet<number>;
}

/** What a request assigns to one transaction. */
export interface Assigned {
  readonly category_id?: number | null;
  readonly tag_ids?: readonly number[];
}

/** Returns which of the assigned categories and tags the book has. */
export function* knownReferences(bookId: number, all: readonly Assigned[]): Steps<KnownReferences> {
  const categoryIds = new Set(all.map((each) => each.category_id ?? null));
  categoryIds.delete(null);
  const categories = new Map<number, { name: string; is_group: boolean }>();
  for (const ids of blocksOf([...categoryIds]))
    for (const { id, name, is_group } of yield* rowsAs(
      { id: integer, name: text, is_group: flag },
      sql`SELECT id, name, is_group FROM categories WHERE book_id = ${bookId} AND id IN (${join(ids)})`,
    ))
      categories.set(id, { name, is_group });
  const tagIds = new Set<number>();
  for (const ids of blocksOf([...new Set(all.flatMap((each) => each.tag_ids ?? []))]))
    for (const { id } of yield* rowsAs(
      { id: integer },
      sql`SELECT id FROM tags WHERE book_id = ${bookId} AND id IN (${join(ids)})`,
    ))
      tagIds.add(id);
  return { categories, tagIds };
}

/**
 * Returns the problems of assigned categories and tags: those that the book does not have, and category groups.
 *
 * `place` names the transaction in messages and `keys` in the errors.
 */
export function referenceProblems(
  { category_id: categoryId = null, tag_ids: tagIds = [] }: Assigned,
  known: KnownReferences,
  place: string,
  keys: Readonly<Record<string, unknown>>,
): ErrorDetail[] {
  const problems = categoryProblems(categoryId, known, place, keys);
  for (const [index, id] of tagIds.entries())
    if (!known.tagIds.has(id))
      problems.push({
        errMsg: `${place}tag ID does not exist: ${id}`,
        ...keys,
        ...{ error: 'Invalid tag ID', invalid_property: 'tag_ids' },
        ...{ tag_ids_index: index, tag_id: id },
      });
  return problems;
}

function categoryProblems(
  id: number | null,
  { categories }: KnownReferences,
  place: string,
  keys: Readonly<Record<string, unknown>>,
): ErrorDetail[] {
  if (id === null) return [];
  const category = categories.get(id);
  if (category?.is_group === false) return [];
  const invalid = {
    error: 'Invalid category ID',
    invalid_property: 'category_id',
    category_id: id,
  };
  const reason =
    category === undefined
      ? 'does not exist'
      : 'is a category group and cannot be assigned to a transaction';
  return [
    {
      errMsg: `${place}category ID ${reason}: ${id}`,
      ...keys,
      ...invalid,
      ...(category && { category_group_name: category.name }),
    },
  ];
}
