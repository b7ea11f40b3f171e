import type { FastifyReply } from 'fastify';

/** Sent with every response: do not cache records, do not guess types, do not pass on addresses. */
const baseHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * Sets the headers of every response. When responses are compressed, each says that it depends on Accept-Encoding, also
 * one that is not, because another body of the same path may be.
 */
export function setBaseHeaders(reply: FastifyReply): void {
  reply.headers(baseHeaders);
  if (reply.server.compression) reply.header('vary', 'Accept-Encoding');
}
