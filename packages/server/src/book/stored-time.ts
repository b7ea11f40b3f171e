import { clockSkewMs, instantOf } from '@coffer/core/dates';
import sql, { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { context, dialectOf, row } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import type { Table } from '../db/table.ts';
import { lower } from './unlogged.ts';

/** A column with times that are at most `longestMs` ahead of the clock. */
export interface StoredTime {
  readonly table: Table<'server'>;
  readonly column: string;
  /** 0 for what has happened. */
  readonly longestMs: number;
  /** Whose clock set it. Default: that of the node. */
  readonly clock?: 'database';
}

/** Whether a column has a time that is further ahead than it can be. */
export function* hasTooLate(time: StoredTime): Steps<boolean> {
  const [table, column] = [raw(time.table.name), raw(time.column)];
  const { most } = yield* limitsOf(time);
  return (yield* row(sql`SELECT 1 FROM ${table} WHERE ${column} > ${most} LIMIT 1`)) !== undefined;
}

/** Makes such times the latest that they can be. */
export function* shorten(time: StoredTime): Steps<void> {
  const { longest, most } = yield* limitsOf(time);
  yield* lower(time.table, time.column, longest, most);
}

/** The latest value of a column, and what is too late although clocks differ. */
function* limitsOf({
  table,
  column,
  longestMs,
  clock,
}: StoredTime): Steps<Record<'longest' | 'most', Sql>> {
  const { nowMs } = yield* context();
  const { databaseNowMs } = yield* dialectOf();
  const at = (ms: number): Sql => {
    if (clock === 'database') return sql`${databaseNowMs} + ${ms}`;
    const atMs = Math.floor(nowMs) + ms;
    return sql`${table.columns[column]!.type === 'text' ? instantOf(atMs) : atMs}`;
  };
  return { longest: at(longestMs), most: at(longestMs + clockSkewMs) };
}
