import type { Engine } from '../db/engine.ts';
import { changing } from './changing.ts';
import type { Cause } from './changing.ts';
import { KeptRecords } from './kept-records.ts';
import { undo, UndoConflictError } from './undo.ts';
import type { UndoConflict } from './undo-conflicts.ts';

/**
 * Undoes a version of a book as far as possible: records with conflicts stay as they are. Returns the conflicts, by
 * record and column.
 *
 * Transactions that belong together stay or go together: a split with its parts, a group with its members. Rejects as
 * {@link undo} throws, but not with conflicts.
 */
export async function undoRest(
  engine: Engine,
  cause: Cause,
  version: number,
): Promise<readonly UndoConflict[]> {
  const kept = new KeptRecords();
  for (;;) {
    const error = await tryUndo(engine, cause, version, kept);
    if (error === null) return kept.conflicts;
    kept.add(error.conflicts);
  }
}

async function tryUndo(
  engine: Engine,
  cause: Cause,
  version: number,
  kept: KeptRecords,
): Promise<UndoConflictError | null> {
  try {
    const undoing = { ...cause, undoes: version };
    await engine.write(() => changing(undoing, (change) => undo(change, version, kept)));
    return null;
  } catch (error) {
    if (error instanceof UndoConflictError) return error;
    throw error;
  }
}
