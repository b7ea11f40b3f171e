import type { Change, Cause } from '../../book/change.ts';
import { UndoConflictError, undoVersion } from '../../book/undo.ts';
import type { UndoConflict } from '../../book/undo-conflicts.ts';
import type { UndoMode, UndoneVersion } from '../../book/undo.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { dialectOf } from '../../db/engine.ts';
import { Problem } from '../../operations/problem.ts';
import { checkUndo, undoneProblem, conflictProblem, splitConflicts } from './conflicts.ts';
import sql from 'sql-template-tag';
import { undoneBy, originOf } from '../../book/undone.ts';
import { rowsAs, find, rowAs } from '../../db/rows.ts';
import { integer, nullable } from '../../db/table.ts';
import { imports } from '../../db/tables/tables.ts';
import type { SkippedRecords } from '../../book/skipped-records.ts';
import { correctBalances, balanceCorrections } from './balances.ts';
import type { BalanceCorrections } from './balances.ts';
import type { Row } from '../../db/table.ts';
import { updateUnlogged } from '../../book/unlogged.ts';

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

const pageSize = 100;

/** Returns the versions of the last changes by an actor that are no undos and not undone, the newest first. */
function* ownChanges(bookId: number, actor: string, most: number): Steps<number[]> {
  const { byBytes } = yield* dialectOf();
  const own: number[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; own.length < most;) {
    const page = yield* rowsAs(
      { version: integer, undoes: nullable(integer) },
      // The index has no other column, so that SQLite uses it.
      sql`SELECT own.version, changes.undoes FROM (
          SELECT version FROM changes
          WHERE book_id = ${bookId} AND ${byBytes('actor')} = ${actor} AND version < ${before}
          ORDER BY version DESC LIMIT ${pageSize}
        ) own CROSS JOIN changes WHERE changes.book_id = ${bookId} AND changes.version = own.version
        ORDER BY own.version DESC`,
    );
    const versions = page.filter(({ undoes }) => undoes === null).map(({ version }) => version);
    const undone = yield* undoneBy(bookId, versions);
    own.push(...versions.filter((version) => !undone.has(version)));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    before = last.version;
  }
  return own.slice(0, most);
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
  let corrections: BalanceCorrections;
  const steps = {
    *begin(skipped: SkippedRecords): Steps<UndoConflict[]> {
      yield* (check ?? (() => checkUndo(bookId, version)))();
      corrections = yield* balanceCorrections(bookId, version, skipped);
      return yield* splitConflicts(bookId, corrections.lines, skipped);
    },
    *finish(change: Change, skipped: SkippedRecords): Steps<void> {
      const hasEffect = yield* correctBalances(change, corrections);
      if (!hasEffect) throw new NothingLeftError(skipped.conflicts);
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

/** An import that a version has made, undone or redone. */
interface ImportOfVersion {
  readonly row: Row<typeof imports>;
  /** What an undo of the version does with the import. */
  readonly kind: 'undo' | 'redo';
}

/** Returns the import of a version: it has made the import, undone it, redone it, and so on. Null for other changes. */
export function* importOfVersion(bookId: number, version: number): Steps<ImportOfVersion | null> {
  const origin = yield* originOf(bookId, version);
  if (origin === null) return null;
  const found = yield* rowAs(
    { id: integer },
    sql`SELECT id FROM imports WHERE book_id = ${bookId} AND version = ${origin.version}`,
  );
  if (found === undefined) return null;
  const row = yield* find(imports, { book_id: bookId, id: found.id });
  return { row: row!, kind: origin.undos % 2 === 0 ? 'undo' : 'redo' };
}

/** Notes that a change has undone a version, if an import has to do with it. */
function* noteUndoneImport({ bookId, version }: Change, undone: number): Steps<void> {
  const of = yield* importOfVersion(bookId, undone);
  if (of === null) return;
  const own = of.row.version!;
  const undoing = (yield* undoneBy(bookId, [own], { version, undoes: undone })).get(own) ?? null;
  // The newest undo has restored, or removed, the newest state.
  const undone_version = undoing !== null && of.kind === 'undo' ? version : undoing;
  yield* updateUnlogged(imports, { book_id: bookId, id: of.row.id }, { undone_version });
}
