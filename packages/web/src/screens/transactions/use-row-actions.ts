import type { Transaction, TransactionUpdate, BulkChange } from '../../books/types.ts';
import type { EditedCell, Field, GridActions } from './grid-keys.ts';
import { useEditing } from './use-editing.ts';
import type { Editing } from './use-editing.ts';
import { useSelection } from './use-selection.ts';
import type { ActiveList, Selection } from './use-selection.ts';
import { bulkUpdateOf } from '../../books/rows/bulk.ts';
import { isSingle } from '../../books/rows/rows.ts';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import type { Whole } from './data.ts';
import { making } from '../rules/making.ts';

/** A change of more rows than one request takes, which a person confirms. */
export interface Bulk {
  readonly whole: Whole;
  readonly change: BulkChange;
}

/** What actions work on. */
export interface ActedList extends ActiveList {
  readonly cell: EditedCell | null;
  readonly setEditing: (cell: EditedCell | null) => void;
  readonly onSplit: (row: Transaction) => void;
  readonly onBulk: (bulk: Bulk) => void;
}

type Selecting = 'selected' | 'whole' | 'count' | 'isSelected' | 'targets' | 'toggle' | 'selectTo';

/** What can be done in any list of transactions, by keys and by buttons. */
export interface RowActions extends Pick<Editing, 'save'>, Pick<Selection, Selecting | 'goTo'> {
  readonly clear: () => void;
  readonly edit: (field: Field) => void;
  /** Gives the targets new values. */
  readonly change: (valuesOf: (row: Transaction) => TransactionUpdate) => void;
  /** Changes all that is selected if it is more than one request takes. Returns whether it is. */
  readonly changeWhole: (change: BulkChange) => boolean;
  readonly remove: () => void;
  readonly keys: Omit<GridActions, 'review' | 'search' | 'pair' | 'unpair'>;
}

/** The selection of a list, and what is done to it, or to the active row when nothing is selected. */
export function useRowActions(state: ActedList): RowActions {
  const { list, place, cell, setEditing } = state;
  const editing = useEditing();
  const selection = useSelection(state);
  const { row, selected, whole, targets, goTo, select, keys } = selection;
  const edit = (field: Field): void => {
    if (row === undefined) return;
    list.show(place);
    setEditing({ field });
  };
  const changeWhole = (change: BulkChange): boolean => {
    if (whole !== null) state.onBulk({ whole, change });
    return whole !== null;
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
    if (whole !== null && row !== undefined) {
      changeWhole({ update: bulkUpdateOf(row, valuesOf(row), cell?.field === 'payee') });
      return;
    }
    if (selected.size > 0) select(targets.map((each) => withValues(each, valuesOf(each))));
    void editing.save(targets, valuesOf, refused === null ? undefined : again);
  };
  const remove = (): void => {
    if (changeWhole({ delete: true })) return;
    const removed = targets.filter(isSingle);
    void editing.remove(
      removed.map(({ id }) => id),
      targets.length - removed.length,
    );
    keys.deselect();
  };
  return {
    ...selection,
    clear: keys.deselect,
    edit,
    change,
    changeWhole,
    remove,
    save: editing.save,
    keys: {
      ...keys,
      edit,
      remove,
      split: () => {
        if (row === undefined) return;
        if (isSingle(row)) state.onSplit(row);
        else showToast({ text: t.notSplit, look: 'problem' });
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
