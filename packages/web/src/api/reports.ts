import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { unitsOf } from '../books/formats/money.ts';
import type { Period } from '@coffer/core/budget-periods';
import type { AccountHistory, Schemas } from '../books/types.ts';
import { useRead } from './hooks.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import type { LineSum } from '../books/reports/category-report.ts';
import type { Side } from '../books/reports/flow.ts';
import { accountOf } from '../books/rows/rows.ts';

/** What the lines of a report are. */
export type Division = 'category' | 'payee' | 'account' | 'tag';

/** Which sums are read: those of a side in a period, by month and line; by month alone without a division. */
export interface SumsRequest {
  readonly period: Period;
  readonly side: Side;
  readonly by: Division | null;
}

/** Reads sums of a period. Null while it is not known what to read. */
export function useSums(wanted: SumsRequest | null): UseQueryResult<readonly LineSum[]> {
  return useQuery({
    queryKey: [...keys.transactions, 'sums', wanted],
    queryFn: ({ signal }) => readSums(wanted!, signal),
    enabled: wanted !== null,
  });
}

/** Reads the sums of a side in a period by month and line. What income is received is positive. */
export async function readSums(
  { period, side, by }: SumsRequest,
  signal?: AbortSignal,
): Promise<readonly LineSum[]> {
  const query = {
    start_date: period.start,
    end_date: period.end,
    by: by === null ? 'month' : `month,${by}`,
    counts_as: side,
  };
  const { sums } = await request('GET /coffer/sums', { query, signal });
  return sums.map((sum) => {
    const units = unitsOf(sum.total);
    return {
      month: sum.month ?? '',
      key: lineOf(sum, by),
      units: side === 'income' ? -units : units,
    };
  });
}

type WireSum = Schemas['TransactionSums']['sums'][number];

/** The line of a sum. Payees without a line of their own are the one with the key {@link otherPayees}. */
function lineOf(sum: WireSum, by: Division | null): string {
  switch (by) {
    case 'category':
      return String(sum.category_id ?? 0);
    case 'tag':
      return String(sum.tag_id ?? 0);
    case 'account':
      return accountOf({
        manual_account_id: sum.manual_account_id ?? null,
        plaid_account_id: sum.plaid_account_id ?? null,
      });
    case 'payee':
      return typeof sum.payee === 'string' ? `=${sum.payee}` : otherPayees;
    case null:
      return '';
  }
}

/** The key of the line of all payees that have none of their own; the others begin with `=`. */
export const otherPayees = 'others';

/** The balances of all accounts by month, with the present ones in this month. */
export function useBalances(): UseQueryResult<readonly AccountHistory[]> {
  return useRead(keys.accounts, 'GET /v2/balance_history', {
    select: ({ balance_history: history }) => history,
  });
}

/**
 * What accounts had at the ends of months, by what is known of their balances and by their transactions: from the first
 * month of which something is known, or from a given one.
 */
export function usePastWorth(since?: string): UseQueryResult<Schemas['NetWorth']> {
  const query = since === undefined ? {} : { start_date: `${since}-01` };
  return useRead(keys.accounts, 'GET /coffer/net_worth', { query });
}
