import type { KeyboardEvent } from 'react';
import type { TransactionUpdate } from '../../books/types.ts';

/** The columns whose cells can be edited. */
export type Field = 'date' | 'payee' | 'category' | 'tags' | 'account' | 'notes' | 'amount';

/** A cell of the active row that is edited. */
export interface EditedCell {
  readonly field: Field;
  /** The values to begin with in place of those of the row: what was refused before. */
  readonly values?: TransactionUpdate;
}

/** What keys do in a list of transactions. */
export interface GridActions {
  /** Moves the active row by a number of rows. */
  readonly move: (rows: number) => void;
  readonly toEnd: (isLast: boolean) => void;
  readonly edit: (field: Field) => void;
  readonly select: () => void;
  readonly selectUpTo: () => void;
  /** Selects all rows of the list. */
  readonly selectAll: () => void;
  readonly selectPayee: () => void;
  readonly deselect: () => void;
  readonly review: () => void;
  readonly split: () => void;
  /** Makes a rule for the payee of the active row. */
  readonly makeRule: () => void;
  readonly remove: () => void;
  /** Pairs two rows as a transfer. */
  readonly pair: () => void;
  /** Breaks the transfer of the active row. */
  readonly unpair: () => void;
  readonly undo: () => void;
  readonly search: () => void;
  /** Shows or hides the members of the active row, where the list can. */
  readonly unfold?: (isOpen: boolean) => void;
}

const pageRows = 15;

/** Keys that work even when letters are off. */
const always: Readonly<Record<string, (actions: GridActions) => void>> = {
  ArrowDown: ({ move }) => move(1),
  ArrowUp: ({ move }) => move(-1),
  PageDown: ({ move }) => move(pageRows),
  PageUp: ({ move }) => move(-pageRows),
  Home: ({ toEnd }) => toEnd(false),
  End: ({ toEnd }) => toEnd(true),
  ArrowRight: ({ unfold }) => unfold?.(true),
  ArrowLeft: ({ unfold }) => unfold?.(false),
  Enter: ({ edit }) => edit('payee'),
  ' ': ({ select }) => select(),
  Delete: ({ remove }) => remove(),
  Escape: ({ deselect }) => deselect(),
};

const letters: Readonly<Record<string, (actions: GridActions) => void>> = {
  j: ({ move }) => move(1),
  k: ({ move }) => move(-1),
  g: ({ toEnd }) => toEnd(false),
  G: ({ toEnd }) => toEnd(true),
  '/': ({ search }) => search(),
  p: ({ edit }) => edit('payee'),
  c: ({ edit }) => edit('category'),
  t: ({ edit }) => edit('tags'),
  n: ({ edit }) => edit('notes'),
  d: ({ edit }) => edit('date'),
  m: ({ edit }) => edit('amount'),
  o: ({ edit }) => edit('account'),
  e: ({ review }) => review(),
  s: ({ split }) => split(),
  w: ({ pair }) => pair(),
  b: ({ unpair }) => unpair(),
  r: ({ makeRule }) => makeRule(),
  x: ({ select }) => select(),
  X: ({ selectUpTo }) => selectUpTo(),
  A: ({ selectPayee }) => selectPayee(),
  u: ({ undo }) => undo(),
};

/** Acts on a key that was pressed in the list itself, not in one of its fields. */
export function pressInGrid(
  event: KeyboardEvent,
  actions: GridActions,
  hasLetterKeys: boolean,
): void {
  if (event.target !== event.currentTarget || event.altKey) return;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key !== 'a') return;
  const action = isCommand
    ? ({ selectAll }: GridActions) => selectAll()
    : (always[event.key] ?? (hasLetterKeys ? letters[event.key] : undefined));
  if (action === undefined) return;
  event.preventDefault();
  action(actions);
}
