import type { PeriodRanks } from './counts.ts';
import type { RowKey } from './filter.ts';
import type { ChosenPath } from './paths.ts';

/** A cache of limited size. When it is full, the values that were not used for the longest time are removed. */
export class BoundedCache<V> {
  readonly #mostSize: number;
  readonly #sizeOf: (value: V) => number;
  readonly #values = new Map<string, V>();
  #size = 0;

  /** `sizeOf` returns the size of a value. Default: each counts one. */
  constructor(mostSize: number, sizeOf: (value: V) => number = () => 1) {
    this.#mostSize = mostSize;
    this.#sizeOf = sizeOf;
  }

  find(name: string): V | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    this.#values.delete(name);
    this.#values.set(name, value);
    return value;
  }

  remember(name: string, value: V): void {
    this.#forget(name);
    this.#values.set(name, value);
    this.#size += this.#sizeOf(value);
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#mostSize) break;
      this.#forget(oldest);
    }
  }

  /** The size of all values. */
  get size(): number {
    return this.#size;
  }

  #forget(name: string): void {
    const value = this.#values.get(name);
    if (value === undefined) return;
    this.#size -= this.#sizeOf(value);
    this.#values.delete(name);
  }
}

/** The months of a book of ten years have 2 kB, and the days of each month 1 kB. */
const maxCountBytes = 8_000_000;

/**
 * A bounded cache of the last keys of earlier pages.
 *
 * A client that walks a list requests offset + limit next. With the last key of the previous page, the next page is
 * found by a seek, so walking a whole filtered list costs as much as reading it once. A key is valid only for the
 * version of the book at which it was read.
 */
export class RememberedKeys {
  readonly #keys: BoundedCache<RowKey>;
  /** The counts of the same books, by names that include the version they were read at. The size is in bytes. */
  readonly counts = new BoundedCache<PeriodRanks>(maxCountBytes, ({ bytes }) => bytes);

  /** The paths of lists, by names that include the version at which they have the fewest rows. */
  readonly paths = new BoundedCache<ChosenPath>(1000);

  constructor(capacity: number) {
    this.#keys = new BoundedCache(capacity);
  }

  /** Returns the key of the row before `offset` in that list, or null if it is not in the cache. */
  find(list: string, offset: number): RowKey | null {
    return this.#keys.find(`${list} ${offset}`) ?? null;
  }

  remember(list: string, offset: number, key: RowKey): void {
    this.#keys.remember(`${list} ${offset}`, key);
  }

  get size(): number {
    return this.#keys.size;
  }
}
