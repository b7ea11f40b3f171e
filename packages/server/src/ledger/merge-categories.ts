import sql from 'sql-template-tag';
import type { Static } from 'typebox';
import type { Change } from '../book/change.ts';
import { changing } from '../book/change.ts';
import type { Steps } from '../db/engine.ts';
import { find, rowAs, select } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import type { Row } from '../db/table.ts';
import { categories, transactions } from '../db/tables/tables.ts';
import { bodyProblem } from '../operations/problem.ts';
import { budgetsOfCategory } from './budgets/referrers.ts';
import { recurringOfCategory } from './recurring/items.ts';
import { rulesOfCategory } from './rules/references.ts';
import { recordOf } from '../operations/records.ts';
import { inherited } from './categories/actions.ts';
import type { CategoryDependents } from './categories/requests.ts';

type CategoryRow = Row<typeof categories>;
/** The number of dependents of a category by kind. */
export type Dependents = Static<typeof CategoryDependents>['dependents'];

/** Records of one kind that refer to a category or to a group. */
export interface CategoryReferrer {
  /** Returns how many records refer to it. */
  readonly count: (bookId: number, id: number) => Steps<number>;
  /** Makes them refer to another category of the same kind, which exists. */
  readonly move: (change: Change, from: number, into: number) => Steps<void>;
  /** Removes their reference, because the category is going to be removed. */
  readonly detach: (change: Change, id: number) => Steps<void>;
}

/** Transactions. A reference that a recurring item covers is not counted, but moved and removed. */
const transactionsOfCategory: CategoryReferrer = {
  *count(bookId, id) {
    const found = yield* rowAs(
      { total: integer },
      sql`SELECT count(*) AS total FROM transactions WHERE book_id = ${bookId} AND category_id = ${id}`,
    );
    return found!.total;
  },
  *move(change, from, into) {
    yield* setCategory(change, from, into);
  },
  *detach(change, id) {
    yield* setCategory(change, id, null);
  },
};

function* setCategory(change: Change, from: number, into: number | null): Steps<void> {
  for (const column of ['category_id', 'own_category_id'] as const) {
    const rows = yield* select(transactions, { book_id: change.bookId, [column]: from });
    yield* change.updateAll(transactions, rows, { [column]: into });
  }
}

/** The members of a group. They have the flags of the group that they move to. */
const membersOfGroup: CategoryReferrer = {
  *count(bookId, id) {
    return (yield* membersWith(bookId, id)).length;
  },
  *move(change, from, into) {
    const group = yield* recordOf(categories, 'category', change.bookId, into);
    yield* change.updateAll(categories, yield* membersWith(change.bookId, from), inherited(group));
  },
  *detach(change, id) {
    yield* change.updateAll(categories, yield* membersWith(change.bookId, id), { group_id: null });
  },
};

function membersWith(book_id: number, group_id: number): Steps<CategoryRow[]> {
  return select(categories, { book_id, group_id });
}

/**
 * Everything that refers to categories, by its key in the dependents of the API. This is the place to add a resource
 * whose records have a category: deletions and merges then include it.
 */
const referrers: Readonly<Partial<Record<keyof Dependents, CategoryReferrer>>> = {
  budget: budgetsOfCategory,
  transactions: transactionsOfCategory,
  children: membersOfGroup,
  recurring: recurringOfCategory,
  category_rules: rulesOfCategory,
};

/** Returns the number of dependents of a category or group by kind. */
export function* countDependents({ book_id, id }: CategoryRow): Steps<Dependents> {
  const none = { budget: 0, category_rules: 0, transactions: 0, children: 0 };
  const counts: Record<keyof Dependents, number> = { ...none, recurring: 0, plaid_cats: 0 };
  for (const [kind, { count }] of entries()) counts[kind] = yield* count(book_id, id);
  return counts;
}

/** Removes a category or group, and every reference to it. */
export function* removeCategory(change: Change, category: CategoryRow): Steps<void> {
  for (const [, { detach }] of entries()) yield* detach(change, category.id);
  yield* change.remove(categories, category);
}

/**
 * Makes everything that refers to a category refer to another one, and removes the first. A group merges with a group:
 * its members move.
 *
 * Returns the number of moved records by kind. Throws a Problem if the other one is the same, is missing, or if only
 * one of the two is a group.
 */
export function* mergeCategory(
  change: Change,
  from: CategoryRow,
  intoId: number,
): Steps<Dependents> {
  const into = yield* find(categories, { book_id: change.bookId, id: intoId });
  const reason = refusal(from, into);
  if (reason !== null)
    throw bodyProblem({
      errMsg: `Body property into_id ${reason}: ${intoId}`,
      instancePath: '/body/into_id',
      invalid_property: 'into_id',
      category_id: intoId,
    });
  const moved = yield* countDependents(from);
  for (const [, { move }] of entries()) yield* move(change, from.id, intoId);
  yield* change.remove(categories, from);
  return moved;
}

/** Merges two categories or groups, as one change of the book: see {@link mergeCategory}. */
export function* mergeCategories(
  bookId: number,
  fromId: number,
  intoId: number,
): Steps<Dependents> {
  const cause = { bookId, actor: 'command', operation: 'category merge' };
  return yield* changing(cause, function* (change) {
    const from = yield* recordOf(categories, 'category', bookId, fromId);
    return yield* mergeCategory(change, from, intoId);
  });
}

function refusal(from: CategoryRow, into: CategoryRow | undefined): string | null {
  if (into === undefined) return 'is not a category of this book';
  if (into.id === from.id) return 'must be another category';
  if (into.is_group && !from.is_group) return 'must not be a category group';
  if (!into.is_group && from.is_group) return 'must be a category group, as the one to merge';
  return null;
}

function entries(): [kind: keyof Dependents, CategoryReferrer][] {
  return Object.entries(referrers) as [keyof Dependents, CategoryReferrer][];
}
