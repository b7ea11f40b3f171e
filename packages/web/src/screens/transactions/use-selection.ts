import { useState } from 'react';
import type { Transaction } from '../../books/types.ts';
import type { ListWindow } from '../../parts/lists/use-window.ts';
import type { Rows } from './data.ts';
import type { GridActions } from './grid-keys.ts';

/** A list of transactions, of which one row is active. */
export interface ActiveList {
  readonly rows: Rows;
  readonly rowCount: number;
  readonly list: ListWindow;
  /** The place of the active row. */
  readonly place: number;
  readonly setActive: (place: number) => void;
  /** Returns what Shift+A selects: the rows of the same payee. */
  readonly readPayee: (payee: string) => Promise<readonly Transaction[]>;
}

/** Which rows are selected. */
export interface Selection {
  /** The active row. */
  readonly row: Transaction | undefined;
  readonly selected: ReadonlyMap<number, Transaction>;
  /** What actions work on: the selection, or else the active row. */
  readonly targets: readonly Transaction[];
  readonly goTo: (place: number) => void;
  readonly select: (rows: readonly Transaction[]) => void;
  readonly toggle: (place: number) => void;
  readonly keys: Pick<
    GridActions,
    'move' | 'toEnd' | 'select' | 'selectUpTo' | 'deselect' | 'selectPayee'
  >;
}

/** The selection of a list, and the keys that move its active row and select. */
export function useSelection(state: ActiveList): Selection {
  const { rows, rowCount, list, place, setActive, readPayee } = state;
  const [selected, setSelected] = useState<ReadonlyMap<number, Transaction>>(new Map());
  const [anchor, setAnchor] = useState(0);
  const row = rows(place);
  const goTo = (next: number): void => {
    const bounded = Math.max(0, Math.min(next, rowCount - 1));
    setActive(bounded);
    list.show(bounded);
  };
  const select = (chosen: readonly Transaction[]): void =>
    setSelected(new Map(chosen.map((each) => [each.id, each])));
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
  const selectPayee = async (): Promise<void> => {
    if (row === undefined) return;
    select(await readPayee(row.payee));
    list.focus();
  };
  return {
    row,
    selected,
    targets: selected.size > 0 ? [...selected.values()] : row === undefined ? [] : [row],
    goTo,
    select,
    toggle,
    keys: {
      move: (count) => goTo(place + count),
      toEnd: (isLast) => goTo(isLast ? rowCount - 1 : 0),
      select: () => toggle(place),
      selectUpTo,
      deselect: () => select([]),
      selectPayee: () => void selectPayee(),
    },
  };
}
