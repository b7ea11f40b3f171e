import type { HashPair } from './key-hash.ts';

/** What `find` answers when a source has no slot. */
export const NO_SLOT = -1;

const EMPTY = 0;

/**
 * Which slot belongs to which source, for at most `capacity` sources.
 *
 * Slots are given out round a ring, in order, and given back in the same order. Since all windows
 * have one length, that is also the order in which they end: what is over is always at the old
 * end of the ring, and no sweep, timer or eviction is needed. An index with linear probing leads
 * from the hash of a source to its slot. Nothing grows, so nothing is ever rehashed.
 *
 * Memory: 8 bytes a slot and 8 to 16 of index, reserved at once, taken as it is first used.
 */
export class SourceTable {
  readonly #capacity: number;
  /** Low and high half of the hash of each slot, side by side. */
  readonly #hashes: Int32Array;
  /** Slot + 1 of each place, or EMPTY; at most half of the places are taken. */
  readonly #index: Int32Array;
  readonly #mask: number;
  #oldest = 0;
  #size = 0;

  constructor(capacity: number) {
    const places = 2 ** Math.ceil(Math.log2(capacity * 2));
    this.#capacity = capacity;
    this.#hashes = new Int32Array(capacity * 2);
    this.#index = new Int32Array(places);
    this.#mask = places - 1;
  }

  /** Slots given out and not yet given back. */
  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size === this.#capacity;
  }

  /** The slot that was given out longest ago, or NO_SLOT when none is out. */
  get oldest(): number {
    return this.#size === 0 ? NO_SLOT : this.#oldest;
  }

  /** The slot of the source with this hash, or NO_SLOT. */
  find(hash: HashPair): number {
    return this.#slotAt(this.#placeOf(hash.low, hash.high));
  }

  /**
   * Gives the source a slot of its own; the table must not be full.
   *
   * A slot the source had before is forgotten, but stays out until its turn in the ring.
   */
  add(hash: HashPair): number {
    const slot = (this.#oldest + this.#size) % this.#capacity;
    this.#size += 1;
    this.#index[this.#placeOf(hash.low, hash.high)] = slot + 1;
    this.#hashes[slot * 2] = hash.low;
    this.#hashes[slot * 2 + 1] = hash.high;
    return slot;
  }

  /** Takes back the oldest slot; one must be out. */
  removeOldest(): void {
    const slot = this.#oldest;
    const place = this.#placeOf(this.#lowOf(slot), this.#highOf(slot));
    // A source that came back after its window ended has a newer slot, which stays.
    if (this.#slotAt(place) === slot) this.#vacate(place);
    this.#oldest = (slot + 1) % this.#capacity;
    this.#size -= 1;
  }

  #lowOf(slot: number): number {
    return this.#hashes[slot * 2]!;
  }

  #highOf(slot: number): number {
    return this.#hashes[slot * 2 + 1]!;
  }

  #slotAt(place: number): number {
    return this.#index[place]! - 1;
  }

  /** The place of the hash in the index, or the empty place where it would go. */
  #placeOf(low: number, high: number): number {
    let place = low & this.#mask;
    for (;;) {
      const slot = this.#slotAt(place);
      if (slot === NO_SLOT) return place;
      if (this.#lowOf(slot) === low && this.#highOf(slot) === high) return place;
      place = (place + 1) & this.#mask;
    }
  }

  /** Empties a place and draws later ones of the same run forward, so that no search breaks off. */
  #vacate(place: number): void {
    let gap = place;
    let next = (gap + 1) & this.#mask;
    while (this.#index[next] !== EMPTY) {
      const home = this.#lowOf(this.#slotAt(next)) & this.#mask;
      const distanceFromHome = (next - home) & this.#mask;
      const distanceFromGap = (next - gap) & this.#mask;
      if (distanceFromHome >= distanceFromGap) {
        this.#index[gap] = this.#index[next]!;
        gap = next;
      }
      next = (next + 1) & this.#mask;
    }
    this.#index[gap] = EMPTY;
  }
}
