import type { OutgoingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Following } from '../../operations/operation.ts';
import type { EventStream } from '../../operations/responses.ts';
import { connectionOf } from './server.ts';

const eventType = 'text/event-stream';

/** Returns how the client of a request wants to follow changes. */
export function followingOf({ headers }: FastifyRequest, reply: FastifyReply): Following {
  const closed = new AbortController();
  reply.raw.once('close', () => closed.abort());
  const lastEventId = headers['last-event-id'];
  const id = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : null;
  return {
    signal: closed.signal,
    events: wantsEvents(headers.accept) ? { lastEventId: id } : null,
  };
}

/** Whether the media types of a request include events by name; `*` means JSON. */
function wantsEvents(accept = ''): boolean {
  return accept.split(',').some((type) => type.split(';')[0]!.trim().toLowerCase() === eventType);
}

/** Runs work that may wait for longer than a connection may transfer no byte. */
export async function patiently<T>(
  { raw: { socket } }: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> {
  // There is no connection when a request is injected.
  if (connectionOf(socket) === undefined) return work();
  const { timeout = 0 } = socket;
  socket.setTimeout(0);
  try {
    return await work();
  } finally {
    socket.setTimeout(timeout);
  }
}

/**
 * Sends events as they come, with all headers set on `reply` so far. Each piece is awaited until the client has read
 * enough of those before it. Proxies must neither store nor collect them. An error on the way ends the connection.
 */
export function sendEvents(
  { method, log }: FastifyRequest,
  reply: FastifyReply,
  { pieces }: EventStream,
): void {
  const response = reply.hijack().raw;
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  headers['content-type'] = `${eventType}; charset=utf-8`;
  headers['x-accel-buffering'] = 'no';
  response.writeHead(200, headers);
  if (method === 'HEAD') {
    response.end();
    return;
  }
  response.flushHeaders();
  pipeline(pieces, response).catch((error: unknown) => {
    const { code } = Object(error) as { readonly code?: unknown };
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE') log.warn({ err: error }, 'stream of events ended');
  });
}
