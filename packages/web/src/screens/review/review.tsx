import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement, KeyboardEvent } from 'react';
import type { Transaction } from '../../books/types.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import type { ButtonProps } from '../../parts/button.tsx';
import { useWindow } from '../../parts/lists/use-window.ts';
import { bottomBar } from '../../parts/overlays/toasts.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { EmptyState } from '../../parts/states.tsx';
import { reviewTexts as t } from '../../texts/en/review.ts';
import { LoadFailure } from '../flow/loaded.tsx';
import { useNames } from '../flow/names.ts';
import type { Names } from '../flow/names.ts';
import { pressInGrid } from '../transactions/grid-keys.ts';
import type { GridActions, EditedCell } from '../transactions/grid-keys.ts';
import { Grid, gridSizes, SelectedSum } from '../transactions/grid.tsx';
import {
  otherAccount,
  useNamesOfTransfers,
  usePairing,
  useSuggestedTransfers,
  useTransfers,
} from '../transactions/transfers.ts';
import { useRowActions } from '../transactions/use-row-actions.ts';
import type { ActedList, Bulk } from '../transactions/use-row-actions.ts';
import { useInbox, useSuggestions, useSamePayee, readSamePayee } from './data.ts';
import type { InboxState } from './data.ts';
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
