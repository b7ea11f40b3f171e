import type { QueryClient } from '@tanstack/react-query';
import type { UndoConflict, ChangeUndo } from '../books/types.ts';
import { ApiError, type Problem } from './errors.ts';
import { request } from './request.ts';

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

/** The edits that were made last. */
let newest: Promise<unknown> = Promise.resolve();

/** Lets an undo wait for edits that are still on their way. */
export function undoWaitsFor(edits: Promise<unknown>): void {
  newest = edits;
}

/**
 * Takes back the last changes that this session made, the newest first, and returns the last of these undos.
 *
 * Throws an ApiError with status 404 when there is nothing to take back, and 409 when records were changed since.
 */
export async function undoLast(cache: QueryClient, count = 1): Promise<ChangeUndo> {
  await newest.catch(() => undefined);
  try {
    for (let left = count; left > 1; left -= 1) await request('POST /coffer/undo', {});
    return await request('POST /coffer/undo', {});
  } finally {
    // Not awaited: nothing is read while the server cannot be reached.
    void cache.invalidateQueries();
  }
}

/** Takes back the change that made a version of the book; that of an undo does it again. */
export async function undoVersion(cache: QueryClient, version: number): Promise<ChangeUndo> {
  const undone = await request('POST /coffer/history/{version}/undo', { path: { version } });
  await cache.invalidateQueries();
  return undone;
}
