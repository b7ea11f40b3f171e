/** Small enough that giving back a step takes about 50 microseconds, mostly to clear it. */
const STEP_BYTES = 2 ** 18;

/**
 * Memory that is taken from the system, and given back to it, in steps of 256 KiB.
 *
 * A resizable buffer, because the system gets its memory back at once. Dropped buffers would wait
 * for the garbage collector, and the allocator would then keep most of their memory. The buffer
 * reserves addresses for `maxBytes`, which costs no memory. New bytes are 0, also when they were
 * used and given back before.
 */
export class ElasticBuffer {
  /** Views of it follow its length and keep their contents on a resize. */
  readonly buffer: ArrayBuffer;
  readonly #maxBytes: number;
  /** Equal to `buffer.byteLength`, but faster to read. */
  #bytes: number;

  /** @throws RangeError when the system denies the addresses or the first bytes */
  constructor(maxBytes: number, firstBytes = 0) {
    this.#maxBytes = maxBytes;
    this.#bytes = firstBytes;
    this.buffer = new ArrayBuffer(firstBytes, { maxByteLength: maxBytes });
  }

  /** Makes the first `bytes` available; false beyond `maxBytes` or when the system denies them. */
  take(bytes: number): boolean {
    if (bytes <= this.#bytes) return true;
    if (bytes > this.#maxBytes) return false;
    const steps = Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
    return this.#resize(Math.min(this.#maxBytes, steps));
  }

  /**
   * Gives back at most one step of the memory beyond the first `bytes`.
   *
   * Keeps up to two steps, so that small changes of `bytes` do not resize the buffer.
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
