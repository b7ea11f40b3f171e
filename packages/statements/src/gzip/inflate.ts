import { Refusal } from '../statement-error.ts';
import type { BitReader } from './bit-reader.ts';
import { huffman, takeSymbol, type Huffman } from './huffman.ts';

/*
 * Node has no inflate that is both synchronous and incremental: `gunzipSync` holds the whole of what it unpacks.
 * This one holds a window of 32 KiB and hands out what it unpacks in pieces, so that a small file that would
 * unpack to gigabytes is stopped while it is still small in memory.
 */

const WINDOW_BYTES = 32_768;
const PIECE_BYTES = 65_536;
const LONGEST_MATCH = 258;
const END_OF_BLOCK = 256;
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

const lengths = ranges(29, 3, 8, 4);
lengths.base[28] = LONGEST_MATCH;
lengths.extraBits[28] = 0;
const distances = ranges(30, 1, 4, 2);

/** Codes stand for ranges that double in width every `perWidth` codes, after the first `plain` of width one. */
function ranges(codes: number, from: number, plain: number, perWidth: number) {
  const base = new Uint16Array(codes);
  const extraBits = new Uint8Array(codes);
  let next = from;
  for (let code = 0; code < codes; code += 1) {
    const bits = code < plain ? 0 : Math.floor((code - plain) / perWidth) + 1;
    base[code] = next;
    extraBits[code] = bits;
    next += 1 << bits;
  }
  return { base, extraBits };
}

const fixedLiterals = huffman(
  Uint8Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8)),
);
const fixedDistances = huffman(new Uint8Array(30).fill(5));

/**
 * Unpacks one deflate stream and leaves the reader behind it.
 * Every piece is fresh memory of about 64 KiB. Errors: Refusal if the data is damaged or ends too early.
 * Source: RFC 1951.
 */
export function* inflate(bits: BitReader): Generator<Uint8Array> {
  const out = new Output();
  for (let last = false; !last;) {
    last = bits.take(1) === 1;
    const kind = bits.take(2);
    if (kind === 0) yield* storedBlock(bits, out);
    else if (kind === 1) yield* codedBlock(bits, out, fixedLiterals, fixedDistances);
    else if (kind === 2) yield* codedBlock(bits, out, ...dynamicCodes(bits));
    else throw new Refusal('Packed data is damaged');
  }
  yield out.takePiece();
}

function* storedBlock(bits: BitReader, out: Output): Generator<Uint8Array> {
  bits.skipToByte();
  const length = bits.take(16);
  if (bits.take(16) !== (length ^ 0xffff)) throw new Refusal('Packed data is damaged');
  for (let at = 0; at < length; at += 1) {
    if (out.isFull()) yield out.takePiece();
    out.add(bits.take(8));
  }
}

function* codedBlock(bits: BitReader, out: Output, literals: Huffman, far: Huffman) {
  while (!decodeSymbols(bits, out, literals, far)) yield out.takePiece();
}

/** Decodes until the block ends (true) or the output is full (false). */
function decodeSymbols(bits: BitReader, out: Output, literals: Huffman, far: Huffman): boolean {
  while (!out.isFull()) {
    const symbol = takeSymbol(bits, literals);
    if (symbol < END_OF_BLOCK) {
      out.add(symbol);
      continue;
    }
    if (symbol === END_OF_BLOCK) return true;
    const length = takeRanged(bits, lengths, symbol - END_OF_BLOCK - 1);
    out.repeat(takeRanged(bits, distances, takeSymbol(bits, far)), length);
  }
  return false;
}

function takeRanged(bits: BitReader, range: ReturnType<typeof ranges>, code: number): number {
  if (code >= range.base.length) throw new Refusal('Packed data is damaged');
  return range.base[code]! + bits.take(range.extraBits[code]!);
}

/** Reads the two codes that a dynamic block begins with (RFC 1951, 3.2.7). */
function dynamicCodes(bits: BitReader): [literals: Huffman, far: Huffman] {
  const literalCount = bits.take(5) + 257;
  const distanceCount = bits.take(5) + 1;
  const ownCount = bits.take(4) + 4;
  const ownLengths = new Uint8Array(19);
  for (const at of CODE_LENGTH_ORDER.slice(0, ownCount)) ownLengths[at] = bits.take(3);
  const all = takeCodeLengths(bits, huffman(ownLengths), literalCount + distanceCount);
  return [huffman(all.subarray(0, literalCount)), huffman(all.subarray(literalCount))];
}

function takeCodeLengths(bits: BitReader, own: Huffman, count: number): Uint8Array {
  const all = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const symbol = takeSymbol(bits, own);
    const repeated = symbol === 16 ? all[at - 1] : 0;
    const times = symbol < 16 ? 1 : takeTimes(bits, symbol);
    if (repeated === undefined || at + times > count) throw new Refusal('Packed data is damaged');
    all.fill(symbol < 16 ? symbol : repeated, at, at + times);
    at += times;
  }
  return all;
}

function takeTimes(bits: BitReader, symbol: number): number {
  if (symbol === 16) return 3 + bits.take(2);
  return symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
}

/** What was unpacked: the window of the last 32 KiB, and behind it the piece in the making. */
class Output {
  readonly #bytes = new Uint8Array(WINDOW_BYTES + PIECE_BYTES + LONGEST_MATCH);
  #end = WINDOW_BYTES;
  #oldest = WINDOW_BYTES;

  isFull(): boolean {
    return this.#end >= WINDOW_BYTES + PIECE_BYTES;
  }

  add(byte: number): void {
    this.#bytes[this.#end++] = byte;
  }

  /** Copies byte by byte: a match may overlap what it makes. */
  repeat(distance: number, length: number): void {
    const bytes = this.#bytes;
    const end = this.#end + length;
    let from = this.#end - distance;
    if (from < this.#oldest) throw new Refusal('Packed data is damaged');
    for (let at = this.#end; at < end; at += 1) bytes[at] = bytes[from++]!;
    this.#end = end;
  }

  takePiece(): Uint8Array {
    const piece = this.#bytes.slice(WINDOW_BYTES, this.#end);
    this.#bytes.copyWithin(0, this.#end - WINDOW_BYTES, this.#end);
    this.#oldest = Math.max(0, this.#oldest - piece.length);
    this.#end = WINDOW_BYTES;
    return piece;
  }
}
