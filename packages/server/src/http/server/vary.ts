import type { FastifyReply } from 'fastify';

/** Names a header on which the response depends, in addition to those that are named already. */
export function addVary(reply: FastifyReply, name: string): void {
  const named = reply.getHeader('vary');
  reply.header('vary', named === undefined ? name : `${String(named)}, ${name}`);
}
