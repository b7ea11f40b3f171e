import { pipeline, type Transform } from 'node:stream';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';

/** A coding of RFC 9110, 8.4.1, by its name in Content-Encoding. */
export type Encoding = 'gzip' | 'zstd' | 'br';

/**
 * Above this size the thread pool compresses. At it gzip takes 0.13 ms, and the pool costs the event loop 0.04 ms, and
 * all threads together 0.04 ms more than compressing at once.
 */
const mostBytesAtOnce = 64 * 1024;
/**
 * One thread makes the pages, which takes as long as compressing them or longer, so two threads keep up with it. Two
 * of the pool's four stay free for files and passwords.
 */
const mostThreads = 2;
/** About 30 pages of 1,000 transactions. */
const mostWaitingBytes = 16 * 1024 * 1024;

const waiting: (() => void)[] = [];
let threads = 0;
let waitingBytes = 0;

/** Returns the compressed body: at once, later, or null to send the body as it is. */
export type Encode = (
  pieces: readonly Uint8Array[],
  encoding: Encoding,
) => Uint8Array | Promise<Uint8Array> | null;

/**
 * Compresses a body as {@link compress} does. Null when it is large and 16 MB of other bodies wait for the threads
 * already: so in a flood of requests the rest neither wait nor hold memory for their turn.
 */
export function compressIfRoom(
  pieces: readonly Uint8Array[],
  encoding: Encoding,
): Buffer | Promise<Buffer> | null {
  const length = lengthOf(pieces);
  if (length <= mostBytesAtOnce) return compressNow(joined(pieces), encoding);
  const hasRoom = waitingBytes === 0 || waitingBytes + length <= mostWaitingBytes;
  return hasRoom ? compress(pieces, encoding) : null;
}

/**
 * Compresses a body at the fastest level: at once up to 64 kB, and in Node's thread pool above that, two bodies at the
 * same time. Any number can wait. Rejects only when there is not enough memory.
 *
 * Level 1 of gzip and zstd, quality 1 of brotli: a page of 1,000 transactions of the demo book, 517 kB, becomes 50, 29
 * and 35 kB in 1.1, 0.4 and 0.6 ms. Level 6 of gzip takes three times as long for 40 kB.
 */
export async function compress(pieces: readonly Uint8Array[], encoding: Encoding): Promise<Buffer> {
  const bytes = joined(pieces);
  if (bytes.length <= mostBytesAtOnce) return compressNow(bytes, encoding);
  waitingBytes += bytes.length;
  try {
    if (threads === mostThreads) await new Promise<void>((resolve) => waiting.push(resolve));
    else threads += 1;
    return await compressInPool(bytes, encoding, fastest);
  } finally {
    waitingBytes -= bytes.length;
    const next = waiting.shift();
    if (next === undefined) threads -= 1;
    else next();
  }
}

const cachedForms = new WeakMap<Uint8Array, Map<Encoding, Promise<Buffer>>>();

/**
 * Compresses fixed bytes, such as a page of the documentation, at a high level when they are first requested, and keeps
 * the result as long as the bytes. The largest, a script of 4 MB, takes about a second of the thread pool.
 */
export function compressOnce(bytes: Uint8Array, encoding: Encoding): Promise<Buffer> {
  const forms = cachedForms.get(bytes) ?? new Map<Encoding, Promise<Buffer>>();
  cachedForms.set(bytes, forms);
  const known = forms.get(encoding);
  if (known !== undefined) return known;
  const made = compressInPool(bytes, encoding, smallest);
  forms.set(encoding, made);
  made.catch(() => forms.delete(encoding));
  return made;
}

/**
 * Compresses a stream at the fastest level, as its reader takes it: it holds about 1 MB. An error of `pieces` is
 * thrown, and they are closed when the reader stops.
 */
export async function* compressStream(
  pieces: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = compressorOf(encoding);
  // The callback has nothing to do, because the stream throws the same error.
  pipeline(pieces, stream, () => undefined);
  yield* stream as AsyncIterable<Uint8Array>;
}

function compressorOf(encoding: Encoding): Transform {
  const options = optionsOf(encoding, fastest);
  if (encoding === 'gzip') return createGzip(options);
  return encoding === 'zstd' ? createZstdCompress(options) : createBrotliCompress(options);
}

/** Levels: gzip has 1 to 9, zstd 1 to 22, brotli 0 to 11. */
type Levels = Readonly<Record<Encoding, number>>;
const fastest: Levels = { gzip: 1, zstd: 1, br: 1 };
/** The highest that take less than 0.5 ms for each kilobyte: brotli 11 takes ten times as long for 10 % less. */
const smallest: Levels = { gzip: 9, zstd: 12, br: 9 };

function compressNow(bytes: Uint8Array, encoding: Encoding): Buffer {
  const options = optionsOf(encoding, fastest);
  if (encoding === 'gzip') return gzipSync(bytes, options);
  return encoding === 'zstd'
    ? zstdCompressSync(bytes, options)
    : brotliCompressSync(bytes, options);
}

function compressInPool(bytes: Uint8Array, encoding: Encoding, levels: Levels): Promise<Buffer> {
  // The pool is entered once for each chunk of the result.
  const chunkSize = Math.max(1024, Math.ceil(bytes.length / 8));
  const options = { ...optionsOf(encoding, levels), chunkSize };
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result: Buffer): void => {
      if (error === null) resolve(result);
      else reject(error);
    };
    if (encoding === 'gzip') gzip(bytes, options, done);
    else if (encoding === 'zstd') zstdCompress(bytes, options, done);
    else brotliCompress(bytes, options, done);
  });
}

/** Options that all of these functions take: each reads its own. */
function optionsOf(encoding: Encoding, levels: Levels) {
  const { BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel } = constants;
  const level = levels[encoding];
  if (encoding === 'gzip') return { level };
  const name = encoding === 'zstd' ? ZSTD_c_compressionLevel : BROTLI_PARAM_QUALITY;
  return { params: { [name]: level } };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}
