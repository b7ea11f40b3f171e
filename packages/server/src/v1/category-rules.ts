import type { Steps } from '../db/engine.ts';
import { given } from '../db/table.ts';
import { maxCategoryNameLength } from '../operations/limits.ts';
import { Problem, type ErrorDetail } from '../operations/problem.ts';
import { formsV1, refuseAny, shownAs, withoutNulls } from './refusals.ts';
import { only } from '../operations/schema.ts';
import type { CategoryUpdate } from '../ledger/categories/requests.ts';
import { arrangeCategories, compareNames } from '../ledger/categories/rules.ts';
import type { Category } from '../ledger/categories/schema.ts';
import type {
  CategoryBodyV1,
  CategoryDetailsV1,
  CategoryGroupV1,
  CategoryV1,
} from './category-schema.ts';
import * as schema from './category-schema.ts';

/** v1 had a shorter limit than v2. The limit of its names, 40, is not kept, because clients send longer ones. */
const maxDescriptionLength = 140;

/** What v1 says about categories that it refuses; clients compare some of the texts. */
export const texts = {
  unknown: 'This category id does not exist.',
  notGroup: 'This category id is not a category group.',
  nothing: 'No valid fields to update for this category.',
  noName: 'Missing category name.',
  longName: 'Category name must be less than 40 characters.',
  longDescription: 'Category description must be less than 140 characters.',
  isGroup: 'You may not set the is_group property for an existing category.',
  groupInGroup: 'This category cannot be assigned a group because it is a category group.',
  taken: (name: unknown) => `A category with the same name (${String(name)}) already exists.`,
  notAdded: (ids: readonly unknown[]) =>
    'The following category id(s) could not be added as a group because you do not have permissions ' +
    `for this category, or it is already a category group: ${ids.join(', ')}`,
} as const;

/** Throws all texts, if there are any. */
export function refuse(problems: readonly string[]): void {
  refuseAny(formsV1.categories, problems);
}

/** Changes categories by the rules of v2, and refuses in the words of v1. */
export function* inWords<T>(steps: Steps<T>): Steps<T> {
  try {
    return yield* steps;
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalidBody') refuse(textsOf(error.details));
    throw error;
  }
}

function textsOf(details: readonly ErrorDetail[]): string[] {
  const notAdded = details.filter((each) => 'children_index' in each);
  const others = details.filter((each) => !notAdded.includes(each));
  return [
    ...others.map((each) => ('name' in each ? texts.taken(each['name']) : each.errMsg)),
    ...(notAdded.length > 0 ? [texts.notAdded(notAdded.map((each) => each['category_id']))] : []),
  ];
}

/** Returns what is wrong with the texts of a request. */
export function textProblems({ name, description, new_categories }: CategoryBodyV1): string[] {
  // Operations without this field pass on what a client sends in it.
  const added = Array.isArray(new_categories) ? new_categories : [];
  const names = [name, ...added].filter((each) => typeof each === 'string');
  return [
    ...(names.some((each) => each.trim() === '') ? [texts.noName] : []),
    ...(names.some((each) => isLonger(each, maxCategoryNameLength)) ? [texts.longName] : []),
    ...(isLonger(description ?? '', maxDescriptionLength) ? [texts.longDescription] : []),
  ];
}

function isLonger(text: string, most: number): boolean {
  return text.length > most && [...text].length > most;
}

/** Returns the properties of a request that v2 has too. Null means that one is not given. */
export function fieldsOf(body: CategoryBodyV1): CategoryUpdate {
  const flags = ['is_income', 'exclude_from_budget', 'exclude_from_totals'] as const;
  const names = ['name', 'description', ...flags, 'archived', 'group_id'] as const;
  return given(only(withoutNulls(body), names));
}

/** Returns the members in a request, as v2 has them. */
export function childrenOf({ category_ids, new_categories }: CategoryBodyV1): (number | string)[] {
  return [...(category_ids ?? []), ...(new_categories ?? [])];
}

/** Returns all categories of a book for a list. */
export function arrangeV1(all: readonly Category[], format: 'flattened' | 'nested'): CategoryV1[] {
  const arranged = arrangeCategories(all, { format });
  return (format === 'nested' ? arranged : arranged.toSorted(compareNames)).map(listed);
}

function listed({ children = [], ...category }: Category): CategoryV1 {
  const members = children.length > 0 && { children: children.map(listed) };
  return shownAs(schema.CategoryV1, { ...renamed(category), ...members });
}

/** Returns a group with its members. */
export function groupOf(group: Category): CategoryGroupV1 {
  const members = (group.children ?? []).map(renamed);
  const children = members.map((member) => shownAs(schema.CategoryMemberV1, member));
  return shownAs(schema.CategoryGroupV1, { ...renamed(group), children });
}

/** Returns a category, or a group with its members, as it is read by its id. */
export function detailsOf(category: Category, groupName?: string): CategoryDetailsV1 {
  const named = groupName !== undefined && { group_category_name: groupName };
  const inside = category.is_group ? groupOf(category) : named;
  return shownAs(schema.CategoryDetailsV1, { ...renamed(category), ...inside });
}

function renamed({ archived_at: archived_on, ...category }: Omit<Category, 'children'>) {
  return { ...category, archived_on };
}
