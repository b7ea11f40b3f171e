/** A cell of a sheet: an index into its rows and its columns. */
export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

/** The size of a sheet. */
export interface SheetSize {
  readonly rows: number;
  readonly columns: number;
}

/** What a key does in a sheet while no cell is edited. */
export type SheetCommand =
  | { readonly kind: 'move'; readonly to: CellPlace }
  /** Begin to edit: with this text, or with the present value when it is null. */
  | { readonly kind: 'edit'; readonly text: string | null }
  | { readonly kind: 'clear' }
  | { readonly kind: 'turn'; readonly step: -1 | 1 };

/** The members of a keyboard event that matter. */
export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

const steps: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Returns the cell some steps away, inside the sheet. */
export function stepFrom(
  { row, column }: CellPlace,
  [rows, columns]: readonly [number, number],
  size: SheetSize,
): CellPlace {
  const within = (at: number, count: number): number => Math.max(0, Math.min(at, count - 1));
  return { row: within(row + rows, size.rows), column: within(column + columns, size.columns) };
}

/** Returns what a key does at a cell; null for keys that are not of the sheet. */
export function commandOf(
  event: PressedKey,
  place: CellPlace,
  size: SheetSize,
): SheetCommand | null {
  const { key, altKey } = event;
  const hasControl = event.ctrlKey || event.metaKey;
  if (altKey) return null;
  const step = steps[key];
  if (step !== undefined && !hasControl) return { kind: 'move', to: stepFrom(place, step, size) };
  if (key === 'Home' || key === 'End')
    return { kind: 'move', to: edge(key, hasControl, place, size) };
  if (hasControl) return null;
  if (key === 'PageUp' || key === 'PageDown')
    return { kind: 'turn', step: key === 'PageUp' ? -1 : 1 };
  if (key === 'Enter' || key === 'F2') return { kind: 'edit', text: null };
  if (key === 'Delete' || key === 'Backspace') return { kind: 'clear' };
  return /^[\d.,-]$/.test(key) ? { kind: 'edit', text: key } : null;
}

function edge(key: string, isWhole: boolean, place: CellPlace, size: SheetSize): CellPlace {
  const far = [size.rows, size.columns] as const;
  const { row, column } = stepFrom(place, key === 'Home' ? [-far[0], -far[1]] : far, size);
  return { row: isWhole ? row : place.row, column };
}
