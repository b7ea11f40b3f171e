import { existsSync, rmSync } from 'node:fs';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { isBusy, makePrivate } from './connection.ts';
import { realPath } from './files.ts';

/** The order in which the threads and processes that write to one file try to lock it. */
export interface Turns {
  /** Joins the line of the threads, and returns the place in it. */
  join(): number;
  /** Joins the line if nobody is in it; otherwise returns null. */
  joinIfFirst(): number | null;
  /** Whether nobody in the line is before a place. */
  isFirst(place: number): boolean;
  /** Ends a place, and all before it. */
  end(place: number): void;
  /** Resolves when the line moves, or after a time in milliseconds. Returns whether it has moved. */
  moved(ms: number): Promise<boolean>;
  /** Whether the lock may be tried: false while another process waits that was earlier. */
  mayTry(): boolean;
  /** Another process holds the lock: from now on others let this one go first. */
  waits(): void;
  /** The lock was taken, or nobody here waits for it any more. */
  leaves(): void;
}

/** The turns of a database in memory: nobody else has it. */
export const noTurns: Turns = {
  join: () => 0,
  joinIfFirst: () => 0,
  isFirst: () => true,
  end: () => undefined,
  moved: () => Promise.resolve(true),
  mayTry: () => true,
  waits: () => undefined,
  leaves: () => undefined,
};

/** Returns the turns of a database. Threads that start later share those of the thread that starts them. */
export function turnsOf(path: string): Turns {
  return path === ':memory:' ? noTurns : new FileTurns(realPath(path));
}

/** The cells of the shared memory: the place of the next who joins, and the place whose turn it is. */
const [joining, serving] = [0, 1];
/** Several times the pause between two attempts. */
const mostDeniedMs = 250;

/**
 * The line of the threads is in memory that they share: a thread that ends its turn wakes the next one. Between
 * processes there is a file, `NAME-turn`, while a process waits: who has it locked goes first.
 *
 * Both decide only who tries first. The lock of SQLite decides who writes, so a thread or a process that dies stops
 * nobody.
 */
class FileTurns implements Turns {
  readonly #cells: Int32Array<SharedArrayBuffer>;
  readonly #file: string;
  #held: Database.Database | null = null;
  /** Since when another process has been let go first. */
  #deniedMs: number | null = null;

  constructor(path: string) {
    const key = `coffer turns ${path}`;
    const known = getEnvironmentData(key) as SharedArrayBuffer | undefined;
    const memory = known ?? new SharedArrayBuffer(8);
    if (known === undefined) setEnvironmentData(key, memory);
    this.#cells = new Int32Array(memory);
    this.#file = `${path}-turn`;
  }

  join(): number {
    return Atomics.add(this.#cells, joining, 1);
  }

  joinIfFirst(): number | null {
    const place = Atomics.load(this.#cells, serving);
    const found = Atomics.compareExchange(this.#cells, joining, place, (place + 1) | 0);
    return found === place ? place : null;
  }

  isFirst(place: number): boolean {
    return ((Atomics.load(this.#cells, serving) - place) | 0) >= 0;
  }

  end(place: number): void {
    const next = (place + 1) | 0;
    for (let now = Atomics.load(this.#cells, serving); ((now - next) | 0) < 0;) {
      const found = Atomics.compareExchange(this.#cells, serving, now, next);
      if (found === now) break;
      now = found;
    }
    Atomics.notify(this.#cells, serving);
  }

  async moved(ms: number): Promise<boolean> {
    const now = Atomics.load(this.#cells, serving);
    const { value } = Atomics.waitAsync(this.#cells, serving, now, ms);
    // A wait for memory does not keep the process alive.
    const timer = setTimeout(() => undefined, 10 * ms);
    const outcome = await value;
    clearTimeout(timer);
    return outcome !== 'timed-out';
  }

  mayTry(): boolean {
    if (this.#held !== null || !existsSync(this.#file) || this.#hold()) {
      this.#deniedMs = null;
      return true;
    }
    // One that does not take its turn is stopped, or there is a large write.
    this.#deniedMs ??= performance.now();
    return performance.now() - this.#deniedMs > mostDeniedMs;
  }

  waits(): void {
    if (this.#held === null) this.#hold();
  }

  leaves(): void {
    if (this.#held === null) return;
    rmSync(this.#file, { force: true });
    this.#held.close();
    this.#held = null;
  }

  /** Returns whether the file is not locked by another process: one that a process left behind is not. */
  #hold(): boolean {
    let database: Database.Database | null = null;
    try {
      makePrivate(this.#file);
      database = new Database(this.#file, { timeout: 0 });
      database.pragma('journal_mode = MEMORY');
      database.exec('BEGIN IMMEDIATE');
      this.#held = database;
      return true;
    } catch (error) {
      database?.close();
      return !isBusy(error);
    }
  }
}
