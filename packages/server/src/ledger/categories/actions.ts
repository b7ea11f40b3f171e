import { shorten } from '@coffer/core/text';
import { changing, type Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import { given, type Row, type RowUpdate } from '../../db/table.ts';
import { categories } from '../../db/tables/tables.ts';
import { bodyProblem, type ErrorDetail } from '../../operations/problem.ts';
import { archivedAfter, recordOf, refuseTakenNames } from '../../operations/records.ts';
import type { CategoryInsert, CategoryUpdate } from './requests.ts';
import { arrangeCategories, toWire, withMembers } from './rules.ts';
import type { Category } from './schema.ts';
import sql from 'sql-template-tag';
import { recordKind } from '../../book/record.ts';

type CategoryRow = Row<typeof categories>;
type Children = NonNullable<CategoryUpdate['children']>;

/** Returns whether the book has a category. */
export function* hasCategories(bookId: number): Steps<boolean> {
  return (yield* find(categories, { book_id: bookId })) !== undefined;
}

/** Returns the categories and groups of a book in list order, each group before its members. */
export function* listCategories(bookId: number): Steps<Category[]> {
  const rows = yield* select(categories, { book_id: bookId });
  return arrangeCategories(rows.map(toWire), { format: 'flattened' });
}

/** Renames a category or group, as one change of the book. Throws a Problem if another one has the name. */
export function* renameCategory(bookId: number, id: number, name: string): Steps<void> {
  const cause = { bookId, actor: 'command', operation: 'category rename' };
  yield* changing(cause, function* (change) {
    const before = yield* recordOf(categories, 'category', bookId, id);
    yield* updateCategory(change, before, { name });
  });
}

/** Returns the members of a group; none for a category. */
export function* membersOf({ book_id, id, is_group }: CategoryRow): Steps<CategoryRow[]> {
  return is_group ? yield* select(categories, { book_id, group_id: id }) : [];
}

/** Returns a category, or a group with its members, as in a response. */
export function* complete(row: CategoryRow): Steps<Category> {
  const category = toWire(row);
  return row.is_group ? withMembers(category, (yield* membersOf(row)).map(toWire)) : category;
}

/** Creates a category, or a group with its members. Throws a Problem that lists all that is wrong. */
export function* createCategory(change: Change, body: CategoryInsert): Steps<CategoryRow> {
  const isGroup = body.is_group === true;
  const problems = shapeProblems(isGroup, body);
  const group = yield* findGroup(change, body.group_id, problems);
  const children = yield* findChildren(change, body.children ?? [], problems);
  if (problems.length > 0) throw bodyProblem(...problems);
  yield* refuseTakenNames(categories, 'Category', change.bookId, [body.name]);
  const made = yield* change.insert(categories, {
    ...columnsOf(body),
    ...inherited(group),
    name: body.name,
    is_group: isGroup,
    archived_at: archivedAfter(null, body, change.at),
  });
  yield* addMembers(change, made, children);
  return made;
}

/** Changes a category, and the members of a group. Throws a Problem that lists all that is wrong. */
export function* updateCategory(
  change: Change,
  before: CategoryRow,
  body: CategoryUpdate,
): Steps<CategoryRow> {
  const problems = shapeProblems(before.is_group, body);
  if ((body.is_group ?? before.is_group) !== before.is_group)
    problems.push(problem('is_group', body.is_group, 'cannot be changed'));
  const groupId = body.group_id === undefined ? before.group_id : body.group_id;
  const group = yield* findGroup(change, groupId, problems);
  const children = yield* findChildren(change, body.children ?? [], problems);
  if (problems.length > 0) throw bodyProblem(...problems);
  yield* refuseTakenNames(categories, 'Category', change.bookId, [body.name], before.id);
  const after = yield* change.update(categories, before, {
    ...columnsOf(body),
    ...inherited(group),
    archived_at: archivedAfter(before.archived_at, body, change.at),
  });
  if (body.children !== undefined) yield* replaceMembers(change, after, children);
  const { is_income, exclude_from_budget, exclude_from_totals } = after;
  const flags = { is_income, exclude_from_budget, exclude_from_totals };
  yield* change.updateAll(categories, yield* membersOf(after), flags);
  return after;
}

/** Properties that only categories, or only groups, may have. */
function shapeProblems(isGroup: boolean, body: CategoryUpdate): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  if (isGroup && typeof body.group_id === 'number')
    problems.push(problem('group_id', body.group_id, 'cannot be set for a category group'));
  if (!isGroup && body.children !== undefined)
    problems.push(problem('children', body.children, 'can only be set for a category group'));
  if (!isGroup && body.collapsed === true)
    problems.push(problem('collapsed', true, 'can only be true for a category group'));
  return problems;
}

function* findGroup(
  change: Change,
  id: number | null | undefined,
  problems: ErrorDetail[],
): Steps<CategoryRow | null> {
  if (id === null || id === undefined) return null;
  const group = yield* find(categories, { book_id: change.bookId, id });
  if (group?.is_group === true) return group;
  const reason = group === undefined ? 'is not a category of this book' : 'is not a category group';
  problems.push({ ...problem('group_id', id, reason), group_id: id });
  return null;
}

