import sql, { join, raw, type Sql } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import type { Steps, Engine } from '../db/engine.ts';
import { ownReferences, type BookTable, type NewRow, type Row, type Values } from '../db/table.ts';
import { bookTables, transactions } from '../db/tables/tables.ts';
import { type Change, changing, type Cause } from './change.ts';
import { readVersion, manyRemoved, readLines } from './log.ts';
import { SkippedRecords } from './skipped-records.ts';
import { netOf, restOf, tableOf, type NetRecords } from './net.ts';
import { columnsToSet, movedBack, parentsFirst, withPlaceholders } from './undone-rows.ts';
import { byKey, changedColumns, inRange, keyOf, rangesOf, valuesOf } from './record-keys.ts';
import { UndoConflicts, type UndoConflict } from './undo-conflicts.ts';

/** Most conflicts of an undo that undoes nothing. */
const mostConflicts = 1000;

/** A change cannot be undone, and nothing of it was. Lists all conflicts, up to a thousand. */
export class UndoConflictError extends Error {
  override name = 'UndoConflictError';
  readonly conflicts: readonly UndoConflict[];

  constructor(version: number, conflicts: readonly UndoConflict[]) {
    const records = `${conflicts.length} ${conflicts.length === 1 ? 'conflict' : 'conflicts'}`;
    super(`Version ${version} cannot be undone: ${records} with later changes`);
    this.conflicts = conflicts;
  }
}

/** The log of the book has no change with that version. */
export class NoSuchVersionError extends Error {
  override name = 'NoSuchVersionError';
  constructor(version: number) {
    super(`There is no change with version ${version}`);
  }
}

/**
 * Undoes one version of a book, as part of a new change. Removed records are restored with their ids, changed columns
 * get their earlier values, and created records are removed. `updated_at` becomes the time of the new change.
 *
 * It is a conflict if a record was changed since, or newer records refer to it. Then an {@link UndoConflictError} with
 * all conflicts is thrown, and the transaction must not be committed. Throws {@link NoSuchVersionError}. Derived tables
 * are updated, as by any change. `kept` are records that stay as they are, and `others` are further conflicts. Balances
 * move back by as much as the version moved them.
 */
export function* undo(
  change: Change,
  version: number,
  skipped?: SkippedRecords,
  others: readonly UndoConflict[] = [],
): Steps<void> {
  const { bookId } = change;
  const { lines: logged, isPartial } =
    skipped === undefined
      ? yield* readLines(bookId, version)
      : { lines: yield* readVersion(bookId, version), isPartial: false };
  if (logged.length === 0 && !isPartial) throw new NoSuchVersionError(version);
  const lines = netOf(logged);
  const undone = skipped === undefined ? lines : yield* skipped.withoutSkipped(bookId, lines);
  const most = skipped === undefined ? mostConflicts : Infinity;
  const conflicts = new UndoConflicts(bookId, version, undone, most);
  yield* new Inversion(change, version, undone, conflicts).run(isPartial, others);
}

/** Columns of a row that are restored last, because another record of the version has their values until then. */
interface Deferred {
  readonly table: BookTable;
  readonly row: Values;
  readonly columns: readonly string[];
}

/** The inversion of one version. */
class Inversion {
  readonly #change: Change;
  readonly #version: number;
  readonly #lines: readonly NetRecords[];
  readonly #conflicts: UndoConflicts;
  readonly #deferred: Deferred[] = [];
  /** The ids of records whose name is restored. */
  readonly #named = new Map<BookTable, Set<unknown>>();

  constructor(
    change: Change,
    version: number,
    lines: readonly NetRecords[],
    conflicts: UndoConflicts,
  ) {
    this.#change = change;
    this.#version = version;
    this.#lines = lines;
    this.#conflicts = conflicts;
  }

