import { changing } from '../../changes/changing.ts';
import type { Cause } from '../../changes/changing.ts';
import type { Change } from '../../changes/change.ts';
import { prunedVersion } from '../../changes/retention.ts';
import { undo, UndoConflictError } from '../../changes/undo.ts';
import { undoRest } from '../../changes/undo-rest.ts';
import type { UndoRestSteps } from '../../changes/undo-rest.ts';
import { KeptRecords } from '../../changes/kept-records.ts';
import type { UndoConflict } from '../../changes/undo-conflicts.ts';
import { updateUnlogged } from '../../changes/unlogged.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { imports } from '../../db/tables.ts';
import { Problem, refusePruned } from '../../wire/problem.ts';

import { countStaying } from './staying-balances.ts';
import { importOf } from './records.ts';
import type { ImportRow } from './records.ts';

/** What an undo does with records that were changed since: it undoes nothing, or keeps them. */
export type UndoMode = 'refuse' | 'skip';

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
export async function undoImport(
  engine: Engine,
  cause: Cause,
  id: number,
  mode: UndoMode,
): Promise<UndoneImport> {
  const { bookId: book_id } = cause;
  const read = () => readVersionOf(book_id, id, 'version');
  const version = await engine.read(read);
  const steps = {
    *begin(): Steps<void> {
      // Another undo may have been faster.
      yield* read();
    },
    *finish(change: Change, kept: KeptRecords): Steps<void> {
      const { conflicts } = kept;
      if (change.isEmpty && conflicts.length > 0) throw conflictProblem(conflicts);
      if (change.isEmpty) throw stateProblem(id, 'has nothing left that could be undone');
      yield* countStaying(change, version, kept);
      yield* updateUnlogged(imports, { book_id, id }, { undone_version: change.version });
    },
  };
  const conflicts =
    mode === 'skip'
      ? await undoRest(engine, cause, version, steps)
      : await undoWhole(engine, cause, version, steps);
  return { row: await engine.read(() => importOf(book_id, id)), conflicts };
}

/** Undoes the undo of an import. Rejects with a Problem as {@link undoImport} does. */
export async function redoImport(engine: Engine, cause: Cause, id: number): Promise<UndoneImport> {
  const { bookId: book_id } = cause;
  const read = () => readVersionOf(book_id, id, 'undone_version');
  const version = await engine.read(read);
  await undoWhole(engine, cause, version, {
    *begin() {
      if ((yield* read()) !== version) throw stateProblem(id, 'was undone again');
    },
    *finish() {
      yield* updateUnlogged(imports, { book_id, id }, { undone_version: null });
    },
  });
  return { row: await engine.read(() => importOf(book_id, id)), conflicts: [] };
}

async function undoWhole(
  engine: Engine,
  cause: Cause,
  version: number,
  { begin, finish }: Required<UndoRestSteps>,
): Promise<readonly UndoConflict[]> {
  const none = new KeptRecords();
  const work = function* (change: Change): Steps<void> {
    yield* begin();
    yield* undo(change, version);
    yield* finish(change, none);
  };
  try {
    await engine.write(() => changing({ ...cause, undoes: version }, work));
    return [];
  } catch (error) {
    throw error instanceof UndoConflictError ? conflictProblem(error.conflicts) : error;
  }
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

function conflictProblem(conflicts: readonly UndoConflict[]): Problem {
  return new Problem('undoConflict', {
    details: conflicts.map((each) => ({ errMsg: conflictText(each), ...shownConflict(each) })),
  });
}

/** Returns a conflict as in a response. */
export function shownConflict({
  blocked: _,
  ...conflict
}: UndoConflict): Omit<UndoConflict, 'blocked'> {
  return conflict;
}

/**
 * Returns why a record cannot be undone, such as `transactions 9125: notes was changed since`, or
 * `categories 3: used since by transactions 9125 (category_id)`.
 */
export function conflictText({ record, id, column, reason, blocked }: UndoConflict): string {
  if (reason === 'used since')
    return `${blocked.join(', ')}: used since by ${record} ${id} (${column})`;
  return `${record} ${id}: ${column ?? 'it'} was ${reason}`;
}
