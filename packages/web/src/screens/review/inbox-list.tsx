import { useEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import type { Transaction } from '../../api/types.ts';
import { usePreferences } from '../../parts/preferences.ts';
import { SplitDialog } from '../transactions/entry/split-dialog.tsx';
import { Grid } from '../transactions/list/grid.tsx';
import { pressInGrid } from '../transactions/list/grid-keys.ts';
import type { EditedCell } from '../transactions/list/row.tsx';
import { useNames } from '../transactions/list/use-names.ts';
import type { Names } from '../transactions/list/use-names.ts';
import { useWindow } from '../transactions/list/use-window.ts';
import { ActionBar } from './action-bar.tsx';
import { useSuggestions } from './data.ts';
import type { InboxState } from './data.ts';
import { useReviewActions } from './use-review-actions.ts';

/** So many rows are read before they are needed. */
const ahead = 60;

/** The list of what waits, and what can be done with the active row or the selection. */
export function InboxList({ inbox }: { readonly inbox: InboxState }): ReactElement {
  const { rows, readMore } = inbox;
  const { hasLetterKeys } = usePreferences();
  const [wanted, setActive] = useState(0);
  const [editing, setEditing] = useState<EditedCell | null>(null);
  const [split, setSplit] = useState<Transaction | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const list = useWindow(rows.length, frame);
  const place = Math.max(0, Math.min(wanted, rows.length - 1));
  const visible = rows.slice(list.range.first, list.range.end);
  const suggestions = useSuggestions(visible);
  const names = useNamesWith(suggestions);
  const row = rows[place];
  const suggestion = row?.category_id === null ? (suggestions.get(row.payee) ?? null) : null;
  const actions = useReviewActions({
    ...{ inbox, list, place, row, suggestion, setActive, setSplit, cell: editing, setEditing },
  });
  const isNearEnd = Math.max(place, list.range.end) + ahead > rows.length;
  useEffect(() => {
    if (isNearEnd) readMore();
    // Reading more changes the number of rows.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isNearEnd, rows.length, inbox.known]);
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
        rows={(at) => rows[at]}
        {...{ names, list, frame, editing }}
        active={place}
        selected={actions.selected}
        onActivate={setActive}
        onToggle={actions.toggle}
        onEdit={setEditing}
        onReview={actions.markAt}
        onSave={actions.save}
        onKeyDown={press}
      />
      <ActionBar {...{ actions, row, suggestion, names }} />
      {split !== null && (
        <SplitDialog
          row={split}
          names={names}
          isReviewed
          onClose={() => {
            setSplit(null);
            inbox.reload();
          }}
        />
      )}
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
