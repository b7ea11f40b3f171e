import { MoveError, pairTables } from './move-catalog.ts';
import type { Row, TablePair } from './move-catalog.ts';
import { compareRows, compareTotals } from './move-compare.ts';
import type { MoveEnd } from './move-end.ts';
import { asMoveError } from './move-faults.ts';
import { readTotals } from './move-rows.ts';
import type { Piece, Totals } from './move-rows.ts';
import { nextTurn } from './move-ahead.ts';
import { openSource, refuseSame } from './move-source.ts';
import type { MoveSource } from './move-source.ts';
import type { MoveTarget } from './move-target.ts';
import { moveToServer } from './move-to-postgres.ts';
import { moveToFile } from './move-to-sqlite.ts';
import type { Migration } from './open-store.ts';

/** How far a move has come: rows of all tables, first copied and then compared. */
export interface MoveProgress {
  readonly step: 'copy' | 'compare';
  readonly done: number;
  readonly total: number;
}

/** Who is told while a database is moved, and who may end it. */
export interface MoveOptions {
  readonly onMigration?: (migration: Migration) => void;
  /** Waited for before the next rows are read. */
  readonly onProgress?: (progress: MoveProgress) => void | Promise<void>;
  /** When it is aborted, everything is taken back and the reason is thrown. */
  readonly signal?: AbortSignal;
}

/** A database that was moved. */
export interface MoveSummary {
  readonly books: number;
  readonly transactions: number;
  /** Of all tables. */
  readonly rows: number;
}

/** Lines that are said of what differs. */
const mostDifferences = 10;

/**
 * Moves a whole database from one engine to another, with every id, or leaves the target as it was.
 *
 * The source is read from one snapshot, while nobody writes to it, and is not changed but for an older schema, which is
 * brought up to date as by every command. Before anybody sees the target, every row of it is compared with the
 * source, the columns that the engines compute among them: so the pages of the service are the same bytes. Throws a
 * {@link MoveError} when the target is not empty, when source or target are not fit, and when anything differs.
 */
export async function move(
  from: MoveEnd,
  to: MoveEnd,
  options: MoveOptions = {},
): Promise<MoveSummary> {
  refuseSame(from, to);
  let source: MoveSource | null = null;
  const fill = async (target: MoveTarget): Promise<MoveSummary> => {
    // After the target, because opening it may bring its schema up to date.
    source = await asMoveError('source', () => openSource(from, options.onMigration));
    return new Move(source, target, options).run();
  };
  try {
    return await asMoveError('target', () =>
      to.engine === 'sqlite' ? moveToFile(to.path, fill) : moveToServer(to.url, fill),
    );
  } finally {
    // Not before the target is whole: nobody writes to the source until then.
    await (source as MoveSource | null)?.close();
  }
}

class Move {
  readonly #source: MoveSource;
  readonly #target: MoveTarget;
  readonly #options: MoveOptions;
  #totals: Totals = { counts: new Map(), books: [], nextIds: new Map() };
  readonly #differences: string[] = [];
  /** The highest id that each table has. */
  readonly #lastIds = new Map<string, number>();
  #done = 0;

  constructor(source: MoveSource, target: MoveTarget, options: MoveOptions) {
    this.#source = source;
    this.#target = target;
    this.#options = options;
  }

  async run(): Promise<MoveSummary> {
    const pairs = pairTables(
      await this.#source.readTables(),
      await this.#target.run(this.#target.catalog.readTables()),
    );
    const byName = new Map(pairs.map((pair) => [pair.source.name, pair]));
    const pieces = this.#source.read(pairs.map(({ source }) => source));
    let working = Promise.resolve();
    // The end itself is not asked for: whoever closes the source lets writers in again.
    for (let next = await pieces.next(); next.done !== true && next.value.step !== 'end';) {
      await working;
      this.#options.signal?.throwIfAborted();
      working = this.#take(next.value, byName);
      // It is waited for above or below, unless the source fails first.
      working.catch(() => undefined);
      // What the target is to do is on its way before the next rows are read.
      await nextTurn();
      next = await pieces.next();
    }
    await working;
    return this.#conclude(pairs);
  }

  async #take(piece: Piece, pairs: ReadonlyMap<string, TablePair>): Promise<void> {
    if (piece.step === 'totals') {
      this.#totals = piece.totals;
      return;
    }
    if (!('rows' in piece)) {
      await this.#complete();
      this.#done = 0;
      return;
    }
    const { step, table, rows } = piece;
    const pair = pairs.get(table.name);
    if (pair === undefined) throw new Error(`The table ${table.name} was not asked for`);
    if (step === 'copy') await this.#copy(pair, rows);
    else this.#note(await compareRows(this.#target, pair, rows));
    this.#done += rows.length;
    const total = [...this.#totals.counts.values()].reduce((sum, count) => sum + count, 0);
    await this.#options.onProgress?.({ step, done: this.#done, total });
  }

  async #copy({ target }: TablePair, rows: readonly Row[]): Promise<void> {
    for (const { id } of rows) {
      if (typeof id !== 'number') break;
      this.#lastIds.set(target.name, Math.max(id, this.#lastIds.get(target.name) ?? 0));
    }
    await this.#target.insert(target, rows);
  }

  async #complete(): Promise<void> {
    await this.#target.complete();
    const nextIds = new Map(this.#totals.nextIds);
    for (const [table, last] of this.#lastIds)
      nextIds.set(table, Math.max(last + 1, nextIds.get(table) ?? 1));
    this.#totals = { ...this.#totals, nextIds };
    await this.#target.run(this.#target.catalog.writeNextIds(nextIds));
  }

  async #conclude(pairs: readonly TablePair[]): Promise<MoveSummary> {
    const tables = pairs.map(({ target }) => target);
    const moved = await this.#target.run(readTotals(this.#target.catalog, tables));
    this.#note(compareTotals(this.#totals, moved));
    if (this.#differences.length > 0) throw new MoveError(this.#describe());
    const { counts } = this.#totals;
    return {
      books: counts.get('books') ?? 0,
      transactions: counts.get('transactions') ?? 0,
      rows: this.#done,
    };
  }

  #note(differences: readonly string[]): void {
    this.#differences.push(...differences);
    if (this.#differences.length > mostDifferences) throw new MoveError(this.#describe());
  }

  #describe(): string {
    const lines = this.#differences.slice(0, mostDifferences).map((line) => `  ${line}`);
    return [
      'What was copied is not what the source has, so everything is taken back:',
      ...lines,
      'Run "coffer doctor" on the source',
    ].join('\n');
  }
}
