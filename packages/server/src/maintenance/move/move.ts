import { setImmediate } from 'node:timers/promises';
import sql, { raw } from 'sql-template-tag';
import { insertMany, row, rows, run, type Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { isSameFile } from '../../db/sqlite/files.ts';
import { keyOf, type Table } from '../../db/table.ts';
import { drawIdentity } from '../../db/tables/migrations.ts';
import { databaseIdentity } from '../../db/tables/tables.ts';
import type { Migration } from '../open-sqlite.ts';
import {
  movedTables,
  nextId,
  numberedTables,
  rowsAfter,
  setNextId,
  storageKey,
} from '../tables.ts';
import {
  openServerSource,
  openServerTarget,
  MoveError,
  onSide,
  openFileSource,
  openFileTarget,
} from './ends.ts';
import type { MoveEnd, Row, Session, TargetSession, Value } from './ends.ts';

/** The progress of a move, in rows of all tables. First they are copied, then compared. */
export interface MoveProgress {
  readonly step: 'copy' | 'compare';
  readonly done: number;
  readonly total: number;
}

/** Options of {@link move}. */
export interface MoveOptions {
  readonly onMigration?: (migration: Migration) => void;
  /** Awaited before the move continues. */
  readonly onProgress?: (progress: MoveProgress) => void | Promise<void>;
  /** If it is aborted, everything is rolled back and its reason is thrown. */
  readonly signal?: AbortSignal;
}

/** A finished move. */
export interface MoveSummary {
  readonly books: number;
  readonly transactions: number;
  /** The rows of all tables. */
  readonly rows: number;
}

/** Half of the rows in memory: some are written while the next ones are read. */
const chunkRows = 1000;
/** How many differences an error lists. */
const mostDifferences = 10;

/**
 * Moves a whole database from one engine to another, with all ids of its records, or leaves the target unchanged.
 *
 * The source is locked against writes and read from one snapshot. It is not changed, except that an older schema is
 * migrated, as by every command. Before the target becomes visible, all its rows are compared with the source,
 * including computed columns, so pages have the same bytes. The target gets its own id. Throws a {@link MoveError} if
 * the target is not empty, if the source or the target is unsuitable, or if anything differs.
 */
export async function move(
  from: MoveEnd,
  to: MoveEnd,
  options: MoveOptions = {},
): Promise<MoveSummary> {
  refuseSame(from, to);
  const target = await onSide('target', () =>
    to.engine === 'sqlite' ? openFileTarget(to.path) : openServerTarget(to.url),
  );
  try {
    // After the target, because opening the source may migrate its schema.
    const source = await onSide('source', () =>
      from.engine === 'sqlite'
        ? openFileSource(from.path, options.onMigration)
        : openServerSource(from.url),
    );
    try {
      return await new Move(source, target, options).run();
    } finally {
      await source.close();
    }
  } finally {
    await target.close();
  }
}

/** Throws a {@link MoveError} if both are obviously the same database. Does not open them. */
function refuseSame(from: MoveEnd, to: MoveEnd): void {
  const isSame =
    from.engine === 'sqlite'
      ? to.engine === 'sqlite' && isSameFile(from.path, to.path)
      : to.engine === 'postgres' && from.url === to.url;
  if (isSame) throw new MoveError('The source and the target are the same database');
}

/** The row count and the sums of each table, by its name. */
type Totals = ReadonlyMap<string, { readonly count: number }>;

class Move {
  readonly #source: Session;
  readonly #target: TargetSession;
  readonly #options: MoveOptions;
  readonly #differences: string[] = [];

  constructor(source: Session, target: TargetSession, options: MoveOptions) {
    this.#source = source;
    this.#target = target;
    this.#options = options;
  }

  async run(): Promise<MoveSummary> {
    const totals = await this.#read(readTotals());
    const countOf = (name: string): number => totals.get(name)?.count ?? 0;
    const all = [...totals.keys()].reduce((sum, name) => sum + countOf(name), 0);
    await this.#forEachChunk('copy', all, (table, found) => this.#copy(table, found));
    await onSide('target', () => this.#target.complete());
    await this.#continueIds();
    await this.#write(run(drawIdentity()));
    await this.#copyNumbersKey();
    await this.#forEachChunk('compare', all, (table, found) => this.#compare(table, found));
    this.#note(compareTotals(totals, await this.#write(readTotals())));
    if (this.#differences.length > 0) throw this.#differ();
    await onSide('target', () => this.#target.commit());
    return { books: countOf('books'), transactions: countOf('transactions'), rows: all };
  }

  #read<T>(steps: Steps<T>): Promise<T> {
    return onSide('source', () => this.#source.run(steps));
  }

  #write<T>(steps: Steps<T>): Promise<T> {
    return onSide('target', () => this.#target.run(steps));
  }

  /** Passes every row of the source to `work`, and reads the next rows at the same time. */
  async #forEachChunk(
    step: MoveProgress['step'],
    total: number,
    work: (table: Table, found: readonly Row[]) => Promise<void>,
  ): Promise<void> {
    let done = 0;
    for (const table of movedTables) {
      const key = storageKey(table, this.#source.words.engine);
      const after = (last?: Row): Promise<Row[]> =>
        this.#read(rows<Row>(rowsAfter(table, key, last, { limit: chunkRows })));
      for (let found = await after(); found.length > 0;) {
        await this.#refuseIfStopped();
        done += found.length;
        const next = found.length === chunkRows ? after(found.at(-1)) : [];
        [found] = await Promise.all([next, work(table, found)]);
        await this.#options.onProgress?.({ step, done, total });
      }
    }
  }

  /** Waits one turn of the event loop, because SQLite runs synchronously and a signal would not be noticed. */
  async #refuseIfStopped(): Promise<void> {
    await setImmediate();
    this.#options.signal?.throwIfAborted();
  }

  async #copy(table: Table, found: readonly Row[]): Promise<void> {
    const { engine } = this.#target.words;
    for (const each of found) refuseUnmovable(table, each, engine);
    const columns = Object.keys(table.columns);
    const values = found.map((each) => columns.map((column) => each[column]));
    await this.#write(insertMany(table.name, columns, values));
  }

  /** Looks up rows of the source in the target, and records each difference with its columns. */
  async #compare(table: Table, found: readonly Row[]): Promise<void> {
    const { words } = this.#target;
    const keyIn = (each: Row): Value[] =>
      storageKey(table, words.engine).map((column) => each[column] ?? null);
    const moved = await this.#write(rows<Row>(words.rowsWithKeys(table, found.map(keyIn))));
    const byKey = new Map(moved.map((each) => [JSON.stringify(keyIn(each)), each]));
    for (const each of found) {
      const copy = byKey.get(JSON.stringify(keyIn(each)));
      if (copy === undefined) this.#note([`${nameRow(table, each)} is missing`]);
      else this.#note(differencesOf(table, each, copy));
    }
  }

  /** Sets the sequences of the target. A sequence that is less than the ids of its table continues after them. */
  async #continueIds(): Promise<void> {
    for (const table of numberedTables) {
      const kept = await this.#read(nextId(table));
      const next = Math.max(kept, (await this.#read(lastId(table))) + 1);
      await this.#write(setNextId(table, next));
      const found = await this.#write(nextId(table));
      if (found !== next)
        this.#note([`The next id of ${table.name} is ${found} instead of ${next}`]);
    }
  }

  /** The numbers of accounts are stored as hashes with this key. */
  async #copyNumbersKey(): Promise<void> {
    const name = 'account_numbers';
    const found = await this.#read(find(databaseIdentity, { name }));
    const set = sql`UPDATE ${raw(databaseIdentity.name)} SET value = ${found!.value} WHERE name = ${name}`;
    await this.#write(run(set));
  }

  #note(differences: readonly string[]): void {
    this.#differences.push(...differences);
    if (this.#differences.length > mostDifferences) throw this.#differ();
  }

  #differ(): MoveError {
    const lines = this.#differences.slice(0, mostDifferences).map((line) => `  ${line}`);
    return new MoveError(
      [
        'The copy differs from the source, so everything was rolled back:',
        ...lines,
        'Run "coffer doctor" on the source',
      ].join('\n'),
    );
  }
}

