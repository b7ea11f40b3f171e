import sql from 'sql-template-tag';
import { recordKind } from '../../book/record.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { categories } from '../../db/tables/tables.ts';
import { recordOf } from '../../operations/records.ts';
import { inherited } from './actions.ts';
import { toWire } from './rules.ts';

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
