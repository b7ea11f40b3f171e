import { ElasticBuffer } from './elastic-buffer.ts';
import type { HashPair } from './key-hash.ts';

/** What `find` returns when a client has no slot. */
export const NO_SLOT = -1;

/** Fields of a slot: both halves of its hash, and 1 + the next slot of its chain, or 0. */
const LOW = 0;
const HIGH = 1;
const NEXT = 2;
/** 1 + the first slot of the chain with the same number as this slot, or 0. */
const HEAD = 3;
const FIELDS = 4;
const SLOT_BYTES = FIELDS * Int32Array.BYTES_PER_ELEMENT;

/**
 * A hash table from clients to slots, for at most `capacity` clients.
 *
 * Slots are assigned in order, from 0, and released all at once. The table grows by linear
 * hashing: it has as many chains as clients, and each new client splits one chain in two. So the
 * table is never rehashed as a whole: adding a client moves one chain, two clients on average.
 *
 * Memory: 16 bytes per slot, taken as slots are assigned.
 *
 * Source: W. Litwin, Linear Hashing: A New Tool for File and Table Addressing (1980).
 */
export class ClientTable {
  readonly #memory: ElasticBuffer;
  readonly #fields: Int32Array;
  #size = 0;
  /** The bit of the hash that splits the chains with numbers below it, now or before. */
  #half = 1;

  constructor(capacity: number) {
    this.#memory = new ElasticBuffer(capacity * SLOT_BYTES);
    this.#fields = new Int32Array(this.#memory.buffer);
  }

  /** Number of assigned slots. */
  get size(): number {
    return this.#size;
  }

  /** The slot of the client with this hash, or NO_SLOT. */
  find(hash: HashPair): number {
    if (this.#size === 0) return NO_SLOT;
    let slot = this.#get(this.#chainOf(hash.low), HEAD) - 1;
    while (slot !== NO_SLOT && !this.#belongsTo(slot, hash)) slot = this.#get(slot, NEXT) - 1;
    return slot;
  }

  /** Assigns the next slot to a client that has none; NO_SLOT when there is no memory. */
  add(hash: HashPair): number {
    const slot = this.#size;
    if (!this.#memory.take((slot + 1) * SLOT_BYTES)) return NO_SLOT;
    this.#size += 1;
    this.#set(slot, HEAD, 0);
    if (slot > 0) this.#splitInto(slot);
    this.#set(slot, LOW, hash.low);
    this.#set(slot, HIGH, hash.high);
    this.#link(slot);
    return slot;
  }

  /** Releases all slots. Later calls of `giveBack` return their memory. */
  clear(): void {
    this.#size = 0;
    this.#half = 1;
  }

  /** Gives back one step of the memory beyond the assigned slots, if there is enough of it. */
  giveBack(): void {
    this.#memory.giveBack(this.#size * SLOT_BYTES);
  }

  /** Moves clients into the newest chain from the chain that held them so far. */
  #splitInto(newest: number): void {
    if (newest === this.#half * 2) this.#half = newest;
    const split = newest - this.#half;
    let slot = this.#get(split, HEAD) - 1;
    this.#set(split, HEAD, 0);
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
