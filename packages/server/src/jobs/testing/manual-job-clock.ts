import type { JobClock } from '../scheduler.ts';

interface Sleeper {
  readonly untilMs: number;
  readonly wake: () => void;
}

/** A clock that moves only when a test says so. */
export class ManualJobClock implements JobClock {
  #nowMs: number;
  #sleepers: Sleeper[] = [];
  /** The number of sleeps so far. */
  sleeps = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** Sets the clock without waking anyone, as an operator might. */
  set(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** The shortest time that someone still sleeps; Infinity if no one does. */
  get nextMs(): number {
    return Math.min(...this.#sleepers.map(({ untilMs }) => untilMs)) - this.#nowMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    this.sleeps += 1;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const sleeper = { untilMs: this.#nowMs + ms, wake: () => resolve(undefined) };
    this.#sleepers.push(sleeper);
    const leave = (): void => {
      this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
      resolve(undefined);
    };
    signal.addEventListener('abort', leave, { once: true });
    return promise;
  }

  /** Moves the clock, and wakes everyone whose time has come. */
  advance(ms: number): void {
    this.#nowMs += ms;
    const woken = this.#sleepers.filter(({ untilMs }) => untilMs <= this.#nowMs);
    this.#sleepers = this.#sleepers.filter(({ untilMs }) => untilMs > this.#nowMs);
    for (const { wake } of woken) wake();
  }
}
