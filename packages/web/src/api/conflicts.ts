import type { Problem } from './errors.ts';
import { ApiError } from './errors.ts';
import type { UndoConflict } from './types.ts';

/** The conflicts of an undo that was refused; empty for every other error. */
export function conflictsOf(error: unknown): readonly UndoConflict[] {
  if (!(error instanceof ApiError) || error.status !== 409) return [];
  return error.problems.filter(isConflict);
}

function isConflict(problem: Problem): problem is Problem & UndoConflict {
  return 'record' in problem && 'reason' in problem;
}

/** The conflicts that a refused undo in the background has kept in its import. */
export function conflictsIn(problems: readonly Problem[]): readonly UndoConflict[] {
  return problems.filter(isConflict);
}
