import { useState } from 'react';
import type { Transaction, TransactionUpdate } from '../../books/types.ts';
import type { ListWindow } from '../../parts/lists/use-window.ts';
import type { Rows } from './data.ts';
import type { EditedCell, Field, GridActions } from './grid-keys.ts';
import { useEditing, type Editing } from './use-editing.ts';

/** What actions work on. */
export interface ActedList {
  readonly rows: Rows;
  readonly rowCount: number;
  readonly list: ListWindow;
  /** The place of the active row. */
  readonly place: number;
  readonly setActive: (place: number) => void;
  readonly cell: EditedCell | null;
  readonly setEditing: (cell: EditedCell | null) => void;
  readonly onSplit: (row: Transaction) => void;
  /** Returns what Shift+A selects: the rows of the same payee. */
  readonly readPayee: (payee: string) => Promise<readonly Transaction[]>;
}

/** What can be done in any list of transactions, by keys and by buttons. */
export interface RowActions extends Pick<Editing, 'save'> {
  readonly selected: ReadonlyMap<number, Transaction>;
  /** The selection, or the active row when nothing is selected. */
  readonly targets: readonly Transaction[];
  readonly toggle: (place: number) => void;
  readonly clear: () => void;
  readonly goTo: (place: number) => void;
  readonly edit: (field: Field) => void;
  /** Gives the targets new values. */
  readonly change: (valuesOf: (row: Transaction) => TransactionUpdate) => void;
  readonly remove: () => void;
  readonly keys: Omit<GridActions, 'review' | 'search'>;
}

/** The selection of a list, and what is done to it, or to the active row when nothing is selected. */
export function useRowActions(state: ActedList): RowActions {
  const { rows, rowCount, list, place, setActive, cell, setEditing, readPayee } = state;
  const editing = useEditing();
  const [selected, setSelected] = useState<ReadonlyMap<number, Transaction>>(new Map());
  const [anchor, setAnchor] = useState(0);
  const row = rows(place);
  const targets = selected.size > 0 ? [...selected.values()] : row === undefined ? [] : [row];
  const select = (chosen: readonly Transaction[]): void =>
    setSelected(new Map(chosen.map((each) => [each.id, each])));
  const clear = (): void => select([]);
  const toggle = (at: number): void => {
    const chosen = rows(at);
    if (chosen === undefined) return;
    const next = new Map(selected);
    if (!next.delete(chosen.id)) next.set(chosen.id, chosen);
    setSelected(next);
    setAnchor(at);
  };
  const selectUpTo = (): void => {
    const [first, last] = [Math.min(anchor, place), Math.max(anchor, place)];
    const between = Array.from({ length: last - first + 1 }, (_each, at) => rows(first + at) ?? []);
    select([...selected.values(), ...between.flat()]);
  };
  const selectPayee = async (payee: string): Promise<void> => {
    select(await readPayee(payee));
    list.focus();
  };
  const goTo = (next: number): void => {
    const bounded = Math.max(0, Math.min(next, rowCount - 1));
    setActive(bounded);
    list.show(bounded);
  };
  const edit = (field: Field): void => {
    if (row === undefined) return;
    list.show(place);
    setEditing({ field });
  };
  const change: RowActions['change'] = (valuesOf) => {
    // A tag is chosen, not typed, and choosing it twice would remove it.
    const isTyped = row !== undefined && cell !== null && cell.field !== 'tags';
    const refused = isTyped ? { field: cell.field, values: valuesOf(row) } : null;
    const again = (): void => {
      goTo(place);
      setEditing(refused);
    };
    setEditing(null);
    list.focus();
    if (selected.size > 0) select(targets.map((each) => withValues(each, valuesOf(each))));
    void editing.save(targets, valuesOf, refused === null ? undefined : again);
  };
  const remove = (): void => {
    void editing.remove(targets.map(({ id }) => id));
    clear();
  };
  return {
    selected,
    targets,
    toggle,
    clear,
    goTo,
    edit,
    change,
    remove,
    save: editing.save,
    keys: {
      edit,
      remove,
      selectUpTo,
      deselect: clear,
      move: (count) => goTo(place + count),
      toEnd: (isLast) => goTo(isLast ? rowCount - 1 : 0),
      select: () => toggle(place),
      selectPayee: () => {
        if (row !== undefined) void selectPayee(row.payee);
      },
      split: () => {
        if (row !== undefined) state.onSplit(row);
      },
      undo: () => void editing.undo(),
    },
  };
}

function withValues(row: Transaction, values: TransactionUpdate): Transaction {
  return { ...row, ...(values as Partial<Transaction>) };
}
