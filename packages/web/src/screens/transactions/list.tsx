import { Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement, KeyboardEvent, PointerEvent } from 'react';
import { describeError } from '../../api/errors.ts';
import { isUnfiltered, noFilter, readFilter, type Filter } from '../../books/filter/filter.ts';
import { addMonths, formatDate } from '../../books/formats/dates.ts';
import { firstRowOf, monthOfRow, type MonthCount } from '../../books/rows/rows.ts';
import type { Transaction } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { useWindow, type Frame, type ListWindow } from '../../parts/lists/use-window.ts';
import { bottomBar } from '../../parts/overlays/toasts.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { EmptyState, late } from '../../parts/states.tsx';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import { useNames, type Names } from '../flow/names.ts';
import { useRows, useListMonths, readAll, readPlaces } from './data.ts';
import { pressInGrid, type GridActions, type EditedCell } from './grid-keys.ts';
import { Grid, gridSizes, SelectedSum } from './grid.tsx';
import { BulkDialog, GroupDialog, RowMenu, SplitDialog } from './late-dialogs.ts';
import { editEntries, EntryButtons, selectionEntries } from './row-entries.tsx';
import { useNamesOfTransfers, usePairing, useTransfers } from './transfers.ts';
import { useRowActions, type ActedList, type Bulk } from './use-row-actions.ts';
import { useUnfolding, type Unfolding } from './use-unfolding.ts';

// The list does not wait for what is opened next to it.
const Entry = late(() => import('./entry.tsx'), 'Entry');

