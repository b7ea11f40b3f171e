import sql from 'sql-template-tag';
import { changing, type Change, type Cause } from '../../book/change.ts';
import { prunedVersion } from '../../book/log.ts';
import { readEffect } from '../../book/net.ts';
import { shownOf, type UndoConflict } from '../../book/undo-conflicts.ts';
import { SkippedRecords } from '../../book/skipped-records.ts';
import { undo, UndoConflictError } from '../../book/undo.ts';
import { updateUnlogged } from '../../book/unlogged.ts';
import { dialectOf, type Engine, type Steps } from '../../db/engine.ts';
import { rowsAs, find, rowAs } from '../../db/rows.ts';
import { integer, nullable, type Row } from '../../db/table.ts';
import { imports, transactions } from '../../db/tables/tables.ts';
import { notFound, Problem, refusePruned, type ErrorDetail } from '../../operations/problem.ts';
import { anchorUndone, balanceCorrections, correctBalances, isDifferent } from './balances.ts';
import { conflictProblem, splitConflicts, importedAgain } from './conflicts.ts';
import { restateBalances, statedIn } from './statement-anchors.ts';
import { originOf, undoneBy } from './undone.ts';
import {
  currencyUndoOf,
  isOfCurrency,
  isValuedAgain,
  valueAgain,
} from '../../ledger/currency-undo.ts';
import { removeLeftPairs } from '../../ledger/transactions/transfers/pairs.ts';

/** What an undo does with records that were changed since: it undoes nothing, or keeps them. */
export type UndoMode = 'refuse' | 'skip';

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

/** The undo changes nothing, perhaps because of conflicts. The transaction must not be committed. */
class NothingLeftError extends Error {
  override name = 'NothingLeftError';
}

/**
 * As {@link undoChange}; resolves to null if nothing is left to undo.
 *
 * Conflicts are found by the undo, which is rolled back. It begins again without the records that have some.
 */
async function undoIfAny(
  engine: Engine,
  cause: Cause,
  undoes: number,
  { mode, isRehearsal = false, check = () => checkUndo(cause.bookId, undoes) }: UndoOptions,
): Promise<UndoneChange | null> {
  const skipped = new SkippedRecords();
  const left = () => realOf(engine, cause.bookId, undoes, skipped.conflicts);
  for (;;)
    try {
      const isSkipping = mode === 'skip' || skipped.conflicts.length > 0;
      const work = function* (change: Change): Steps<number> {
        yield* check();
        yield* undoOnce(change, undoes, skipped, isSkipping);
        return change.version;
      };
      const steps = (): Steps<number> => changing({ ...cause, undoes }, work);
      const made = await engine.write(steps, { rollback: isRehearsal });
      const conflicts = await left();
      return { version: isRehearsal ? null : made, undoes, conflicts };
    } catch (error) {
      if (error instanceof NothingLeftError) {
        const found = await left();
        if (found.length === 0) return null;
        throw conflictProblem(found);
      }
      if (!(error instanceof UndoConflictError)) throw error;
      const shown = await realOf(engine, cause.bookId, undoes, error.conflicts);
      if (mode === 'refuse' && shown.length > 0) throw conflictProblem(shown);
      skipped.add(error.conflicts);
    }
}

/** Returns the conflicts to show. The undo of a change of the primary currency values records again that differ. */
async function realOf(
  engine: Engine,
  bookId: number,
  undoes: number,
  conflicts: readonly UndoConflict[],
): Promise<readonly UndoConflict[]> {
  const shown = shownOf(conflicts);
  if (shown.length === 0) return shown;
  const isCurrency = await engine.read(() => isOfCurrency(bookId, undoes));
  return isCurrency ? shown.filter((each) => !isValuedAgain(each)) : shown;
}

/** Undoes a version without the skipped records and those that belong to them, and moves balances. */
function* undoOnce(
  change: Change,
  version: number,
  skipped: SkippedRecords,
  isSkipping: boolean,
): Steps<void> {
  const { bookId } = change;
  const whole = yield* readEffect(bookId, version);
  const of = yield* importOfVersion(bookId, version);
  const currency = yield* currencyUndoOf(bookId, whole);
  const lines = yield* skipped.withoutSkipped(bookId, whole);
  const { stated, others: rest } =
    of === null
      ? { stated: [], others: lines }
      : yield* statedIn(bookId, { version, lines }, of.row.version!);
  const effect = { version, lines: rest, isValuedAgain: currency !== null };
  const corrections = yield* balanceCorrections(bookId, whole, skipped);
  const others = (yield* splitConflicts(bookId, whole, skipped)).filter(
    ({ column }) => currency === null || column !== 'to_base',
  );
  const most = isSkipping ? Infinity : undefined;
  const all = of?.kind === 'redo' ? yield* importedAgain(bookId, whole, most) : [];
  const again = all.filter(({ id }) => !skipped.has(transactions, { id }));
  yield* undo(change, version, { effect, others: [...others, ...again], most });
  if (lines.some(({ record, kind }) => record === transactions.name && kind === 'made'))
    yield* removeLeftPairs(change);
  yield* correctBalances(change, corrections);
  yield* restateBalances(change, version, stated);
  if (!(yield* isDifferent(change, corrections))) throw new NothingLeftError();
  yield* anchorUndone(change, corrections);
  if (currency !== null) yield* valueAgain(change, currency, skipped);
  if (of !== null) yield* noteUndoneImport(change, version, of);
}

/**
 * Throws a Problem if a version of a book cannot be undone: the log does not have it, or no longer, or it is undone
 * already.
 */
export function* checkUndo(bookId: number, version: number): Steps<void> {
  if (version > 0) refusePruned(version, yield* prunedVersion(bookId));
  const found = yield* rowAs(
    { version: integer },
    sql`SELECT version FROM changes WHERE book_id = ${bookId} AND version = ${version}`,
  );
  if (found === undefined) throw notFound('version', version);
  const undoing = (yield* undoneBy(bookId, [version])).get(version);
  if (undoing === undefined) return;
  const errMsg = `Version ${version} was undone by version ${undoing}`;
  throw undoneProblem({ errMsg, version, undone_by: undoing });
}

/** Returns the problem of a change whose effect is gone already. */
function undoneProblem(detail: ErrorDetail): Problem {
  return new Problem('undone', { details: [detail] });
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

/** Notes that a change has undone an import, or redone it. */
function* noteUndoneImport(
  { bookId, version }: Change,
  undoes: number,
  of: ImportOfVersion,
): Steps<void> {
  const own = of.row.version!;
  const undoing = (yield* undoneBy(bookId, [own], { version, undoes })).get(own) ?? null;
  // The newest undo has restored, or removed, the newest state.
  const undone_version = undoing !== null && of.kind === 'undo' ? version : undoing;
  yield* updateUnlogged(imports, { book_id: bookId, id: of.row.id }, { undone_version });
}
