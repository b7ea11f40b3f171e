import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorKind, errorTable } from '../operations/errors.ts';
import { Problem } from '../operations/problem.ts';
import { problemBody } from './errors.ts';
import type { FastifyInstance } from 'fastify';

/**
 * The default limits of connections and requests, so that slow, silent or large clients cannot block the server. Times
 * are in milliseconds, sizes in bytes.
 */
export const defaultServerLimits = {
  /**
   * From the first byte of a request, or from connecting, to the end of its header. A header is a few packets; it
   * takes ten seconds only on a very bad connection.
   */
  headersTimeoutMs: 10_000,
  /**
   * From the end of the header to the end of the body, unless it is a file; after it the response is 408. A full body
   * at 50 kB/s.
   */
  bodyTimeoutMs: 20_000,
  /**
   * From the first byte of a request to its last, in addition to the two limits above. A file of 50 MB at 180 kB/s.
   * Other bodies have less time: see `bodyTimeoutMs`.
   */
  requestTimeoutMs: 300_000,
  /**
   * How often the timeouts are checked. Node checks every 30 s by default, which would add 30 s to every timeout.
   */
  connectionsCheckIntervalMs: 1_000,
  /** How long a connection may be idle between two requests. */
  keepAliveTimeoutMs: 30_000,
  /** How long a connection may transfer no byte while a response is being sent. */
  socketTimeoutMs: 60_000,
  /**
   * The maximum number of connections; further ones are dropped. Below the usual limit of 10,000 open files, with
   * room for the files of the database.
   */
  maxConnections: 8_000,
  /**
   * The maximum size of request line and header fields together. Several times the size of a list request with every
   * filter.
   */
  maxHeaderBytes: 16 * 1024,
  /** The maximum size of a body. */
  bodyLimitBytes: 1024 * 1024,
  /** How long a stopping server continues to serve, so that proxies see that it is not ready. */
  stopDelayMs: 0,
  /**
   * How long a stopping server then still accepts connections, and closes each after its next response. Many round
   * trips, and too short to be noticed.
   */
  closeNoticeMs: 200,
  /**
   * How long running responses may take to finish when the server stops. The command stops waiting after eight
   * seconds, and supervisors usually kill after ten.
   */
  drainTimeoutMs: 7_000,
};

export type ServerLimits = Readonly<Record<keyof typeof defaultServerLimits, number>>;

/** The limits for files that are received into a temporary file, and for forms that are read into memory. */
export const uploadLimits = {
  /** 50 MB at 180 kB/s. */
  timeoutMs: 290_000,
  /** Each may take 50 MB of the temporary folder. */
  mostAtOnce: 20,
  /** One book leaves room for others, however slowly it sends. */
  mostOfBook: 10,
  /** What has arrived of a file and is not yet in the temporary folder. */
  mostUnwrittenBytes: 256 * 1024,
  /**
   * The bytes of all forms that are in memory: two of the largest. Parsing needs several times as much.
   */
  mostFormBytes: 21 * 1024 * 1024,
} as const;

// An import statement would load all dependencies of the module, such as fetch, and add 15 ms to each start.
const { createServer } = process.getBuiltinModule('node:http');

/** The state of an open connection. */
export interface Connection {
  /** The request whose header arrived last. */
  latest: IncomingMessage | null;
  /** Responses that are not sent completely, the oldest first. */
  readonly underWay: Set<ServerResponse>;
  /** How many bytes had been read when the last response was sent. */
  handledBytes: number;
  /** By `performance.now()`. */
  readonly openedMs: number;
}

const connections = new WeakMap<Socket, Connection>();

