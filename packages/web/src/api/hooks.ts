import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { connection, type ConnectionState } from './connection.ts';
import { keys } from './keys.ts';
import { request } from './request.ts';
import { getSession } from './session.ts';
import type {
  Category,
  ManualAccount,
  PlaidAccount,
  SessionInfo,
  Tag,
  Transaction,
} from './types.ts';

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
  return useQuery({
    queryKey: keys.categories,
    queryFn: async ({ signal }) => {
      const query = { format: 'flattened' };
      const options = { query, signal };
      return (await request<{ categories: Category[] }>('GET', '/v2/categories', options))
        .categories;
    },
  });
}

/** All tags. */
export function useTags(): UseQueryResult<readonly Tag[]> {
  return useQuery({
    queryKey: keys.tags,
    queryFn: async ({ signal }) =>
      (await request<{ tags: Tag[] }>('GET', '/v2/tags', { signal })).tags,
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

/** One transaction with its parts or members; none while `id` is null. */
export function useTransaction(id: number | null): UseQueryResult<Transaction> {
  return useQuery({
    queryKey: keys.transaction(id ?? 0),
    enabled: id !== null,
    queryFn: ({ signal }) => request<Transaction>('GET', `/v2/transactions/${id}`, { signal }),
  });
}
