import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { describeError } from '../../api/errors.ts';
import { isUnfiltered, noFilter, readFilter } from '../../books/filter/filter.ts';
import type { Filter } from '../../books/filter/filter.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import { BulkBar } from './bulk-bar.tsx';
import { Grid } from './list/grid.tsx';
import { pressInGrid } from './list/grid-keys.ts';
import type { EditedCell } from './list/row.tsx';
import { useListActions } from './list/use-list-actions.ts';
import type { ListActions, Opened } from './list/use-list-actions.ts';
import { useNames } from './list/use-names.ts';
import type { Names } from './list/use-names.ts';
import { useMonths, useRows } from './list/use-rows.ts';
import { useUnfolding } from './list/use-unfolding.ts';
import { useWindow } from './list/use-window.ts';
import { Scrubber } from './scrubber.tsx';

// The list does not wait for what is opened next to it.
const Entry = lazy(async () => ({ default: (await import('./entry/entry.tsx')).Entry }));
const GroupDialog = lazy(async () => ({
  default: (await import('./entry/group-dialog.tsx')).GroupDialog,
}));
const SplitDialog = lazy(async () => ({
  default: (await import('./entry/split-dialog.tsx')).SplitDialog,
}));

/** The list of one filter, and what is open next to it. */
export interface ListProps {
  /** The filter as in the URL. */
  readonly query: string;
  /** The transaction that the URL names; null for none. */
  readonly openId: number | null;
  readonly onSearch: () => void;
  readonly onFilter: (filter: Filter) => void;
  readonly onOpen: (id: number) => void;
  readonly onClose: () => void;
}

/** Month scrubber, list, and the selected entry. */
export function List(props: ListProps): ReactElement {
  const { query, openId, onClose } = props;
  const filter = useMemo(() => readFilter(query), [query]);
  const { hasLetterKeys } = usePreferences();
  const [active, setActive] = useState(0);
  const [editing, setEditing] = useState<EditedCell | null>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  const { data: months, error } = useMonths(filter);
  const names = useNames();
  const frame = useRef<HTMLDivElement>(null);
  const unfolding = useUnfolding();
  const list = useWindow(months?.count ?? 0, frame, unfolding.unfolded);
  const rows = useRows(filter, list.range);
  unfolding.keep(rows);
  const place = Math.min(active, (months?.count ?? 1) - 1);
  const actions = useListActions({
    ...{ filter, rows, list, names, place, setActive, setOpened, unfolding },
    ...{ cell: editing, setEditing },
    rowCount: months?.count ?? 0,
    onSearch: props.onSearch,
  });
  useEffect(() => {
    // Another row may have been folded above it.
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
        <Grid
          rowCount={months?.count ?? 0}
          {...{ rows, names, list, frame, editing, unfolding, active: place }}
          onMember={props.onOpen}
          selected={actions.selected}
          onActivate={(next, isOpened) => {
            setActive(next);
            const id = rows(next)?.id;
            if (isOpened && list.isCards && id !== undefined) props.onOpen(id);
          }}
          onToggle={actions.toggle}
          onEdit={setEditing}
          onReview={actions.reviewAt}
          onSave={actions.save}
          onKeyDown={(event) => pressInGrid(event, actions.keys, hasLetterKeys)}
        />
        <BulkBar
          actions={actions}
          onGroup={(grouped) => setOpened({ name: 'group', rows: grouped })}
        />
      </div>
      <Suspense>
        <Entry
          id={openId ?? row?.id ?? null}
          names={names}
          isPage={openId !== null}
          onClose={onClose}
          onSplit={(split) => setOpened({ name: 'split', row: split })}
        />
        <Dialogs {...{ opened, names, actions }} onClose={() => setOpened(null)} />
      </Suspense>
    </div>
  );
}

/** What is open over the list. */
function Dialogs(props: {
  readonly opened: Opened | null;
  readonly names: Names;
  readonly actions: ListActions;
  readonly onClose: () => void;
}): ReactElement | null {
  const { opened, names, actions, onClose } = props;
  if (opened === null) return null;
  if (opened.name === 'split') return <SplitDialog row={opened.row} {...{ names, onClose }} />;
  return <GroupDialog rows={opened.rows} {...{ names, onClose }} onDone={actions.clear} />;
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
