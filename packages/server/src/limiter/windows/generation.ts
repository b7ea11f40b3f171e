import { ClientTable, NO_SLOT } from './client-table.ts';
import { ElasticBuffer } from './elastic-buffer.ts';
import type { HashPair } from './key-hash.ts';

const RESET_TOLERANCE_US = 500_000;

/** Fields of a slot. They are adjacent because every hit needs all of them. */
const END_US = 0;
const RESET_US = 1;
const HITS = 2;
const FIELDS = 3;
const SLOT_BYTES = FIELDS * Float64Array.BYTES_PER_ELEMENT;

/**
 * Windows of equal length, each in a numbered slot, at most `capacity` of them.
 *
 * Times are whole microseconds, so that every sum and difference is exact. Monotonic time decides
 * when a window ends; its end on the wall clock is only announced to clients. A slot must be taken
 * before it is used; a slot that was never opened is a window that has ended.
 * Memory: 24 bytes per slot.
 */
export class Windows {
  readonly #lengthUs: number;
  readonly #memory: ElasticBuffer;
  readonly #fields: Float64Array;

  /** Takes the first `taken` slots at once. */
  constructor(capacity: number, lengthUs: number, taken = 0) {
    this.#lengthUs = lengthUs;
    this.#memory = new ElasticBuffer(capacity * SLOT_BYTES, taken * SLOT_BYTES);
    this.#fields = new Float64Array(this.#memory.buffer);
  }

  /** Takes memory for the first `slots` slots; false when the system has none. */
  take(slots: number): boolean {
    return this.#memory.take(slots * SLOT_BYTES);
  }

  /** Gives back one step of the memory beyond the first `slots` slots, if there is enough of it. */
  giveBack(slots: number): void {
    this.#memory.giveBack(slots * SLOT_BYTES);
  }

  /** Whether the window is running; its end is exclusive. */
  isLive(slot: number, nowUs: number): boolean {
    return this.endUs(slot) > nowUs;
  }

  /** How many of the first `slots` windows are running. The slots must be sorted by end. */
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

  /** End of the window on the wall clock, in microseconds since the Unix epoch. */
  resetUs(slot: number): number {
    return this.#fields[slot * FIELDS + RESET_US]!;
  }

  /** Starts a new window without hits. */
  open(slot: number, nowUs: number, wallUs: number): void {
    const at = slot * FIELDS;
    this.#fields[at + END_US] = nowUs + this.#lengthUs;
    this.#fields[at + RESET_US] = wallUs + this.#lengthUs;
    this.#fields[at + HITS] = 0;
  }

  /**
   * Moves the announced reset of a running window when the wall clock was set.
   *
   * A difference of up to 500 ms is ignored, so that the reset is constant in a window. A larger
   * one would mislead clients, so the reset is computed again from the remaining time.
   */
  followWallClock(slot: number, nowUs: number, wallUs: number): void {
    const resetUs = wallUs + this.endUs(slot) - nowUs;
    if (Math.abs(resetUs - this.resetUs(slot)) > RESET_TOLERANCE_US) {
      this.#fields[slot * FIELDS + RESET_US] = resetUs;
    }
  }

  /** Counts one hit and returns the hits of the window so far. */
  count(slot: number): number {
    const at = slot * FIELDS + HITS;
    const hits = this.#fields[at]! + 1;
    this.#fields[at] = hits;
    return hits;
  }
}

/**
 * Clients whose windows started within half a window length of each other, at most `capacity`.
 *
 * Slots are in the order in which windows started, which is also the order in which they end. So
 * the first and the last slot show the state of the whole generation, and it is cleared as a whole.
 */
export class Generation {
  readonly windows: Windows;
  readonly #clients: ClientTable;
  readonly #halfUs: number;

  constructor(capacity: number, windowUs: number) {
    this.windows = new Windows(capacity, windowUs);
    this.#clients = new ClientTable(capacity);
    this.#halfUs = windowUs / 2;
  }

  /** Number of its windows, running or ended. */
  get size(): number {
    return this.#clients.size;
  }

  /** How many of its windows are running. */
  countLive(nowUs: number): number {
    return this.windows.countLive(this.size, nowUs);
  }

  /** Whether a window that starts now is too late for this generation. */
  isComplete(nowUs: number): boolean {
    return this.size > 0 && this.windows.endUs(0) - nowUs <= this.#halfUs;
  }

  /** The slot of the client's window, running or ended, or NO_SLOT. */
  find(hash: HashPair): number {
    return this.#clients.find(hash);
  }

  /** Starts a window for a client that has none here; NO_SLOT when there is no memory. */
  begin(hash: HashPair, nowUs: number, wallUs: number): number {
    if (!this.windows.take(this.size + 1)) return NO_SLOT;
    const slot = this.#clients.add(hash);
    if (slot !== NO_SLOT) this.windows.open(slot, nowUs, wallUs);
    return slot;
  }

  /** Clears the generation when its last window has ended, and gives back a step of memory. */
  giveBackEnded(nowUs: number): void {
    if (this.size > 0 && !this.windows.isLive(this.size - 1, nowUs)) this.#clients.clear();
    this.#clients.giveBack();
    this.windows.giveBack(this.size);
  }
}
