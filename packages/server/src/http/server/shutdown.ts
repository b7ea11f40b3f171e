import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ServerLimits } from './limits.ts';
import { connectionOf } from './server.ts';

/** How often a stopping server looks for connections that have nothing more to do. */
const sweepIntervalMs = 50;
const noticeCheckMs = 10;
/** Who connects sends a request within a round trip; a proxy does that in two steps. */
const firstRequestMs = 500;
/** Three seconds. */
const mostLooks = 300;
/** A turn of the event loop in which hardly anybody can have connected since the system was asked. */
const shortTurnMs = 0.05;
/** A busy server may have no such turn. */
const mostTurnsMs = 100;
/** Connections that the system keeps until they are taken: Node's own default. */
const queueLength = 511;

type StopLimits = Pick<ServerLimits, 'stopDelayMs' | 'closeNoticeMs' | 'drainTimeoutMs'>;

/**
 * Lets `app.close()` end soon without cutting an answer, and without losing a request of a client that keeps asking.
 *
 * From then on every answer says `Connection: close`, those under way too. All is served as before, for `stopDelayMs`
 * whatever comes, so that a proxy that asks whether the server is ready sends its requests elsewhere; and for
 * `closeNoticeMs` more, or until there is no connection, so that a client that is in the middle of its work is told
 * rather than cut off. After that no connection is taken, and each is closed as soon as it rests: no answer under way,
 * no byte of another request read, and not so new that its first one is on the way. Whatever is left after
 * `drainTimeoutMs` is cut: a slow client would otherwise hold the server for ever, because Node stops looking at its
 * timeouts when it closes.
 */
export function drainOnClose(
  app: FastifyInstance,
  { stopDelayMs, closeNoticeMs, drainTimeoutMs }: StopLimits,
): void {
  const { server } = app;
  const sockets = openSockets(server);
  const closeResting = (): void => {
    for (const socket of sockets) if (isResting(socket)) socket.destroy();
  };
  // Node's own takes a connection for idle as soon as its answer is written, and cuts what a slow client has not read.
  server.closeIdleConnections = closeResting;
  app.addHook('preClose', (done) => {
    if (!server.listening) {
      done();
      return;
    }
    app.log.info('Server stopping');
    for (const socket of sockets) connectionOf(socket)?.underWay.forEach(sayGoodbye);
    const stop = (): void => {
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
 * Stops listening and calls `go` when `noticeMs` have passed and what had connected before has been taken, too.
 *
 * The system queues connections, and one is taken at each turn of the event loop; to stop listening would cut off
 * those that wait. There are none left when none has come for a while, or when as many have come as the queue can hold.
 * Earlier when there is no connection at all; later when the process is busy, since what counts is that it looked. It
 * ends in a short turn of the event loop that found nobody waiting: who comes between that look and the end is cut off.
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
    // At once: the framework takes some turns more until it does so.
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