/** Returns the name of a row, such as `transactions (book_id 1, id 7)`. Errors show no other values of it. */
function nameRow(table: Table, each: Row): string {
  const key = keyOf(table).map((column) => `${column} ${String(each[column])}`);
  return `${table.name} (${key.join(', ')})`;
}

/** Throws a {@link MoveError} for a row that the target cannot store unchanged. */
function refuseUnmovable(table: Table, each: Row, engine: MoveEnd['engine']): void {
  for (const [column, value] of Object.entries(each)) {
    const problem = problemOf(table, column, value, engine);
    if (problem !== null)
      throw new MoveError(`${nameRow(table, each)} cannot be moved: its ${column} ${problem}`);
  }
}

function problemOf(
  { columns, generated }: Table,
  column: string,
  value: Value,
  engine: MoveEnd['engine'],
): string | null {
  // The SQLite driver returns an integer beyond 2^53 as the nearest float.
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return 'is an integer beyond 2^53';
  if (engine === 'postgres' && typeof value === 'string' && value.includes('\0'))
    return 'has a NUL character, which PostgreSQL cannot store';
  if (Object.hasOwn(columns, column) || generated.includes(column)) return null;
  return 'is not a column of Coffer';
}

function* lastId({ name }: Table): Steps<number> {
  const found = yield* row<{ last: number | null }>(sql`SELECT max(id) AS last FROM ${raw(name)}`);
  return found?.last ?? 0;
}

/** Returns a line with the columns in which a copy differs; none if it is the same. */
function differencesOf(table: Table, each: Row, copy: Row): string[] {
  const isSame = (one: Value = null, other: Value = null): boolean =>
    one instanceof Uint8Array && other instanceof Uint8Array
      ? Buffer.compare(one, other) === 0
      : one === other;
  const columns = Object.keys(each).filter((column) => !isSame(each[column], copy[column]));
  return columns.length === 0 ? [] : [`${nameRow(table, each)} differs in ${columns.join(', ')}`];
}

/** Counts the rows and sums the integers of each table in the engine, independently of how rows are read. */
function* readTotals(): Steps<Totals> {
  const totals = new Map<string, { readonly count: number }>();
  for (const { name, columns } of movedTables) {
    // Two sums, of the quotient and the remainder by 10,000: one sum of a million amounts may not fit into 64 bits.
    const sums = Object.keys(columns)
      .filter((column) => columns[column]?.type === 'integer')
      .map(
        (column) => `, CAST(sum(${column} / 10000) AS TEXT) AS ${column},
        CAST(sum(${column} % 10000) AS TEXT) AS ${column}_rest`,
      );
    const [found] = yield* rows<{ count: number }>(
      raw(`SELECT count(*) AS count${sums.join('')} FROM ${name}`),
    );
    if (found !== undefined) totals.set(name, found);
  }
  return totals;
}

/** Returns a line for each table that differs. */
function compareTotals(source: Totals, target: Totals): string[] {
  return [...source].flatMap(([name, totals]) => {
    const moved = target.get(name);
    if (moved?.count !== totals.count)
      return [`${name} has ${moved?.count ?? 0} rows instead of ${totals.count}`];
    return JSON.stringify(moved) === JSON.stringify(totals) ? [] : [`The sums of ${name} differ`];
  });
}
