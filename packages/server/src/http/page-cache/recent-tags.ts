/** About 100 bytes each, in two generations. */
const mostTags = 4096;

/**
 * Remembers which bodies were read recently, in little memory: by a part of the ETag, for one to two generations. A
 * generation ends after bodies of `generationBytes`, or after 4,096 bodies.
 */
export class RecentTags {
  readonly #generationBytes: number;
  #current = new Set<string>();
  #earlier = new Set<string>();
  #bytes = 0;

  constructor(generationBytes: number) {
    this.#generationBytes = generationBytes;
  }

  /** Whether the body was read recently. */
  has(tag: string): boolean {
    const part = partOf(tag);
    return this.#current.has(part) || this.#earlier.has(part);
  }

  /** Notes that a body of `bytes` was read. */
  add(tag: string, bytes: number): void {
    this.#current.add(partOf(tag));
    this.#bytes += bytes;
    if (this.#bytes < this.#generationBytes && this.#current.size < mostTags) return;
    this.#earlier = this.#current;
    this.#current = new Set();
    this.#bytes = 0;
  }
}

/** 72 bits of the hash, after `W/"`. */
function partOf(tag: string): string {
  return tag.slice(3, 15);
}
