import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement, KeyboardEvent } from 'react';
import { mostInRequest } from '../../api/edits.ts';
import { read, readsOf, readTransactions, useMonths } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { searchedIn } from '../../books/filter/filter.ts';
import { nextStep, rowsIn, type InboxStep } from '../../books/rows/inbox.ts';
import type { Schemas, Transaction } from '../../books/types.ts';
import { Button, LinkButton, type ButtonProps } from '../../parts/button.tsx';
import { useWindow } from '../../parts/lists/use-window.ts';
import { bottomBar } from '../../parts/overlays/toasts.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { EmptyState } from '../../parts/states.tsx';
import { reviewTexts as t } from '../../texts/en/review.ts';
import { LoadFailure } from '../flow/loaded.tsx';
import { useNames, type Names } from '../flow/names.ts';
import { pressInGrid, type GridActions, type EditedCell } from '../transactions/grid-keys.ts';
import { Grid, gridSizes, SelectedSum } from '../transactions/grid.tsx';
import {
  otherAccount,
  useNamesOfTransfers,
  usePairing,
  useSuggestedTransfers,
  useTransfers,
} from '../transactions/transfers.ts';
import { useRowActions, type ActedList, type Bulk } from '../transactions/use-row-actions.ts';
import type { Whole } from '../transactions/data.ts';
import { BulkDialog, SplitDialog } from '../transactions/late-dialogs.ts';

/** `/review`: the transactions that nobody has looked at, newest first. */
export function Review(): ReactElement {
  const inbox = useInbox();
  const { left, error, rows, isDone } = inbox;
  return (
    <div className="review full">
      <PageHeader
        title={t.title}
        summary={<span role="status">{left === null ? ' ' : t.left(left)}</span>}
      />
      {error !== null && rows.length === 0 ? (
        <LoadFailure error={error} refetch={inbox.reload} />
      ) : isDone ? (
        <Done />
      ) : (
        <InboxList inbox={inbox} />
      )}
    </div>
  );
}

function Done(): ReactElement {
  return (
    <EmptyState icon="check" title={t.doneTitle} hint={t.doneHint}>
      <LinkButton href="/reports/spending?months=3" look="main" label={t.toSpending} />
      <LinkButton href="/import" label={t.toImport} />
    </EmptyState>
  );
}

/** So many rows are read before they are needed. */
const ahead = 60;

