/** Small enough that giving a step back takes some 50 microseconds, most of them to clear it. */
const STEP_BYTES = 2 ** 18;

/**
 * Memory that is taken from the system in steps of 256 KiB, and given back in such steps.
 *
 * A resizable buffer rather than many buffers that are dropped: those would wait for the
 * garbage collector, and the allocator would then keep most of them for the process. What this
 * gives back is the system's at once. Addresses are reserved for `maxBytes`; they cost nothing.
 * Bytes are 0 when they are taken, and again after they were given back.
 */
export class ElasticBuffer {
  /** Views over it follow its length, and see the same bytes after a resize. */
  readonly buffer: ArrayBuffer;
  readonly #maxBytes: number;
  /** The same as `buffer.byteLength`, but cheaper to read. */
  #bytes: number;

  /** @throws RangeError when the addresses cannot be reserved, or the first bytes not be taken */
  constructor(maxBytes: number, firstBytes = 0) {
    this.#maxBytes = maxBytes;
    this.#bytes = firstBytes;
    this.buffer = new ArrayBuffer(firstBytes, { maxByteLength: maxBytes });
  }

  /** Sees to it that the first `bytes` are there; false when the bound or the system denies it. */
  take(bytes: number): boolean {
    if (bytes <= this.#bytes) return true;
    if (bytes > this.#maxBytes) return false;
    const steps = Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
    return this.#resize(Math.min(this.#maxBytes, steps));
  }

  /**
   * Gives back at most one step of what lies beyond the first `bytes`.
   *
   * Up to two steps are kept, so that a need that goes up and down by little moves nothing.
   */
  giveBack(bytes: number): void {
    if (this.#bytes - bytes > 2 * STEP_BYTES) this.#resize(this.#bytes - STEP_BYTES);
  }

  #resize(bytes: number): boolean {
    try {
      this.buffer.resize(bytes);
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
    this.#bytes = bytes;
    return true;
  }
}
