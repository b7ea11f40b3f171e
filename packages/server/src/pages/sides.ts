import sql, { empty, raw, type Sql } from 'sql-template-tag';

/** The sides on which transactions count. */
export const sides = ['spending', 'income'] as const;
/** The side of sums on which a transaction counts. */
export type Side = (typeof sides)[number];

/** How sums count transactions: on a side; or on one as totals of summaries do, transfers included. */
export const countings = [...sides, 'outflow', 'inflow'] as const;
export type Counting = (typeof countings)[number];

/** What of a category decides on which side its transactions count. */
export interface SidedCategory {
  readonly is_income: boolean;
  readonly exclude_from_totals: boolean;
}

/**
 * Returns the side of a transaction that lists show; null for one that counts on none.
 *
 * A category that is excluded from totals counts nowhere, an income category is income even if money goes out of it,
 * every other category is spending even if a refund comes in. Without a category, credits are income and debits are
 * spending. {@link countsAs} says the same in SQL.
 */
export function sideOf(category: SidedCategory | undefined, isCredit: boolean): Side | null {
  if (category?.exclude_from_totals === true) return null;
  return (category?.is_income ?? isCredit) ? 'income' : 'spending';
}

/**
 * Returns a condition on row `t`, which lists must show: it counts on this side, as {@link sideOf} says, and is not
 * part of a transfer between own accounts, unless those count.
 */
export function countsAs(counting: Counting, bookId: number): Sql {
  const isIncome = counting === 'income' || counting === 'inflow';
  const isCounted =
    counting === 'inflow' || counting === 'outflow' ? sql`1 = 1` : isNoTransfer(bookId);
  // The categories are found once for a statement, and no index is sought by them.
  return sql`${isCounted} AND CASE WHEN t.category_id IS NULL THEN ${isIncome ? sql`t.to_base < 0` : sql`t.to_base >= 0`}
    ELSE t.category_id IN (SELECT c.id FROM categories c
      WHERE c.book_id = ${bookId} AND c.exclude_from_totals = 0 AND c.is_income = ${isIncome ? 1 : 0}) END`;
}

/**
 * The pairs that count, as a relation: `p` with the rows `s` (money out) and `r` (money in), and further conditions.
 * Both rows must be whole transactions in two accounts. While a row is split, grouped, in the other account, or of the
 * other direction, its pair does not count; it counts again when that is taken back. The amounts do not matter.
 */
export function countingPairs(bookId: number, and: Sql = empty): Sql {
  return sql`transfers p
    JOIN transactions s ON s.book_id = ${bookId} AND s.id = p.sent_id
    JOIN transactions r ON r.book_id = ${bookId} AND r.id = p.received_id
    WHERE p.book_id = ${bookId} AND s.amount > 0 AND r.amount < 0 AND ${isWhole('s')} AND ${isWhole('r')}
      AND (s.manual_account_id IS DISTINCT FROM r.manual_account_id
        OR s.plaid_account_id IS DISTINCT FROM r.plaid_account_id) ${and}`;
}

/** The condition that a row can be part of a transfer, whatever its direction is. */
export function isWhole(row: 's' | 'r'): Sql {
  return raw(`${row}.is_split_parent = 0 AND ${row}.is_group_parent = 0 AND ${row}.group_parent_id IS NULL
    AND (${row}.manual_account_id IS NOT NULL OR ${row}.plaid_account_id IS NOT NULL)`);
}

/** Which transactions of transfers are meant: those with which money leaves an account, or arrives. */
export type TransferSide = 'sent' | 'received';

/** Returns a SELECT of the ids of the transactions of transfers, of one side or of both. */
export function pairedIds(bookId: number, side: TransferSide | null): Sql {
  const ids = (name: 's' | 'r') => sql`SELECT ${raw(name)}.id FROM ${countingPairs(bookId)}`;
  if (side !== null) return ids(side === 'sent' ? 's' : 'r');
  return sql`${ids('s')} UNION ALL ${ids('r')}`;
}

/** Returns the condition on row `t` that it is not part of a transfer. The pairs are found once for a statement. */
export function isNoTransfer(bookId: number): Sql {
  return sql`t.id NOT IN (${pairedIds(bookId, null)})`;
}
