import { formatAmount } from '@coffer/core/money';
import { unitsOf } from '../formats/money.ts';
import type { Schemas, Transaction } from '../types.ts';

type Day = Schemas['AccountDays']['days'][number];

/** A transaction of an account, and what the account has after it. */
export interface RegisterRow {
  readonly row: Transaction;
  /** A decimal; debts are negative. Null where it is not known: pending, or in another currency. */
  readonly balance: string | null;
  readonly state: Day['state'];
}

/**
 * Returns transactions, the newest first, with the balance after each. `days` have the balances at their ends; a day on
 * which a row has another currency has one balance, at its end.
 */
export function registerRows(
  rows: readonly Transaction[],
  days: readonly Day[],
  currency: string,
): RegisterRow[] {
  const byDate = new Map(days.map((day) => [day.date, day]));
  return [...Map.groupBy(rows, ({ date }) => date)].flatMap(([date, own]) => {
    const day = byDate.get(date);
    const isPlain = own.every((row) => row.currency === currency);
    let left: bigint | null = day === undefined ? null : unitsOf(day.balance);
    return own.map((row): RegisterRow => {
      const state = day?.state ?? null;
      if (row.is_pending || left === null) return { row, state, balance: null };
      const balance = formatAmount(left);
      left = isPlain ? left + unitsOf(row.amount) : null;
      return { row, state, balance };
    });
  });
}
