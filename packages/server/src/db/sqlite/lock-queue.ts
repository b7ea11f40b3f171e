import { DatabaseError, isDatabaseError } from '../errors.ts';

/** Delays between attempts. The first are short, because most locks are held briefly. */
const retryDelaysMs = [1, 2, 5, 10, 15, 20, 25] as const;

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
 * While another process holds the lock, only the first operation retries. Nothing blocks: the rest of this process
 * continues to run between two attempts.
 */
export class LockQueue {
  readonly #waiting: Waiting[] = [];
  #isLettingIn = false;

  /**
   * Runs `work` at once if the queue is empty, otherwise in its turn. `work` must throw a {@link DatabaseError} of the
   * kind `busy` while another process holds the lock. Rejects with such an error if the lock is not free within
   * `waitMs`, and with any other error that `work` throws.
   */
  run<T>(work: () => T, waitMs: number): Promise<T> {
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
    if (this.#waiting.length === 0 && attempt()) return promise;
    const giveUp = (): void =>
      reject(new DatabaseError('busy', 'Another process has locked the database'));
    if (waitMs <= 0) giveUp();
    else this.#join({ attempt, giveUp, deadlineMs: performance.now() + waitMs });
    return promise;
  }

  /** Rejects all waiting operations. */
  close(): void {
    for (const { giveUp } of this.#waiting.splice(0)) giveUp();
  }

  #join(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (!this.#isLettingIn) void this.#letIn();
  }

  async #letIn(): Promise<void> {
    this.#isLettingIn = true;
    let failures = 0;
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      if (failures === 0) await nextTurn();
      else await sleep(retryDelaysMs[failures - 1] ?? retryDelaysMs.at(-1)!);
      // It may have been rejected in the meantime.
      if (this.#waiting[0] !== first) continue;
      if (first.attempt()) {
        this.#waiting.shift();
        failures = 0;
      } else {
        failures += 1;
        this.#turnAwayOverdue();
      }
    }
    this.#isLettingIn = false;
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
