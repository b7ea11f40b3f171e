import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import { Refusal } from '../statement/statement-error.ts';
import { MAX_CONTENT_BYTES } from './content.ts';
import { damaged, ZIP_METHODS, zipDataAt, type RandomBytes, type ZipEntry } from '@coffer/core/zip';

const MAGIC = [0x1f, 0x8b] as const;
const GZIP = 'Gzip data';
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
  for await (const piece of inflate(packed, GZIP)) {
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

const PIECE_BYTES = 65_536;

/**
 * Unpacks one deflate stream, in pieces of at most 64 KiB, and does not consume what follows it.
 * Errors: Refusal, which names the kind of data, if it is damaged or ends too early.
 */
async function* inflate(packed: PackedBytes, kind: string): AsyncGenerator<Uint8Array> {
  const inflater = createInflateRaw({ chunkSize: PIECE_BYTES });
  const feeding = feed(inflater, packed).catch((error: unknown) => {
    inflater.destroy(error as Error);
  });
  try {
    for await (const piece of inflater) yield piece as Uint8Array;
  } catch (error) {
    throw refusalOf(error, kind);
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

function refusalOf(error: unknown, kind: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return endsTooEarly(kind);
  return code === 'Z_DATA_ERROR' ? new Refusal(`${kind} is damaged`) : error;
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
      if (byte === undefined) throw endsTooEarly('Gzip data');
      this.skip(1);
      value += byte * 2 ** (8 * at);
    }
    return value;
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

function endsTooEarly(kind: string): Refusal {
  return new Refusal(`${kind} ends too early`);
}

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

const ZIP = 'The ZIP archive';

/**
 * The content of a file of an archive, in pieces of at most 64 KiB.
 * Errors: ZipError or Refusal if it is damaged, encrypted or in an unusual format.
 */
export async function* zipContent(
  archive: RandomBytes,
  entry: ZipEntry,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  let checksum = 0;
  const data = dataOf(archive, zipDataAt(archive, entry), entry.packedBytes);
  const isStored = entry.method === ZIP_METHODS.stored;
  for await (const piece of isStored ? data : inflate(new PackedBytes(data), ZIP)) {
    length += piece.length;
    checksum = crc32(piece, checksum);
    if (length > entry.bytes) throw damaged();
    yield piece;
  }
  if (length !== entry.bytes || checksum !== entry.checksum) throw damaged();
}

function* dataOf(archive: RandomBytes, from: number, length: number): Generator<Uint8Array> {
  for (let at = 0; at < length; at += PIECE_BYTES) {
    yield archive.read(from + at, Math.min(PIECE_BYTES, length - at));
  }
}
