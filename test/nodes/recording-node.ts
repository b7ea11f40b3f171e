import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Something in the place of a node that writes down what a proxy sends. */
export interface RecordingNode {
  readonly port: number;
  /** The requests so far, but for those that ask whether it is ready. */
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

/** A request as it came. */
export interface RecordedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  /** Which of the node's connections it came on. */
  readonly connection: Socket;
}

/** How a node answers; without an answer in words it ends the connection. */
export type Answering = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers 200. */
export const well: Answering = (response) => response.end('well');
/** Dies in the middle of the request. */
export const dying: Answering = (response) => response.socket?.destroy();
/** Says that it stops. */
export const stopping: Answering = (response) => response.writeHead(503).end('stopping');

/** Starts a node that is always ready and answers everything else by `answer`. */
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
