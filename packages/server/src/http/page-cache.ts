import type { FastifyReply } from 'fastify';
import { compressIfRoom } from './compress.ts';
import { encodingFor, lengthOf, type Body } from './send.ts';

/** About 100 bytes each, in two generations. */
const mostTags = 4096;

/**
 * Remembers which bodies were read recently, in little memory: by a part of the ETag, for one to two generations. A
 * generation ends after bodies of `generationBytes`, or after 4,096 bodies.
 */
class RecentTags {
  readonly #generationBytes: number;
  #current = new Set<string>();
  #earlier = new Set<string>();
  #bytes = 0;

  constructor(generationBytes: number) {
    this.#generationBytes = generationBytes;
  }

  /** Whether the body was read recently. */
  has(tag: string): boolean {
    const part = partOf(tag);
    return this.#current.has(part) || this.#earlier.has(part);
  }

  /** Notes that a body of `bytes` was read. */
  add(tag: string, bytes: number): void {
    this.#current.add(partOf(tag));
    this.#bytes += bytes;
    if (this.#bytes < this.#generationBytes && this.#current.size < mostTags) return;
    this.#earlier = this.#current;
    this.#current = new Set();
    this.#bytes = 0;
  }
}

/** 72 bits of the hash, after `W/"`. */
function partOf(tag: string): string {
  return tag.slice(3, 15);
}

/** A body that was just made. */
export interface NewBody extends Body {
  /** Whether it is not what the next request should get, such as one that there was no time to compress. */
  readonly isProvisional?: boolean;
}

/** A body in one memory block of exactly its size, so that no larger block stays in memory. */
interface CachedBody extends Body {
  /** What it costs. */
  readonly bytes: number;
}

/** The figures of a cache since the start of the process. */
export interface PageCacheCounts {
  /** Responses whose body was cached, or was being read for another request. */
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
  readonly capacityBytes: number;
}

/** What a body costs besides its bytes: its key, its places in the map, and the objects around the bytes. */
const overheadBytes = 512;
/** A body above this part of the capacity is not cached, because it would evict most of the others. */
const mostOfCapacity = 1 / 4;

/**
 * A bounded cache of bodies. A key begins with the ETag, which depends on everything that the body does, and ends with
 * the encoding.
 *
 * - A body is admitted when it is read for the second time within twice the capacity of bodies read. A walk over more
 *   than that never admits anything, also when it is repeated: a cache would remove each page before its turn comes.
 * - The least recently used body is removed first. Sizes are those of the memory blocks, and 512 bytes for each body.
 * - Several requests for a body that is admitted read it once.
 *
 * A body can be newer than its ETag, because the ETag is made first. It is never older: the request that read it, and
 * every other with that ETag, began when the book had that version.
 */
export class PageCache {
  readonly #capacityBytes: number;
  readonly #bodies = new Map<string, CachedBody>();
  readonly #reading = new Map<string, Promise<Body>>();
  readonly #recent: RecentTags;
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes;
    this.#recent = new RecentTags(capacityBytes);
  }

  get counts(): PageCacheCounts {
    const [hits, misses, bytes] = [this.#hits, this.#misses, this.#bytes];
    return { hits, misses, bytes, capacityBytes: this.#capacityBytes };
  }

  /** Returns a cached body, as the most recently used one; undefined otherwise. */
  find(key: string): Body | undefined {
    const body = this.#bodies.get(key);
    if (body === undefined) return undefined;
    this.#hits += 1;
    this.#bodies.delete(key);
    this.#bodies.set(key, body);
    return body;
  }

  /**
   * Returns a body that {@link find} did not find, from `read` or from the same read of another request. Rejects as
   * `read` does. When the read of the other request fails, it calls `read` too: that request can have had a problem of
   * its own, such as a time limit that it reached.
   */
  async read(key: string, read: () => Promise<NewBody>): Promise<Body> {
    const other = this.#reading.get(key);
    if (other !== undefined) {
      const body = await other.catch(() => undefined);
      if (body !== undefined) {
        this.#hits += 1;
        return body;
      }
    }
    this.#misses += 1;
    // After a failure, the first request that waited reads for those that come now; the others read for themselves.
    if (this.#reading.has(key)) return read();
    if (this.#recent.has(key)) return this.#readAndKeep(key, read);
    const body = await read();
    this.#recent.add(key, lengthOf(body.pieces) + overheadBytes);
    return body;
  }

  #readAndKeep(key: string, read: () => Promise<NewBody>): Promise<Body> {
    const reading = read()
      .then((body) => this.#keep(key, body))
      .finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  /** Returns the body as it is cached; as it is if it is not cached. */
  #keep(key: string, body: NewBody): Body {
    const { pieces, encoding, isProvisional = false } = body;
    const bytes = lengthOf(pieces) + overheadBytes;
    if (isProvisional || bytes > this.#capacityBytes * mostOfCapacity) return body;
    const cached = { pieces: [inOneBlock(pieces)], encoding, bytes };
    this.#bodies.set(key, cached);
    this.#bytes += bytes;
    for (const [oldest, other] of this.#bodies) {
      if (this.#bytes <= this.#capacityBytes) break;
      this.#bodies.delete(oldest);
      this.#bytes -= other.bytes;
    }
    return cached;
  }
}

/** A small Buffer can be a part of a block of 64 kB, so pieces are copied. */
function inOneBlock(pieces: readonly Uint8Array[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(lengthOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Returns the key of the body that a request gets: each encoding of a page is a body of its own. */
export function cacheKey(etag: string, reply: FastifyReply): string {
  return `${etag}${encodingOfLarge(reply) ?? ''}`;
}

/** Returns the body that a request gets: compressed if it is large and the client accepts that. */
export async function bodyFor(
  reply: FastifyReply,
  pieces: readonly Uint8Array[],
): Promise<NewBody> {
  const plain = { pieces, encoding: null };
  const encoding = reply.request.method === 'HEAD' ? null : encodingFor(reply, lengthOf(pieces));
  if (encoding === null) return plain;
  try {
    const compressed = await compressIfRoom(pieces, encoding);
    if (compressed !== null) return { pieces: [compressed], encoding };
  } catch (error) {
    reply.log.warn({ err: error }, 'a response was not compressed');
  }
  return { ...plain, isProvisional: true };
}

/** Nothing is compressed for HEAD, whose response has no body. */
function encodingOfLarge(reply: FastifyReply): string | null {
  return reply.request.method === 'HEAD' ? null : encodingFor(reply, Infinity);
}
