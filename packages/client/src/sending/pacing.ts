import { untilAborted, type Clock } from './timing.ts';
import { RequestWindow, type ResponseHead } from './window.ts';

/** Permission to send one request, which counts as sent. */
export interface Turn {
  /** Call it once, when the head of the response has arrived, or with null when there was no response. */
  end(head: ResponseHead | null): void;
}

/** The window is used up for longer than the caller may wait. */
export interface Refusal {
  /** The wait that would be necessary. */
  readonly waitMs: number;
}

interface Waiter {
  readonly deadlineMs: number;
  isGranted: boolean;
  settle(refusal: Refusal | null): void;
}

/** Admits the requests of one client, first come, first served, at the pace of its {@link RequestWindow}. */
export class Pacer {
  readonly #clock: Clock;
  readonly #window: RequestWindow;
  #waiters: Waiter[] = [];
  #cancelTimer = (): void => undefined;

  /** Creates a pacer that has seen no response yet. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#window = new RequestWindow(() => clock.random());
  }

  /**
   * Waits for permission to send a request. Refuses as soon as it is known that the wait would end after `deadlineMs`.
   * Rejects with the signal's reason when it is aborted.
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
      // Aborted between permission and use.
      if (waiter.isGranted) this.#end(null);
      else this.#letGo();
      throw error;
    }
  }

  #end(head: ResponseHead | null): void {
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