/** The list of what waits, and what can be done with the active row or the selection. */
function InboxList({ inbox }: { readonly inbox: InboxState }): ReactElement {
  const { rows, readMore } = inbox;
  const { hasLetterKeys } = usePreferences();
  const [wanted, setActive] = useState(0);
  const [editing, setEditing] = useState<EditedCell | null>(null);
  const [split, setSplit] = useState<Transaction | null>(null);
  const [bulk, setBulk] = useState<Bulk | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const list = useWindow(rows.length, frame, gridSizes);
  const place = Math.max(0, Math.min(wanted, rows.length - 1));
  // Rows that come back later must not move it out of view.
  if (place !== wanted && rows.length > 0) setActive(place);
  const visible = rows.slice(list.range.first, list.range.end);
  const suggestions = useSuggestions(visible);
  const known = useNamesWith(suggestions);
  const transfers = useTransfers(visible);
  const names = useNamesOfTransfers(known, transfers);
  const suggested = useSuggestedTransfers();
  const row = rows[place];
  const suggestion = row?.category_id === null ? (suggestions.get(row.payee) ?? null) : null;
  const rowAt = (at: number): Transaction | undefined => rows[at];
  const actions = useReviewActions({
    inbox,
    rows: rowAt,
    rowCount: rows.length,
    list,
    place,
    suggestion,
    transfers,
    suggested,
    setActive,
    onSplit: setSplit,
    onBulk: setBulk,
    cell: editing,
    setEditing,
  });
  const isNearEnd = Math.max(place, list.range.end) + ahead > rows.length;
  useEffect(() => {
    if (isNearEnd) readMore?.();
    // Each time when it becomes possible.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isNearEnd, readMore === null]);
  useEffect(() => {
    if (document.activeElement === document.body) frame.current?.focus();
  }, [frame, rows.length]);
  const press = (event: KeyboardEvent): void => {
    const isInList = event.target === event.currentTarget && !event.ctrlKey && !event.metaKey;
    const isAccepted = event.key === 'Enter' || (event.key === 'y' && hasLetterKeys);
    if (!isInList || !isAccepted) pressInGrid(event, actions.keys, hasLetterKeys);
    else {
      event.preventDefault();
      if (suggestion !== null) actions.accept();
      else if (event.key === 'Enter') setEditing({ field: 'category' });
    }
  };
  return (
    <div className="list-main" aria-busy={rows.length === 0}>
      <Grid
        rowCount={rows.length}
        rows={rowAt}
        {...{ names, list, frame, editing }}
        active={place}
        isSelected={actions.isSelected}
        onActivate={setActive}
        onToggle={actions.toggle}
        onSelectTo={actions.selectTo}
        onEdit={setEditing}
        onReview={actions.markAt}
        onSave={actions.change}
        onKeyDown={press}
      />
      <ActionBar {...{ actions, row, suggestion, names, suggested }} />
      <Suspense>
        {split !== null && (
          <SplitDialog row={split} names={names} isReviewed onClose={() => setSplit(null)} />
        )}
        {bulk !== null && (
          <BulkDialog {...{ bulk, names }} onDone={actions.clear} onClose={() => setBulk(null)} />
        )}
      </Suspense>
    </div>
  );
}

function useNamesWith(suggestions: ReadonlyMap<string, number>): Names {
  const names = useNames();
  return useMemo(
    () => ({
      ...names,
      suggestionOf: ({ payee, category_id: id }) =>
        id === null ? names.categoryOf({ category_id: suggestions.get(payee) ?? null }) : null,
    }),
    [names, suggestions],
  );
}

/** What can be done, and to what. */
interface ActionBarProps {
  readonly actions: ReviewActions;
  /** The active row. */
  readonly row: Transaction | undefined;
  readonly suggestion: number | null;
  readonly suggested: ReturnType<typeof useSuggestedTransfers>;
  readonly names: Names;
}

/** The same as the keys as buttons: for the selection, or else for the active row. */
function ActionBar(props: ActionBarProps): ReactElement | null {
  const { actions, row } = props;
  if (actions.count > 0) return <ForSelection {...props} />;
  return row === undefined ? null : <ForRow {...props} row={row} />;
}

function ForRow(props: ActionBarProps & { readonly row: Transaction }): ReactElement {
  const { actions, row, suggestion, suggested: pairs, names } = props;
  const pair = pairs.get(row.id);
  const count = useSamePayee(row.payee);
  const suggested = names.categoryOf({ category_id: suggestion });
  return (
    <div ref={bottomBar} className="bulk-bar review-bar" role="toolbar" aria-label={t.actions}>
      <Action className="wide" look="main" icon="check" keyName="e" onClick={actions.mark}>
        {t.mark}
      </Action>
      {suggested !== null && (
        <Action className="wide" keyName="y" onClick={actions.accept}>
          {t.accept(suggested)}
        </Action>
      )}
      {pair !== undefined && (
        <Action className="wide" keyName="w" onClick={actions.keys.pair}>
          {t.pair(otherAccount(pair, row.id, names))}
        </Action>
      )}
      <Action icon="categories" keyName="c" onClick={() => actions.edit('category')}>
        {t.category}
      </Action>
      <Action icon="edit" keyName="n" onClick={() => actions.edit('notes')}>
        {t.notes}
      </Action>
      <Action icon="split" keyName="s" onClick={actions.keys.split}>
        {t.split}
      </Action>
      {count !== undefined && count > 1 && (
        <Action icon="transactions" keyName="⇧A" onClick={actions.keys.selectPayee}>
          {t.all(count)} <span className="of-payee">{t.ofPayee(row.payee)}</span>
        </Action>
      )}
      <Action icon="undo" keyName="u" onClick={actions.keys.undo}>
        {t.undo}
      </Action>
    </div>
  );
}

function ForSelection({ actions }: ActionBarProps): ReactElement {
  return (
    <div ref={bottomBar} className="bulk-bar review-bar" role="toolbar" aria-label={t.actions}>
      <p role="status">
        <SelectedSum rows={[...actions.selected.values()]} whole={actions.whole} />
      </p>
      <Action className="wide" look="main" icon="check" keyName="e" onClick={actions.mark}>
        {t.mark}
      </Action>
      <Action icon="categories" keyName="c" onClick={() => actions.edit('category')}>
        {t.category}
      </Action>
      <Action icon="tag" keyName="t" onClick={() => actions.edit('tags')}>
        {t.tag}
      </Action>
      <Action icon="close" keyName="Esc" onClick={actions.keys.deselect}>
        {t.deselect}
      </Action>
    </div>
  );
}

function Action(props: ButtonProps & { readonly keyName: string }): ReactElement {
  const { keyName, children, ...rest } = props;
  return (
    <Button {...rest}>
      <span className="action-label">{children}</span>
      <kbd aria-hidden="true">{keyName}</kbd>
    </Button>
  );
}

/** What can be done in the inbox, by keys and by buttons. */
type ReviewActions = ReturnType<typeof useReviewActions>;

/** The actions of a list, with those that only the inbox has. */
function useReviewActions(
  state: Omit<ActedList, 'readPayee'> & {
    readonly inbox: InboxState;
    /** The category that is suggested for the active row; null for none. */
    readonly suggestion: number | null;
    readonly transfers: ReturnType<typeof useTransfers>;
    readonly suggested: ReturnType<typeof useSuggestedTransfers>;
  },
) {
  const { rows, list, inbox, suggestion, suggested } = state;
  const pairing = usePairing();
  const actions = useRowActions({ ...state, readPayee: readSamePayee });
  const markAll = (marked: readonly Transaction[]): void => {
    if (marked.length === 0) return;
    inbox.leave(
      marked,
      actions.save(marked, () => ({ status: 'reviewed' })),
    );
    actions.clear();
    list.focus();
  };
  const mark = (): void => {
    if (!actions.changeWhole({ update: { status: 'reviewed' } })) markAll(actions.targets);
  };
  // There is no search in the inbox.
  const active = (): number => rows(state.place)?.id ?? 0;
  const pair = (): void => {
    const found = suggested.get(active());
    if (actions.selected.size === 2) pairing.pair(actions.targets);
    else if (found !== undefined) pairing.pairSuggested(found);
  };
  const unpair = (): void => pairing.unpair(state.transfers.get(active()));
  const own = { review: mark, pair, unpair, search: () => undefined };
  const keys: GridActions = { ...actions.keys, ...own };
  return {
    ...actions,
    keys,
    mark,
    markAt: (at: number): void => markAll([rows(at) ?? []].flat()),
    accept: (): void => {
      if (suggestion !== null) actions.change(() => ({ category_id: suggestion }));
    },
  };
}

const pageSize = 250;
const waiting = { status: 'unreviewed' } as const;
const route = 'GET /coffer/transactions';
const newest: InboxStep = { offset: 0 };

/** What waits for review. */
interface InboxState {
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
function useInbox(): InboxState {
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
function useSamePayee(wanted: string): number | undefined {
  const [payee, setPayee] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setPayee(wanted), restMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const isOn = payee === wanted && payee !== '';
  return useMonths({ ...waiting, payee: payee ?? '' }, { enabled: isOn }).data?.count;
}

/** Reads all transactions of a payee that wait; more than one request takes are found by the server. */
async function readSamePayee(payee: string): Promise<readonly Transaction[] | Whole> {
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
function useSuggestions(rows: readonly Transaction[]): ReadonlyMap<string, number> {
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
