import type { Transaction, TransactionUpdate } from '../../books/types.ts';
import { making } from '../rules/making.ts';
import type { EditedCell, Field, GridActions } from './grid-keys.ts';
import { useEditing, type Editing } from './use-editing.ts';
import { useSelection, type ActiveList, type Selection } from './use-selection.ts';

/** What actions work on. */
export interface ActedList extends ActiveList {
  readonly cell: EditedCell | null;
  readonly setEditing: (cell: EditedCell | null) => void;
  readonly onSplit: (row: Transaction) => void;
}

/** What can be done in any list of transactions, by keys and by buttons. */
export interface RowActions
  extends Pick<Editing, 'save'>, Pick<Selection, 'selected' | 'targets' | 'toggle' | 'goTo'> {
  readonly clear: () => void;
  readonly edit: (field: Field) => void;
  /** Gives the targets new values. */
  readonly change: (valuesOf: (row: Transaction) => TransactionUpdate) => void;
  readonly remove: () => void;
  readonly keys: Omit<GridActions, 'review' | 'search'>;
}

/** The selection of a list, and what is done to it, or to the active row when nothing is selected. */
export function useRowActions(state: ActedList): RowActions {
  const { list, place, cell, setEditing } = state;
  const editing = useEditing();
  const { row, selected, targets, goTo, select, toggle, keys } = useSelection(state);
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
    keys.deselect();
  };
  return {
    selected,
    targets,
    toggle,
    goTo,
    clear: keys.deselect,
    edit,
    change,
    remove,
    save: editing.save,
    keys: {
      ...keys,
      edit,
      remove,
      split: () => {
        if (row !== undefined) state.onSplit(row);
      },
      makeRule: () => {
        if (row !== undefined) making.open(row);
      },
      undo: () => void editing.undo(),
    },
  };
}

function withValues(row: Transaction, values: TransactionUpdate): Transaction {
  return { ...row, ...(values as Partial<Transaction>) };
}
