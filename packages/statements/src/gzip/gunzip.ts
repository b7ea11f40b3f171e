import { crc32 } from 'node:zlib';
import { Refusal } from '../statement-error.ts';
import { BitReader } from './bit-reader.ts';
import { inflate } from './inflate.ts';

const MAGIC = 0x8b1f;
const DEFLATE = 8;
const HAS_HEADER_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
/** The most characters of a name or a comment in a header. */
const LONGEST_TEXT = 65_536;
/** The most members without content: they cost time, and nothing counts them. */
const MOST_EMPTY_MEMBERS = 1_000;

/** Whether bytes begin as a gzip file does. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Unpacks a gzip file piece by piece; several members one behind the other are one content.
 * Whatever follows the last member is passed over, as gzip itself does.
 * Errors: Refusal if the data is damaged, ends too early, or does not match its checksum. Source: RFC 1952.
 */
export function* gunzip(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  const iterator = pieces[Symbol.iterator]();
  try {
    const bits = new BitReader(iterator);
    let emptyMembers = 0;
    do {
      const length = yield* member(bits);
      if (length === 0) emptyMembers += 1;
      if (emptyMembers > MOST_EMPTY_MEMBERS) throw new Refusal('Packed data has too many parts');
    } while (bits.peek(16) === MAGIC);
  } finally {
    iterator.return?.();
  }
}

/** Unpacks one member and returns its length, modulo 2^32. */
function* member(bits: BitReader): Generator<Uint8Array, number> {
  skipHeader(bits);
  let checksum = 0;
  let length = 0;
  for (const piece of inflate(bits)) {
    checksum = crc32(piece, checksum);
    length = (length + piece.length) >>> 0;
    yield piece;
  }
  bits.skipToByte();
  if (takeUint32(bits) !== checksum || takeUint32(bits) !== length) {
    throw new Refusal('Packed data does not match its checksum');
  }
  return length;
}

function skipHeader(bits: BitReader): void {
  bits.take(16);
  if (bits.take(8) !== DEFLATE) throw new Refusal('Packed data is of an unknown kind');
  const flags = bits.take(8);
  for (let at = 0; at < 6; at += 1) bits.take(8);
  if (flags & HAS_EXTRA) for (let left = bits.take(16); left > 0; left -= 1) bits.take(8);
  if (flags & HAS_NAME) skipText(bits);
  if (flags & HAS_COMMENT) skipText(bits);
  if (flags & HAS_HEADER_CHECKSUM) bits.take(16);
}

function skipText(bits: BitReader): void {
  for (let length = 0; bits.take(8) !== 0; length += 1) {
    if (length === LONGEST_TEXT) throw new Refusal('Packed data has a name without end');
  }
}

function takeUint32(bits: BitReader): number {
  return (bits.take(16) | (bits.take(16) << 16)) >>> 0;
}
