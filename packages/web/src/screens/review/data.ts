import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { mostInRequest } from '../../api/edits.ts';
import { read, readsOf, readTransactions, useMonths } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { searchedIn } from '../../books/filter/filter.ts';
import { nextStep, rowsIn } from '../../books/rows/inbox.ts';
import type { InboxStep } from '../../books/rows/inbox.ts';
import type { Schemas, Transaction } from '../../books/types.ts';
import type { Whole } from '../transactions/data.ts';

const pageSize = 250;
const waiting = { status: 'unreviewed' } as const;
const route = 'GET /coffer/transactions';
const newest: InboxStep = { offset: 0 };

/** What waits for review. */
export interface InboxState {
  readonly rows: readonly Transaction[];
  /** How many wait in all, as every screen counts them; null until it is known. */
  readonly left: number | null;
  /** Whether every row was read and has left. */
  readonly isDone: boolean;
  /** Why nothing could be read; null while it can. */
  readonly error: unknown;
  /** Reads older rows; null while that is not possible. */
  readonly readMore: (() => void) | null;
  readonly reload: () => void;
  /** Takes rows out while a promise saves them. */
  readonly leave: (rows: readonly Transaction[], saved: Promise<unknown>) => void;
}

/**
 * The inbox, read page by page. Rows leave at once when they are marked; they stay away, because what was read has the
 * values that were saved. Whenever the server counts other rows than are left here, such as after a change in another
 * tab, it is read again.
 */
export function useInbox(): InboxState {
  const query = useInfiniteQuery({
    queryKey: [...readsOf(keys.transactions, route).queryKey, 'inbox'],
    queryFn: ({ pageParam, signal }) =>
      request(route, { query: { ...waiting, limit: pageSize, ...pageParam }, signal }),
    initialPageParam: newest,
    getNextPageParam: (_last, pages, step) => nextStep(pages, step),
    staleTime: 0,
  });
  const { data, isFetching, refetch, fetchNextPage } = query;
  const count = useMonths(waiting);
  const [leaving, setLeaving] = useState<ReadonlySet<number>>(new Set());
  const isSaving = leaving.size > 0;
  const known = useMemo(() => rowsIn(data?.pages ?? []), [data]);
  const rows = useMemo(
    () => known.filter(({ id, status }) => status === 'unreviewed' && !leaving.has(id)),
    [known, leaving],
  );
  const total = data?.pages[0]?.total;
  const left = total === undefined ? null : total - (known.length - rows.length);
  const isOther = left !== null && count.data !== undefined && count.data.count !== left;
  useEffect(() => {
    if (isOther && !isSaving && !isFetching && !count.isFetching) void refetch();
    // Each count of the server is compared once.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [count.dataUpdatedAt, isSaving]);
  const canReadMore = query.hasNextPage && !isFetching && !query.isFetchNextPageError;
  return {
    rows,
    error: query.error,
    left,
    isDone: query.isSuccess && !query.hasNextPage && rows.length === 0 && !isSaving,
    readMore: canReadMore ? () => void fetchNextPage() : null,
    reload: () => void refetch(),
    leave: (gone, saved) => {
      const ids = new Set(gone.map(({ id }) => id));
      setLeaving((now) => new Set([...now, ...ids]));
      const isHere = (id: number): boolean => !ids.has(id);
      void saved.finally(() => setLeaving((now) => new Set([...now].filter(isHere))));
    },
  };
}

/** How long a row is active before the number for its payee is read, so that quick keys send no requests. */
const restMs = 250;

/** How many transactions of a payee wait; undefined until it is known. */
export function useSamePayee(wanted: string): number | undefined {
  const [payee, setPayee] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setPayee(wanted), restMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const isOn = payee === wanted && payee !== '';
  return useMonths({ ...waiting, payee: payee ?? '' }, { enabled: isOn }).data?.count;
}

/** Reads all transactions of a payee that wait; more than one request takes are found by the server. */
export async function readSamePayee(payee: string): Promise<readonly Transaction[] | Whole> {
  const query = { ...waiting, payee };
  const rows = await readTransactions(query);
  if (rows.length <= mostInRequest) return rows;
  return {
    query,
    first: 0,
    count: rows.length,
    total: null,
    has: (_at, row) => row.payee === payee,
  };
}

/** The categories that are suggested for the payees of some rows without one, by payee. */
export function useSuggestions(rows: readonly Transaction[]): ReadonlyMap<string, number> {
  const open = rows.filter(({ category_id: id, payee }) => id === null && payee !== '');
  const payees = [...new Set(open.map(({ payee }) => payee))];
  return useQueries({
    queries: payees.map((payee) => ({
      ...read(keys.payees, 'GET /coffer/payees', {
        query: { q: searchedIn(payee).words, limit: 20 },
      }),
      staleTime: 300_000,
      select: (body: Schemas['PayeeList']) => body.payees.find((each) => each.payee === payee),
    })),
    combine: (results) =>
      new Map(
        results.flatMap(({ data }) =>
          typeof data?.category_id === 'number' ? [[data.payee, data.category_id] as const] : [],
        ),
      ),
  });
}
