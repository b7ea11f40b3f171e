import { ElasticBuffer } from './elastic-buffer.ts';
import type { HashPair } from './key-hash.ts';

/** What `find` answers when a source has no slot. */
export const NO_SLOT = -1;

/** Fields of a slot: the halves of its hash, and 1 + the next slot of its chain, or 0. */
const LOW = 0;
const HIGH = 1;
const NEXT = 2;
/** 1 + the first slot of the chain that has the number of this slot, or 0. */
const HEAD = 3;
const FIELDS = 4;
const SLOT_BYTES = FIELDS * Int32Array.BYTES_PER_ELEMENT;

/**
 * Which slot belongs to which source, for at most `capacity` sources.
 *
 * Slots are given out in order, from 0, and all taken back at once. The table grows by linear
 * hashing: it has as many chains as sources, and each new source divides one chain in two. So
 * it is never rehashed; adding a source moves those of one chain, two on average.
 *
 * Memory: 16 bytes a slot, taken as slots are given out.
 *
 * Source: W. Litwin, Linear Hashing: A New Tool for File and Table Addressing (1980).
 */
export class SourceTable {
  readonly #memory: ElasticBuffer;
  readonly #fields: Int32Array;
  #size = 0;
  /** Chains below this number are divided, or are being divided, by this bit of the hash. */
  #half = 1;

  constructor(capacity: number) {
    this.#memory = new ElasticBuffer(capacity * SLOT_BYTES);
    this.#fields = new Int32Array(this.#memory.buffer);
  }

  /** Slots given out. */
  get size(): number {
    return this.#size;
  }

  /** The slot of the source with this hash, or NO_SLOT. */
  find(hash: HashPair): number {
    if (this.#size === 0) return NO_SLOT;
    let slot = this.#get(this.#chainOf(hash.low), HEAD) - 1;
    while (slot !== NO_SLOT && !this.#belongsTo(slot, hash)) slot = this.#get(slot, NEXT) - 1;
    return slot;
  }

  /** Gives the source, which must not have one, the next slot; NO_SLOT when there is no memory. */
  add(hash: HashPair): number {
    const slot = this.#size;
    if (!this.#memory.take((slot + 1) * SLOT_BYTES)) return NO_SLOT;
    this.#size += 1;
    this.#set(slot, HEAD, 0);
    if (slot > 0) this.#divideInto(slot);
    this.#set(slot, LOW, hash.low);
    this.#set(slot, HIGH, hash.high);
    this.#link(slot);
    return slot;
  }

  /** Takes all slots back. Their memory is given back by and by. */
  clear(): void {
    this.#size = 0;
    this.#half = 1;
  }

  /** Gives the system back a step of the memory beyond the slots given out, if there is more. */
  giveBack(): void {
    this.#memory.giveBack(this.#size * SLOT_BYTES);
  }

  /** Fills the newest chain from the one that held its sources so far. */
  #divideInto(newest: number): void {
    if (newest === this.#half * 2) this.#half = newest;
    const divided = newest - this.#half;
    let slot = this.#get(divided, HEAD) - 1;
    this.#set(divided, HEAD, 0);
    while (slot !== NO_SLOT) {
      const next = this.#get(slot, NEXT) - 1;
      this.#link(slot);
      slot = next;
    }
  }

  /** Puts a slot at the front of its chain. */
  #link(slot: number): void {
    const chain = this.#chainOf(this.#get(slot, LOW));
    this.#set(slot, NEXT, this.#get(chain, HEAD));
    this.#set(chain, HEAD, slot + 1);
  }

  #chainOf(low: number): number {
    const chain = low & (this.#half * 2 - 1);
    return chain < this.#size ? chain : chain - this.#half;
  }

  #belongsTo(slot: number, hash: HashPair): boolean {
    return this.#get(slot, LOW) === hash.low && this.#get(slot, HIGH) === hash.high;
  }

  #get(slot: number, field: number): number {
    return this.#fields[slot * FIELDS + field]!;
  }

  #set(slot: number, field: number, value: number): void {
    this.#fields[slot * FIELDS + field] = value;
  }
}
