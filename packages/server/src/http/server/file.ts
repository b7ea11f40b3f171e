import type { OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentDisposition } from '../../files/content.ts';
import type { FileStream } from '../../operations/responses.ts';
import { compressStream } from '../compression/compress.ts';
import { encodingFor } from '../compression/encoding.ts';

/**
 * Sends a file of text for the client to save, with all headers set on `reply` so far, compressed if the client accepts
 * that. Each piece is awaited until the client has taken most of those before it. For HEAD nothing of the file is read.
 *
 * An error on the way resets the connection, and so does a client that takes nothing for as long as a connection may
 * be silent. A client of HTTP/1.0, such as some proxies, knows the end of a file only by the end of its connection, so
 * it would take the part of a file that ends with a closed connection for the whole.
 */
export function sendFile(
  { method, log, socket }: FastifyRequest,
  reply: FastifyReply,
  { name, type, pieces }: FileStream,
): void {
  const encoding = encodingFor(reply, Infinity);
  const response = reply.hijack().raw;
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  headers['content-type'] = type;
  headers['content-disposition'] = contentDisposition(name);
  if (encoding !== null) headers['content-encoding'] = encoding;
  response.writeHead(200, headers);
  if (method === 'HEAD') {
    response.end();
    return;
  }
  response.on('timeout', reset);
  const body = encoding === null ? pieces : compressStream(pieces, encoding);
  pipeline(resettingOnError(body, socket), response).catch((error: unknown) => {
    const { code } = Object(error) as { readonly code?: unknown };
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE')
      log.warn({ err: error }, 'a file was not sent whole');
  });
}

async function* resettingOnError(
  pieces: AsyncIterable<Uint8Array>,
  socket: Socket,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* pieces;
  } catch (error) {
    reset(socket);
    throw error;
  }
}

function reset(socket: Socket): void {
  socket.resetAndDestroy();
}
