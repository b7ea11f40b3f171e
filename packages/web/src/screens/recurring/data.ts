import { addDays } from '@coffer/core/dates';
import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import { useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { persistently, request } from '../../api/request.ts';
import { bodyOf, type ItemDraft } from '../../books/recurring/draft.ts';
import type {
  ItemMatches,
  ItemStatus,
  RecurringDetails,
  RecurringItem,
} from '../../books/recurring/recurring.ts';
import type { Schemas } from '../../books/types.ts';
import type { Names } from '../flow/names.ts';
import { useOwnChanges } from '../flow/own-changes.ts';

/** All items, dismissed ones included. */
export function useItems(): UseQueryResult<readonly RecurringDetails[]> {
  return useRead(keys.recurring, 'GET /coffer/recurring_items', {
    select: ({ recurring_items: items }) => items,
  });
}

/** What was expected and found from `start` to `end`, by item. */
export function useMatches(
  start: string,
  end: string,
): UseQueryResult<ReadonlyMap<number, ItemMatches>> {
  return useRead(keys.recurring, 'GET /v2/recurring_items', {
    query: { start_date: start, end_date: end },
    placeholderData: keepPreviousData,
    select: matchesOf,
  });
}

/** Declared once, so that the map stays the same while the response does. */
function matchesOf({
  recurring_items: items,
}: Schemas['RecurringItemListResponse']): ReadonlyMap<number, ItemMatches> {
  return new Map(items.flatMap(({ id, matches }) => (matches === null ? [] : [[id, matches]])));
}

/** The matches of the year before a day. */
export function useRecentMatches(today: string): ReturnType<typeof useMatches> {
  return useMatches(addDays(today, -365), today);
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
  const { change, undo } = useOwnChanges(keys.recurring, keys.transactions, keys.budgets);
  const put = (id: number, body: Schemas['RecurringItemUpdate']): Promise<unknown> =>
    persistently(() => request('PUT /coffer/recurring_items/{id}', { path: { id }, body }));
  return {
    create: (draft, text) =>
      change(() => request('POST /coffer/recurring_items', { body: bodyOf(draft) }), text),
    update: (id, draft, text) => change(() => put(id, bodyOf(draft)), text),
    setStatus: (id, status, text) => change(() => put(id, { status }), text),
    remove: (id, text) =>
      change(
        () =>
          request('DELETE /coffer/recurring_items/{id}', { path: { id }, query: { force: true } }),
        text,
      ),
    undo,
  };
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
