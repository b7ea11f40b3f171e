import type { PeriodRanks } from './period-ranks.ts';

/**
 * A bounded cache of the counts of books, by name. A name includes the version of the book at which they were read.
 * When the cache is full, the least recently used counts are removed.
 */
export class RememberedCounts {
  readonly #maxBytes: number;
  readonly #counts = new Map<string, PeriodRanks>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  find(name: string): PeriodRanks | undefined {
    const counts = this.#counts.get(name);
    if (counts === undefined) return undefined;
    this.#counts.delete(name);
    this.#counts.set(name, counts);
    return counts;
  }

  remember(name: string, counts: PeriodRanks): void {
    this.#forget(name);
    this.#counts.set(name, counts);
    this.#bytes += counts.bytes;
    for (const oldest of this.#counts.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
  }

  /** The approximate size of all counts in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  #forget(name: string): void {
    this.#bytes -= this.#counts.get(name)?.bytes ?? 0;
    this.#counts.delete(name);
  }
}
