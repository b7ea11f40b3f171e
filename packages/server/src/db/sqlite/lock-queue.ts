import { DatabaseError, isDatabaseError } from '../errors.ts';
import { existsSync, rmSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { isBusy, makePrivate } from './connection.ts';
import { realPath } from './files.ts';

/** The order in which the threads and processes that write to one file try to lock it. */
interface Turns {
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
const noTurns: Turns = {
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

/** Delays between attempts. The first are short, because most locks are held briefly. */
const retryDelaysMs = [1, 2, 5, 10, 15, 20, 25] as const;
/** A thread whose turn it is for longer is dead, or waits for another process. Then others try too. */
const stalledMs = 200;

interface Waiting {
  /** False when another process holds the lock; otherwise the operation is done. */
  readonly attempt: () => boolean;
  readonly giveUp: () => void;
  readonly deadlineMs: number;
}

/**
 * Runs operations that need a lock of the database, one after another, in order of arrival.
 *
 * While another thread or process holds the lock, only the first operation retries. Nothing blocks: the rest of this
 * thread continues to run between two attempts. In its turn a thread runs the operations that were waiting when the
 * turn came; then it is the turn of the thread that has waited longest.
 */
export class LockQueue {
  readonly #turns: Turns;
  readonly #waiting: Waiting[] = [];
  #isLettingIn = false;
  #isClosed = false;

  constructor(turns: Turns = noTurns) {
    this.#turns = turns;
  }

  /**
   * Runs `work` at once if the queue is empty, otherwise in its turn. `work` must throw a {@link DatabaseError} of the
   * kind `busy` while another process holds the lock. Rejects with such an error if the lock is not free within
   * `waitMs` or when the signal is aborted before, and with any other error that `work` throws.
   */
  run<T>(work: () => T, waitMs: number, signal?: AbortSignal): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const attempt = (): boolean => {
      try {
        resolve(work());
      } catch (error) {
        if (isDatabaseError(error, 'busy')) return false;
        reject(error);
      }
      return true;
    };
    if (this.#waiting.length === 0 && this.#attemptAtOnce(attempt)) return promise;
    const giveUp = (): void =>
      reject(new DatabaseError('busy', 'Another process has locked the database'));
    if (waitMs <= 0) giveUp();
    else this.#join({ attempt, giveUp, deadlineMs: performance.now() + waitMs }, signal);
    return promise;
  }

  /** Rejects all waiting operations. */
  close(): void {
    this.#isClosed = true;
    for (const { giveUp } of this.#waiting.splice(0)) giveUp();
  }

  #attemptAtOnce(attempt: () => boolean): boolean {
    const place = this.#turns.joinIfFirst();
    if (place === null) return false;
    try {
      return this.#turns.mayTry() && attempt();
    } finally {
      this.#turns.end(place);
    }
  }

  #join(waiting: Waiting, signal?: AbortSignal): void {
    this.#waiting.push(waiting);
    signal?.addEventListener('abort', () => this.#leave(waiting), { once: true });
    if (!this.#isLettingIn) void this.#letIn();
  }

  #leave(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    waiting.giveUp();
  }

  async #letIn(): Promise<void> {
    this.#isLettingIn = true;
    while (this.#waiting.length > 0) {
      const place = this.#turns.join();
      await this.#comeFirst(place);
      await this.#takeTurn();
      this.#turns.end(place);
    }
    this.#isLettingIn = false;
  }

  /** Waits for the threads before this one. */
  async #comeFirst(place: number): Promise<void> {
    let movedMs = performance.now();
    while (!this.#turns.isFirst(place) && !this.#isClosed) {
      if (await this.#turns.moved(retryDelaysMs.at(-1)!)) movedMs = performance.now();
      this.#turnAwayOverdue();
      const isStalled = performance.now() - movedMs > stalledMs;
      if (isStalled && this.#attemptFirst()) this.#turns.end(place - 1);
    }
  }

  /** Runs as many operations as are waiting now. */
  async #takeTurn(): Promise<void> {
    let failures = 0;
    for (let left = this.#waiting.length; left > 0 && this.#waiting.length > 0;) {
      // Requests that have arrived are handled first.
      if (failures === 0) await nextTurn();
      else await sleep(retryDelaysMs[failures - 1] ?? retryDelaysMs.at(-1)!);
      if (this.#attemptFirst()) {
        failures = 0;
        left -= 1;
      } else {
        failures += 1;
        // Locks that are held briefly need no order.
        if (failures > 3) this.#turns.waits();
        this.#turnAwayOverdue();
      }
    }
    this.#turns.leaves();
  }

  /** Returns false while somebody else has the lock, or goes first. */
  #attemptFirst(): boolean {
    const [first] = this.#waiting;
    if (first === undefined || !this.#turns.mayTry() || !first.attempt()) return false;
    this.#waiting.shift();
    this.#turns.leaves();
    return true;
  }

  #turnAwayOverdue(): void {
    const nowMs = performance.now();
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.deadlineMs <= nowMs) waiting.giveUp();
      else this.#waiting.push(waiting);
    }
  }
}
