import type { Engine, Steps } from '../db/engine.ts';
import type { Change } from './change.ts';
import { changing } from './changing.ts';
import type { Cause } from './changing.ts';
import { KeptRecords } from './kept-records.ts';
import { undo, UndoConflictError } from './undo.ts';
import type { UndoConflict } from './undo-conflicts.ts';

/** What a caller adds to an undo, in the same transaction. Both can run several times. */
export interface UndoRestSteps {
  /** Runs before the undo. It can throw to refuse it. */
  readonly begin?: () => Steps<void>;
  /** Runs after the undo. It may depend on the records that are kept. */
  readonly finish?: (change: Change, kept: KeptRecords) => Steps<void>;
}

/**
 * Undoes a version of a book as far as possible: records with conflicts stay as they are. Returns the conflicts, by
 * record and column.
 *
 * Transactions that belong together stay or go together: a split
 * with its parts, a group with its members. Rejects as {@link undo} throws, but not with conflicts.
 */
export async function undoRest(
  engine: Engine,
  cause: Cause,
  version: number,
  { begin, finish }: UndoRestSteps = {},
): Promise<readonly UndoConflict[]> {
  const kept = new KeptRecords();
  const work = function* (change: Change): Steps<void> {
    if (begin !== undefined) yield* begin();
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
