import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorKind } from '../../wire/errors.ts';
import { errorTable } from '../../wire/errors.ts';
import { Problem } from '../../wire/problem.ts';
import { problemBody } from '../errors.ts';
import type { ServerLimits } from './limits.ts';

// An import statement would load everything that hangs on the module, fetch among it: 15 ms of each start.
const { createServer } = process.getBuiltinModule('node:http');

/** An open connection, as far as its requests and responses are public. */
export interface Connection {
  /** The request whose header came last. */
  latest: IncomingMessage | null;
  /** Responses that have not left completely, the oldest first. */
  readonly underWay: Set<ServerResponse>;
  /** How many bytes had been read when the last response had left. */
  settledBytes: number;
  /** By `performance.now()`. */
  readonly openedMs: number;
}

const connections = new WeakMap<Socket, Connection>();

/** The connection of a socket that a server of {@link createHttpServer} has accepted. */
export function connectionOf(socket: Socket): Connection | undefined {
  return connections.get(socket);
}

/** Node's HTTP server under the given limits; it answers what cannot be parsed in the one error format. */
export function createHttpServer(handler: RequestListener, limits: ServerLimits): Server {
  const server = createServer(
    {
      connectionsCheckingInterval: limits.connectionsCheckIntervalMs,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // A request without Host is refused after it has been counted, not before.
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
  // Node waits a second time when some of what was written last has gone out since.
  server.setTimeout(limits.socketTimeoutMs / 2);
  // Node itself would answer 417, uncounted; RFC 9110, 10.1.1 lets a server pass over what it does not know.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return server;
}

/** Notes a request on its connection, and its response until that has left or the client has gone. */
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
 * Begins a request when the answers before it on its connection have left.
 *
 * Answers go out in order in any case. If all of what was sent at once were answered at once, a client that reads
 * nothing could have the memory filled with pages that wait.
 */
function inTurn(handler: RequestListener): RequestListener {
  return (request, response) => {
    if (response.socket === null) response.once('socket', () => handler(request, response));
    else handler(request, response);
  };
}

const lingerMs = 500;

const parserKinds = new Map<string | undefined, ErrorKind>([
  ['HPE_HEADER_OVERFLOW', 'headersTooLarge'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'requestTimeout'],
]);

/**
 * Keeps a connection from being cut off with bytes of a body unread: the system would then throw away answers that have
 * left already but were not read yet. The sending side is closed, and what still comes is dropped until the client
 * closes too, for half a second at most. Source: RFC 9112, 9.6.
 */
function closeSoftly(socket: Socket): void {
  const closeAtOnce = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (connectionOf(socket)?.latest?.complete !== false) {
      closeAtOnce();
      return;
    }
    // The listener takes the bytes away from the parser, which would begin the requests behind the body.
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
 * Returns what answers a connection whose bytes are no request: 400, 408 or 431 in the error format, then closes it,
 * and tells `note` of the status.
 *
 * No path is known then, so nothing is counted and the rate limit headers are absent. Whole requests that came before
 * on the connection get their answers first. When the bytes belong to the body of a request that is being answered or
 * was, such as a broken chunk, the connection is only closed: this answer would be taken for another one.
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
      // Another response may be behind it.
      pending.once('close', () => setImmediate(answer, error, socket));
      return;
    }
    const kind = parserKinds.get(error.code) ?? 'malformedRequest';
    note(errorTable[kind].status);
    socket.end(rawAnswer(kind), () => socket.destroy());
  };
  return (error: Error & { code?: string }, socket: Socket): void => {
    // Whatever comes behind bytes that are no request is none either.
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
