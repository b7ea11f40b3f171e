import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { padded } from '../../db/blocks.ts';
import type { Dialect } from '../../db/dialect.ts';
import { dateRange, filterConditions } from '../filter.ts';
import type { RowKey } from '../filter.ts';
import type { Selection } from './query.ts';

/** The last row of a page in a list by amount. */
export interface AmountKey extends RowKey {
  readonly amount: number;
}

/** Returns conditions on row `t` for everything but dates, words, payee, tags, and the rows that a plain list hides. */
export function rowConditions(
  selection: Selection,
  categories: readonly number[] | null,
  row: string,
): Sql[] {
  const conditions = filterConditions(selection);
  const { min_amount: min, max_amount: max, import_id } = selection;
  if (min !== undefined) conditions.push(sql`abs(t.amount) >= ${min}`);
  if (max !== undefined) conditions.push(sql`abs(t.amount) <= ${max}`);
  if (import_id !== undefined) conditions.push(sql`t.import_id = ${import_id}`);
  if (categories !== null) conditions.push(isAmong(`${row}.category_id`, categories));
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

/** Returns a condition on row `t`: it is after the key in a list by amount. */
export function isAfter({ amount, date, id }: AmountKey, { sort }: Selection): Sql {
  const sign = raw(sort === 'amount' ? '>' : '<');
  return sql`(t.amount, t.date, t.id) ${sign} (${amount}, ${date}, ${id})`;
}

/** Returns conditions on row `t`: it is in the range of dates. */
export function dateConditions(selection: Selection): Sql[] {
  const { start_date, end_date } = dateRange(selection);
  return [sql`t.date >= ${start_date}`, sql`t.date <= ${end_date}`];
}

/**
 * Returns a condition on row `t`: it is of one of the days, at most a block. An index is only sought by them if that is
 * wanted: an index of texts would be sought once for each text and day.
 */
export function isOfDay(days: readonly string[], isSought: boolean): Sql {
  const date = raw(isSought ? 't.date' : "t.date || ''");
  return sql`${date} IN (${join(padded(days, days[0]!))})`;
}

const directions = { '-': 'DESC', '': 'ASC' } as const;

/** Returns the ORDER BY of a selection, without the keyword. Rows with equal amounts are ordered by their dates. */
export function orderOf({ sort }: Selection): Sql {
  const direction = directions[sort.startsWith('-') ? '-' : ''];
  const columns = sort.endsWith('amount') ? ['amount', 'date', 'id'] : ['date', 'id'];
  return raw(columns.map((column) => `${column} ${direction}`).join(', '));
}
