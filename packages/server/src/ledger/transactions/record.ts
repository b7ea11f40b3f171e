import sql, { type Sql } from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { recordKind, type RecordRule } from '../../book/record.ts';
import { dialectOf, type Steps } from '../../db/engine.ts';
import { idsOf, rowAs, rowsAs } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';
import { transactions } from '../../db/tables/tables.ts';
import { ownTransactions } from '../../pages/pages.ts';

export const transactionRecord = recordKind(transactions, {
  shows: `id date amount currency to_base payee original_name notes category_id manual_account_id plaid_account_id
    recurring_id external_id tag_ids status is_pending is_split_parent split_parent_id is_group_parent group_parent_id
    source plaid_metadata custom_metadata own_payee own_notes own_category_id remote_id import_id created_at
    updated_at`,
  isDebit: true,
  isConverted: sql`t.is_group_parent = 0 AND t.split_parent_id IS NULL`,
  *read(bookId, ids) {
    const found = yield* ownTransactions(bookId, ids);
    return found.map(({ id, json }) => ({ key: String(id), json }));
  },
  refersTo: {
    // A category that a recurring item covers is not counted, but moved and removed.
    categories: {
      dependents: 'transactions',
      *count(bookId, id) {
        return yield* countOf(
          sql`SELECT id FROM transactions WHERE book_id = ${bookId} AND category_id = ${id}`,
        );
      },
      *move(change, from, into) {
        yield* setCategory(change, from, into);
      },
      *detach(change, id) {
        yield* setCategory(change, id, null);
      },
    },
    tags: {
      dependents: 'transactions',
      *count(bookId, id) {
        return yield* countOf(withTag(bookId, id));
      },
      *detach(change, id) {
        const tagged = yield* rowsAs(
          { tag_ids: text, ids: text },
          sql`SELECT tag_ids, string_agg(CAST(id AS TEXT), ',' ORDER BY id) AS ids FROM transactions
            WHERE book_id = ${change.bookId} AND id IN (${withTag(change.bookId, id)}) GROUP BY tag_ids`,
        );
        for (const { tag_ids, ids } of tagged) {
          const left = (JSON.parse(tag_ids) as number[]).filter((each) => each !== id);
          const alike = JSON.parse(`[${ids}]`) as number[];
          yield* change.updateSet(transactions, alike, { tag_ids: JSON.stringify(left) });
        }
      },
    },
  },
  rules: [
    {
      check: 'splits',
      broken: sql`
        SELECT book_id, id, 'Transaction ' || id || ' has the amount ' || amount
          || ' (ten-thousandths), but its parts ' || coalesce('total ' || parts, 'are missing') AS detail
        FROM (
          SELECT t.book_id, t.id, t.amount, (SELECT CAST(sum(c.amount) AS BIGINT) FROM transactions c
            WHERE c.book_id = t.book_id AND c.split_parent_id = t.id) AS parts
          FROM transactions t WHERE t.is_split_parent = 1) splits
        WHERE parts IS DISTINCT FROM amount`,
    },
    parents('split parents', sql`split_parent_id`, sql`is_split_parent`, 'a split parent'),
    parents('group parents', sql`group_parent_id`, sql`is_group_parent`, 'a group parent'),
    {
      check: 'group members',
      broken: sql`
        SELECT book_id, id, 'Transaction ' || id || ' is a group, but has no members' AS detail FROM transactions t
        WHERE is_group_parent = 1 AND NOT EXISTS (SELECT 1 FROM transactions c
          WHERE c.book_id = t.book_id AND c.group_parent_id = t.id)`,
    },
  ],
});

function* setCategory(change: Change, from: number, into: number | null): Steps<void> {
  const { withIndex } = yield* dialectOf();
  const rows = sql`book_id = ${change.bookId}`;
  const ids = yield* idsOf(
    sql`SELECT id FROM transactions WHERE ${rows} AND category_id = ${from}`,
  );
  yield* change.updateSet(transactions, ids, { category_id: into });
  // Only rows of a recurring item keep another category of their own.
  const linked =
    yield* idsOf(sql`SELECT id FROM transactions ${withIndex('transactions_by_recurring')}
    WHERE ${rows} AND recurring_id IS NOT NULL AND own_category_id = ${from}`);
  yield* change.updateSet(transactions, linked, { own_category_id: into });
}

function* countOf(found: Sql): Steps<number> {
  const counted = sql`SELECT count(*) AS total FROM (${found}) found`;
  return (yield* rowAs({ total: integer }, counted))!.total;
}

/** The ids of the transactions with a tag. */
function withTag(bookId: number, id: number): Sql {
  return sql`SELECT transaction_id FROM transaction_tags WHERE book_id = ${bookId} AND tag_id = ${id}`;
}

/** Finds rows whose parent is missing, not marked as a parent, themselves, or has such a parent too. */
function parents(check: string, parentId: Sql, isParent: Sql, name: string): RecordRule {
  const broken = sql`
    SELECT c.book_id, c.id, 'Transaction ' || c.id || ' belongs to transaction ' || c.${parentId} || CASE
        WHEN p.id IS NULL THEN ', which does not exist'
        WHEN p.id = c.id THEN ', which is itself'
        WHEN coalesce(p.${isParent}, 0) = 0 THEN ${`, which is not marked as ${name}`}
        ELSE ', which belongs to transaction ' || p.${parentId} END AS detail
    FROM transactions c LEFT JOIN transactions p ON p.book_id = c.book_id AND p.id = c.${parentId}
    WHERE c.${parentId} IS NOT NULL
      AND (coalesce(p.${isParent}, 0) = 0 OR p.id = c.id OR p.${parentId} IS NOT NULL)`;
  return { check, broken };
}
