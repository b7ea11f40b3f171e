import { useState } from 'react';
import { mostInRequest } from '../../api/edits.ts';
import type { Transaction, TransactionUpdate, BulkChange } from '../../books/types.ts';
import type { EditedCell, Field, GridActions } from './grid-keys.ts';
import { useEditing, type Editing } from './use-editing.ts';
import type { ListWindow } from '../../parts/lists/use-window.ts';
import { bulkUpdateOf } from '../../books/rows/bulk.ts';
import { isSingle } from '../../books/rows/rows.ts';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import type { Rows, Whole } from './data.ts';
import { making } from '../flow/openers.ts';

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

/** A list of transactions, of which one row is active. */
interface ActiveList {
  readonly rows: Rows;
  readonly rowCount: number;
  readonly list: ListWindow;
  /** The place of the active row. */
  readonly place: number;
  readonly setActive: (place: number) => void;
  /** Returns what Shift+A selects: the rows of the same payee. */
  readonly readPayee: (payee: string) => Promise<readonly Transaction[] | Whole>;
  /**
   * Returns the rows at some places; absent where all rows of the list are loaded. More than one request takes are
   * there at once, so that the next key finds them selected.
   */
  readonly readPlaces?: (first: number, count: number) => Whole | Promise<readonly Transaction[]>;
}

/** Which rows are selected. */
interface Selection {
  /** The active row. */
  readonly row: Transaction | undefined;
  readonly selected: ReadonlyMap<number, Transaction>;
  /** What is selected in place of single rows; null for none. */
  readonly whole: Whole | null;
  /** How many are selected. */
  readonly count: number;
  readonly isSelected: (place: number, row: Transaction) => boolean;
  /** What actions work on if nothing whole is selected: the selection, or else the active row. */
  readonly targets: readonly Transaction[];
  readonly goTo: (place: number) => void;
  readonly select: (rows: readonly Transaction[] | Whole) => void;
  readonly toggle: (place: number) => void;
  /** Selects the rows from where the selection began, or else from the active row. */
  readonly selectTo: (place: number) => void;
  readonly keys: Pick<
    GridActions,
    'move' | 'toEnd' | 'select' | 'selectUpTo' | 'selectAll' | 'deselect' | 'selectPayee'
  >;
}

const nobody: ReadonlyMap<number, Transaction> = new Map();

function isWhole(chosen: readonly Transaction[] | Whole): chosen is Whole {
  return 'query' in chosen;
}

/** The selection of a list, and the keys that move its active row and select. */
function useSelection(state: ActiveList): Selection {
  const { rows, rowCount, list, place, setActive, readPayee, readPlaces } = state;
  const [selected, setSelected] = useState(nobody);
  const [whole, setWhole] = useState<Whole | null>(null);
  const [anchor, setAnchor] = useState<number | null>(null);
  const row = rows(place);
  const goTo = (next: number): void => {
    const bounded = Math.max(0, Math.min(next, rowCount - 1));
    setActive(bounded);
    list.show(bounded);
  };
  const select = (chosen: readonly Transaction[] | Whole): void => {
    setWhole(isWhole(chosen) ? chosen : null);
    setSelected(isWhole(chosen) ? nobody : new Map(chosen.map((each) => [each.id, each])));
  };
  const toggle = (at: number): void => {
    const chosen = rows(at);
    if (chosen === undefined) return;
    const next = new Map(selected);
    if (!next.delete(chosen.id)) next.set(chosen.id, chosen);
    select([...next.values()]);
    setAnchor(at);
  };
  const selectBetween = (from: number, to: number): void => {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    const count = last - first + 1;
    const places = Array.from(
      { length: Math.min(count, mostInRequest) },
      (_each, at) => first + at,
    );
    const loaded = places.flatMap((at) => rows(at) ?? []);
    const isLoaded = loaded.length === count || readPlaces === undefined;
    const found = isLoaded ? loaded : readPlaces(first, count);
    const take = (chosen: readonly Transaction[] | Whole): void =>
      select(isWhole(chosen) ? chosen : [...selected.values(), ...chosen]);
    if (found instanceof Promise) void found.then(take);
    else take(found);
  };
  const selectTo = (to: number): void => {
    setAnchor(anchor ?? place);
    setActive(to);
    selectBetween(anchor ?? place, to);
  };
  const selectPayee = async (): Promise<void> => {
    if (row === undefined) return;
    select(await readPayee(row.payee));
    list.focus();
  };
  const deselect = (): void => {
    setAnchor(null);
    select([]);
  };
  return {
    row,
    selected,
    whole,
    count: whole?.count ?? selected.size,
    isSelected: (at, each) => whole?.has(at, each) ?? selected.has(each.id),
    targets: selected.size > 0 ? [...selected.values()] : row === undefined ? [] : [row],
    goTo,
    select,
    toggle,
    selectTo,
    keys: {
      move: (count) => goTo(place + count),
      toEnd: (isLast) => goTo(isLast ? rowCount - 1 : 0),
      select: () => toggle(place),
      selectUpTo: () => selectBetween(anchor ?? 0, place),
      selectAll: () => selectBetween(0, rowCount - 1),
      deselect,
      selectPayee: () => void selectPayee(),
    },
  };
}
