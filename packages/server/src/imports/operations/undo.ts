import type { Cause } from '../../book/change.ts';
import { prunedVersion } from '../../book/retention.ts';
import type { UndoConflict } from '../../book/undo-conflicts.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { Problem, refusePruned } from '../../operations/problem.ts';
import { undoChange } from '../../history/undo/actions.ts';
import type { UndoMode } from '../../book/undo.ts';

import { importOf } from './records.ts';
import type { ImportRow } from './records.ts';

/** An import after an undo, and why records were kept. */
export interface UndoneImport {
  readonly row: ImportRow;
  readonly conflicts: readonly UndoConflict[];
}

/**
 * Undoes an import: removes what it created, and restores what it changed. The import stays in the list, and its file
 * can be imported again.
 *
 * Rejects with a Problem if there is no such import, if it is undone already or created nothing, if its change was
 * pruned, or if records were changed since; with the mode `skip` such records are kept, with those that they need.
 */
export function undoImport(
  engine: Engine,
  cause: Cause,
  id: number,
  mode: UndoMode,
): Promise<UndoneImport> {
  return undoOf(engine, cause, id, 'version', mode);
}

/** Undoes the undo of an import. Rejects with a Problem as {@link undoImport} does. */
export function redoImport(engine: Engine, cause: Cause, id: number): Promise<UndoneImport> {
  return undoOf(engine, cause, id, 'undone_version', 'refuse');
}

async function undoOf(
  engine: Engine,
  cause: Cause,
  id: number,
  which: WhichVersion,
  mode: UndoMode,
): Promise<UndoneImport> {
  const { bookId } = cause;
  const read = (): Steps<number> => readVersionOf(bookId, id, which);
  const version = await engine.read(read);
  const check = function* (): Steps<void> {
    // Another undo may have been faster.
    if ((yield* read()) !== version) throw stateProblem(id, 'was undone again');
  };
  const { conflicts } = await undoChange(engine, cause, version, { mode, check }).catch(
    (error: unknown) => {
      if (error instanceof Problem && error.kind === 'undone')
        throw stateProblem(id, 'has nothing left that could be undone');
      throw error;
    },
  );
  return { row: await engine.read(() => importOf(bookId, id)), conflicts };
}

type WhichVersion = 'version' | 'undone_version';

/**
 * Returns the version to undo: that of an import, or that of its undo. Throws a Problem if there is none, or if it was
 * pruned.
 */
export function* readVersionOf(bookId: number, id: number, which: WhichVersion): Steps<number> {
  const version = versionOf(yield* importOf(bookId, id), which);
  refusePruned(version, yield* prunedVersion(bookId));
  return version;
}

function versionOf(row: ImportRow, which: WhichVersion): number {
  const { id, version, undone_version } = row;
  if (version === null) throw stateProblem(id, 'created nothing that could be undone');
  if (which === 'version' && undone_version !== null) throw stateProblem(id, 'is undone already');
  if (which === 'undone_version' && undone_version === null)
    throw stateProblem(id, 'is not undone');
  return row[which]!;
}

function stateProblem(id: number, state: string): Problem {
  return new Problem('invalidRequest', { details: [{ errMsg: `Import ${id} ${state}`, id }] });
}
