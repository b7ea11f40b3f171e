import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  InfiniteData,
  UseInfiniteQueryResult,
  UseMutationResult,
  UseQueryResult,
} from '@tanstack/react-query';
import { useGet } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { writeChangeFilter, type ChangeFilter } from '../../books/history/changes.ts';
import type { HistoryEntry, HistoryVersion, Transaction, UndoConflict } from '../../books/types.ts';

const listed = 50;
const recordsListed = 100;
/** Transactions in a page of an earlier state. */
const earlierListed = 100;

interface HistoryList {
  readonly history: readonly HistoryEntry[];
  readonly has_more: boolean;
}

/** The changes that pass a filter, the newest first, page by page. */
export function useChanges(
  filter: ChangeFilter,
): UseInfiniteQueryResult<InfiniteData<HistoryList>> {
  return useInfiniteQuery({
    queryKey: keys.changesPage(writeChangeFilter(filter)),
    queryFn: ({ pageParam: before, signal }) =>
      request<HistoryList>('GET', '/coffer/history', {
        query: { ...filter, limit: listed, ...(before > 0 && { before }) },
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
    queryKey: keys.change(version),
    queryFn: ({ pageParam: offset, signal }) =>
      request<HistoryVersion>('GET', `/coffer/history/${version}`, {
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
): UseQueryResult<{ readonly transactions: readonly Transaction[]; readonly has_more: boolean }> {
  return useGet('/coffer/transactions', {
    queryKey: keys.earlier(version, page),
    query: { as_of: version, limit: earlierListed, offset: page * earlierListed },
    staleTime: Infinity,
  });
}

/** The undo of a change. */
export interface Undone {
  /** Null while it goes on in the background. */
  readonly version: number | null;
  readonly undoes: number;
  readonly conflicts: readonly UndoConflict[];
}

/** What to undo: a change, or the last one of this session. */
export interface Order {
  readonly version: number | 'last';
  readonly conflicts?: 'skip';
}

/** Undoes a change. Everything is read again afterwards: a change can be of any kind. */
export function useUndo(): UseMutationResult<Undone, Error, Order> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ version, conflicts }) =>
      request('POST', version === 'last' ? '/coffer/undo' : `/coffer/history/${version}/undo`, {
        body: {},
        ...(conflicts !== undefined && { query: { conflicts } }),
      }),
    // Not awaited: while the server cannot be reached, a failure would wait for it.
    onSettled: () =>
      void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' }),
  });
}