  /**
   * Restores removed records first, so that others can refer to them. Removes created records last. If `isPartial`, the
   * removed transactions are not among the lines.
   */
  *run(isPartial: boolean, others: readonly UndoConflict[]): Steps<void> {
    for (const line of this.#lines)
      if (line.kind === 'made' || line.kind === 'replaced')
        yield* this.#conflicts.findLaterChanges(tableOf(line.record), line, this.#change.version);
    for (const table of bookTables) {
      if (isPartial && table.name === transactions.name) yield* this.#bringBackMany();
      yield* this.#bringBack(table);
    }
    for (const line of this.#lines) if (line.kind === 'changed') yield* this.#changeBack(line);
    yield* this.#change.updateDerived();
    yield* this.#findTakenValues();
    for (const table of bookTables.toReversed()) yield* this.#removeMade(table);
    const found = withOthers(this.#conflicts.found, others);
    if (found.length > 0) throw new UndoConflictError(this.#version, found);
    yield* this.#restoreDeferred();
  }

  *#bringBack(table: BookTable): Steps<void> {
    const gone = this.#lines.filter(
      ({ kind, record }) => record === table.name && (kind === 'removed' || kind === 'replaced'),
    );
    const rowOf = ({ diff }: NetRecords): Values => withPlaceholders(table, diff ?? {});
    const replaced = new Set(gone.filter(({ kind }) => kind === 'replaced').map(rowOf));
    const removed = gone.filter(({ kind }) => kind === 'removed').map(rowOf);
    for (const level of parentsFirst(table, [...removed, ...replaced]))
      for (const block of blocksOf(level)) yield* this.#bringBackRows(table, block, replaced);
  }

  *#bringBackMany(): Steps<void> {
    const { bookId } = this.#change;
    const table: BookTable = transactions;
    yield* manyRemoved(bookId, this.#version, (rows) => this.#bringBackPart(table, rows));
  }

  *#bringBackPart(table: BookTable, rows: readonly Values[]): Steps<void> {
    for (const level of parentsFirst(table, rows))
      for (const block of blocksOf(level)) yield* this.#bringBackRows(table, block, new Set());
    yield* this.#change.updateDerived();
  }

  *#bringBackRows(
    table: BookTable,
    rows: readonly Values[],
    replaced: ReadonlySet<Values>,
  ): Steps<void> {
    const present = byKey(table, yield* this.#conflicts.present(table, rows));
    const missing: Values[] = [];
    for (const row of rows) {
      const current = present.get(keyOf(table, row));
      if (current === undefined) missing.push(row);
      else if (replaced.has(row))
        yield* this.#change.update(table, current, columnsToSet(table, row));
      else this.#conflicts.add(table, row, null, 'taken since');
    }
    const names = Object.keys(table.columns);
    const possible = yield* this.#conflicts.possible(table, missing, names);
    const free = yield* this.#withoutTaken(table, possible, names);
    const values = free.map(({ updated_at: _, ...row }) => row as NewRow<BookTable>);
    yield* this.#change.insertAll(table, values);
    this.#noteNames(table, possible, names);
  }

  *#changeBack(line: NetRecords): Steps<void> {
    const table = tableOf(line.record);
    const rest = restOf(table, line);
    const columns = changedColumns(table, line.diff);
    if (columns.length === 0) return;
    const before = Object.fromEntries(columns.map(([name, [value]]) => [name, value]));
    for (const [from, to] of rangesOf(line.firstId, line.lastId)) {
      const and = inRange(table.key[0]!, from, to);
      const rows = byKey(table, yield* this.#conflicts.select(table, and, rest));
      for (let id = from; id <= to; id += 1) {
        const key = { ...rest, [table.key[0]!]: id };
        if (!rows.has(keyOf(table, key))) this.#conflicts.add(table, key, null, 'removed since');
      }
      for (const [key, row] of rows) {
        const differing = columns.filter(([name, [, after]]) => row[name] !== after);
        if (differing.length === 0) continue;
        rows.delete(key);
        const moved = movedBack(table, row, columns, this.#change.at) ?? {};
        const conflicting = differing.filter(([name]) => !(name in moved));
        for (const [name] of conflicting) this.#conflicts.add(table, row, name, 'changed since');
        if (conflicting.length === 0)
          yield* this.#change.update(table, row, { ...before, ...moved });
      }
      yield* this.#changeRowsBack(table, rows, before);
    }
  }

  *#changeRowsBack(
    table: BookTable,
    rows: ReadonlyMap<string, Row<BookTable>>,
    before: Values,
  ): Steps<void> {
    const names = Object.keys(before);
    const restored = [...rows.values()].map((row): Values => ({ ...row, ...before }));
    const possible = yield* this.#conflicts.possible(table, restored, names);
    this.#noteNames(table, possible, names);
    const free = new Set(yield* this.#withoutTaken(table, possible, names));
    const currentOf = (row: Values): Row<BookTable> => rows.get(keyOf(table, row))!;
    const whole = possible.filter((row) => free.delete(row));
    yield* this.#change.updateAll(table, whole.map(currentOf), before);
    for (const row of free)
      yield* this.#change.update(table, currentOf(row), columnsToSet(table, row));
  }

  /** Removes the created records of a table, unless there are conflicts. Records that refer to others go first. */
  *#removeMade(table: BookTable): Steps<void> {
    const lines = this.#lines.filter(
      ({ kind, record }) => kind === 'made' && record === table.name,
    );
    for (const line of lines) yield* this.#conflicts.findLaterUses(table, line);
    if (this.#conflicts.found.length > 0) return;
    const isChild = ownReferences(table).map((name) => sql`${raw(name)} IS NOT NULL`);
    if (isChild.length > 0) {
      const children = [];
      for (const line of lines)
        for (const and of conditionsOf(table, line))
          children.push(
            ...(yield* this.#made(table, line, sql`${and} AND (${join(isChild, ' OR ')})`)),
          );
      for (const level of parentsFirst(table, children).toReversed())
        for (const block of blocksOf(level)) yield* this.#change.removeAll(table, block);
    }
    for (const line of lines)
      for (const and of conditionsOf(table, line))
        yield* this.#change.removeAll(table, yield* this.#made(table, line, and));
  }

  *#made(table: BookTable, line: NetRecords, and: Sql): Steps<Row<BookTable>[]> {
    return yield* this.#conflicts.select(table, and, restOf(table, line));
  }

  /** Returns the rows, with null for unique values that another row still has. Those values are restored last. */
  *#withoutTaken(
    table: BookTable,
    rows: readonly Values[],
    names: readonly string[],
  ): Steps<Values[]> {
    let free = [...rows];
    for (const columns of table.uniqueTogether) {
      if (!columns.some((name) => names.includes(name))) continue;
      const owners = yield* this.#conflicts.owners(table, rows, columns);
      free = free.map((row) => {
        if (!owners.has(valuesOf(row, columns))) return row;
        this.#deferred.push({ table, row, columns });
        return { ...row, [columns[0]!]: null };
      });
    }
    return free;
  }

