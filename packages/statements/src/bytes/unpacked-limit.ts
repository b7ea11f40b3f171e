import { Refusal } from '../statement/statement-error.ts';

/** Unpacked bytes that are always allowed. Larger content has a maximum ratio to the packed bytes. */
const FREE_BYTES = 16 * 2 ** 20;
const MAX_RATIO = 200;

/** Counts unpacked bytes, and stops bombs. */
export class UnpackedLimit {
  readonly #maxBytes: number;
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Adds a piece of content; `packedBytes` were read so far.
   * Errors: Refusal if the content exceeds the maximum, or both 16 MiB and 200 times the packed bytes.
   */
  add(length: number, packedBytes: number): void {
    this.#total += length;
    if (this.#total > this.#maxBytes) {
      throw new Refusal(`File is longer than ${this.#maxBytes} bytes unpacked`);
    }
    if (this.#total <= FREE_BYTES || this.#total <= packedBytes * MAX_RATIO) return;
    throw new Refusal(`File unpacks to more than ${MAX_RATIO} times its length`);
  }
}
