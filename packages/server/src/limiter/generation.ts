import type { HashPair } from './key-hash.ts';
import { NO_SLOT, SourceTable } from './source-table.ts';
import { Windows } from './windows.ts';

/**
 * Sources whose windows began within half a window of each other, at most `capacity` of them.
 *
 * Slots are in the order in which windows began, which is the order in which they end. So the
 * first and the last slot tell how the whole generation stands, and it is cleared as a whole.
 */
export class Generation {
  readonly windows: Windows;
  readonly #sources: SourceTable;
  readonly #halfUs: number;

  constructor(capacity: number, windowUs: number) {
    this.windows = new Windows(capacity, windowUs);
    this.#sources = new SourceTable(capacity);
    this.#halfUs = windowUs / 2;
  }

  /** Windows in it, running or ended. */
  get size(): number {
    return this.#sources.size;
  }

  /** How many of its windows run at this moment. */
  countLive(nowUs: number): number {
    return this.windows.countLive(this.size, nowUs);
  }

  /** Whether a window that begins now comes too late for it. */
  isComplete(nowUs: number): boolean {
    return this.size > 0 && this.windows.endUs(0) - nowUs <= this.#halfUs;
  }

  /** The slot of the window of this source, running or ended, or NO_SLOT. */
  find(hash: HashPair): number {
    return this.#sources.find(hash);
  }

  /** Begins a window for a source that has none here; NO_SLOT when there is no memory. */
  begin(hash: HashPair, nowUs: number, wallUs: number): number {
    if (!this.windows.take(this.size + 1)) return NO_SLOT;
    const slot = this.#sources.add(hash);
    if (slot !== NO_SLOT) this.windows.open(slot, nowUs, wallUs);
    return slot;
  }

  /** Forgets its windows once the last of them has ended, and gives back a step of memory. */
  giveBackEnded(nowUs: number): void {
    if (this.size > 0 && !this.windows.isLive(this.size - 1, nowUs)) this.#sources.clear();
    this.#sources.giveBack();
    this.windows.giveBack(this.size);
  }
}