/** Month scrubber, list, and the selected entry. */
export function List(props: {
  /** The filter as in the URL. */
  readonly query: string;
  /** The transaction that the URL names; null for none. */
  readonly openId: number | null;
  readonly onSearch: () => void;
  readonly onFilter: (filter: Filter) => void;
  readonly onOpen: (id: number) => void;
  readonly onClose: () => void;
}): ReactElement {
  const { query, openId, onClose } = props;
  const filter = useMemo(() => readFilter(query), [query]);
  const { hasLetterKeys } = usePreferences();
  const [active, setActive] = useState(0);
  const [editing, setEditing] = useState<EditedCell | null>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  const { data: months, error } = useListMonths(filter);
  const known = useNames();
  const frame = useRef<HTMLDivElement>(null);
  const unfolding = useUnfolding();
  const list = useWindow(months?.count ?? 0, frame, gridSizes, unfolding.unfolded);
  const rows = useRows(filter, list.range);
  unfolding.keep(rows);
  const { first, end } = list.range;
  const transfers = useTransfers(Array.from({ length: end - first }, (_, at) => rows(first + at)));
  const names = useNamesOfTransfers(known, transfers);
  const place = Math.min(active, (months?.count ?? 1) - 1);
  const actions = useListActions({
    filter,
    rows,
    list,
    place,
    setActive,
    setOpened,
    unfolding,
    transfers,
    cell: editing,
    setEditing,
    rowCount: months?.count ?? 0,
    total: months?.total ?? null,
    onSearch: props.onSearch,
  });
  useLayoutEffect(() => {
    // Another row may have been folded above it. The next key may move to another row.
    if (unfolding.unfolded.count > 0) list.show(unfolding.unfolded.row);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [unfolding.unfolded.row]);
  useEffect(() => {
    // Typing in the search field goes on; everywhere else keys act on the list.
    if (document.activeElement === document.body) frame.current?.focus();
  }, [opened]);
  if (months === undefined ? error !== null : months.count === 0)
    return <Nothing filter={filter} error={error} onFilter={props.onFilter} />;
  const row = rows(place);
  return (
    <div className="list">
      {filter.sort.endsWith('date') && <Scrubber months={months?.months ?? []} list={list} />}
      <div className="list-main">
        {!list.isCards && <OrderBar filter={filter} onFilter={props.onFilter} />}
        <Grid
          rowCount={months?.count ?? 0}
          {...{ rows, names, list, frame, editing, unfolding, active: place }}
          onMember={props.onOpen}
          isSelected={actions.isSelected}
          onActivate={(next, isOpened) => {
            setActive(next);
            const id = rows(next)?.id;
            if (isOpened && list.isCards && id !== undefined) props.onOpen(id);
          }}
          onToggle={actions.toggle}
          onSelectTo={actions.selectTo}
          onEdit={setEditing}
          onReview={actions.reviewAt}
          onSave={actions.change}
          onMenu={actions.openMenu}
          onKeyDown={(event) => pressInGrid(event, actions.keys, hasLetterKeys)}
        />
        <BulkBar actions={actions} rowCount={months?.count ?? 0} />
      </div>
      <Suspense>
        <Entry
          id={openId ?? row?.id ?? null}
          names={names}
          isPage={openId !== null}
          onClose={onClose}
          onSplit={(split) => setOpened({ name: 'split', row: split })}
        />
        <Dialogs {...{ opened, names, actions, row, frame, setOpened }} />
      </Suspense>
    </div>
  );
}

type OrderBarProps = Readonly<{ filter: Filter; onFilter: (filter: Filter) => void }>;

/** The columns by which a list can be ordered. A click on the one that orders it turns the order. */
function OrderBar({ filter, onFilter }: OrderBarProps): ReactElement {
  const first = { date: '-date', payee: 'payee', amount: '-amount' } as const;
  const { columns } = t;
  const button = (column: keyof typeof first): ReactElement => {
    const isOrdered = filter.sort.endsWith(column);
    const turned = filter.sort.startsWith('-') ? column : (`-${column}` as const);
    const next = isOrdered ? turned : first[column];
    return (
      <button
        type="button"
        className={`cell ${column}`}
        aria-pressed={isOrdered}
        title={t.orders[isOrdered ? filter.sort : next]}
        onClick={() => onFilter({ ...filter, sort: next })}
      >
        {columns[column]}
        {isOrdered && <span aria-hidden="true">{filter.sort.startsWith('-') ? ' ↓' : ' ↑'}</span>}
      </button>
    );
  };
  return (
    <div className="order-bar" role="group" aria-label={t.order}>
      <span />
      {button('date')}
      {button('payee')}
      <span className="cell category">{columns.category}</span>
      <span className="cell tags">{columns.tags}</span>
      <span className="cell account">{columns.account}</span>
      {button('amount')}
    </div>
  );
}

/** What is open over the list. */
function Dialogs(props: {
  readonly opened: Opened | null;
  readonly names: Names;
  readonly actions: ListActions;
  /** The active row. */
  readonly row: Transaction | undefined;
  readonly frame: Frame;
  readonly setOpened: (opened: Opened | null) => void;
}): ReactElement | null {
  const { opened, names, actions, row, frame, setOpened } = props;
  const onClose = (): void => setOpened(null);
  if (opened === null) return null;
  if (opened.name === 'bulk')
    return <BulkDialog bulk={opened.bulk} {...{ names, onClose }} onDone={actions.clear} />;
  if (opened.name === 'split') return <SplitDialog row={opened.row} {...{ names, onClose }} />;
  if (opened.name === 'group')
    return <GroupDialog rows={opened.rows} {...{ names, onClose }} onDone={actions.clear} />;
  if (row === undefined) return null;
  return (
    <RowMenu
      {...{ row, onClose }}
      anchor={opened.anchor}
      home={frame}
      edits={editEntries(actions)}
      ofSelection={actions.count === 0 ? null : selectionEntries(actions)}
      onSplit={(split) => setOpened({ name: 'split', row: split })}
    />
  );
}

/** What is shown instead of rows: the list has none, or its filter was refused. */
function Nothing(props: {
  readonly filter: Filter;
  readonly error: Error | null;
  readonly onFilter: (filter: Filter) => void;
}): ReactElement {
  const { error } = props;
  if (isUnfiltered(props.filter) && error === null)
    return <EmptyState icon="transactions" title={t.empty} hint={t.emptyHint} />;
  return (
    <EmptyState
      icon="search"
      title={error === null ? t.nothing : t.notListed}
      hint={error === null ? t.nothingHint : describeError(error)}
    >
      <Button onClick={() => props.onFilter(noFilter)}>{t.clear}</Button>
    </EmptyState>
  );
}

type BulkBarProps = Readonly<{ actions: ListActions; rowCount: number }>;

/** How many transactions are selected, and what can be done to all of them. */
function BulkBar({ actions, rowCount }: BulkBarProps): ReactElement | null {
  const { count, whole } = actions;
  const rows = [...actions.selected.values()];
  if (count === 0) return null;
  return (
    <div ref={bottomBar} className="bulk-bar" role="toolbar" aria-label={t.selected(count)}>
      <p role="status">
        <SelectedSum rows={rows} whole={whole} />
      </p>
      {count < rowCount && (
        <Button className="wide all" look="quiet" onClick={actions.keys.selectAll}>
          {t.selectAll(rowCount)}
        </Button>
      )}
      <EntryButtons entries={selectionEntries(actions)} />
      <Button icon="close" look="quiet" aria-label={t.deselect} onClick={actions.clear} />
    </div>
  );
}

/** What is open over the list. */
type Opened =
  | { readonly name: 'split'; readonly row: Transaction }
  | { readonly name: 'bulk'; readonly bulk: Bulk }
  | { readonly name: 'menu'; readonly anchor: DOMRect }
  | { readonly name: 'group'; readonly rows: readonly Transaction[] };

/** What can be done in a list, by keys and by buttons. */
type ListActions = ReturnType<typeof useListActions>;

/** The actions of a list, with those that only it has. */
function useListActions(
  state: Omit<ActedList, 'readPayee' | 'readPlaces' | 'onSplit' | 'onBulk'> & {
    readonly filter: Filter;
    /** The sum of the whole list. */
    readonly total: string | null;
    readonly setOpened: (opened: Opened) => void;
    readonly onSearch: () => void;
    readonly unfolding: Unfolding;
    readonly transfers: ReturnType<typeof useTransfers>;
  },
) {
  const { rows, place, filter, unfolding, rowCount } = state;
  const actions = useRowActions({
    ...state,
    readPayee: (payee) => readAll({ ...filter, payee }, (_at, row) => row.payee === payee),
    readPlaces: (first, count) =>
      readPlaces(filter, { first, count, total: count === rowCount ? state.total : null }),
    onSplit: (row) => state.setOpened({ name: 'split', row }),
    onBulk: (bulk) => state.setOpened({ name: 'bulk', bulk }),
  });
  const { selected, targets, clear, goTo, save } = actions;
  const pairing = usePairing();
  const review = (): void => {
    if (actions.changeWhole({ update: { status: 'reviewed' } })) return;
    void save(targets, () => ({ status: 'reviewed' }));
    if (selected.size > 0) clear();
    else goTo(place + 1);
  };
  const unfold = (isOpen: boolean): void => {
    const row = rows(place);
    if (row !== undefined) unfolding.toggle(place, row, isOpen);
  };
  const pair = (): void => {
    if (selected.size !== 2) return;
    pairing.pair(targets);
    clear();
  };
  const unpair = (): void => pairing.unpair(state.transfers.get(rows(place)?.id ?? 0));
  const own = { review, unfold, pair, unpair, search: state.onSearch };
  const keys: GridActions = { ...actions.keys, ...own };
  return {
    ...actions,
    keys,
    review,
    pair,
    group: (): void => state.setOpened({ name: 'group', rows: [...selected.values()] }),
    /** A row that is not selected is acted on alone. */
    openMenu: (at: number, anchor: DOMRect): void => {
      const chosen = rows(at);
      if (chosen === undefined) return;
      if (at !== place && !actions.isSelected(at, chosen)) clear();
      state.setActive(at);
      state.setOpened({ name: 'menu', anchor });
    },
    reviewAt: (at: number): void => {
      const chosen = rows(at);
      if (chosen === undefined) return;
      const status = chosen.status === 'reviewed' ? 'unreviewed' : 'reviewed';
      void save([chosen], () => ({ status }));
    },
  };
}

/** Room for a label, in rows. */
const labelRows = 0.7;

type ScrubberProps = Readonly<{ months: readonly MonthCount[]; list: ListWindow }>;

/** Jumps to a month: by a click, by dragging, or by the arrow keys (Page Up and Down move by years). */
function Scrubber({ months, list }: ScrubberProps): ReactElement {
  const { locale, dates } = usePreferences();
  const count = months.reduce((sum, month) => sum + month.count, 0);
  const current = monthOfRow(months, Math.min(list.firstVisible, count - 1)) ?? '';
  const jump = (month: string): void => list.show(firstRowOf(months, month), true);
  const drag = (event: PointerEvent): void => {
    if (event.type === 'pointermove' && event.buttons === 0) return;
    const { top, height } = event.currentTarget.getBoundingClientRect();
    const part = Math.max(0, Math.min((event.clientY - top) / height, 1));
    list.show(Math.min(Math.floor(part * count), count - 1), true);
  };
  const press = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: -1,
      ArrowUp: 1,
      PageDown: -12,
      PageUp: 12,
    };
    const step = steps[event.key];
    if (step === undefined || current === '') return;
    event.preventDefault();
    jump(addMonths(current, step));
  };
  return (
    <div
      className="scrubber"
      role="slider"
      aria-label={t.months}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={Math.max(count - 1, 0)}
      aria-valuenow={Math.max(0, Math.min(list.firstVisible, count - 1))}
      aria-valuetext={current === '' ? '' : formatDate(current, 'month', { locale, dates })}
      tabIndex={0}
      onPointerDown={drag}
      onPointerMove={drag}
      onKeyDown={press}
    >
      {yearsOf(months, count, labelRows * list.rowHeight, list.height).map(({ year, part }) => (
        <span
          key={year}
          className={current.startsWith(year) ? 'year here' : 'year'}
          style={{ top: `${part * 100}%` }}
        >
          {year}
        </span>
      ))}
      <span
        className="thumb"
        style={{ top: `${count === 0 ? 0 : (firstRowOf(months, current) / count) * 100}%` }}
      />
    </div>
  );
}

/** The years that have room for a label, and where they begin. */
function yearsOf(months: readonly MonthCount[], count: number, labelPx: number, height: number) {
  const years: { readonly year: string; readonly part: number }[] = [];
  let rows = 0;
  for (const { month, count: ofMonth } of months) {
    const year = month.slice(0, 4);
    const part = count === 0 ? 0 : rows / count;
    const last = years.at(-1);
    const hasRoom = last === undefined || (part - last.part) * height >= labelPx;
    const isInside = years.length === 0 || (1 - part) * height >= labelPx;
    if (last?.year !== year && hasRoom && isInside) years.push({ year, part });
    rows += ofMonth;
  }
  return years;
}