  *#findTakenValues(): Steps<void> {
    for (const [table, ids] of this.#named) yield* this.#conflicts.findTakenNames(table, ids);
    for (const { table, row, columns } of this.#deferred)
      for (const owner of (yield* this.#conflicts.owners(table, [row], columns)).values())
        if (!this.#conflicts.isMade(table, owner))
          this.#conflicts.add(table, row, columns[0]!, 'taken since');
  }

  *#restoreDeferred(): Steps<void> {
    for (const { table, row, columns } of this.#deferred) {
      const values = Object.fromEntries(columns.map((name) => [name, row[name]]));
      const present = yield* this.#conflicts.present(table, [row]);
      yield* this.#change.updateAll(table, present, values);
    }
  }

  #noteNames(table: BookTable, rows: readonly Values[], names: readonly string[]): void {
    if (!table.unique.some((name) => names.includes(name))) return;
    const ids = this.#named.get(table) ?? new Set();
    for (const row of rows) ids.add(row['id']);
    this.#named.set(table, ids);
  }
}

/** Adds conflicts that were not found, too. */
function withOthers(
  found: readonly UndoConflict[],
  others: readonly UndoConflict[],
): readonly UndoConflict[] {
  const placeOf = ({ record, id, column }: UndoConflict): string => `${record} ${id} ${column}`;
  const places = new Set(found.map(placeOf));
  return [...found, ...others.filter((each) => !places.has(placeOf(each)))];
}

/** The conditions that select the records of a line, one for each statement. */
function conditionsOf(table: BookTable, { firstId, lastId }: NetRecords): Sql[] {
  return rangesOf(firstId, lastId).map(([from, to]) => inRange(table.key[0]!, from, to));
}

/** What an undo does with records that were changed since: it undoes nothing, or keeps them. */
export type UndoMode = 'refuse' | 'skip';

/** What a caller adds to an undo, in the same transaction. All can run several times. */
interface UndoSteps {
  readonly mode?: UndoMode;
  /** Undoes nothing in the end. */
  readonly isRehearsal?: boolean;
  /** Runs before the undo, and returns further conflicts. It can throw to refuse it. */
  readonly begin?: (skipped: SkippedRecords) => Steps<readonly UndoConflict[]>;
  /** Runs after the undo. It may depend on the records that are kept. */
  readonly finish?: (change: Change, skipped: SkippedRecords) => Steps<void>;
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
  const skipped = new SkippedRecords();
  const isSkipping = (): boolean => mode === 'skip' || skipped.conflicts.length > 0;
  const work = function* (change: Change): Steps<number | null> {
    const conflicts = begin === undefined ? [] : yield* begin(skipped);
    yield* undo(change, version, isSkipping() ? skipped : undefined, conflicts);
    if (finish !== undefined) yield* finish(change, skipped);
    return change.isEmpty ? null : change.version;
  };
  for (;;)
    try {
      const steps = (): Steps<number | null> => changing({ ...cause, undoes: version }, work);
      const made = await engine.write(steps, { rollback: isRehearsal });
      return { version: made, conflicts: withoutInternal(skipped.conflicts) };
    } catch (error) {
      if (!(error instanceof UndoConflictError)) throw error;
      const shown = withoutInternal(error.conflicts);
      if (mode === 'refuse' && shown.length > 0) throw new UndoConflictError(version, shown);
      skipped.add(error.conflicts);
    }
}

/** A conflict of a record that is never shown does not prevent an undo: the record stays as it is. */
function withoutInternal(conflicts: readonly UndoConflict[]): readonly UndoConflict[] {
  return conflicts.filter(({ record }) => !tableOf(record).isInternal);
}
