import { useState } from 'react';
import type { Transaction, TransactionUpdate } from '../../api/types.ts';
import type { GridActions } from '../transactions/list/grid-keys.ts';
import type { EditedCell, Field } from '../transactions/list/row.tsx';
import { editAgain, useEditing } from '../transactions/list/use-editing.ts';
import type { ListWindow } from '../transactions/list/use-window.ts';
import { readSamePayee } from './data.ts';
import type { InboxState } from './data.ts';

/** What the actions of the inbox work on. */
export interface ReviewState {
  readonly inbox: InboxState;
  readonly list: ListWindow;
  /** The place of the active row, and the row. */
  readonly place: number;
  readonly row: Transaction | undefined;
  /** The category that is suggested for it; null for none. */
  readonly suggestion: number | null;
  readonly setActive: (place: number) => void;
  readonly cell: EditedCell | null;
  readonly setEditing: (cell: EditedCell | null) => void;
  readonly setSplit: (row: Transaction) => void;
}

/** What can be done in the inbox, by keys and by buttons. */
export interface ReviewActions {
  readonly keys: GridActions;
  readonly selected: ReadonlyMap<number, Transaction>;
  readonly toggle: (place: number) => void;
  readonly mark: () => void;
  readonly markAt: (place: number) => void;
  readonly edit: (field: Field) => void;
  readonly accept: () => void;
  readonly save: (valuesOf: (row: Transaction) => TransactionUpdate) => void;
}

/** Marks and edits the active row, or all that are selected. */
export function useReviewActions(state: ReviewState): ReviewActions {
  const { inbox, list, place, row, setEditing } = state;
  const editing = useEditing();
  const [selected, setSelected] = useState<ReadonlyMap<number, Transaction>>(new Map());
  const targets = selected.size > 0 ? [...selected.values()] : row === undefined ? [] : [row];

  const markAll = (rows: readonly Transaction[]): void => {
    if (rows.length === 0) return;
    const saved = editing.save(rows, () => ({ status: 'reviewed' }));
    inbox.leave(new Set(rows.map(({ id }) => id)), saved);
    setSelected(new Map());
    list.focus();
  };
  const save = (valuesOf: (each: Transaction) => TransactionUpdate): void => {
    const again = editAgain(state, valuesOf, () => state.setActive(place));
    setEditing(null);
    list.focus();
    const changed = new Map(targets.map((each) => [each.id, withValues(each, valuesOf(each))]));
    inbox.change((each) => changed.get(each.id) ?? each);
    if (selected.size > 0) setSelected(changed);
    void editing.save(targets, valuesOf, again).then((isSaved) => {
      if (!isSaved) inbox.reload();
    });
  };
  const toggle = (at: number): void => {
    const chosen = inbox.rows[at];
    if (chosen === undefined) return;
    const next = new Map(selected);
    if (!next.delete(chosen.id)) next.set(chosen.id, chosen);
    setSelected(next);
  };
  const selectPayee = async (): Promise<void> => {
    if (row === undefined) return;
    const same = await readSamePayee(row.payee);
    setSelected(new Map(same.map((each) => [each.id, each])));
    list.focus();
  };
  const remove = (): void => {
    const ids = targets.map(({ id }) => id);
    setSelected(new Map());
    const removed = editing.remove(ids).then(() => true);
    inbox.leave(new Set(ids), removed);
  };
  const edit = (field: Field): void => {
    if (row === undefined) return;
    list.show(place);
    setEditing({ field });
  };
  const mark = (): void => markAll(targets);
  const keys: GridActions = {
    ...moves(state),
    edit,
    remove,
    review: mark,
    select: () => toggle(place),
    selectUpTo: () => toggle(place),
    selectPayee: () => void selectPayee(),
    deselect: () => setSelected(new Map()),
    split: () => {
      if (row !== undefined) state.setSplit(row);
    },
    undo: () => void editing.undo(),
    // There is no search in the inbox.
    search: () => undefined,
  };
  return {
    selected,
    toggle,
    mark,
    edit,
    save,
    keys,
    markAt: (at) => markAll(inbox.rows.slice(at, at + 1)),
    accept: () => {
      const { suggestion } = state;
      if (suggestion !== null) save(() => ({ category_id: suggestion }));
    },
  };
}

function withValues(row: Transaction, values: TransactionUpdate): Transaction {
  return { ...row, ...(values as Partial<Transaction>) };
}

/** Moves the active row. */
function moves({
  inbox,
  list,
  place,
  setActive,
}: ReviewState): Pick<GridActions, 'move' | 'toEnd'> {
  const goTo = (next: number): void => {
    const bounded = Math.max(0, Math.min(next, inbox.rows.length - 1));
    setActive(bounded);
    list.show(bounded);
  };
  return {
    move: (count) => goTo(place + count),
    toEnd: (isLast) => goTo(isLast ? inbox.rows.length - 1 : 0),
  };
}
