import { ElasticBuffer } from './elastic-buffer.ts';

const RESET_TOLERANCE_US = 500_000;

/** Fields of a slot. They lie side by side because every hit needs them all. */
const END_US = 0;
const RESET_US = 1;
const HITS = 2;
const FIELDS = 3;
const SLOT_BYTES = FIELDS * Float64Array.BYTES_PER_ELEMENT;

/**
 * Windows of equal length, each in a numbered slot, at most `capacity` of them.
 *
 * Times are whole microseconds, so that every sum and difference is exact. A window lives by
 * monotonic time; the moment of its end on the wall clock is for telling callers only. A slot
 * must be taken before it is used; one that was never opened is a window that has ended.
 * Memory: 24 bytes a slot.
 */
export class Windows {
  readonly #lengthUs: number;
  readonly #memory: ElasticBuffer;
  readonly #fields: Float64Array;

  /** The first `taken` slots are taken at once. */
  constructor(capacity: number, lengthUs: number, taken = 0) {
    this.#lengthUs = lengthUs;
    this.#memory = new ElasticBuffer(capacity * SLOT_BYTES, taken * SLOT_BYTES);
    this.#fields = new Float64Array(this.#memory.buffer);
  }

  /** Takes memory for the first `slots` slots; false when there is none. */
  take(slots: number): boolean {
    return this.#memory.take(slots * SLOT_BYTES);
  }

  /** Gives the system back a step of the memory beyond the first `slots`, if there is more. */
  giveBack(slots: number): void {
    this.#memory.giveBack(slots * SLOT_BYTES);
  }

  /** Whether the window runs at this moment; its end is exclusive. */
  isLive(slot: number, nowUs: number): boolean {
    return this.endUs(slot) > nowUs;
  }

  /** How many of the first `slots` windows run, which must be in the order of their ends. */
  countLive(slots: number, nowUs: number): number {
    let ended = 0;
    let live = slots;
    while (ended < live) {
      const middle = (ended + live) >> 1;
      if (this.isLive(middle, nowUs)) live = middle;
      else ended = middle + 1;
    }
    return slots - ended;
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
