import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ServerLimits } from './limits.ts';
import { connectionOf } from './server.ts';

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
  const { underWay, settledBytes, openedMs } = connectionOf(socket)!;
  const isNew = socket.bytesRead === 0 && performance.now() - openedMs < firstRequestMs;
  return !isNew && underWay.size === 0 && socket.bytesRead === settledBytes;
}

function sayGoodbye(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
