import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { padded } from '../../db/blocks.ts';
import type { Dialect } from '../../db/dialect.ts';
import { dateRange, filterConditions } from '../filter.ts';
import type { RowKey } from '../filter.ts';
import type { Selection } from './query.ts';

/** The last row of a page; `amount` in lists by amount. */
export interface SelectionKey extends RowKey {
  readonly amount?: number;
}

/** Returns conditions on row `t` for everything but words, payee, tags, and the rows that a plain list hides. */
export function rowConditions(
  selection: Selection,
  categories: readonly number[] | null,
  after: SelectionKey | null,
): Sql[] {
  const conditions = [...dateConditions(selection, after), ...filterConditions(selection)];
  const { min_amount: min, max_amount: max, import_id } = selection;
  if (min !== undefined) conditions.push(sql`abs(t.amount) >= ${min}`);
  if (max !== undefined) conditions.push(sql`abs(t.amount) <= ${max}`);
  if (import_id !== undefined) conditions.push(sql`t.import_id = ${import_id}`);
  if (categories !== null) conditions.push(isAmong('t.category_id', categories));
  for (const name of ['manual_account_id', 'plaid_account_id'] as const) {
    const ids = selection[`${name}s`];
    if (ids !== undefined) conditions.push(isAmong(`t.${name}`, ids));
  }
  return conditions;
}

/** Returns a condition: the column is one of the ids, of which 0 is null. */
function isAmong(column: string, ids: readonly number[]): Sql {
  const some = ids.filter((id) => id !== 0);
  const isNull = sql`${raw(column)} IS NULL`;
  if (some.length === 0) return isNull;
  const isSome = sql`${raw(column)} IN (${join(padded(some, some[0]!))})`;
  return some.length === ids.length ? isSome : sql`(${isSome} OR ${isNull})`;
}

/** Returns a condition on row `t`: it has one of the tags, or none for 0. */
export function hasTag(ids: readonly number[], { withIndex }: Dialect): Sql {
  if (ids.includes(0)) return sql`t.tag_ids = '[]'`;
  return sql`EXISTS (SELECT 1 FROM transaction_tags k ${withIndex('transaction_tags_by_transaction')}
    WHERE k.book_id = t.book_id AND k.transaction_id = t.id AND k.tag_id IN (${join(padded(ids, ids[0]!))}))`;
}

function dateConditions(selection: Selection, after: SelectionKey | null): Sql[] {
  const { start_date, end_date } = dateRange(selection);
  const from = sql`t.date >= ${start_date}`;
  const to = sql`t.date <= ${end_date}`;
  if (after === null) return [from, to];
  const { date, id, amount } = after;
  // Only one bound of a date at each end: the engine could seek by the wrong one.
  switch (selection.sort) {
    case '-date':
      return [from, sql`t.date <= ${date}`, sql`(t.date < ${date} OR t.id < ${id})`];
    case 'date':
      return [sql`t.date >= ${date}`, to, sql`(t.date > ${date} OR t.id > ${id})`];
    case '-amount':
      return [from, to, sql`(t.amount, t.date, t.id) < (${amount}, ${date}, ${id})`];
    case 'amount':
      return [from, to, sql`(t.amount, t.date, t.id) > (${amount}, ${date}, ${id})`];
  }
}

const directions = { '-': 'DESC', '': 'ASC' } as const;

/** Returns the ORDER BY of a selection, without the keyword. Rows with equal amounts are ordered by their dates. */
export function orderOf({ sort }: Selection): Sql {
  const direction = directions[sort.startsWith('-') ? '-' : ''];
  const columns = sort.endsWith('amount') ? ['amount', 'date', 'id'] : ['date', 'id'];
  return raw(columns.map((column) => `${column} ${direction}`).join(', '));
}
