import { Refusal } from '../statement-error.ts';
import type { BitReader } from './bit-reader.ts';

/** A Huffman code, ready to be looked up. */
export interface Huffman {
  /** Length of the longest code, 1 to 15 bits. */
  readonly longest: number;
  /** By the next `longest` bits: symbol × 16 + length of its code; 0 where no code begins so. */
  readonly entries: Uint16Array;
}

/**
 * Builds a canonical Huffman code from the lengths of its codes, 0 to 15, by symbol.
 * Errors: Refusal if there are more codes of a length than fit. Source: RFC 1951, 3.2.2.
 */
export function huffman(codeLengths: Uint8Array): Huffman {
  const counts = new Uint16Array(16);
  for (const length of codeLengths) if (length > 0) counts[length]! += 1;
  const longest = Math.max(
    1,
    counts.findLastIndex((count) => count > 0),
  );
  const nextCodes = firstCodes(counts, longest);
  const entries = new Uint16Array(1 << longest);
  codeLengths.forEach((length, symbol) => {
    if (length === 0) return;
    const first = reversed(nextCodes[length]!, length);
    nextCodes[length]! += 1;
    for (let at = first; at < entries.length; at += 1 << length) entries[at] = symbol * 16 + length;
  });
  return { longest, entries };
}

function firstCodes(counts: Uint16Array, longest: number): Uint16Array {
  const first = new Uint16Array(16);
  for (let length = 1, code = 0; length <= longest; length += 1) {
    code = (code + counts[length - 1]!) << 1;
    first[length] = code;
    if (code + counts[length]! > 1 << length) throw new Refusal('Packed data is damaged');
  }
  return first;
}

// Codes arrive highest bit first in a stream that is read lowest bit first.
function reversed(code: number, length: number): number {
  let result = 0;
  for (let bit = 0; bit < length; bit += 1) result |= ((code >> bit) & 1) << (length - 1 - bit);
  return result;
}

/** Takes one symbol. Errors: Refusal if no code begins with the bits that follow. */
export function takeSymbol(bits: BitReader, code: Huffman): number {
  const entry = code.entries[bits.peek(code.longest)]!;
  if (entry === 0) throw new Refusal('Packed data is damaged');
  bits.skip(entry & 15);
  return entry >> 4;
}
