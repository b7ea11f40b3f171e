import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import { Refusal } from '../statement-error.ts';
import { MAX_CONTENT_BYTES } from './content.ts';

const MAGIC = [0x1f, 0x8b] as const;
const DEFLATE = 8;
const HAS_HEADER_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
const PIECE_BYTES = 65_536;
/** Maximum characters of a name or a comment in a header. */
const MAX_TEXT_LENGTH = 65_536;
/** Maximum members without content: they cost time, and no other bound counts them. */
const MAX_EMPTY_MEMBERS = 1_000;
/** Unpacked bytes that are always allowed. Larger content has a maximum ratio to the packed bytes. */
const FREE_BYTES = 16 * 2 ** 20;
const MAX_RATIO = 200;

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
  let total = 0;
  try {
    for await (const piece of unpackMembers(bytes)) {
      total += piece.length;
      if (total > maxBytes) throw new Refusal(`File is longer than ${maxBytes} bytes unpacked`);
      if (total > FREE_BYTES && total > bytes.received * MAX_RATIO) {
        throw new Refusal(`File unpacks to more than ${MAX_RATIO} times its length`);
      }
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
  for await (const piece of inflate(packed)) {
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

/** Unpacks one deflate stream, and does not consume what follows it. */
async function* inflate(packed: PackedBytes): AsyncGenerator<Uint8Array> {
  const inflater = createInflateRaw({ chunkSize: PIECE_BYTES });
  const feeding = feed(inflater, packed).catch((error: unknown) => {
    inflater.destroy(error as Error);
  });
  try {
    for await (const piece of inflater) yield piece as Uint8Array;
  } catch (error) {
    throw refusalOf(error);
  } finally {
    inflater.destroy();
  }
  await feeding;
}

/** Writes packed bytes until the inflater accepts no more, because its stream has ended. */
async function feed(inflater: InflateRaw, packed: PackedBytes): Promise<void> {
  for (;;) {
    const input = await packed.ahead();
    if (input.length === 0) break;
    const before = inflater.bytesWritten;
    await new Promise((resolve) => inflater.write(input, resolve));
    const taken = inflater.bytesWritten - before;
    packed.skip(taken);
    if (taken < input.length) return;
  }
  inflater.end();
}

function refusalOf(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return endsTooEarly();
  return code === 'Z_DATA_ERROR' ? new Refusal('Gzip data is damaged') : error;
}

/** Packed bytes, taken from the front of a sequence of pieces. */
class PackedBytes {
  readonly #pieces: Iterator<Uint8Array> | AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array(0);
  /** Bytes of all pieces so far. */
  received = 0;

  constructor(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) {
    this.#pieces =
      Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  }

  /** One or more of the next bytes; none at the end. */
  async ahead(): Promise<Uint8Array> {
    while (this.#piece.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) break;
      this.#piece = next.value;
      this.received += next.value.length;
    }
    return this.#piece;
  }

  skip(count: number): void {
    this.#piece = this.#piece.subarray(count);
  }

  /** Reads an unsigned integer of `count` bytes, the lowest first. Errors: Refusal if fewer bytes are left. */
  async take(count: number): Promise<number> {
    let value = 0;
    for (let at = 0; at < count; at += 1) {
      const [byte] = await this.ahead();
      if (byte === undefined) throw endsTooEarly();
      this.skip(1);
      value += byte * 2 ** (8 * at);
    }
    return value;
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

function endsTooEarly(): Refusal {
  return new Refusal('Gzip data ends too early');
}

function unknownKind(): Refusal {
  return new Refusal('Gzip data has an unknown format');
}
