import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How often a stopping server looks for connections that have nothing more to do. */
const sweepIntervalMs = 50;

/** What a connection is doing. */
interface Connection {
  /** Answers that have not left completely. */
  readonly underWay: Set<ServerResponse>;
  /** How much had been read when the last answer had left. */
  settledBytes: number;
}

/**
 * Lets `app.close()` end soon without cutting an answer.
 *
 * From then on no connection is taken, answers under way and those to requests that still come on old connections
 * say `Connection: close`, and a connection is closed as soon as it rests: no answer under way, no byte of another
 * request read. Whatever is left after `drainTimeoutMs` is cut: a slow client would otherwise hold the server for
 * ever, because Node stops looking at its timeouts when it closes.
 */
export function drainOnClose(app: FastifyInstance, drainTimeoutMs: number): void {
  const { server } = app;
  const connections = trackConnections(server);
  const closeResting = (): void => {
    for (const [socket, connection] of connections)
      if (isResting(socket, connection)) socket.destroy();
  };
  // Node's own takes a connection for idle as soon as its answer is written, and cuts what a slow client has not read.
  server.closeIdleConnections = closeResting;
  app.addHook('preClose', (done) => {
    if (!server.listening) {
      done();
      return;
    }
    app.log.info('Server stopping');
    for (const { underWay } of connections.values()) underWay.forEach(sayGoodbye);
    const sweep = setInterval(closeResting, sweepIntervalMs);
    const deadline = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
    server.once('close', () => {
      clearInterval(sweep);
      clearTimeout(deadline);
    });
    done();
  });
}

function trackConnections(server: Server): ReadonlyMap<Socket, Connection> {
  const connections = new Map<Socket, Connection>();
  server.on('connection', (socket) => {
    connections.set(socket, { underWay: new Set(), settledBytes: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const connection = connections.get(socket);
    connection?.underWay.add(response);
    response.once('close', () => {
      connection?.underWay.delete(response);
      if (connection !== undefined) connection.settledBytes = socket.bytesRead;
    });
  });
  return connections;
}

function isResting(socket: Socket, { underWay, settledBytes }: Connection): boolean {
  return underWay.size === 0 && socket.bytesRead === settledBytes;
}

function sayGoodbye(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
