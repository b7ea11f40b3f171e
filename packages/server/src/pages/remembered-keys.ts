import type { RowKey } from './filter.ts';
import { RememberedCounts } from './counts.ts';

/** The months of a book of ten years have 2 kB, and the days of each month 1 kB. */
const maxCountBytes = 8_000_000;

/**
 * A bounded cache of the last keys of earlier pages.
 *
 * A client that walks a list requests offset + limit next. With the last key of the previous page, the next page is
 * found by a seek, so walking a whole filtered list costs as much as reading it once. A key is valid only for the
 * version of the book at which it was read. When the cache is full, the least recently used entry is removed.
 */
export class RememberedKeys {
  readonly #capacity: number;
  readonly #keys = new Map<string, RowKey>();
  /** The counts of the same books. */
  readonly counts = new RememberedCounts(maxCountBytes);

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns the key of the row before `offset` in that list, or null if it is not in the cache. */
  find(list: string, offset: number): RowKey | null {
    const name = `${list} ${offset}`;
    const key = this.#keys.get(name);
    if (key === undefined) return null;
    this.#keys.delete(name);
    this.#keys.set(name, key);
    return key;
  }

  remember(list: string, offset: number, key: RowKey): void {
    const name = `${list} ${offset}`;
    this.#keys.delete(name);
    this.#keys.set(name, key);
    if (this.#keys.size <= this.#capacity) return;
    const oldest = this.#keys.keys().next();
    if (oldest.done !== true) this.#keys.delete(oldest.value);
  }

  get size(): number {
    return this.#keys.size;
  }
}
