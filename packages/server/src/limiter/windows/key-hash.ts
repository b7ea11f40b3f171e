const V2_START = 0x6c796765;
const V3_START = 0x74656462;

/** The two halves of a 64-bit hash, as signed 32-bit integers. */
export interface HashPair {
  readonly low: number;
  readonly high: number;
}

/**
 * A keyed 64-bit hash of a text: HalfSipHash-2-4 over its UTF-16LE bytes.
 *
 * Texts that collide cannot be found without the secret. By chance, two of a million texts collide
 * once in about 37 million runs, so the hash can replace the text. The object is reused for every
 * text, so that a hit allocates nothing for its hash.
 *
 * Source: J.-P. Aumasson, D. J. Bernstein, SipHash (the 32-bit variant with 64-bit output).
 */
export class KeyHash implements HashPair {
  low = 0;
  high = 0;

  readonly #k0: number;
  readonly #k1: number;
  #v0 = 0;
  #v1 = 0;
  #v2 = 0;
  #v3 = 0;

  /** `secret` must be two random 32-bit words. */
  constructor(secret: readonly [number, number]) {
    [this.#k0, this.#k1] = secret;
  }

  /** Sets `low` and `high` to the hash of a text, which may have lone surrogates. */
  update(text: string): void {
    const length = text.length;
    this.#start();
    let at = 0;
    for (; at + 1 < length; at += 2) {
      this.#mix(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
    }
    const lastUnit = at < length ? text.charCodeAt(at) : 0;
    this.#mix(lastUnit | (length << 25));
    this.#finish();
  }

  #start(): void {
    this.#v0 = this.#k0;
    this.#v1 = this.#k1 ^ 0xee;
    this.#v2 = this.#k0 ^ V2_START;
    this.#v3 = this.#k1 ^ V3_START;
  }

  #mix(word: number): void {
    this.#v3 ^= word;
    this.#round();
    this.#round();
    this.#v0 ^= word;
  }

  #finish(): void {
    this.#v2 ^= 0xee;
    for (let i = 0; i < 4; i += 1) this.#round();
    this.low = this.#v1 ^ this.#v3;
    this.#v1 ^= 0xdd;
    for (let i = 0; i < 4; i += 1) this.#round();
    this.high = this.#v1 ^ this.#v3;
  }

  #round(): void {
    let v0 = (this.#v0 + this.#v1) | 0;
    let v1 = rotateLeft(this.#v1, 5) ^ v0;
    let v2 = (this.#v2 + this.#v3) | 0;
    let v3 = rotateLeft(this.#v3, 8) ^ v2;
    v0 = (rotateLeft(v0, 16) + v3) | 0;
    v3 = rotateLeft(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotateLeft(v1, 13) ^ v2;
    v2 = rotateLeft(v2, 16);
    this.#v0 = v0;
    this.#v1 = v1;
    this.#v2 = v2;
    this.#v3 = v3;
  }
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
