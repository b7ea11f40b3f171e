import {
  keepPreviousData,
  useQueries,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import { mostInRequest } from '../../api/edits.ts';
import { read, readsOf, useMonths } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { toParameters, type Filter } from '../../books/filter/filter.ts';
import { pagesOf, type RowRange } from '../../books/rows/rows.ts';
import type { Transaction, TransactionMonths, TransactionQuery } from '../../books/types.ts';

const route = 'GET /coffer/transactions';
/** Rows in one request. */
const pageSize = 500;
/** Pages that are kept after they were seen, so that memory stays bounded on a walk through a long history. */
const keptPages = 20;

/** The rows of a list by their place; undefined while they are loading. */
export type Rows = (place: number) => Transaction | undefined;

/**
 * The months of a list, with the number and sum of all its rows: no data at first, an error for a filter that is
 * refused.
 */
export function useListMonths(filter: Filter): UseQueryResult<TransactionMonths> {
  return useMonths(queryOf(filter), { placeholderData: keepPreviousData });
}

/** Reads the pages around the visible rows. */
export function useRows(filter: Filter, range: RowRange): Rows {
  const cache = useQueryClient();
  const pages = pagesOf(range, pageSize);
  const reads = pages.map((page) =>
    read(keys.transactions, route, {
      query: { ...sorted(filter), limit: pageSize, offset: page * pageSize },
    }),
  );
  const results = useQueries({ queries: reads });
  const used = pages.join();
  useEffect(() => {
    const unused = cache
      .getQueryCache()
      .findAll({ ...readsOf(keys.transactions, route), type: 'inactive' });
    const newest = unused.toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
    for (const query of newest.slice(keptPages)) cache.getQueryCache().remove(query);
  }, [cache, filter, used]);
  return (place) => {
    const page = Math.floor(place / pageSize);
    return results[pages.indexOf(page)]?.data?.transactions[place - page * pageSize];
  };
}

function queryOf(filter: Filter): TransactionQuery {
  return { ...toParameters(filter), include_pending: true };
}

function sorted(filter: Filter): TransactionQuery {
  return { ...queryOf(filter), ...(filter.sort !== '-date' && { sort: filter.sort }) };
}

/** More rows than one request takes: the server finds them by their filter. */
export interface Whole {
  readonly query: TransactionQuery;
  /** The places of its list. */
  readonly first: number;
  readonly count: number;
  /** Their sum in the primary currency; null while it is not known. */
  readonly total: string | null;
  readonly has: (place: number, row: Transaction) => boolean;
}

/** All rows of a list for selecting them. Those that one request does not take are a {@link Whole}. */
export async function readAll(
  filter: Filter,
  has: Whole['has'],
): Promise<readonly Transaction[] | Whole> {
  const query = sorted(filter);
  const page = await request(route, { query: { ...query, limit: mostInRequest } });
  const count = page.total ?? 0;
  return count > mostInRequest ? { query, first: 0, count, total: null, has } : page.transactions;
}

/** Some rows of a list for selecting them, given the sum of all that are more than one request takes. */
export function readPlaces(
  filter: Filter,
  { first, count, total }: Pick<Whole, 'first' | 'count' | 'total'>,
): Whole | Promise<readonly Transaction[]> {
  const query = sorted(filter);
  const has: Whole['has'] = (at) => at >= first && at < first + count;
  if (count > mostInRequest) return { query, first, count, total, has };
  const page = request(route, { query: { ...query, limit: count, offset: first } });
  return page.then(({ transactions }) => transactions);
}
