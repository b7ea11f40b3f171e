import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { compressIfRoom, type Encode } from '../compression/compress.ts';
import { encodingFor } from '../compression/negotiate.ts';

/**
 * Sends a response whose body is in several pieces, compressed if it is large and the client accepts that. Otherwise
 * the pieces are not copied together.
 *
 * Bypasses the framework, with all headers set on `reply` so far, which makes a page of half a megabyte a third
 * cheaper. For HEAD it sends only the headers: Content-Length too, unless the body of GET is compressed. A disconnected
 * client causes no error. `encode` returns the compressed form; by default it is made for this response.
 */
export function sendPieces(
  reply: FastifyReply,
  status: number,
  contentType: string,
  pieces: readonly Uint8Array[],
  encode: Encode = compressIfRoom,
): void {
  const length = pieces.reduce((total, piece) => total + piece.length, 0);
  const encoding = encodingFor(reply, length);
  const { request } = reply;
  reply.hijack();
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  headers['content-type'] = contentType;
  const plain = (): void => write(reply, status, { ...headers, 'content-length': length }, pieces);
  if (encoding === null) {
    plain();
    return;
  }
  const compressed = (body: Uint8Array): void => {
    const own = { 'content-encoding': encoding, 'content-length': body.length };
    write(reply, status, { ...headers, ...own }, [body]);
  };
  if (request.method === 'HEAD') {
    write(reply, status, { ...headers, 'content-encoding': encoding }, []);
    return;
  }
  const body = encode(pieces, encoding);
  if (body === null) plain();
  else if (body instanceof Uint8Array) compressed(body);
  else
    body.then(compressed, (error: unknown) => {
      request.log.warn({ err: error }, 'a response was not compressed');
      plain();
    });
}

function write(
  { raw: response }: FastifyReply,
  status: number,
  headers: OutgoingHttpHeaders,
  pieces: readonly Uint8Array[],
): void {
  response.writeHead(status, headers);
  // When corked, header and pieces are sent in one system call.
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
  response.uncork();
}
