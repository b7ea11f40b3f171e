import { useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type {
  Category,
  ManualAccount,
  PlaidAccount,
  SessionInfo,
  Tag,
  Transaction,
  Payee,
  TransactionMonths,
  TransactionSelection,
} from '../books/types.ts';
import { connection, type ConnectionState } from './connection.ts';
import { keys } from './keys.ts';
import { request, type Query } from './request.ts';
import { getSession } from './session.ts';

/** How something is read: the key and the options of its query. */
interface Get<Body, Data> extends Pick<
  UseQueryOptions<Data>,
  'queryKey' | 'enabled' | 'staleTime' | 'refetchInterval'
> {
  readonly query?: Query;
  /** What is kept of the response; all of it by default. */
  readonly pick?: (body: Body) => Data;
  /** What was read by another key stays until this one is there. */
  readonly keepsPrevious?: boolean;
}

/** Reads a response of the server, and keeps it. */
export function useGet<Body, Data = Body>(
  path: string,
  { query = {}, pick, keepsPrevious = false, ...options }: Get<Body, Data>,
): UseQueryResult<Data> {
  return useQuery<Data>({
    ...options,
    queryFn: async ({ signal }) => {
      const body = await request<Body>('GET', path, { query, signal });
      return pick === undefined ? (body as unknown as Data) : pick(body);
    },
    ...(keepsPrevious && { placeholderData: (before: Data | undefined) => before as never }),
  });
}

/** The state of the connection, as it changes. */
export function useConnection(): ConnectionState {
  return useSyncExternalStore(connection.subscribe, () => connection.state);
}

/** Who is signed in. */
export function useSession(): UseQueryResult<SessionInfo> {
  return useQuery({ queryKey: keys.session, queryFn: getSession, staleTime: Infinity });
}

/** The primary currency of the book. */
export function useCurrency(): string {
  return useSession().data?.book?.primary_currency ?? 'usd';
}

/** All categories and groups in the order of the book, archived ones included. */
export function useCategories(): UseQueryResult<readonly Category[]> {
  return useGet('/v2/categories', {
    queryKey: keys.categories,
    query: { format: 'flattened' },
    pick: ({ categories }: { readonly categories: Category[] }) => categories,
  });
}

/** All tags. */
export function useTags(): UseQueryResult<readonly Tag[]> {
  return useGet('/v2/tags', {
    queryKey: keys.tags,
    pick: ({ tags }: { readonly tags: Tag[] }) => tags,
  });
}

/** The accounts of both kinds that transactions can belong to. */
export interface Accounts {
  readonly manual: readonly ManualAccount[];
  readonly plaid: readonly PlaidAccount[];
}

/** All accounts that transactions can belong to. */
export function useAccounts(): UseQueryResult<Accounts> {
  return useQuery({
    queryKey: keys.accounts,
    queryFn: async ({ signal }) => {
      const [manual, plaid] = await Promise.all([
        request<{ manual_accounts: ManualAccount[] }>('GET', '/v2/manual_accounts', { signal }),
        request<{ plaid_accounts: PlaidAccount[] }>('GET', '/v2/plaid_accounts', { signal }),
      ]);
      return { manual: manual.manual_accounts, plaid: plaid.plaid_accounts };
    },
  });
}

/** Payees that begin with a text, or contain it. */
export function usePayees(text: string, isOn = true): UseQueryResult<readonly Payee[]> {
  return useGet('/coffer/payees', {
    queryKey: keys.payees(text),
    query: { q: text, limit: 8 },
    enabled: isOn,
    keepsPrevious: true,
    pick: ({ payees }: { readonly payees: Payee[] }) => payees,
  });
}

/** One transaction with its parts or members; none while `id` is null. */
export function useTransaction(
  id: number | null,
  keepsPrevious = false,
): UseQueryResult<Transaction> {
  return useGet(`/v2/transactions/${id}`, {
    queryKey: keys.transaction(id ?? 0),
    enabled: id !== null,
    keepsPrevious,
  });
}

/** The number and the sum of the transactions by month that pass a filter of the API, newest month first. */
export function useMonths(
  query: Readonly<Record<string, string>> = {},
  options: Pick<Get<unknown, unknown>, 'keepsPrevious'> & { readonly enabled?: boolean } = {},
): UseQueryResult<TransactionMonths> {
  const queryKey = keys.months(new URLSearchParams(query).toString());
  return useGet('/coffer/transactions/months', { ...options, queryKey, query });
}

/** Reads all transactions that pass a filter of the API, a thousand in a request. */
export async function readTransactions(
  filter: Query,
  signal?: AbortSignal,
): Promise<readonly Transaction[]> {
  const rows: Transaction[] = [];
  for (;;) {
    const query = { ...filter, limit: 1000, offset: rows.length };
    const options = { query, ...(signal !== undefined && { signal }) };
    const page = await request<TransactionSelection>('GET', '/coffer/transactions', options);
    rows.push(...page.transactions);
    if (!page.has_more || page.transactions.length === 0) return rows;
  }
}
