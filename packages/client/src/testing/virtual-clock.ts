import type { Clock } from '../sending/timing.ts';

/** A pending timer. */
export interface PendingTimer {
  readonly atMs: number;
  readonly delayMs: number;
}

interface Timer extends PendingTimer {
  readonly callback: () => void;
}

/** Options of {@link VirtualClock.run}. */
export interface Running {
  /** Limit of virtual time for the work; default: a day. */
  readonly withinMs?: number;
  /** Whether time may jump to this timer. Return false to wait for real input and output. */
  readonly mayPass?: (timer: PendingTimer) => boolean;
}

/** A clock that does not move until `run`, and then jumps from timer to timer. Random numbers come from a seed. */
export class VirtualClock implements Clock {
  #nowMs = 1_000;
  #timers: Timer[] = [];
  #seed: number;

  constructor(seed = 1) {
    this.#seed = seed >>> 0;
  }

  get pending(): readonly PendingTimer[] {
    return this.#timers;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    if (!(delayMs >= 0 && delayMs <= 86_400_000)) throw new Error(`A timer of ${delayMs} ms`);
    const timer = { atMs: this.#nowMs + delayMs, delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Mulberry32. */
  random(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) >>> 0;
    let t = this.#seed;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Resolves after `delayMs` of virtual time. */
  async sleep(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => this.after(delayMs, resolve));
  }

  /** Lets time pass until the work has ended. Rejects when no timer is left or the time is over. */
  async run<T>(
    work: Promise<T>,
    { withinMs = 86_400_000, mayPass = () => true }: Running = {},
  ): Promise<T> {
    const endMs = this.#nowMs + withinMs;
    const state = { isDone: false };
    const settled = work.finally(() => (state.isDone = true));
    settled.catch(() => undefined);
    let turnsWithoutTimer = 0;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (state.isDone) return await settled;
      const next = this.#timers.toSorted((a, b) => a.atMs - b.atMs)[0];
      turnsWithoutTimer = next === undefined ? turnsWithoutTimer + 1 : 0;
      if (turnsWithoutTimer > 1_000)
        throw new Error('The work has not ended, and no timer is left');
      if (next === undefined || !mayPass(next)) continue;
      if (next.atMs > endMs) throw new Error(`The work is not done within ${withinMs} ms`);
      this.#timers = this.#timers.filter((each) => each !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
    }
  }
}
