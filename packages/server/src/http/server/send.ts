import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

/**
 * Sends a response whose body is in several pieces, without copying them together.
 *
 * Bypasses the framework, with all headers set on `reply` so far, which makes a page of half a megabyte a third
 * cheaper. For HEAD it sends only the headers, with Content-Length. A disconnected client causes no error.
 */
export function sendPieces(
  reply: FastifyReply,
  status: number,
  contentType: string,
  pieces: readonly Uint8Array[],
): void {
  const response = reply.hijack().raw;
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  headers['content-type'] = contentType;
  headers['content-length'] = pieces.reduce((length, piece) => length + piece.length, 0);
  response.writeHead(status, headers);
  // When corked, header and pieces are sent in one system call.
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
  response.uncork();
}
