import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { wealthKindOf, type BalanceSeries } from '../books/accounts/net-worth.ts';
import { lastDayOf } from '../books/formats/dates.ts';
import { unitsOf, unitsOfNumber } from '../books/formats/money.ts';
import type { Period } from '../books/reports/periods.ts';
import { sidedSums } from '../books/reports/sides.ts';
import type {
  CategorySum,
  SidedCategory,
  SidedSum,
  UncategorizedSum,
} from '../books/reports/sides.ts';
import type { AccountHistory } from '../books/types.ts';
import { useRead, type Accounts } from './hooks.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';

/** The sums of some months as they are read, before their sides are known. */
export interface PeriodSums {
  readonly sums: readonly CategorySum[];
  readonly uncategorized: readonly UncategorizedSum[];
}

/** The sums of a period by month and category. Null while the period is not known. */
export function usePeriodSums(period: Period | null): UseQueryResult<PeriodSums> {
  return useQuery({
    queryKey: [...keys.transactions, 'sums', period],
    queryFn: ({ signal }) => readPeriodSums(period!, signal),
    enabled: period !== null,
  });
}

/**
 * Reads the sums of a period, without transfers. Where a month has transactions without a category, its summary is read
 * too: it divides them into credits and debits, which the sums do not. It has transfers, which are taken from it.
 */
export async function readPeriodSums(period: Period, signal?: AbortSignal): Promise<PeriodSums> {
  const query = {
    start_month: period.first,
    end_month: period.last,
    by: 'month,category',
  } as const;
  const { sums } = await request('GET /coffer/sums', { query, signal });
  const known = sums.map(({ month = '', category_id: id, total }) => ({
    month,
    categoryId: id ?? null,
    units: unitsOf(total),
  }));
  const open = known.filter(({ categoryId }) => categoryId === null).map(({ month }) => month);
  if (open.length === 0) return { sums: known, uncategorized: [] };
  const transfers = async (side: 'sent' | 'received'): Promise<ReadonlyMap<string, bigint>> => {
    const found = await request('GET /coffer/sums', {
      query: { ...query, transfers: side },
      signal,
    });
    const without = found.sums.filter(({ category_id: id }) => id === null);
    return new Map(without.map(({ month = '', total }) => [month, unitsOf(total)]));
  };
  const [sent, received] = [await transfers('sent'), await transfers('received')];
  const uncategorized = await Promise.all(
    open.map(async (month) => {
      const { income, spending } = await readUncategorized(month, signal);
      return {
        month,
        income: income - (received.get(month) ?? 0n),
        spending: spending - (sent.get(month) ?? 0n),
      };
    }),
  );
  return { sums: known, uncategorized };
}

async function readUncategorized(
  month: string,
  signal: AbortSignal | undefined,
): Promise<UncategorizedSum> {
  const query = {
    start_date: `${month}-01`,
    end_date: lastDayOf(month),
    include_totals: true,
  };
  const { totals } = await request('GET /v2/summary', { query, signal });
  const sum = (side: 'inflow' | 'outflow'): bigint => {
    const { uncategorized = 0, uncategorized_recurring: recurring = 0 } = totals?.[side] ?? {};
    return unitsOfNumber(uncategorized) + unitsOfNumber(recurring);
  };
  return { month, income: sum('inflow'), spending: sum('outflow') };
}

/** Returns the sums of a period on their sides; see {@link sidedSums} for the rules. */
export function sidesOf(
  { sums, uncategorized }: PeriodSums,
  categories: readonly SidedCategory[],
): SidedSum[] {
  return sidedSums(sums, uncategorized, categories);
}

/** The balances of all accounts by month, with the present ones in this month. */
export function useBalances(): UseQueryResult<readonly AccountHistory[]> {
  return useRead(keys.accounts, 'GET /v2/balance_history', {
    select: ({ balance_history: history }) => history,
  });
}

/** Returns the balances of each account with its kind. */
export function seriesOf(
  history: readonly AccountHistory[],
  { manual, plaid }: Accounts,
): BalanceSeries[] {
  const known = {
    manual: new Map(manual.map((account) => [account.id, account])),
    plaid: new Map(plaid.map((account) => [account.id, account])),
  };
  return history.map(({ source, balances }, place) => ({
    key: String(place),
    ...kindOf(source, known),
    balances: balances.map(({ month, to_base }) => ({ month, units: unitsOfNumber(to_base) })),
  }));
}

interface KnownAccounts {
  readonly manual: ReadonlyMap<number, Accounts['manual'][number]>;
  readonly plaid: ReadonlyMap<number, Accounts['plaid'][number]>;
}

function kindOf(
  source: AccountHistory['source'],
  { manual, plaid }: KnownAccounts,
): Pick<BalanceSeries, 'kind' | 'isOpen'> {
  switch (source.type) {
    case 'manual': {
      const account = manual.get(source.manual_account_id);
      return { kind: wealthKindOf(account?.type ?? null), isOpen: account?.status === 'active' };
    }
    case 'plaid': {
      const account = plaid.get(source.plaid_account_id);
      return { kind: wealthKindOf(account?.type ?? null), isOpen: account !== undefined };
    }
    case 'deleted':
      return { kind: wealthKindOf(source.account_type), isOpen: false };
    case 'crypto_manual':
    case 'crypto_synced':
      return { kind: 'crypto', isOpen: true };
  }
}
