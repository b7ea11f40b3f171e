import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Takes the place of a node and records what a proxy sends. */
export interface RecordingNode {
  readonly port: number;
  /** The requests so far, except those for `/readyz`. */
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

/** A request as it was received. */
export interface RecordedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  /** The connection that it was received on. */
  readonly connection: Socket;
}

/** How a node responds. */
export type Answering = (response: ServerResponse, request: IncomingMessage) => void;

/** Returns 200. */
export const well: Answering = (response) => response.end('well');
/** Closes the connection without a response. */
export const dying: Answering = (response) => response.socket?.destroy();
/** Returns 503, as a stopping node does. */
export const stopping: Answering = (response) => response.writeHead(503).end('stopping');

/** Starts a node that is always ready and uses the given function for other requests. */
export async function startRecordingNode(answer: Answering): Promise<RecordingNode> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/readyz') {
      response.end('ready');
      return;
    }
    const { method = '', url = '', headers, socket } = request;
    requests.push({ method, target: url, headers, connection: socket });
    request.once('end', () => answer(response, request));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
