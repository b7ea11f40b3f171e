import type { Change } from '../../book/change.ts';
import type { Cause } from '../../book/changing.ts';
import type { KeptRecords } from '../../book/kept-records.ts';
import { UndoConflictError } from '../../book/undo.ts';
import type { UndoConflict } from '../../book/undo-conflicts.ts';
import { undoVersion } from '../../book/undo-version.ts';
import type { UndoMode, UndoneVersion } from '../../book/undo-version.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { Problem } from '../../operations/problem.ts';
import { arrangedConflicts } from './arranged.ts';
import { checkUndo, undoneProblem } from './checks.ts';
import { conflictProblem } from './conflicts.ts';
import { ownChanges } from './own-changes.ts';
import { moveStaying, stayingBalances } from './staying-balances.ts';
import type { StayingBalances } from './staying-balances.ts';
import { noteUndoneImport } from './undone-imports.ts';

export { checkUndo } from './checks.ts';
export { conflictText, shownConflicts } from './conflicts.ts';
export type { UndoMode } from '../../book/undo-version.ts';

/** An undo, and why records were kept. */
export interface UndoneChange {
  /** The version that the undo made; null for a rehearsal. */
  readonly version: number | null;
  readonly undoes: number;
  readonly conflicts: readonly UndoConflict[];
}

/** How to undo. */
export interface UndoOptions {
  readonly mode: UndoMode;
  /** Undoes nothing in the end. */
  readonly isRehearsal?: boolean;
  /** Replaces the check that the version can be undone. It throws if not. */
  readonly check?: () => Steps<unknown>;
}

/** Own changes without an effect that is left, which an undo of the last change passes over. */
const mostWithoutEffect = 100;

/**
 * Undoes any change of a book, as a new change: removed records come back with their ids, changed columns get their
 * earlier values, and created records are removed. Balances move back by what the change has moved. An import whose
 * change is undone or redone gets that status.
 *
 * Rejects with a Problem if the log does not have the version, if it is undone already, if nothing is left to undo, or
 * if records were changed since; with the mode `skip` such records are kept, with those that they need.
 */
export async function undoChange(
  engine: Engine,
  cause: Cause,
  version: number,
  options: UndoOptions,
): Promise<UndoneChange> {
  const undone = await undoIfAny(engine, cause, version, options);
  if (undone !== null) return undone;
  const errMsg = `Version ${version} has nothing left that could be undone`;
  throw undoneProblem({ errMsg, version });
}

/**
 * Undoes the last change by the actor of `cause` that is no undo, is not undone, and has an effect that is left.
 *
 * Rejects with a Problem if there is none, or as {@link undoChange} does for conflicts.
 */
export async function undoLastChange(
  engine: Engine,
  cause: Cause,
  options: UndoOptions,
): Promise<UndoneChange> {
  const { bookId, actor } = cause;
  const passed = new Set<number>();
  while (passed.size < mostWithoutEffect) {
    const all = await engine.read(() => ownChanges(bookId, actor, passed.size + 1));
    const version = all.find((each) => !passed.has(each));
    if (version === undefined) break;
    const undone = await undoIfAny(engine, cause, version, options).catch(afterAnother);
    if (undone === 'undone meanwhile') continue;
    if (undone !== null) return undone;
    passed.add(version);
  }
  const errMsg = 'There is no change of yours that could be undone';
  throw new Problem('recordNotFound', { details: [{ errMsg }] });
}

/** Returns the version that {@link undoLastChange} would undo first; null if there is none. */
export function* lastOwnChange(bookId: number, actor: string): Steps<number | null> {
  const [last = null] = yield* ownChanges(bookId, actor, 1);
  return last;
}

/** Another request was faster. */
function afterAnother(error: unknown): 'undone meanwhile' {
  if (error instanceof Problem && error.kind === 'undone') return 'undone meanwhile';
  throw error;
}

/** The undo would change nothing, perhaps because of conflicts. The transaction must not be committed. */
class NothingLeftError extends Error {
  override name = 'NothingLeftError';
  readonly conflicts: readonly UndoConflict[];

  constructor(conflicts: readonly UndoConflict[]) {
    super('Nothing is left to undo');
    this.conflicts = conflicts;
  }
}

/** As {@link undoChange}; resolves to null if nothing is left to undo. */
async function undoIfAny(
  engine: Engine,
  cause: Cause,
  version: number,
  { mode, isRehearsal = false, check }: UndoOptions,
): Promise<UndoneChange | null> {
  const { bookId } = cause;
  let staying: StayingBalances;
  const steps = {
    *begin(kept: KeptRecords): Steps<UndoConflict[]> {
      yield* (check ?? (() => checkUndo(bookId, version)))();
      staying = yield* stayingBalances(bookId, version, kept);
      return yield* arrangedConflicts(bookId, staying.lines, kept);
    },
    *finish(change: Change, kept: KeptRecords): Steps<void> {
      const hasEffect = yield* moveStaying(change, staying);
      if (!hasEffect) throw new NothingLeftError(kept.conflicts);
      yield* noteUndoneImport(change, version);
    },
  };
  let undone: UndoneVersion;
  try {
    undone = await undoVersion(engine, cause, version, { mode, isRehearsal, ...steps });
  } catch (error) {
    const hasNothing = error instanceof NothingLeftError;
    if (hasNothing && error.conflicts.length === 0) return null;
    const isConflict = error instanceof UndoConflictError || hasNothing;
    throw isConflict ? conflictProblem(error.conflicts) : error;
  }
  const { version: made, conflicts } = undone;
  return { version: isRehearsal ? null : made, undoes: version, conflicts };
}
