import { DatabaseError, isDatabaseError } from '../errors.ts';
import { noTurns } from './turns.ts';
import type { Turns } from './turns.ts';

/** Delays between attempts. The first are short, because most locks are held briefly. */
const retryDelaysMs = [1, 2, 5, 10, 15, 20, 25] as const;
/** A thread whose turn it is for longer is dead, or waits for another process. Then others try too. */
const stalledMs = 200;

/** An operation that is waiting for the lock. */
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

/** Waits one turn of the event loop, so that requests that have arrived are handled first. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
