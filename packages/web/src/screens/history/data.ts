import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  InfiniteData,
  UseInfiniteQueryResult,
  UseMutationResult,
  UseQueryResult,
} from '@tanstack/react-query';
import { read, readsOf, useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import type { ChangeFilter } from '../../books/history/changes.ts';
import type { ChangeUndo, HistoryVersion, Schemas } from '../../books/types.ts';

const listed = 50;
const recordsListed = 100;
/** Transactions in a page of an earlier state. */
const earlierListed = 100;

/** The changes that pass a filter, the newest first, page by page. */
export function useChanges(
  filter: ChangeFilter,
): UseInfiniteQueryResult<InfiniteData<Schemas['HistoryList']>> {
  const { record, ...others } = filter;
  return useInfiniteQuery({
    queryKey: [...readsOf(keys.changes, 'GET /coffer/history').queryKey, filter],
    queryFn: ({ pageParam: before, signal }) =>
      request('GET /coffer/history', {
        query: {
          ...others,
          ...(record !== '' && { record }),
          limit: listed,
          ...(before > 0 && { before }),
        },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ history, has_more }) => (has_more ? history.at(-1)?.version : undefined),
    staleTime: 0,
  });
}

/** One change with its records, page by page. */
export function useChange(version: number): UseInfiniteQueryResult<InfiniteData<HistoryVersion>> {
  return useInfiniteQuery({
    queryKey: read(keys.changes, 'GET /coffer/history/{version}', { path: { version } }).queryKey,
    queryFn: ({ pageParam: offset, signal }) =>
      request('GET /coffer/history/{version}', {
        path: { version },
        query: { limit: recordsListed, offset },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.has_more ? pages.length * recordsListed : undefined),
  });
}

/** A page of the transactions that the book had after a change. */
export function useEarlier(
  version: number,
  page: number,
): UseQueryResult<Schemas['TransactionSelection']> {
  return useRead(keys.changes, 'GET /coffer/transactions', {
    query: { as_of: String(version), limit: earlierListed, offset: page * earlierListed },
    staleTime: Infinity,
  });
}

/** What to undo: a change, or the last one of this session. */
export interface Order {
  readonly version: number | 'last';
  readonly conflicts: 'skip' | undefined;
}

/** Undoes a change. Everything is read again afterwards: a change can be of any kind. */
export function useUndo(): UseMutationResult<ChangeUndo, Error, Order> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ version, conflicts }) => {
      const query = conflicts === undefined ? {} : { conflicts };
      if (version === 'last') return request('POST /coffer/undo', { query });
      return request('POST /coffer/history/{version}/undo', { path: { version }, query });
    },
    // Not awaited: while the server cannot be reached, a failure would wait for it.
    onSettled: () =>
      void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' }),
  });
}
