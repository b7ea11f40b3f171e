import { untilAborted } from './abort.ts';
import type { Clock } from './clock.ts';
import { RequestWindow } from './window.ts';
import type { AnswerHead } from './window.ts';

/** Leave to send one request. */
export interface Turn {
  /** To be called once, when the head of the answer is there (null: none came). */
  end(head: AnswerHead | null): void;
}

/** The window is used up for longer than the caller may wait. */
export interface Refusal {
  /** How long it would have to wait. */
  readonly waitMs: number;
}

interface Waiter {
  readonly deadlineMs: number;
  isGranted: boolean;
  settle(refusal: Refusal | null): void;
}

/** Lets the requests of one client go in the order in which they came, as its one view of the window allows. */
export class Pacer {
  readonly #clock: Clock;
  readonly #window: RequestWindow;
  #waiters: Waiter[] = [];
  #cancelTimer = (): void => undefined;

  /** A pacer that knows nothing of the window yet. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#window = new RequestWindow(() => clock.random());
  }

  /**
   * Waits for leave to send a request, which counts at once. Refused as soon as it is known that the wait would last
   * beyond `deadlineMs`. Rejects with the signal's reason when it is aborted.
   */
  async turn(signal: AbortSignal, deadlineMs: number): Promise<Turn | Refusal> {
    signal.throwIfAborted();
    let settle: Waiter['settle'] = () => undefined;
    const settled = new Promise<Refusal | null>((resolve) => (settle = resolve));
    const waiter: Waiter = { deadlineMs, isGranted: false, settle };
    this.#waiters.push(waiter);
    this.#letGo();
    try {
      return (await untilAborted(signal, settled)) ?? { end: (head) => this.#end(head) };
    } catch (error) {
      this.#waiters = this.#waiters.filter((each) => each !== waiter);
      // Aborted between leave and use.
      if (waiter.isGranted) this.#end(null);
      else this.#letGo();
      throw error;
    }
  }

  #end(head: AnswerHead | null): void {
    this.#window.release(head);
    this.#letGo();
  }

  #letGo(): void {
    this.#cancelTimer();
    for (;;) {
      const [first] = this.#waiters;
      if (first === undefined) return;
      const nowMs = this.#clock.nowMs();
      const delayMs = this.#window.delayMs(nowMs);
      const isTooLong = delayMs !== Infinity && nowMs + delayMs > first.deadlineMs;
      if (delayMs > 0 && !isTooLong) {
        this.#wakeAfter(delayMs);
        return;
      }
      this.#waiters.shift();
      first.isGranted = !isTooLong;
      if (first.isGranted) this.#window.reserve(nowMs);
      first.settle(isTooLong ? { waitMs: delayMs } : null);
    }
  }

  #wakeAfter(delayMs: number): void {
    if (delayMs === Infinity) return;
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#letGo());
  }
}
