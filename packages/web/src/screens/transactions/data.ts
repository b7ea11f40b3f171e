import { useQueries, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { useMonths } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { toParameters, type Filter } from '../../books/filter/filter.ts';
import { pagesOf, type RowRange } from '../../books/rows/rows.ts';
import type { Transaction, TransactionMonths, TransactionSelection } from '../../books/types.ts';

/** Rows in one request. */
const pageSize = 500;
/** Pages that are kept, so that memory stays bounded on a walk through a long history. */
const keptPages = 20;

/** The rows of a list by their place; undefined while they are loading. */
export type Rows = (place: number) => Transaction | undefined;

/**
 * The months of a list, with the number and sum of all its rows: no data at first, an error for a filter that is
 * refused.
 */
export function useListMonths(filter: Filter): UseQueryResult<TransactionMonths> {
  return useMonths({ ...toParameters(filter), include_pending: 'true' }, { keepsPrevious: true });
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
        request<TransactionSelection>('GET', '/coffer/transactions', {
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
  return (await request<TransactionSelection>('GET', '/coffer/transactions', { query }))
    .transactions;
}
