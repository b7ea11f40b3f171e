import { Refusal } from '../statement-error.ts';

/** Takes bits, lowest first, from pieces of bytes. */
export class BitReader {
  readonly #pieces: Iterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array(0);
  #at = 0;
  #hold = 0;
  #held = 0;
  #missing = 0;

  constructor(pieces: Iterator<Uint8Array>) {
    this.#pieces = pieces;
  }

  /** The next `count` bits, at most 16, without taking them; zeros beyond the end. */
  peek(count: number): number {
    while (this.#held < count) {
      if (this.#at === this.#piece.length) this.#nextPiece();
      this.#hold |= this.#piece[this.#at++]! << this.#held;
      this.#held += 8;
    }
    return this.#hold & ((1 << count) - 1);
  }

  /** Takes bits that were peeked at. Errors: Refusal if they lie beyond the end. */
  skip(count: number): void {
    this.#hold >>>= count;
    this.#held -= count;
    if (this.#held < this.#missing) throw new Refusal('Packed data ends too early');
  }

  take(count: number): number {
    const bits = this.peek(count);
    this.skip(count);
    return bits;
  }

  skipToByte(): void {
    this.skip(this.#held % 8);
  }

  #nextPiece(): void {
    this.#at = 0;
    for (let next = this.#pieces.next(); next.done !== true; next = this.#pieces.next()) {
      this.#piece = next.value;
      if (this.#piece.length > 0) return;
    }
    this.#piece = new Uint8Array(1);
    this.#missing += 8;
  }
}
