import type { FastifyReply } from 'fastify';
import type { Described } from '../../operations/declaration.ts';

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

/** A coding of RFC 9110, 8.4.1, by its name in Content-Encoding. */
export type Encoding = 'gzip' | 'zstd' | 'br';

/** The best first: at the levels of `compress`, zstd is the fastest and the smallest, and gzip neither. */
const preferred: readonly Encoding[] = ['zstd', 'br', 'gzip'];
/** Node has zstd since 22.15. */
const supported = preferred.filter((encoding) => encoding !== 'zstd' || 'zstd' in process.versions);

/**
 * A member of the list, which can be empty, and what ends it. Source: RFC 9110, 5.6.1.2 and 12.4.2.
 *
 * Sticky, so that it takes time in proportion to the length of the header, whatever that is.
 */
const member =
  /[ \t]*(?:([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?[ \t]*)?(,|$)/y;

/**
 * Returns the coding for a response, by the value of Accept-Encoding; several lines of it are joined by commas. Null
 * to send the response as it is.
 *
 * - The coding with the highest weight wins, and zstd, br, gzip at equal weights. `*` means gzip, which every client
 *   can decode, unless gzip is listed too.
 * - Null without the header, when it is empty or not valid, and when it lists no coding that we have, or prefers
 *   `identity`. So a client that refuses `identity` and knows no coding of ours gets the response as it is: the RFC
 *   allows that, and 406 helps nobody.
 * - When a coding is listed twice, the lower weight counts. `x-gzip` is gzip.
 *
 * Source: RFC 9110, 8.4.1.3 and 12.5.3.
 */
export function encodingOf(acceptEncoding: string | undefined): Encoding | null {
  if (acceptEncoding === undefined || acceptEncoding === '') return null;
  const weights = weightsOf(acceptEncoding);
  if (weights === null) return null;
  const any = weights.get('*') ?? 0;
  const weightOf = (encoding: Encoding): number =>
    weights.get(encoding) ?? (encoding === 'gzip' ? any : 0);
  const best = supported.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a));
  const weight = weightOf(best);
  return weight === 0 || weight < (weights.get('identity') ?? any) ? null : best;
}

/** The weight of each listed coding, in lower case; null when the list is not valid. */
function weightsOf(list: string): ReadonlyMap<string, number> | null {
  const text = list.toLowerCase();
  const weights = new Map<string, number>();
  member.lastIndex = 0;
  for (;;) {
    const found = member.exec(text);
    if (found === null) return null;
    const [, name, weight = '1', end] = found;
    const coding = name === 'x-gzip' ? 'gzip' : name;
    if (coding !== undefined)
      weights.set(coding, Math.min(Number(weight), weights.get(coding) ?? 1));
    if (end === '') return weights;
  }
}
