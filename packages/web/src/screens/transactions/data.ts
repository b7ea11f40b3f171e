import { useQueries, useQuery, useQueryClient, keepPreviousData } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { useAccounts, useCategories, useTags } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import type { Transaction, TransactionMonths, Category, Tag } from '../../api/types.ts';
import { toParameters, type Filter } from '../../books/filter/filter.ts';
import { pagesOf, type RowRange } from '../../books/rows/rows.ts';

/** Rows in one request. */
const pageSize = 500;
/** Pages that are kept, so that memory stays bounded on a walk through a long history. */
const keptPages = 20;

/** A page of GET /coffer/transactions. */
export interface TransactionPage {
  readonly transactions: readonly Transaction[];
  readonly has_more: boolean;
  readonly total: number;
}

/** The rows of a list by their place; undefined while they are loading. */
export type Rows = (place: number) => Transaction | undefined;

/**
 * The months of a list, with the number and sum of all its rows: no data at first, an error for a filter that is
 * refused.
 */
export function useMonths(filter: Filter): UseQueryResult<TransactionMonths> {
  const parameters = { ...toParameters(filter), include_pending: true };
  return useQuery({
    queryKey: keys.months(JSON.stringify(parameters)),
    queryFn: ({ signal }) =>
      request<TransactionMonths>('GET', '/coffer/transactions/months', {
        query: parameters,
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

/** Reads the pages around the visible rows. */
export function useRows(filter: Filter, range: RowRange): Rows {
  const cache = useQueryClient();
  const parameters = useMemo(() => toParameters(filter), [filter]);
  const text = JSON.stringify(parameters);
  const pages = pagesOf(range, pageSize);
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keys.page(text, page),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request<TransactionPage>('GET', '/coffer/transactions', {
          query: queryOf(parameters, page),
          signal,
        }),
    })),
  });
  const recent = useRef<string[]>([]);
  const used = pages.join();
  useEffect(() => {
    const names = used === '' ? [] : used.split(',').map((page) => `${page} ${text}`);
    recent.current = [...names, ...recent.current.filter((name) => !names.includes(name))];
    for (const name of recent.current.splice(keptPages)) {
      const [page = ''] = name.split(' ', 1);
      cache.removeQueries({ queryKey: keys.page(name.slice(page.length + 1), Number(page)) });
    }
  }, [cache, text, used]);
  const byPage = new Map(pages.map((page, at) => [page, results[at]?.data]));
  return (place) => {
    const page = Math.floor(place / pageSize);
    return byPage.get(page)?.transactions[place - page * pageSize];
  };
}

function queryOf(parameters: Readonly<Record<string, string>>, page: number) {
  return { ...parameters, include_pending: true, limit: pageSize, offset: page * pageSize };
}

/** Reads up to 1000 rows of a filter, for selecting them. */
export async function readRows(filter: Filter): Promise<readonly Transaction[]> {
  const query = { ...toParameters(filter), include_pending: true, limit: 1000 };
  return (await request<TransactionPage>('GET', '/coffer/transactions', { query })).transactions;
}

/** What the ids in transactions mean. */
export interface Names {
  readonly categories: readonly Category[];
  readonly tags: readonly Tag[];
  readonly categoryOf: (row: Pick<Transaction, 'category_id'>) => string | null;
  readonly tagsOf: (row: Pick<Transaction, 'tag_ids'>) => readonly string[];
  readonly accountOf: (
    row: Pick<Transaction, 'manual_account_id' | 'plaid_account_id'>,
  ) => string | null;
  /** The category that is suggested for a transaction without one; absent where none is. */
  readonly suggestionOf?: (row: Pick<Transaction, 'payee' | 'category_id'>) => string | null;
}

/** The names of categories, tags and accounts; ids stay unnamed until they are read. */
export function useNames(): Names {
  const { data: categories } = useCategories();
  const { data: tags } = useTags();
  const { data: accounts } = useAccounts();
  return useMemo(() => {
    const categoryNames = new Map(categories?.map(({ id, name }) => [id, name]));
    const tagNames = new Map(tags?.map(({ id, name }) => [id, name]));
    const manual = new Map(
      accounts?.manual.map(({ id, name, display_name: shown }) => [id, shown ?? name]),
    );
    const plaid = new Map(
      accounts?.plaid.map(({ id, name, display_name: shown }) => [id, shown ?? name]),
    );
    return {
      categories: categories ?? [],
      tags: tags ?? [],
      categoryOf: (row) => categoryNames.get(row.category_id ?? -1) ?? null,
      tagsOf: (row) => row.tag_ids.flatMap((id) => tagNames.get(id) ?? []),
      accountOf: (row) =>
        manual.get(row.manual_account_id ?? -1) ?? plaid.get(row.plaid_account_id ?? -1) ?? null,
    };
  }, [accounts, categories, tags]);
}
