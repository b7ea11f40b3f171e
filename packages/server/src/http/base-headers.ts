import type { FastifyReply } from 'fastify';

/** On every answer: records are nobody's to keep, types are not to be guessed, addresses not to be passed on. */
const baseHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Sets the headers that are on every answer. */
export function setBaseHeaders(reply: FastifyReply): void {
  reply.headers(baseHeaders);
}
