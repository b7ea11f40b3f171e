import type { ErrorDetail } from '../../operations/problem.ts';
import type { References, Referring } from './references.ts';

/** What a request assigns to a group or to a part. */
type Assigned = Pick<Referring, 'category_id' | 'tag_ids'>;

/**
 * Returns the problems of assigned categories and tags: those that the book does not have, and category groups.
 *
 * `place` names the transaction in messages and `keys` in the errors.
 */
export function assignedProblems(
  { category_id: categoryId = null, tag_ids: tagIds = [] }: Assigned,
  references: References,
  place: string,
  keys: Readonly<Record<string, unknown>>,
): ErrorDetail[] {
  const problems = categoryProblems(categoryId, references, place, keys);
  for (const [index, id] of tagIds.entries())
    if (!references.tags.has(id))
      problems.push({
        errMsg: `${place}tag ID does not exist: ${id}`,
        ...keys,
        error: 'Invalid tag ID',
        invalid_property: 'tag_ids',
        tag_ids_index: index,
        tag_id: id,
      });
  return problems;
}

function categoryProblems(
  id: number | null,
  { categories }: References,
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