/** The members in a request: rows of categories, and names of new ones. */
function* findChildren(
  change: Change,
  children: Children,
  problems: ErrorDetail[],
): Steps<(CategoryRow | string)[]> {
  const found: (CategoryRow | string)[] = [];
  if (children.length === 0) return found;
  const all = yield* select(categories, { book_id: change.bookId });
  const byId = new Map(all.map((row) => [row.id, row]));
  for (const [index, child] of children.entries()) {
    if (typeof child === 'string') {
      found.push(child);
      continue;
    }
    const id = typeof child === 'number' ? child : child.id;
    const row = byId.get(id);
    if (row !== undefined && !row.is_group) found.push(row);
    else {
      const reason = row === undefined ? 'is not a category of this book' : 'is a category group';
      problems.push({
        ...problem(`children/${index}`, id, reason),
        children_index: index,
        category_id: id,
      });
    }
  }
  return found;
}

function* addMembers(
  change: Change,
  group: CategoryRow,
  children: readonly (CategoryRow | string)[],
): Steps<void> {
  // A request may name a category twice.
  const known = new Set(children.filter((child) => typeof child !== 'string'));
  yield* change.updateAll(categories, [...known], inherited(group));
  const names = children.filter((child) => typeof child === 'string');
  yield* refuseTakenNames(categories, 'Category', change.bookId, names);
  for (const name of names) yield* change.insert(categories, { name, ...inherited(group) });
}

function* replaceMembers(
  change: Change,
  group: CategoryRow,
  children: readonly (CategoryRow | string)[],
): Steps<void> {
  const kept = new Set(children.map((child) => (typeof child === 'string' ? 0 : child.id)));
  const left = (yield* membersOf(group)).filter(({ id }) => !kept.has(id));
  yield* change.updateAll(categories, left, { group_id: null });
  yield* addMembers(change, group, children);
}

/** Returns the columns that a member has from its group; none without a group. */
function inherited(group: CategoryRow | null): RowUpdate<typeof categories> {
  if (group === null) return {};
  const { id: group_id, is_income, exclude_from_budget, exclude_from_totals } = group;
  return { group_id, is_income, exclude_from_budget, exclude_from_totals };
}

function columnsOf(body: CategoryUpdate) {
  const { name, description, is_income, exclude_from_budget, exclude_from_totals } = body;
  const { group_id, order: sort_order, collapsed } = body;
  const flags = { is_income, exclude_from_budget, exclude_from_totals };
  return given({
    name,
    description,
    ...flags,
    group_id,
    sort_order,
    collapsed: collapsed ?? undefined,
  });
}

function problem(property: string, value: unknown, reason: string): ErrorDetail {
  return {
    errMsg: `Body property ${property} ${reason}: ${shorten(JSON.stringify(value))}`,
    instancePath: `/body/${property}`,
    invalid_property: property,
  };
}

const check = 'category groups';

export const categoryRecord = recordKind(categories, {
  toWire,
  shows: `id name description is_income exclude_from_budget exclude_from_totals is_group group_id sort_order collapsed
    archived_at created_at updated_at`,
  refersTo: {
    // The members of a group. They have the flags of the group that they move to.
    categories: {
      dependents: 'children',
      *count(bookId, id) {
        return (yield* membersWith(bookId, id)).length;
      },
      *move(change, from, into) {
        const group = yield* recordOf(categories, 'category', change.bookId, into);
        const members = yield* membersWith(change.bookId, from);
        yield* change.updateAll(categories, members, inherited(group));
      },
      *detach(change, id) {
        const members = yield* membersWith(change.bookId, id);
        yield* change.updateAll(categories, members, { group_id: null });
      },
    },
  },
  rules: [
    {
      check,
      broken: sql`
        SELECT c.book_id, c.id, 'Category ' || c.id || CASE
            WHEN g.id = c.id THEN ' is its own group'
            WHEN c.is_group = 1 THEN ' is a group, but is in the group ' || g.id
            ELSE ' is in category ' || g.id || ', which is not a group' END AS detail
        FROM categories c JOIN categories g ON g.book_id = c.book_id AND g.id = c.group_id
        WHERE g.id = c.id OR c.is_group = 1 OR g.is_group = 0`,
    },
    {
      check,
      broken: sql`
        SELECT book_id, id, 'Category ' || id || ' is collapsed, but is not a group' AS detail
        FROM categories WHERE collapsed = 1 AND is_group = 0`,
    },
    {
      check,
      broken: sql`
        SELECT t.book_id, t.id, 'Transaction ' || t.id || ' has the category ' || c.id || ', which is a group' AS detail
        FROM categories c JOIN transactions t ON t.book_id = c.book_id AND t.category_id = c.id
        WHERE c.is_group = 1`,
    },
  ],
});

function membersWith(book_id: number, group_id: number): Steps<Row<typeof categories>[]> {
  return select(categories, { book_id, group_id });
}
