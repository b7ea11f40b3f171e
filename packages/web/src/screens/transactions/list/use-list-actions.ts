import { useState } from 'react';
import type { Transaction, TransactionUpdate } from '../../../api/types.ts';
import type { Filter } from '../../../books/filter/filter.ts';
import type { GridActions } from './grid-keys.ts';
import type { EditedCell, Field } from './row.tsx';
import { editAgain, useEditing } from './use-editing.ts';
import type { Editing } from './use-editing.ts';
import type { Names } from './use-names.ts';
import { readRows } from './use-rows.ts';
import type { Rows } from './use-rows.ts';
import type { Unfolding } from './use-unfolding.ts';
import type { ListWindow } from './use-window.ts';

/** What is open over the list. */
export type Opened =
  | { readonly name: 'split'; readonly row: Transaction }
  | { readonly name: 'group'; readonly rows: readonly Transaction[] };

/** What the actions of a list work on. */
export interface ListState {
  readonly filter: Filter;
  readonly rows: Rows;
  readonly rowCount: number;
  readonly list: ListWindow;
  readonly names: Names;
  /** The place of the active row. */
  readonly place: number;
  readonly setActive: (place: number) => void;
  readonly cell: EditedCell | null;
  readonly setEditing: (cell: EditedCell | null) => void;
  readonly setOpened: (opened: Opened) => void;
  readonly onSearch: () => void;
  readonly unfolding: Unfolding;
}

type Selected = ReadonlyMap<number, Transaction>;

/** What can be done in a list, by keys and by buttons. */
export interface ListActions {
  readonly keys: GridActions;
  readonly selected: Selected;
  readonly editing: Editing;
  readonly toggle: (place: number) => void;
  readonly clear: () => void;
  readonly edit: (field: Field) => void;
  readonly review: () => void;
  readonly reviewAt: (place: number) => void;
  readonly remove: () => void;
  readonly save: (valuesOf: (row: Transaction) => TransactionUpdate) => void;
}

interface Selection {
  readonly selected: Selected;
  readonly toggle: (place: number) => void;
  readonly selectUpTo: () => void;
  readonly selectPayee: () => Promise<void>;
  readonly clear: () => void;
}

function useSelection({ rows, place, filter }: ListState): Selection {
  const [selected, setSelected] = useState<Selected>(new Map());
  const [anchor, setAnchor] = useState(0);
  return {
    selected,
    toggle: (at) => {
      const chosen = rows(at);
      if (chosen === undefined) return;
      const next = new Map(selected);
      if (!next.delete(chosen.id)) next.set(chosen.id, chosen);
      setSelected(next);
      setAnchor(at);
    },
    selectUpTo: () => {
      const next = new Map(selected);
      for (let at = Math.min(anchor, place); at <= Math.max(anchor, place); at += 1) {
        const chosen = rows(at);
        if (chosen !== undefined) next.set(chosen.id, chosen);
      }
      setSelected(next);
    },
    selectPayee: async () => {
      const payee = rows(place)?.payee;
      if (payee === undefined) return;
      const same = await readRows({ ...filter, payee });
      setSelected(new Map(same.map((each) => [each.id, each])));
    },
    clear: () => setSelected(new Map()),
  };
}

/** The selection of a list, and what is done to it, or to the active row when nothing is selected. */
export function useListActions(state: ListState): ListActions {
  const { rows, rowCount, list, place, setActive, setEditing } = state;
  const editing = useEditing();
  const { selected, toggle, selectUpTo, selectPayee, clear } = useSelection(state);
  const row = rows(place);
  const targets = selected.size > 0 ? [...selected.values()] : row === undefined ? [] : [row];

  const goTo = (next: number): void => {
    const bounded = Math.max(0, Math.min(next, rowCount - 1));
    setActive(bounded);
    list.show(bounded);
  };
  const review = (): void => {
    void editing.save(targets, () => ({ status: 'reviewed' }));
    if (selected.size > 0) clear();
    else goTo(place + 1);
  };
  const save = (valuesOf: (each: Transaction) => TransactionUpdate): void => {
    const again = editAgain({ ...state, row }, valuesOf, () => goTo(place));
    setEditing(null);
    list.focus();
    void editing.save(targets, valuesOf, again);
  };
  const remove = (): void => {
    void editing.remove(targets.map(({ id }) => id));
    clear();
  };
  const edit = (field: Field): void => {
    if (row !== undefined) setEditing({ field });
  };
  return {
    ...{ selected, editing, toggle, clear, edit, review, remove, save },
    reviewAt: (at) => {
      const chosen = rows(at);
      if (chosen === undefined) return;
      const status = chosen.status === 'reviewed' ? 'unreviewed' : 'reviewed';
      void editing.save([chosen], () => ({ status }));
    },
    keys: {
      ...{ edit, review, remove, selectUpTo, deselect: clear, search: state.onSearch },
      move: (count) => goTo(place + count),
      toEnd: (isLast) => goTo(isLast ? rowCount - 1 : 0),
      select: () => toggle(place),
      selectPayee: () => void selectPayee(),
      split: () => {
        if (row !== undefined) state.setOpened({ name: 'split', row });
      },
      undo: () => void editing.undo(),
      unfold: (isOpen) => {
        if (row !== undefined) state.unfolding.toggle(place, row, isOpen);
      },
    },
  };
}
