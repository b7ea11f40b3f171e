import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorKind } from '../operations/errors.ts';
import { errorTable } from '../operations/errors.ts';
import { Problem } from '../operations/problem.ts';
import { problemBody } from './errors.ts';
import type { ServerLimits } from './limits.ts';

// An import statement would load all dependencies of the module, such as fetch, and add 15 ms to each start.
const { createServer } = process.getBuiltinModule('node:http');

/** The state of an open connection. */
export interface Connection {
  /** The request whose header arrived last. */
  latest: IncomingMessage | null;
  /** Responses that are not sent completely, the oldest first. */
  readonly underWay: Set<ServerResponse>;
  /** How many bytes had been read when the last response was sent. */
  settledBytes: number;
  /** By `performance.now()`. */
  readonly openedMs: number;
}

const connections = new WeakMap<Socket, Connection>();

/** Returns the connection of a socket that a server of {@link createHttpServer} has accepted. */
export function connectionOf(socket: Socket): Connection | undefined {
  return connections.get(socket);
}

/** Creates Node's HTTP server with the given limits. */
export function createHttpServer(handler: RequestListener, limits: ServerLimits): Server {
  const server = createServer(
    {
      connectionsCheckingInterval: limits.connectionsCheckIntervalMs,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // A request without Host is counted before it is refused.
      requireHostHeader: false,
      noDelay: true,
    },
    tracked(inTurn(handler)),
  );
  server.on('connection', (socket) => {
    const openedMs = performance.now();
    connections.set(socket, { latest: null, underWay: new Set(), settledBytes: 0, openedMs });
    closeSoftly(socket);
  });
  server.maxConnections = limits.maxConnections;
  // Half, because Node waits a second time when some of the written bytes were sent since.
  server.setTimeout(limits.socketTimeoutMs / 2);
  // Node would respond with 417, uncounted. RFC 9110, 10.1.1 lets a server ignore unknown expectations.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return server;
}

/** Records a request on its connection, and its response until that is sent or the client disconnects. */
function tracked(handler: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (connection !== undefined) {
      connection.latest = request;
      connection.underWay.add(response);
      response.once('close', () => {
        connection.underWay.delete(response);
        connection.settledBytes = socket.bytesRead;
      });
    }
    handler(request, response);
  };
}

/**
 * Handles a request when all earlier responses on its connection are sent.
 *
 * Responses are sent in order anyway. If all pipelined requests were handled at once, a client that reads nothing could
 * fill the memory with waiting pages.
 */
function inTurn(handler: RequestListener): RequestListener {
  return (request, response) => {
    if (response.socket === null) response.once('socket', () => handler(request, response));
    else handler(request, response);
  };
}

const lingerMs = 2000;

const parserKinds = new Map<string | undefined, ErrorKind>([
  ['HPE_HEADER_OVERFLOW', 'headersTooLarge'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'requestTimeout'],
]);

/**
 * Closes a connection gently when bytes of a body are unread. If it were closed at once, the system would discard
 * responses that the client has not read yet. So only the sending side is closed, and arriving bytes are dropped until
 * the client closes too, for at most two seconds. Source: RFC 9112, 9.6.
 */
function closeSoftly(socket: Socket): void {
  const closeAtOnce = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (connectionOf(socket)?.latest?.complete !== false) {
      closeAtOnce();
      return;
    }
    // The listener replaces the parser, which would otherwise handle the requests after the body.
    const drop = (): void => undefined;
    socket.on('data', drop);
    for (const listener of socket.listeners('data'))
      if (listener !== drop) socket.off('data', listener as () => void);
    const deadline = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(deadline));
    socket.once('end', () => socket.destroy());
    socket.end();
    socket.resume();
  };
}

/**
 * Returns a handler for connections whose bytes are not a valid request. It responds with 400, 408 or 431 in the error
 * format, closes the connection, and calls `note` with the status.
 *
 * The path is unknown, so nothing is counted and the rate limit headers are absent. Earlier complete requests on the
 * connection get their responses first. Invalid bytes in the body of a request that is being handled, or was, such as
 * an invalid chunk, only close the connection: the client would take this response for that of another request.
 */
export function answerUnparsable(note: (status: number) => void) {
  const unknown: Pick<Connection, 'latest' | 'underWay'> = { latest: null, underWay: new Set() };
  const waiting = new WeakSet<Socket>();
  const answer = (error: Error & { code?: string }, socket: Socket): void => {
    const { latest, underWay } = connectionOf(socket) ?? unknown;
    const [pending] = underWay;
    const isOfBody = latest?.complete === false && (!pending || pending.req === latest);
    if (error.code === 'ECONNRESET' || !socket.writable || isOfBody) {
      socket.destroy();
      return;
    }
    if (pending) {
      // Another response may follow.
      pending.once('close', () => setImmediate(answer, error, socket));
      return;
    }
    const kind = parserKinds.get(error.code) ?? 'malformedRequest';
    note(errorTable[kind].status);
    socket.end(rawAnswer(kind), () => socket.destroy());
  };
  return (error: Error & { code?: string }, socket: Socket): void => {
    // All bytes after an invalid request are invalid too.
    if (waiting.has(socket)) return;
    waiting.add(socket);
    answer(error, socket);
  };
}

function rawAnswer(kind: ErrorKind): string {
  const { status, message } = errorTable[kind];
  const body = problemBody(new Problem(kind)).toString();
  return [
    `HTTP/1.1 ${status} ${message}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Referrer-Policy: no-referrer',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
