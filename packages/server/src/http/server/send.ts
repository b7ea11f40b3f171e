import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { compressIfRoom, type Encode } from '../compression/compress.ts';
import type { Encoding } from '../compression/encoding.ts';
import { encodingFor } from '../compression/negotiate.ts';

/** The body of a response, as it is sent. */
export interface Body {
  readonly pieces: readonly Uint8Array[];
  /** How it is compressed; null if it is not. */
  readonly encoding: Encoding | null;
}

/** Sends a body that has the encoding which the client gets, as {@link sendPieces} sends pieces. */
export function sendBody(
  reply: FastifyReply,
  contentType: string,
  { pieces, encoding }: Body,
): void {
  if (reply.request.method === 'HEAD') {
    sendPieces(reply, 200, contentType, pieces);
    return;
  }
  reply.hijack();
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  headers['content-type'] = contentType;
  if (encoding !== null) headers['content-encoding'] = encoding;
  headers['content-length'] = lengthOf(pieces);
  write(reply, 200, headers, pieces);
}

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
  const length = lengthOf(pieces);
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

/** Returns the length of a body in bytes. */
export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
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
