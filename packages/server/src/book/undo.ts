import sql, { join, raw, type Sql } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { ownReferences } from '../db/table.ts';
import type { BookTable, NewRow, Row, RowUpdate, Values } from '../db/table.ts';
import { bookTables, transactions } from '../db/tables/tables.ts';
import type { Change } from './change.ts';
import { readRemoved, type LoggedRecords } from './log.ts';
import {
  byKey,
  changedColumns,
  keyOf,
  readEffect,
  restOf,
  tableOf,
  withPlaceholders,
  type NetRecords,
  type VersionEffect,
} from './net.ts';
import { parentsFirst } from './references.ts';
import { inRange, rangesOf, UndoConflicts, valuesOf, type UndoConflict } from './undo-conflicts.ts';

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
  /** The ids of records whose name is restored. */
  readonly #named = new Map<BookTable, Set<unknown>>();

  constructor(change: Change, effect: VersionEffect, conflicts: UndoConflicts) {
    this.#change = change;
    this.#effect = effect;
    this.#conflicts = conflicts;
  }

  /** Restores removed records first, so that others can refer to them. Removes created records last. */
  *run(others: readonly UndoConflict[]): Steps<void> {
    const { version, lines } = this.#effect;
    for (const line of lines)
      if (line.kind === 'made' || line.kind === 'replaced')
        yield* this.#conflicts.findLaterChanges(tableOf(line.record), line, this.#change.version);
    for (const table of bookTables) yield* this.#bringBack(table);
    for (const line of lines) if (line.kind === 'changed') yield* this.#changeBack(line);
    yield* this.#change.updateDerived();
    yield* this.#findTakenValues();
    for (const table of bookTables.toReversed()) yield* this.#removeMade(table);
    const found = withOthers(this.#conflicts.found, others);
    if (found.length > 0) throw new UndoConflictError(version, found);
    yield* this.#restoreDeferred();
  }

  *#bringBack(table: BookTable): Steps<void> {
    if (this.#effect.isPartial && table.name === transactions.name) yield* this.#bringBackMany();
    const gone = this.#effect.lines.filter(
      ({ kind, record }) => record === table.name && (kind === 'removed' || kind === 'replaced'),
    );
    const rowOf = ({ diff }: NetRecords): Values => withPlaceholders(table, diff ?? {});
    const replaced = new Set(gone.filter(({ kind }) => kind === 'replaced').map(rowOf));
    const removed = gone.filter(({ kind }) => kind === 'removed').map(rowOf);
    yield* this.#bringBackRows(table, [...removed, ...replaced], replaced);
  }

  /** Restores the removed transactions that are not among the lines. */
  *#bringBackMany(): Steps<void> {
    const [{ bookId }, { version }] = [this.#change, this.#effect];
    for (let before: number | undefined = Number.MAX_SAFE_INTEGER; ;) {
      const page: LoggedRecords[] = yield* readRemoved(bookId, version, transactions.name, before);
      before = page.at(-1)?.place;
      if (before === undefined) return;
      const byId = page.toSorted((a, b) => a.firstId - b.firstId);
      yield* this.#bringBackRows(
        transactions,
        byId.map(({ diff }) => diff!),
      );
      yield* this.#change.updateDerived();
    }
  }

  /** Restores rows, those first to which others refer. The records of `replaced` exist. */
  *#bringBackRows(
    table: BookTable,
    rows: readonly Values[],
    replaced: ReadonlySet<Values> = new Set(),
  ): Steps<void> {
    for (const level of parentsFirst(table, rows))
      for (const block of blocksOf(level)) yield* this.#bringBackBlock(table, block, replaced);
  }

  *#bringBackBlock(
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
    const lines = this.#effect.lines.filter(
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
