import sql, { join, raw, type Sql } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { ownReferences } from '../db/table.ts';
import type { BookTable, NewRow, Row, RowUpdate, Values } from '../db/table.ts';
import { bookTables } from '../db/tables/tables.ts';
import type { Change, RecordUpdate } from './change.ts';
import {
  beforeOf,
  byKey,
  changedColumns,
  keyOf,
  readEffect,
  restOf,
  tableOf,
  withPlaceholders,
  groupsOf,
  idsOf,
  readAlike,
  withDiffs,
} from './net.ts';
import type { AlikeLines, NetRecords, VersionEffect } from './net.ts';
import { parentsFirst } from './references.ts';
import {
  inRange,
  rangesOf,
  sharing,
  UndoConflicts,
  valuesOf,
  type UndoConflict,
} from './undo-conflicts.ts';

/** Rows that are written before derived tables are updated. */
const mostWritten = 5000;

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

/** What a caller knows of a version that is undone. */
interface UndoParts {
  /** Default: the whole version. */
  readonly effect?: VersionEffect;
  /** Further conflicts. */
  readonly others?: readonly UndoConflict[];
  /** How many conflicts are listed. */
  readonly most?: number | undefined;
}

/**
 * Undoes one version of a book, as part of a new change. Removed records are restored with their ids, changed columns
 * get their earlier values, and created records are removed. `updated_at` becomes the time of the new change. Balances
 * move back by as much as the version moved them. Derived tables are updated, as by any change.
 *
 * It is a conflict if a record was changed since, or newer records refer to it. The changes show most of the conflicts,
 * so they are written first: throws an {@link UndoConflictError} with all conflicts, and the transaction must not be
 * committed. Throws {@link NoSuchVersionError}.
 */