/** Returns the connection of a socket that a server of {@link createHttpServer} has accepted. */
function connectionOf(socket: Socket): Connection | undefined {
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
    connections.set(socket, { latest: null, underWay: new Set(), handledBytes: 0, openedMs });
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
        connection.handledBytes = socket.bytesRead;
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

/** How long a connection that is being closed waits for the next bytes of its client, and for all of them. */
const linger = { idleMs: 5000, mostMs: 30_000 };

const parserKinds = new Map<string | undefined, ErrorKind>([
  ['HPE_HEADER_OVERFLOW', 'headersTooLarge'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'requestTimeout'],
]);

/**
 * Closes a connection gently when bytes of a body are unread. If it were closed at once, the system would discard
 * responses that the client has not read yet. So only the sending side is closed, and arriving bytes are dropped until
 * the client closes too, or sends nothing for five seconds, for at most thirty. Source: RFC 9112, 9.6.
 */
function closeSoftly(socket: Socket): void {
  const closeAtOnce = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (connectionOf(socket)?.latest?.complete !== false) {
      closeAtOnce();
      return;
    }
    const destroy = (): void => void socket.destroy();
    const timers = [
      setTimeout(destroy, linger.idleMs),
      setTimeout(destroy, linger.mostMs),
    ] as const;
    const drop = (): void => void timers[0].refresh();
    // The listener replaces the parser, which would otherwise handle the requests after the body.
    socket.on('data', drop);
    for (const listener of socket.listeners('data'))
      if (listener !== drop) socket.off('data', listener as () => void);
    socket.once('close', () => timers.forEach(clearTimeout));
    socket.once('end', destroy);
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

/** How often a stopping server closes idle connections. */
const sweepIntervalMs = 50;
const noticeCheckMs = 10;
/** A client sends its first request within a round trip of connecting; a proxy needs two steps. */
const firstRequestMs = 500;
/** Three seconds. */
const mostLooks = 300;
/** A turn of the event loop so short that a new connection since its start is very unlikely. */
const shortTurnMs = 0.05;
/** A busy server may have no such turn. */
const mostTurnsMs = 100;
/** The maximum number of connections that the system queues until they are accepted: Node's default. */
const queueLength = 511;

type StopLimits = Pick<ServerLimits, 'stopDelayMs' | 'closeNoticeMs' | 'drainTimeoutMs'>;

/**
 * Makes `app.close()` end soon without cutting responses or losing requests of busy clients. It has four steps:
 *
 * 1. From now on every response has `Connection: close`, also those that are running.
 * 2. The server serves as before for `stopDelayMs`, so that proxies that check its readiness send requests elsewhere.
 *    It continues for `closeNoticeMs`, or until there is no connection, so that busy clients close their connections.
 *    `endWaiting` ends responses that only wait, at the start of that time.
 * 3. It accepts no more connections, and closes each connection when it is idle: no response is running, no byte of
 *    another request was read, and it is not so new that its first request may still arrive.
 * 4. After `drainTimeoutMs` it closes the remaining connections. Otherwise a slow client could block the server for
 *    ever, because Node stops checking its timeouts when it closes.
 */
export function drainOnClose(
  app: FastifyInstance,
  { stopDelayMs, closeNoticeMs, drainTimeoutMs }: StopLimits,
  endWaiting: () => void,
): void {
  const { server } = app;
  const sockets = openSockets(server);
  const closeResting = (): void => {
    for (const socket of sockets) if (isResting(socket)) socket.destroy();
  };
  // Node's method treats a connection as idle when its response is written, and cuts bytes that a client has not read.
  server.closeIdleConnections = closeResting;
  app.addHook('preClose', (done) => {
    if (!server.listening) {
      endWaiting();
      done();
      return;
    }
    app.log.info('Server stopping');
    for (const socket of sockets) connectionOf(socket)?.underWay.forEach(sayGoodbye);
    const stop = (): void => {
      endWaiting();
      let sweep: NodeJS.Timeout | undefined;
      const deadline = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
      server.once('close', () => {
        clearInterval(sweep);
        clearTimeout(deadline);
      });
      whenNoticed(server, sockets, closeNoticeMs, () => {
        sweep = setInterval(closeResting, sweepIntervalMs);
        done();
      });
    };
    if (stopDelayMs === 0) stop();
    else setTimeout(stop, stopDelayMs);
  });
}

/**
 * Stops listening and calls `go` when `noticeMs` have passed and all queued connections are accepted.
 *
 * The system queues connections, and Node accepts one at each turn of the event loop. To stop listening would cut off
 * queued ones. The queue is empty when no connection arrived between two checks, or when as many arrived as it can
 * hold. This takes less time when there is no connection, and more when the process is busy, because checks are
 * counted. Listening ends in a short turn of the event loop without a new connection, because a connection that arrives
 * after that check is cut off.
 */
function whenNoticed(
  server: Server,
  sockets: ReadonlySet<Socket>,
  noticeMs: number,
  go: () => void,
): void {
  let taken = 0;
  const take = (): void => void (taken += 1);
  const end = (deadlineMs: number, takenBefore: number, turnBeganMs: number): void => {
    const nowMs = performance.now();
    const isCalm = taken === takenBefore && nowMs - turnBeganMs < shortTurnMs;
    if (!isCalm && nowMs < deadlineMs) {
      setImmediate(end, deadlineMs, taken, nowMs);
      return;
    }
    server.off('connection', take);
    // At once, because the framework would do so some turns later.
    server.close();
    go();
  };
  const look = (looks: number, takenBefore: number): void => {
    const isQueueEmpty = taken === takenBefore || taken >= queueLength;
    const isDue = looks >= noticeMs / noticeCheckMs || sockets.size === 0;
    if (noticeMs === 0 || (isDue && isQueueEmpty && looks > 1) || looks >= mostLooks)
      end(performance.now() + mostTurnsMs, -1, 0);
    else setTimeout(look, noticeCheckMs, looks + 1, taken);
  };
  server.on('connection', take);
  look(0, 0);
}

function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

function isResting(socket: Socket): boolean {
  const { underWay, handledBytes, openedMs } = connectionOf(socket)!;
  const isNew = socket.bytesRead === 0 && performance.now() - openedMs < firstRequestMs;
  return !isNew && underWay.size === 0 && socket.bytesRead === handledBytes;
}

function sayGoodbye(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
