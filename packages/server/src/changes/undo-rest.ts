import type { Engine, Steps } from '../db/engine.ts';
import type { Change } from './change.ts';
import { changing } from './changing.ts';
import type { Cause } from './changing.ts';
import { KeptRecords } from './kept-records.ts';
import { undo, UndoConflictError } from './undo.ts';
import type { UndoConflict } from './undo-conflicts.ts';

/** What a caller adds to an undo: it may depend on the records that are kept. */
export type Finish = (change: Change, kept: KeptRecords) => Steps<void>;

/**
 * Undoes a version of a book as far as possible: records with conflicts stay as they are. Returns the conflicts, by
 * record and column.
 *
 * `finish` runs in the same transaction, after the undo. Transactions that belong together stay or go together: a split
 * with its parts, a group with its members. Rejects as {@link undo} throws, but not with conflicts.
 */
export async function undoRest(
  engine: Engine,
  cause: Cause,
  version: number,
  finish?: Finish,
): Promise<readonly UndoConflict[]> {
  const kept = new KeptRecords();
  const work = function* (change: Change): Steps<void> {
    yield* undo(change, version, kept);
    if (finish !== undefined) yield* finish(change, kept);
  };
  for (;;) {
    const error = await tryToUndo(engine, { ...cause, undoes: version }, work);
    if (error === null) return kept.conflicts;
    kept.add(error.conflicts);
  }
}

async function tryToUndo(
  engine: Engine,
  cause: Cause,
  work: (change: Change) => Steps<void>,
): Promise<UndoConflictError | null> {
  try {
    await engine.write(() => changing(cause, work));
    return null;
  } catch (error) {
    if (error instanceof UndoConflictError) return error;
    throw error;
  }
}
