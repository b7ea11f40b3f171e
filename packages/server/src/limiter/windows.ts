const RESET_TOLERANCE_US = 500_000;

/** Fields of a slot. They lie side by side because every hit needs them all. */
const END_US = 0;
const RESET_US = 1;
const HITS = 2;
const FIELDS = 3;

/**
 * A fixed number of windows of equal length, each in a numbered slot.
 *
 * Times are whole microseconds, so that every sum and difference is exact. A window lives by
 * monotonic time; the moment of its end on the wall clock is for telling callers only. A slot
 * that was never opened is a window that has ended. Memory: 24 bytes a slot, reserved at once
 * and taken from the system as slots are first used.
 */
export class Windows {
  readonly #lengthUs: number;
  readonly #fields: Float64Array;

  constructor(slots: number, lengthUs: number) {
    this.#lengthUs = lengthUs;
    this.#fields = new Float64Array(slots * FIELDS);
  }

  /** Whether the window runs at this moment; its end is exclusive. */
  isLive(slot: number, nowUs: number): boolean {
    return this.endUs(slot) > nowUs;
  }

  /** End of the window in monotonic time. */
  endUs(slot: number): number {
    return this.#fields[slot * FIELDS + END_US]!;
  }

  /** End of the window on the wall clock, microseconds since the Unix epoch. */
  resetUs(slot: number): number {
    return this.#fields[slot * FIELDS + RESET_US]!;
  }

  /** Begins a new window without hits. */
  open(slot: number, nowUs: number, wallUs: number): void {
    const at = slot * FIELDS;
    this.#fields[at + END_US] = nowUs + this.#lengthUs;
    this.#fields[at + RESET_US] = wallUs + this.#lengthUs;
    this.#fields[at + HITS] = 0;
  }

  /**
   * Moves the announced reset of a live window if the wall clock was set meanwhile.
   *
   * Up to 500 ms either way the announced moment stays, so that it is constant in a window;
   * beyond that it would mislead, and is taken anew from the time that the window has left.
   */
  followWallClock(slot: number, nowUs: number, wallUs: number): void {
    const resetUs = wallUs + this.endUs(slot) - nowUs;
    if (Math.abs(resetUs - this.resetUs(slot)) > RESET_TOLERANCE_US) {
      this.#fields[slot * FIELDS + RESET_US] = resetUs;
    }
  }

  /** Counts one hit and returns how many the window has now. */
  count(slot: number): number {
    const at = slot * FIELDS + HITS;
    const hits = this.#fields[at]! + 1;
    this.#fields[at] = hits;
    return hits;
  }
}
