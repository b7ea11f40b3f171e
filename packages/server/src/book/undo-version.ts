import type { Engine, Steps } from '../db/engine.ts';
import type { Change } from './change.ts';
import { changing } from './change.ts';
import type { Cause } from './change.ts';
import { KeptRecords } from './kept-records.ts';
import { tableOf } from './net.ts';
import { undo, UndoConflictError } from './undo.ts';
import type { UndoConflict } from './undo-conflicts.ts';

/** What an undo does with records that were changed since: it undoes nothing, or keeps them. */
export type UndoMode = 'refuse' | 'skip';

/** What a caller adds to an undo, in the same transaction. All can run several times. */
export interface UndoSteps {
  readonly mode?: UndoMode;
  /** Undoes nothing in the end. */
  readonly isRehearsal?: boolean;
  /** Runs before the undo, and returns further conflicts. It can throw to refuse it. */
  readonly begin?: (kept: KeptRecords) => Steps<readonly UndoConflict[]>;
  /** Runs after the undo. It may depend on the records that are kept. */
  readonly finish?: (change: Change, kept: KeptRecords) => Steps<void>;
}

/** The version that an undo made, null if nothing was left to undo; and why records were kept. */
export interface UndoneVersion {
  readonly version: number | null;
  readonly conflicts: readonly UndoConflict[];
}

/**
 * Undoes a version of a book in a transaction of its own.
 *
 * With the mode `skip`, records with conflicts stay as they are. Transactions that belong together stay or go together:
 * a split with its parts, a group with its members. Rejects as {@link undo} throws; with `skip`, not with conflicts.
 */
export async function undoVersion(
  engine: Engine,
  cause: Cause,
  version: number,
  { mode = 'refuse', isRehearsal = false, begin, finish }: UndoSteps = {},
): Promise<UndoneVersion> {
  const kept = new KeptRecords();
  const isKeeping = (): boolean => mode === 'skip' || kept.conflicts.length > 0;
  const work = function* (change: Change): Steps<number | null> {
    const conflicts = begin === undefined ? [] : yield* begin(kept);
    yield* undo(change, version, isKeeping() ? kept : undefined, conflicts);
    if (finish !== undefined) yield* finish(change, kept);
    return change.isEmpty ? null : change.version;
  };
  for (;;)
    try {
      const steps = (): Steps<number | null> => changing({ ...cause, undoes: version }, work);
      const made = await engine.write(steps, { rollback: isRehearsal });
      return { version: made, conflicts: withoutInternal(kept.conflicts) };
    } catch (error) {
      if (!(error instanceof UndoConflictError)) throw error;
      const shown = withoutInternal(error.conflicts);
      if (mode === 'refuse' && shown.length > 0) throw new UndoConflictError(version, shown);
      kept.add(error.conflicts);
    }
}

/** A conflict of a record that is never shown does not prevent an undo: the record stays as it is. */
function withoutInternal(conflicts: readonly UndoConflict[]): readonly UndoConflict[] {
  return conflicts.filter(({ record }) => !tableOf(record).isInternal);
}
