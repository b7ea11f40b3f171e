import type { RowKey } from './filter.ts';

/**
 * A bounded memory of the keys that earlier pages ended on.
 *
 * A walk asks for offset + limit next; with the key that the page before reached, the next page is a seek, and a
 * whole walk of any filtered list costs as much as reading it once. A key counts only for the book's version that it
 * was read at. When the memory is full the entry that was used longest ago goes.
 */
export class RememberedKeys {
  readonly #capacity: number;
  readonly #keys = new Map<string, RowKey>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The key of the row just before `offset` in that list, or null when it is not remembered. */
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
