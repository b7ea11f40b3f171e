import type { FastifyReply } from 'fastify';
import type { Described } from '../../operations/declaration.ts';
import { encodingOf, type Encoding } from './encoding.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether responses are compressed for clients that accept it. */
    readonly compression: boolean;
  }
  interface FastifyContextConfig {
    /** No response of the route is compressed: see {@link isNeverCompressed}. */
    neverCompressed?: boolean;
  }
}

/** Shorter bodies fit in one packet with their header, so compressing them saves no time. */
const leastBytes = 1024;

/**
 * Whether no response of the operation is compressed, because it can have a secret and a text that somebody else chose:
 * the length of both compressed together shows how much of one is in the other (BREACH). This holds for operations
 * whose response is secret, and for all that a browser's cookie is enough for: those of sessions.
 */
export function isNeverCompressed({ kind, declaration }: Described): boolean {
  const { isSecret = false, needsSession = false } = declaration;
  return isSecret || needsSession || kind === 'open';
}

/**
 * Returns the coding for a body of that many bytes, Infinity for a stream; null to send it as it is. The response to
 * HEAD has the same headers, except the length, because nothing is compressed for it.
 */
export function encodingFor({ request }: FastifyReply, bytes: number): Encoding | null {
  if (bytes < leastBytes || !request.server.compression) return null;
  if (request.routeOptions.config.neverCompressed === true) return null;
  // Several lines arrive joined.
  return encodingOf(request.headers['accept-encoding']);
}
