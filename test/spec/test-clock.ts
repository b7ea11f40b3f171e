/** Time that only a test moves, in whole microseconds, so that moves add up exactly. */
export class TestClock {
  #monotonicUs = 5_000_000;
  #wallUs = 1_700_000_000_250_000;

  monotonicMs(): number {
    return this.#monotonicUs / 1000;
  }

  wallMs(): number {
    return this.#wallUs / 1000;
  }

  /** Lets time pass. */
  advance(ms: number): void {
    this.#monotonicUs += Math.round(ms * 1000);
    this.setForward(ms);
  }

  /** Sets the clock of the machine forward, or back when negative, while no time passes. */
  setForward(ms: number): void {
    this.#wallUs += Math.round(ms * 1000);
  }
}
