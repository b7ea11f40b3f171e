import { crc32 } from 'node:zlib';
import { Refusal } from '../statement/statement-error.ts';
import { MAX_CONTENT_BYTES } from './content.ts';
import { inflate, PackedBytes } from './inflate.ts';
import { UnpackedLimit } from './unpacked-limit.ts';

const MAGIC = [0x1f, 0x8b] as const;
const KIND = 'Gzip data';
const DEFLATE = 8;
const HAS_HEADER_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
/** Maximum characters of a name or a comment in a header. */
const MAX_TEXT_LENGTH = 65_536;
/** Maximum members without content: they cost time, and no other bound counts them. */
const MAX_EMPTY_MEMBERS = 1_000;

/** Whether the first bytes are those of a gzip file. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === MAGIC[0] && head[1] === MAGIC[1];
}

/**
 * Unpacks a gzip file and passes its content to `write`, in pieces of at most 64 KiB. Several members in a row are one
 * content. What follows the last member is ignored, as in gzip itself.
 *
 * Resolves to null, or to the error that ended the unpacking: the data is damaged, ends too early, does not match its
 * checksum, or exceeds `maxBytes` or both 16 MiB and 200 times the packed bytes read so far. A source should throw
 * this error after the content written so far, so that it is reported at the right line. Rejects with what `write` or
 * `packed` throws.
 * Source: RFC 1952.
 */
export async function gunzip(
  packed: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  write: (piece: Uint8Array) => void,
  maxBytes = MAX_CONTENT_BYTES,
): Promise<Error | null> {
  const bytes = new PackedBytes(packed);
  const limit = new UnpackedLimit(maxBytes);
  try {
    for await (const piece of unpackMembers(bytes)) {
      limit.add(piece.length, bytes.received);
      write(piece);
    }
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  } finally {
    await bytes.close();
  }
}

async function* unpackMembers(packed: PackedBytes): AsyncGenerator<Uint8Array> {
  let emptyMembers = 0;
  if (!(await takeMagic(packed))) throw unknownKind();
  do {
    const length = yield* unpackMember(packed);
    if (length === 0) emptyMembers += 1;
    if (emptyMembers > MAX_EMPTY_MEMBERS) throw new Refusal('Gzip data has too many members');
  } while (await takeMagic(packed));
}

async function takeMagic(packed: PackedBytes): Promise<boolean> {
  for (const byte of MAGIC) {
    if ((await packed.ahead())[0] !== byte) return false;
    packed.skip(1);
  }
  return true;
}

/** Unpacks one member, from the byte after its magic number, and returns its length modulo 2^32. */
async function* unpackMember(packed: PackedBytes): AsyncGenerator<Uint8Array, number> {
  await skipHeader(packed);
  let checksum = 0;
  let length = 0;
  for await (const piece of inflate(packed, KIND)) {
    checksum = crc32(piece, checksum);
    length = (length + piece.length) >>> 0;
    yield piece;
  }
  if ((await packed.take(4)) !== checksum || (await packed.take(4)) !== length) {
    throw new Refusal('Gzip data does not match its checksum');
  }
  return length;
}

async function skipHeader(packed: PackedBytes): Promise<void> {
  if ((await packed.take(1)) !== DEFLATE) throw unknownKind();
  const flags = await packed.take(1);
  await packed.take(6); // time, level and system
  if (flags & HAS_EXTRA) {
    for (let left = await packed.take(2); left > 0; left -= 1) await packed.take(1);
  }
  if (flags & HAS_NAME) await skipText(packed);
  if (flags & HAS_COMMENT) await skipText(packed);
  if (flags & HAS_HEADER_CHECKSUM) await packed.take(2);
}

async function skipText(packed: PackedBytes): Promise<void> {
  for (let length = 0; (await packed.take(1)) !== 0; length += 1) {
    if (length === MAX_TEXT_LENGTH) throw new Refusal('Gzip data has a name that is too long');
  }
}

function unknownKind(): Refusal {
  return new Refusal('Gzip data has an unknown format');
}
