import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryKey, UseQueryOptions, UseQueryResult } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { matching } from '../books/filter/matching.ts';
import type { Look } from '../books/looks.ts';
import type {
  Category,
  ManualAccount,
  PlaidAccount,
  Payee,
  Schemas,
  SessionInfo,
  Tag,
  Transaction,
  TransactionMonths,
} from '../books/types.ts';
import { connection, type ConnectionState } from './connection.ts';
import { keys } from './keys.ts';
import { lastSession } from './last-session.ts';
import { request } from './request.ts';
import { getSession } from './session.ts';
import type { ParametersOf, QueryOf, Reading, ResponseOf } from './request.ts';

/** An area of the cache. */
type Area = (typeof keys)[keyof typeof keys];

/** A read of the service, for the hooks and the cache of TanStack Query. */
export interface Read<R extends Reading> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<ResponseOf<R>>;
}

/** Returns a read, which the cache has by its area, its route and its parameters. */
export function read<R extends Reading>(
  area: Area,
  route: R,
  parameters: ParametersOf<R>,
): Read<R> {
  return {
    queryKey: [...area, route, parameters.path, parameters.query],
    queryFn: ({ signal }) => request(route, { ...parameters, signal }),
  };
}

/** The key of all reads of a route. */
export function readsOf(area: Area, route: Reading): { readonly queryKey: QueryKey } {
  return { queryKey: [...area, route] };
}

/** What is read, and how it is kept. */
type Kept<R extends Reading, Data> = ParametersOf<R> &
  Pick<
    UseQueryOptions<ResponseOf<R>, Error, Data>,
    'enabled' | 'staleTime' | 'refetchInterval' | 'select' | 'placeholderData'
  >;

/** Reads a response of the service, and keeps it. */
export function useRead<R extends Reading, Data = ResponseOf<R>>(
  area: Area,
  route: R,
  options: Kept<R, Data>,
): UseQueryResult<Data> {
  return useQuery({ ...options, ...read(area, route, options) });
}

/** The state of the connection, as it changes. */
export function useConnection(): ConnectionState {
  return useSyncExternalStore(connection.subscribe, () => connection.state);
}

/** Who is signed in. */
export function useSession(): UseQueryResult<SessionInfo> {
  return useQuery({ queryKey: keys.session, queryFn: getSession, staleTime: Infinity });
}

/** The primary currency of the book; of the last one while the server was not reached. */
export function useCurrency(): string {
  const { data } = useSession();
  return data?.book?.primary_currency ?? lastSession()?.currency ?? 'usd';
}

/** All categories and groups in the order of the book, archived ones included. */
export function useCategories(): UseQueryResult<readonly Category[]> {
  return useQuery({ ...namesOfForm.categories, select: ({ categories }) => categories });
}

/** What people chose for the looks of categories and groups, by id; empty until it is read. */
export function useLooks(): ReadonlyMap<number, Look> {
  const { data } = useRead(keys.categories, 'GET /coffer/category_settings', { select: looksIn });
  return data ?? noLooks;
}

function looksIn({ category_settings: all }: Schemas['CategorySettingsList']) {
  return new Map<number, Look>(all.map((each) => [each.category_id, each]));
}
const noLooks: ReadonlyMap<number, Look> = new Map();

/** All tags. */
export function useTags(): UseQueryResult<readonly Tag[]> {
  return useQuery({ ...namesOfForm.tags, select: ({ tags }) => tags });
}

/** The accounts of both kinds that transactions can belong to. */
export interface Accounts {
  readonly manual: readonly ManualAccount[];
  readonly plaid: readonly PlaidAccount[];
}

const readAccounts = {
  queryKey: [...keys.accounts, 'of transactions'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<Accounts> => {
    const [{ manual_accounts: manual }, { plaid_accounts: plaid }] = await Promise.all([
      request('GET /v2/manual_accounts', { signal }),
      request('GET /v2/plaid_accounts', { signal }),
    ]);
    return { manual, plaid };
  },
};

/** All accounts that transactions can belong to. */
export function useAccounts(): UseQueryResult<Accounts> {
  return useQuery(readAccounts);
}

const shownPayees = 8;

/** What the form for a new transaction chooses from: what is kept for it, see `kept-names.ts`. */
export const namesOfForm = {
  accounts: readAccounts,
  categories: read(keys.categories, 'GET /v2/categories', { query: { format: 'flattened' } }),
  tags: read(keys.tags, 'GET /v2/tags', {}),
  payees: read(keys.payees, 'GET /coffer/payees', { query: { limit: 100 } }),
} as const;

/** Payees that begin with a text, or contain it; those that were read before until the server says which. */
export function usePayees(text: string, isOn = true): UseQueryResult<readonly Payee[]> {
  const cache = useQueryClient();
  const before = (): Schemas['PayeeList'] | undefined => {
    const recent: Schemas['PayeeList'] | undefined = cache.getQueryData(
      namesOfForm.payees.queryKey,
    );
    const named = recent?.payees.map((each) => ({ ...each, name: each.payee }));
    if (!isOn || named === undefined) return undefined;
    return { payees: matching(named, text).slice(0, shownPayees) };
  };
  return useRead(keys.payees, 'GET /coffer/payees', {
    query: { q: text, limit: shownPayees },
    enabled: isOn,
    placeholderData: (previous) => previous ?? before(),
    select: ({ payees }) => payees,
  });
}

/** Returns the latest transaction of a payee; null when there is none. */
export async function latestOf(payee: string): Promise<Transaction | null> {
  const query = { payee, limit: 1 };
  return (await request('GET /coffer/transactions', { query })).transactions[0] ?? null;
}

/** One transaction with its parts or members; none while `id` is null. */
export function useTransaction(
  id: number | null,
  keepsPrevious = false,
): UseQueryResult<Transaction> {
  return useRead(keys.transactions, 'GET /v2/transactions/{id}', {
    path: { id: id ?? 0 },
    enabled: id !== null,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
}

/** The number and the sum of the transactions by month that pass a filter, newest month first. */
export function useMonths(
  query: QueryOf<'GET /coffer/transactions/months'> = {},
  options: { readonly placeholderData?: typeof keepPreviousData; readonly enabled?: boolean } = {},
): UseQueryResult<TransactionMonths> {
  return useRead(keys.transactions, 'GET /coffer/transactions/months', { ...options, query });
}

/** Reads all transactions that pass a filter, a thousand in a request. */
export async function readTransactions(
  filter: QueryOf<'GET /coffer/transactions'>,
  signal?: AbortSignal,
): Promise<readonly Transaction[]> {
  const rows: Transaction[] = [];
  for (;;) {
    const query = { ...filter, limit: 1000, offset: rows.length };
    const page = await request('GET /coffer/transactions', { query, signal });
    rows.push(...page.transactions);
    if (!page.has_more || page.transactions.length === 0) return rows;
  }
}
