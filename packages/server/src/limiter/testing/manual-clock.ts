import type { Clock } from '../memory.ts';

/** A clock that only the test moves. It counts whole microseconds, so that moves add up exactly. */
export class ManualClock implements Clock {
  #monotonicUs: number;
  #wallUs: number;

  constructor(monotonicUs = 0, wallUs = 1_700_000_000_000_000) {
    this.#monotonicUs = monotonicUs;
    this.#wallUs = wallUs;
  }

  monotonicMs(): number {
    return this.#monotonicUs / 1000;
  }

  wallMs(): number {
    return this.#wallUs / 1000;
  }

  /** Lets time pass, on both readings. */
  advance(ms: number): void {
    this.#monotonicUs += Math.round(ms * 1000);
    this.setWallForward(ms);
  }

  /** Sets the wall clock forward, or back when negative, while no time passes. */
  setWallForward(ms: number): void {
    this.#wallUs += Math.round(ms * 1000);
  }
}
