import { addDays } from '@coffer/core/dates';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useAccounts, useCategories, useSession } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { persistently, request } from '../../api/request.ts';
import type { Category, Transaction } from '../../api/types.ts';
import { bodyOf, type ItemDraft } from '../../books/recurring/draft.ts';
import type {
  ItemMatches,
  ItemStatus,
  RecurringDetails,
  RecurringItem,
} from '../../books/recurring/recurring.ts';
import { useOwnChanges } from '../flow/own-changes.ts';

const area = ['recurring'] as const;
const path = '/coffer/recurring_items';

/** All items, dismissed ones included. */
export function useItems(): UseQueryResult<readonly RecurringDetails[]> {
  return useQuery({
    queryKey: [...area, 'items'],
    queryFn: async ({ signal }) =>
      (await request<{ recurring_items: RecurringDetails[] }>('GET', path, { signal }))
        .recurring_items,
  });
}

/** What was expected and found from `start` to `end`, by item. */
export function useMatches(
  start: string,
  end: string,
): UseQueryResult<ReadonlyMap<number, ItemMatches>> {
  return useQuery({
    queryKey: [...area, 'matches', start, end],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { start_date: start, end_date: end };
      const body = await request<{
        recurring_items: { id: number; matches: ItemMatches | null }[];
      }>('GET', '/v2/recurring_items', { query, signal });
      return new Map(
        body.recurring_items.flatMap(({ id, matches }) =>
          matches === null ? [] : [[id, matches]],
        ),
      );
    },
  });
}

/** The matches of the year before a day. */
export function useRecentMatches(today: string): ReturnType<typeof useMatches> {
  return useMatches(addDays(today, -365), today);
}

/** Payees that begin with a text, or contain it. */
export function usePayees(text: string): UseQueryResult<readonly { readonly payee: string }[]> {
  return useQuery({
    queryKey: keys.payees(text),
    enabled: text !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { q: text, limit: 8 };
      return (
        await request<{ payees: { payee: string }[] }>('GET', '/coffer/payees', { query, signal })
      ).payees;
    },
  });
}

/** Returns the latest transaction of a payee; null when there is none. */
export async function latestOf(payee: string): Promise<Transaction | null> {
  const query = { payee, limit: 1 };
  const body = await request<{ transactions: Transaction[] }>('GET', '/coffer/transactions', {
    query,
  });
  return body.transactions[0] ?? null;
}

/** What can be done with items; each can be taken back. */
export interface ItemActions {
  readonly create: (draft: ItemDraft, text: string) => Promise<unknown>;
  readonly update: (id: number, draft: ItemDraft, text: string) => Promise<unknown>;
  readonly setStatus: (id: number, status: ItemStatus, text: string) => Promise<unknown>;
  readonly remove: (id: number, text: string) => Promise<unknown>;
  readonly undo: () => Promise<void>;
}

/** The actions of items. */
export function useItemActions(): ItemActions {
  const { change, undo } = useOwnChanges(area, keys.transactions, ['budgets']);
  const put = (id: number, body: unknown): Promise<unknown> =>
    persistently(() => request('PUT', `${path}/${id}`, { body }));
  return {
    create: (draft, text) => change(() => request('POST', path, { body: bodyOf(draft) }), text),
    update: (id, draft, text) => change(() => put(id, bodyOf(draft)), text),
    setStatus: (id, status, text) => change(() => put(id, { status }), text),
    remove: (id, text) =>
      change(() => request('DELETE', `${path}/${id}`, { query: { force: true } }), text),
    undo,
  };
}

/** The names that items refer to. */
export interface Names {
  readonly categories: readonly Category[];
  readonly categoryOf: (id: number | undefined) => string | null;
  /** Accounts by `manual:1` or `plaid:1`. */
  readonly accounts: readonly (readonly [key: string, name: string])[];
  readonly accountOf: (key: string) => string | null;
  /** The primary currency of the book. */
  readonly currency: string;
}

/** Names of categories and accounts; empty until they are there. */
export function useNames(): Names {
  const { data: categories = [] } = useCategories();
  const { data: accounts } = useAccounts();
  const { data: session } = useSession();
  const named = [
    ...(accounts?.manual ?? []).map((each) => [`manual:${each.id}`, shownName(each)] as const),
    ...(accounts?.plaid ?? []).map((each) => [`plaid:${each.id}`, shownName(each)] as const),
  ];
  return {
    categories,
    categoryOf: (id) => categories.find((each) => each.id === id)?.name ?? null,
    accounts: named,
    accountOf: (key) => named.find(([each]) => each === key)?.[1] ?? null,
    currency: session?.book?.primary_currency ?? '',
  };
}

function shownName(account: { readonly name: string; readonly display_name?: string | null }) {
  return account.display_name ?? account.name;
}

/** What is edited: an item, a new one, or a new one from a transaction. */
export type Edited = RecurringItem | 'new' | null;

/** Items, and what is done with them. */
export interface ItemsProps {
  readonly items: readonly RecurringItem[];
  readonly names: Names;
  readonly actions: ItemActions;
  readonly today: string;
  readonly onEdit: (edited: Edited) => void;
}

