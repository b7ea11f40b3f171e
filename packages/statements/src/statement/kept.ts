/** A place for what does not fit in memory, such as a temporary file. */
export interface Scratch {
  /** Writes bytes at a position, behind all that was written before. */
  write(bytes: Uint8Array, at: number): void;
  /** Reads bytes that were written. */
  read(at: number, length: number): Uint8Array;
}

/** How items are written as a text, and read from it. */
export interface Notation<T> {
  /** How many characters an item takes, about. */
  lengthOf(item: T): number;
  write(items: readonly T[]): string;
  read(text: string): readonly T[];
}

const JSON_LENGTH = 512;

/** For plain objects with values that JSON can have. */
export function asJson<T>(): Notation<T> {
  return {
    lengthOf: () => JSON_LENGTH,
    write: (items) => JSON.stringify(items),
    read: (text) => JSON.parse(text) as T[],
  };
}

/** For pieces of one text, which may come back in other pieces. */
export const AS_TEXT: Notation<string> = {
  lengthOf: (piece) => piece.length,
  write: (pieces) => pieces.join(''),
  read: (text) => [text],
};

const BLOCK_LENGTH = 16_384;
/** Characters of all blocks in memory, if there is a place for the others. */
const MAX_LENGTH = 4 * 2 ** 20;

/** The place of a block, in bytes. */
interface Place {
  readonly at: number;
  readonly length: number;
}

/**
 * Keeps a sequence that can be gone through once, so that it can be gone through again and again. Items are taken from
 * it when they are first needed, and written in blocks of 16 Ki characters: 4 Mi characters in memory, the others in
 * `scratch` if there is one. An error of the sequence is thrown each time, after the items before it.
 */
export class Kept<T> implements Iterable<T> {
  readonly #items: Iterator<T>;
  readonly #notation: Notation<T>;
  readonly #scratch: Scratch | undefined;
  readonly #blocks: (string | Place)[] = [];
  #length = 0;
  #scratchBytes = 0;
  #isWhole = false;
  #fault: { readonly error: unknown } | null = null;

  constructor(items: Iterable<T>, notation: Notation<T>, scratch: Scratch | undefined) {
    this.#items = items[Symbol.iterator]();
    this.#notation = notation;
    this.#scratch = scratch;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let at = 0; ; at += 1) {
      const items = at < this.#blocks.length ? this.#read(this.#blocks[at]!) : this.#take();
      if (items === null) break;
      yield* items;
    }
    if (this.#fault !== null) throw this.#fault.error;
  }

  /** Takes all items now, and returns the sequence. Errors: that of the sequence. */
  whole(): this {
    while (this.#take() !== null);
    if (this.#fault !== null) throw this.#fault.error;
    return this;
  }

  /** Takes the items of the next block; null at the end. */
  #take(): readonly T[] | null {
    const items: T[] = [];
    for (let length = 0; length < BLOCK_LENGTH && !this.#isWhole;) {
      const next = this.#next();
      if (next.done === true) break;
      items.push(next.value);
      length += this.#notation.lengthOf(next.value);
    }
    if (items.length === 0) return null;
    this.#keep(this.#notation.write(items));
    return items;
  }

  #next(): IteratorResult<T, unknown> {
    try {
      const next = this.#items.next();
      if (next.done === true) this.#isWhole = true;
      return next;
    } catch (error) {
      this.#isWhole = true;
      this.#fault = { error };
      return { done: true, value: undefined };
    }
  }

  #keep(text: string): void {
    this.#length += text.length;
    if (this.#scratch === undefined || this.#length <= MAX_LENGTH) {
      this.#blocks.push(text);
      return;
    }
    const bytes = Buffer.from(text);
    this.#scratch.write(bytes, this.#scratchBytes);
    this.#blocks.push({ at: this.#scratchBytes, length: bytes.length });
    this.#scratchBytes += bytes.length;
  }

  #read(block: string | Place): readonly T[] {
    if (typeof block === 'string') return this.#notation.read(block);
    const bytes = this.#scratch!.read(block.at, block.length);
    return this.#notation.read(Buffer.from(bytes).toString());
  }
}

const PAGE_BITS = 1024;

/** A set of numbers that are mostly consecutive: a bit for each. A million take 130 kB instead of 40 MB. */
export class NumberSet {
  readonly #pages = new Map<number, Uint8Array>();

  has(number: number): boolean {
    const page = this.#pages.get(Math.floor(number / PAGE_BITS));
    const at = number % PAGE_BITS;
    return page !== undefined && (page[at >>> 3]! & (1 << (at & 7))) !== 0;
  }

  add(number: number): void {
    const place = Math.floor(number / PAGE_BITS);
    const page = this.#pages.get(place) ?? new Uint8Array(PAGE_BITS / 8);
    this.#pages.set(place, page);
    const at = number % PAGE_BITS;
    page[at >>> 3] = page[at >>> 3]! | (1 << (at & 7));
  }
}
