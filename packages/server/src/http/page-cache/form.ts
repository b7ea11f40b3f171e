import type { FastifyReply } from 'fastify';
import { compressIfRoom } from '../compression/compress.ts';
import { encodingFor } from '../compression/encoding.ts';
import { lengthOf } from '../server/send.ts';
import type { NewBody } from './page-cache.ts';

/** Returns the key of the body that a request gets: each encoding of a page is a body of its own. */
export function keyOf(etag: string, reply: FastifyReply): string {
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
