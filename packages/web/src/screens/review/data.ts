import { useQueries } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { read, readTransactions, useMonths } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { searchedIn } from '../../books/filter/filter.ts';
import {
  canBeMarked,
  newInbox,
  nextStep,
  withPage,
  withoutRows,
  withRows,
} from '../../books/rows/inbox.ts';
import type { Inbox } from '../../books/rows/inbox.ts';
import type { Schemas, Transaction, TransactionSelection } from '../../books/types.ts';

const pageSize = 250;
const waiting = { status: 'unreviewed' } as const;

/** What waits for review, and how it changes. */
export interface InboxState {
  readonly rows: readonly Transaction[];
  /** How many wait in all, of which `bound` cannot be marked; null until it is known. */
  readonly left: number | null;
  /** Parts of splits, and groups, that were read: they are not in `rows`. */
  readonly bound: number;
  /** Whether every row was read and has left. */
  readonly isDone: boolean;
  /** Grows with each row that is read. */
  readonly known: number;
  /** Why nothing could be read; null while it can. */
  readonly error: unknown;
  readonly readMore: () => void;
  readonly reload: () => void;
  readonly change: (change: (row: Transaction) => Transaction) => void;
  /** Takes rows out while a promise saves them, and reads again when it says that not all were saved. */
  readonly leave: (ids: ReadonlySet<number>, saved: Promise<boolean>) => void;
}

/**
 * The inbox, read page by page. Rows leave at once when they are marked. Whenever the server counts other rows than are
 * left here, such as after an undo or a change in another tab, it is read again.
 */
export function useInbox(): InboxState {
  const [inbox, setInbox] = useState<Inbox<Transaction>>(newInbox);
  const [left, setLeft] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [saving, setSaving] = useState(0);
  const isReading = useRef(false);
  const count = useMonths(waiting);
  const read = useCallback(async (from: Inbox<Transaction> | null, atLeast: number) => {
    if (isReading.current) return;
    isReading.current = true;
    try {
      let next = from ?? newInbox<Transaction>();
      const begun = next;
      do {
        const page = await readPage(next);
        if (next.oldest === null) setLeft(page.total ?? 0);
        next = withPage(next, page);
      } while (next.hasMore && next.rows.length < atLeast);
      setError(null);
      setInbox((now) => merged(now, begun, next, from === null));
    } catch (failure) {
      setError(failure);
    } finally {
      isReading.current = false;
    }
  }, []);
  const length = inbox.rows.length;
  const reload = useCallback(() => void read(null, length), [read, length]);
  const readMore = useCallback(() => void read(inbox, length + 1), [read, inbox, length]);
  const total = count.data?.count;
  const isOther = total !== undefined && saving === 0 && !count.isFetching && total !== left;
  useEffect(() => {
    const isWanted = inbox.oldest === null ? error === null && inbox.hasMore : isOther;
    if (!isWanted) return undefined;
    const timer = setTimeout(reload);
    return () => clearTimeout(timer);
    // Each count of the server is compared once.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [count.dataUpdatedAt, saving, inbox.oldest === null]);
  const rows = useMemo(() => inbox.rows.filter(canBeMarked), [inbox.rows]);
  const isRead = inbox.oldest !== null || !inbox.hasMore;
  return {
    rows,
    error,
    reload,
    known: inbox.known.size,
    bound: length - rows.length,
    left: left === null ? null : left - (length - rows.length),
    isDone: isRead && !inbox.hasMore && rows.length === 0 && saving === 0,
    readMore: () => {
      if (inbox.hasMore && inbox.oldest !== null) readMore();
    },
    change: (change) => setInbox((now) => withRows(now, change)),
    leave: (ids, saved) => {
      setInbox((now) => withoutRows(now, ids));
      setLeft((now) => (now === null ? null : now - ids.size));
      setSaving((now) => now + 1);
      void saved.then((isSaved) => {
        setSaving((now) => now - 1);
        if (!isSaved) void read(null, length);
      });
    },
  };
}

/** What was read while rows may have left: those stay away. */
function merged(
  now: Inbox<Transaction>,
  begun: Inbox<Transaction>,
  next: Inbox<Transaction>,
  isNew: boolean,
): Inbox<Transaction> {
  if (isNew) return next;
  const here = new Set(now.rows.map(({ id }) => id));
  const gone = begun.rows.filter(({ id }) => !here.has(id)).map(({ id }) => id);
  return withoutRows(next, new Set(gone));
}

function readPage(inbox: Inbox<Transaction>): Promise<TransactionSelection> {
  const query = { ...waiting, limit: pageSize, ...nextStep(inbox) };
  return request('GET /coffer/transactions', { query });
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

/** Reads all transactions of a payee that wait. */
export async function readSamePayee(payee: string): Promise<readonly Transaction[]> {
  return (await readTransactions({ ...waiting, payee })).filter(canBeMarked);
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
