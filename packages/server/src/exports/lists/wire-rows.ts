import { transactionKeys } from '../../db/dialect.ts';

/** Between rows of a block, as the database stores them. JSON does not have it, not even between its values. */
export const rowSeparator = '\u001e';

/** Returns the JSON of a transaction with the keys and their order that the database has. Missing values are null. */
export function wireRow(values: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(
    Object.fromEntries(transactionKeys.map((key) => [key, values[key] ?? null])),
  );
}

const [quote, backslash, comma, openList, closeList, closeObject] = Buffer.from('"\\,[]}');
/** The lengths of `,"key":`. */
const keyLengths = transactionKeys.map((key) => Buffer.byteLength(`,"${key}":`));

/** Finds the values of the stored JSON of a transaction without parsing it: its keys have a fixed order. */
export class RowValues {
  readonly #starts = new Int32Array(transactionKeys.length);
  readonly #ends = new Int32Array(transactionKeys.length);

  /** Finds the values of the row that starts at a place. Returns the place after the row. */
  find(bytes: Uint8Array, start: number): number {
    let at = start;
    for (let place = 0; place < keyLengths.length; place += 1) {
      at += keyLengths[place]!;
      this.#starts[place] = at;
      at = endOfValue(bytes, at);
      this.#ends[place] = at;
    }
    return at + 1;
  }

  /** Where the value of a key starts, by {@link placeOfKey}. */
  start(place: number): number {
    return this.#starts[place]!;
  }

  end(place: number): number {
    return this.#ends[place]!;
  }
}

/** Returns the place of a key for {@link RowValues}. Throws for a key that transactions do not have. */
export function placeOfKey(key: string): number {
  const place = transactionKeys.indexOf(key);
  if (place < 0) throw new Error(`Transactions have no key "${key}"`);
  return place;
}

function endOfValue(bytes: Uint8Array, start: number): number {
  let at = start;
  if (bytes[at] === quote) {
    while (bytes[(at += 1)] !== quote) if (bytes[at] === backslash) at += 1;
    return at + 1;
  }
  if (bytes[at] === openList) {
    while (bytes[at] !== closeList) at += 1;
    return at + 1;
  }
  while (bytes[at] !== comma && bytes[at] !== closeObject) at += 1;
  return at;
}

/** A copy in a loop costs less than a call up to this many bytes. */
const shortBytes = 32;

/** Bytes that grow while they are written. */
export class GrowingBytes {
  #bytes: Buffer<ArrayBuffer>;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Removes what was written after a length. */
  cut(length: number): void {
    this.#length = length;
  }

  byte(byte: number): void {
    this.#makeRoom(1);
    this.#bytes[this.#length++] = byte;
  }

  copy(source: Buffer, from = 0, to = source.length): void {
    this.#makeRoom(to - from);
    if (to - from > shortBytes) {
      source.copy(this.#bytes, this.#length, from, to);
      this.#length += to - from;
    } else for (let at = from; at < to; at += 1) this.#bytes[this.#length++] = source[at]!;
  }

  /** Returns what was written, without a copy. Nothing may be written afterwards. */
  taken(): Buffer<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  #makeRoom(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
