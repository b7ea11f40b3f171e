import type { Engine } from '../../db/engine.ts';
import type { Row } from '../../db/table.ts';
import type { imports } from '../../db/tables/tables.ts';
import type { UndoMode } from '../../book/undo-version.ts';

/** An import to undo, or whose undo to undo. */
export interface UndoWork {
  readonly bookId: number;
  readonly id: number;
  /** Such as `token 12`. */
  readonly actor: string;
  readonly kind: 'undo' | 'redo';
  /** The change of the book to undo. */
  readonly version: number;
  readonly operation: string;
  readonly mode: UndoMode;
}

/** Undoes what takes long apart from the request. */
export interface LargeUndos {
  /**
   * Undoes an import in the background; returns false, and does nothing, for one that is not large. Throws a Problem
   * if it is being undone.
   */
  undo(
    engine: Engine,
    work: UndoWork,
    row: Pick<Row<typeof imports>, 'imported' | 'replaced' | 'known'>,
  ): boolean;
}
