import type { Change, Cause } from '../../book/change.ts';
import type { KeptRecords } from '../../book/kept-records.ts';
import { UndoConflictError } from '../../book/undo.ts';
import type { UndoConflict } from '../../book/undo-conflicts.ts';
import { undoVersion, type UndoMode, type UndoneVersion } from '../../book/undo-version.ts';
import { type Engine, type Steps, dialectOf } from '../../db/engine.ts';
import { Problem } from '../../operations/problem.ts';
import { checkUndo, undoneProblem } from './checks.ts';
import { conflictProblem } from './conflicts.ts';
import { moveStaying, stayingBalances, type StayingBalances } from './staying-balances.ts';
import { noteUndoneImport } from './undone-imports.ts';
import sql, { join } from 'sql-template-tag';
import { undoneBy } from '../../book/undone.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer, nullable } from '../../db/table.ts';
import type { NetRecords } from '../../book/net.ts';
import { blocksOf } from '../../db/blocks.ts';
import { transactions } from '../../db/tables/tables.ts';
import type { TransactionRow } from '../../ledger/transactions/writes.ts';
import { idsOf } from './own-moves.ts';
import { statesOf } from './transaction-states.ts';

/** How a transaction is split or grouped. */
const arrangement = ['is_split_parent', 'split_parent_id', 'group_parent_id'] as const;
/** What a split transaction has in common with its parts, and a group with its members. */
const shared = [
  ...(['amount', 'currency', 'to_base', 'date', 'is_pending'] as const),
  ...(['manual_account_id', 'plaid_account_id'] as const),
];

/**
 * Returns the conflicts of an undo with splits and groups: a transaction that was split or grouped since cannot get its
 * earlier amount alone, nor can one be split or grouped again whose amount has changed since. The same applies to what
 * else its parts have in common with it.
 */
function* arrangedConflicts(
  bookId: number,
  lines: readonly NetRecords[],
  kept: KeptRecords,
): Steps<UndoConflict[]> {
  const changed = lines.filter(
    ({ kind, record }) => kind === 'changed' && record === transactions.name,
  );
  const names = (line: NetRecords, columns: readonly string[]): boolean =>
    columns.some((name) => name in line.diff!);
  const arranging = changed.filter((line) => names(line, arrangement));
  const others = changed.filter((line) => names(line, shared) && !names(line, arrangement));
  const arranged = yield* arrangedIds(bookId, others);
  const conflicts: UndoConflict[] = [];
  for (const line of [...arranging, ...others]) {
    const ids = idsOf(line).filter((id) => arranging.includes(line) || arranged.has(id));
    for (const block of blocksOf(ids.filter((id) => !kept.has(transactions, { id }))))
      for (const { id, before, after, now } of yield* statesOf(bookId, line, block))
        if (now !== undefined)
          for (const column of conflicting(before!, after!, now, names(line, shared)))
            conflicts.push(conflictOf(id, column));
  }
  const split = arranging.filter(({ diff }) => pairOf(diff, 'is_split_parent')?.[0] === false);
  const parents = split.flatMap(idsOf).filter((id) => !kept.has(transactions, { id }));
  return [...conflicts, ...(yield* laterParts(bookId, parents, lines))];
}

/** Returns conflicts for transactions that were split by the version, and again since: they have other parts. */
function* laterParts(
  bookId: number,
  parents: readonly number[],
  lines: readonly NetRecords[],
): Steps<UndoConflict[]> {
  const { name: record } = transactions;
  const made = lines.filter((line) => line.kind === 'made' && line.record === record);
  const conflicts: UndoConflict[] = [];
  for (const block of blocksOf(parents)) {
    const parts = yield* rowsAs(
      { id: integer, split_parent_id: integer },
      sql`SELECT id, split_parent_id FROM transactions
        WHERE book_id = ${bookId} AND split_parent_id IN (${join(block)}) ORDER BY id`,
    );
    for (const { id, split_parent_id: parent } of parts)
      if (!made.some(({ firstId, lastId }) => firstId <= id && id <= lastId))
        conflicts.push({
          record,
          id,
          column: 'split_parent_id',
          reason: 'used since',
          blocked: [`${record} ${parent}`],
        });
  }
  return conflicts;
}

function pairOf(diff: NetRecords['diff'], name: string): readonly unknown[] | undefined {
  return diff?.[name] as readonly unknown[] | undefined;
}

function conflicting(
  before: TransactionRow,
  after: TransactionRow,
  now: TransactionRow,
  hasShared: boolean,
): string[] {
  const isArranged = (row: TransactionRow): boolean =>
    row.is_split_parent || row.split_parent_id !== null || row.group_parent_id !== null;
  const isDifferent = (name: keyof TransactionRow): boolean => now[name] !== after[name];
  const isRearranged = arrangement.some((name) => before[name] !== after[name]);
  return [
    ...(hasShared && isArranged(now) ? arrangement.filter(isDifferent) : []),
    ...(isRearranged && isArranged(before) ? shared.filter(isDifferent) : []),
  ];
}

function conflictOf(id: number, column: string): UndoConflict {
  const record = transactions.name;
  return { record, id, column, reason: 'changed since', blocked: [`${record} ${id}`] };
}

/** Returns those transactions of lines that are split or grouped now. */
function* arrangedIds(bookId: number, lines: readonly NetRecords[]): Steps<Set<number>> {
  const arranged = new Set<number>();
  for (const block of blocksOf(lines.flatMap(idsOf))) {
    const found = yield* rowsAs(
      { id: integer },
      sql`SELECT id FROM transactions WHERE book_id = ${bookId} AND id IN (${join(block)})
        AND (is_split_parent = 1 OR split_parent_id IS NOT NULL OR group_parent_id IS NOT NULL)`,
    );
    for (const { id } of found) arranged.add(id);
  }
  return arranged;
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