export function* undo(
  change: Change,
  version: number,
  { effect, others = [], most = mostConflicts }: UndoParts = {},
): Steps<void> {
  const undone = effect ?? (yield* readEffect(change.bookId, version));
  yield* new Inversion(change, undone, new UndoConflicts(change.bookId, undone, most)).run(others);
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
  readonly #effect: VersionEffect;
  readonly #conflicts: UndoConflicts;
  readonly #deferred: Deferred[] = [];
  readonly #ofTable: ReadonlyMap<string, readonly NetRecords[]>;
  #written = 0;
  /** The ids of records whose name is restored. */
  readonly #named = new Map<BookTable, Set<unknown>>();

  constructor(change: Change, effect: VersionEffect, conflicts: UndoConflicts) {
    this.#change = change;
    this.#effect = effect;
    this.#conflicts = conflicts;
    this.#ofTable = Map.groupBy(effect.lines, ({ record }) => record);
  }

  /** Restores removed records first, so that others can refer to them. Removes created records last. */
  *run(others: readonly UndoConflict[]): Steps<void> {
    const { version, lines } = this.#effect;
    const made = lines.filter(({ kind }) => kind === 'made' || kind === 'replaced');
    for (const group of groupsOf(made))
      yield* this.#conflicts.findLaterChanges(group, this.#change.version);
    for (const table of bookTables) yield* this.#bringBack(table);
    const changed = lines.filter(({ kind }) => kind === 'changed');
    for (const group of groupsOf(yield* this.#changeSetsBack(changed)))
      yield* this.#changeBack(yield* this.#read(group));
    yield* this.#change.updateDerived();
    yield* this.#findTakenValues();
    this.#findSharedValues();
    for (const table of bookTables.toReversed()) yield* this.#removeMade(table);
    const found = withOthers(this.#conflicts.found, others);
    if (found.length > 0) throw new UndoConflictError(version, found);
    yield* this.#restoreDeferred();
  }

  *#read(lines: readonly NetRecords[]): Steps<readonly NetRecords[]> {
    return yield* withDiffs(this.#change.bookId, this.#effect.version, lines);
  }

  *#bringBack(table: BookTable): Steps<void> {
    const own = this.#ofTable.get(table.name) ?? [];
    const removed = own.filter(({ kind }) => kind === 'removed');
    const replaced = own.filter(({ kind }) => kind === 'replaced');
    for (let left = [...removed, ...replaced]; left.length > 0;)
      left = yield* this.#bringBackLevel(table, left);
  }

  /**
   * Restores those records that refer to none of the others, and returns the others: first come those to which others
   * refer. Records that refer to each other in a circle are restored together.
   */
  *#bringBackLevel(table: BookTable, lines: NetRecords[]): Steps<NetRecords[]> {
    const columns = ownReferences(table);
    const ids = new Set(columns.length === 0 ? [] : lines.map(({ firstId }) => firstId));
    const waits = ({ diff }: NetRecords): boolean =>
      columns.some((name) => ids.has(diff![name] as number));
    const left: NetRecords[] = [];
    for (const group of blocksOf(lines)) {
      const read = yield* this.#read(group);
      for (const [at, line] of read.entries()) if (waits(line)) left.push(group[at]!);
      const ready = read.filter((line) => !waits(line));
      if (ready.length > 0) yield* this.#bringBackBlock(table, ready);
    }
    if (left.length < lines.length) return left;
    for (const group of blocksOf(left))
      yield* this.#bringBackBlock(table, yield* this.#read(group));
    return [];
  }

  /** Restores records. Those of lines of the kind `replaced` exist. */
  *#bringBackBlock(table: BookTable, lines: readonly NetRecords[]): Steps<void> {
    const rows = lines.map(({ diff }) => withPlaceholders(table, diff ?? {}));
    const present = byKey(table, yield* this.#conflicts.present(table, rows));
    const missing: Values[] = [];
    for (const [at, row] of rows.entries()) {
      const current = present.get(keyOf(table, row));
      if (current === undefined) missing.push(row);
      else if (lines[at]!.kind === 'replaced')
        yield* this.#change.update(table, current, columnsToSet(table, row));
      else this.#conflicts.add(table, row, null, 'taken since');
    }
    const names = Object.keys(table.columns);
    const possible = yield* this.#conflicts.possible(table, missing, names);
    const free = yield* this.#withoutTaken(table, possible, names);
    const values = free.map(({ updated_at: _, ...row }) => row as NewRow<BookTable>);
    yield* this.#change.insertAll(table, values);
    this.#noteNames(table, possible, names);
    yield* this.#wrote(lines.length);
  }

  /** Updates derived tables when many rows were written, so that what they keep of each row does not grow. */
  *#wrote(rows: number): Steps<void> {
    this.#written += rows;
    if (this.#written < mostWritten) return;
    this.#written = 0;
    yield* this.#change.updateDerived();
  }

  /** Changes records back that were changed alike, if there are many, and returns the other lines. */
  *#changeSetsBack(lines: readonly NetRecords[]): Steps<readonly NetRecords[]> {
    const done = new Set<NetRecords>();
    for (const alike of yield* readAlike(this.#change.bookId, this.#effect.version, lines))
      if (yield* this.#changeSetBack(alike)) for (const line of alike.lines) done.add(line);
    return lines.filter((line) => !done.has(line));
  }

  /** Returns false, and does nothing, if one of the records has a conflict, or may have. */
  *#changeSetBack({ diff, lines }: AlikeLines): Steps<boolean> {
    const table = tableOf(lines[0]!.record);
    const columns = changedColumns(table, diff);
    const before = beforeOf(columns);
    const names = Object.keys(before);
    if (names.length === 0) return false;
    const found = this.#conflicts.found.length;
    const possible = yield* this.#conflicts.possible(table, [before], names);
    this.#conflicts.keep(found);
    const ids = lines.flatMap(idsOf);
    if (possible.length === 0 || !(yield* this.#conflicts.areUnchanged(table, ids, columns)))
      return false;
    yield* this.#change.updateSet(table, ids, before);
    return true;
  }

  /** Changes the records of a group of lines back: all at once, if none of them has a conflict. */
  *#changeBack(lines: readonly NetRecords[]): Steps<void> {
    if (lines.length > 1 && (yield* this.#changeGroupBack(lines))) return;
    for (const line of lines) yield* this.#changeLineBack(line);
  }

  /** Returns false, and does nothing, if a record is missing or has other values than the version has set. */
  *#changeGroupBack(lines: readonly NetRecords[]): Steps<boolean> {
    const table = tableOf(lines[0]!.record);
    const found = this.#conflicts.found.length;
    const rows = byKey(table, yield* this.#conflicts.ofLines(table, lines));
    const updates: RecordUpdate<BookTable>[] = [];
    for (const { firstId, lastId, diff } of lines) {
      const columns = changedColumns(table, diff);
      const values = beforeOf(columns);
      for (let id = firstId; id <= lastId && columns.length > 0; id += 1) {
        const before = rows.get(String(id));
        if (before === undefined || columns.some(([name, [, after]]) => before[name] !== after))
          return false;
        updates.push({ before, values });
      }
    }
    const alike = Map.groupBy(updates, ({ values }) => Object.keys(values).join());
    for (const some of alike.values())
      if (!(yield* this.#arePossible(table, some))) {
        this.#conflicts.keep(found);
        return false;
      }
    yield* this.#updateAll(table, updates, alike.size);
    yield* this.#wrote(updates.length);
    return true;
  }

  /** Whether rows can get back values of the same columns. */
  *#arePossible(table: BookTable, updates: readonly RecordUpdate<BookTable>[]): Steps<boolean> {
    const names = Object.keys(updates[0]!.values);
    const restored = updates.map(({ before, values }): Values => ({ ...before, ...values }));
    const possible = yield* this.#conflicts.possible(table, restored, names);
    if (possible.length < restored.length) return false;
    for (const columns of table.uniqueTogether)
      if (columns.some((name) => names.includes(name)))
        if ((yield* this.#conflicts.owners(table, restored, columns)).size > 0) return false;
    this.#noteNames(table, restored, names);
    return true;
  }

  /** Sets columns of rows, each to its own values. A row without a value for a column that others get keeps its own. */
  *#updateAll(
    table: BookTable,
    updates: readonly RecordUpdate<BookTable>[],
    shapes: number,
  ): Steps<void> {
    const [first] = updates;
    if (first === undefined) return;
    const text = JSON.stringify(first.values);
    if (shapes === 1 && updates.every(({ values }) => JSON.stringify(values) === text))
      yield* this.#change.updateAll(
        table,
        updates.map(({ before }) => before),
        first.values,
      );
    else if (shapes === 1) yield* this.#change.updateEach(table, updates);
    else {
      const names = [...new Set(updates.flatMap(({ values }) => Object.keys(values)))];
      const valuesOfRow = ({ before, values }: RecordUpdate<BookTable>) =>
        Object.fromEntries(
          names.map((name) => [name, name in values ? values[name] : before[name]]),
        );
      yield* this.#change.updateEach(
        table,
        updates.map((each) => ({ before: each.before, values: valuesOfRow(each) })),
      );
    }
  }

  *#changeLineBack(line: NetRecords): Steps<void> {
    const table = tableOf(line.record);
    const rest = restOf(table, line);
    const columns = changedColumns(table, line.diff);
    if (columns.length === 0) return;
    const before = beforeOf(columns);
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
        const conflicting = differing.filter(
          ([name]) => !(name in moved) && !this.#conflicts.isComputed(name),
        );
        for (const [name] of conflicting) this.#conflicts.add(table, row, name, 'changed since');
        if (conflicting.length === 0)
          yield* this.#change.update(table, row, { ...before, ...moved });
      }
      yield* this.#changeRowsBack(table, rows, before);
      yield* this.#wrote(rows.size);
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
    const lines = (this.#ofTable.get(table.name) ?? []).filter(({ kind }) => kind === 'made');
    for (const group of groupsOf(lines)) yield* this.#conflicts.findLaterUses(group);
    if (this.#conflicts.found.length > 0) return;
    const isChild = ownReferences(table).map((name) => sql`${raw(name)} IS NOT NULL`);
    if (isChild.length > 0) {
      const children = [];
      for (const piece of piecesOf(lines))
        children.push(...(yield* this.#made(table, piece, sql`(${join(isChild, ' OR ')})`)));
      for (const level of parentsFirst(table, children).toReversed())
        for (const block of blocksOf(level)) yield* this.#change.removeAll(table, block);
    }
    let rows: Row<BookTable>[] = [];
    for (const piece of piecesOf(lines)) {
      rows.push(...(yield* this.#made(table, piece)));
      if (rows.length < mostWritten) continue;
      yield* this.#change.removeAll(table, rows);
      rows = [];
    }
    yield* this.#change.removeAll(table, rows);
  }

  *#made(table: BookTable, piece: readonly NetRecords[], and?: Sql): Steps<Row<BookTable>[]> {
    return yield* this.#conflicts.ofLines(table, piece, and);
  }

  /**
   * Returns the rows without unique values that another row still has: with null, or the key of the row where null is
   * not allowed. Those values are restored last.
   */
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
        const first = columns[0]!;
        const { isNullable } = table.columns[first]!;
        return { ...row, [first]: isNullable ? null : keyOf(table, row) };
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

  /** Finds records that would get back the same values as others that wait for them. */
  #findSharedValues(): void {
    for (const some of Map.groupBy(this.#deferred, ({ columns }) => columns).values()) {
      const [{ table, columns }] = some as [Deferred];
      const rows = some.map(({ row }) => row);
      for (const row of sharing(rows, columns))
        this.#conflicts.add(table, row, columns[0]!, 'taken since');
    }
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

/** Divides lines into pieces of at most a block of records, one for each statement, the highest of a line first. */
function* piecesOf(lines: readonly NetRecords[]): Generator<readonly NetRecords[]> {
  for (const group of groupsOf(lines)) {
    const [line] = group;
    if (group.length > 1) yield group;
    else
      for (const [firstId, lastId] of rangesOf(line!.firstId, line!.lastId))
        yield [{ ...line!, firstId, lastId }];
  }
}

/** The columns of a row that an update may set: not its key, book, secrets or `updated_at`. */
function columnsToSet(table: BookTable, row: Values): RowUpdate<BookTable> {
  const fixed = new Set([...table.key, 'book_id', 'updated_at']);
  return Object.fromEntries(
    Object.entries(row).filter(
      ([name]) => !fixed.has(name) && table.columns[name]?.placeholder === undefined,
    ),
  );
}

/**
 * Returns the columns with movements as they are without those of a version; null if the table or the version has none,
 * or if a result is no amount.
 */
function movedBack(
  { movements }: BookTable,
  row: Values,
  columns: ReturnType<typeof changedColumns>,
  at: string,
): Values | null {
  if (movements === null) return null;
  const moves = columns.filter(([name]) => movements.columns.includes(name));
  // Movements that are zero together leave only their time.
  if (moves.length === 0 && !columns.some(([name]) => name === movements.at)) return null;
  const values = new Map<string, number>();
  for (const [name, [before, after]] of moves)
    values.set(name, (row[name] as number) + (before as number) - (after as number));
  if (![...values.values()].every((value) => Number.isSafeInteger(value))) return null;
  return { ...Object.fromEntries(values), [movements.at]: at };
}
