import { createServer } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { listenHere } from '../../../../core/src/testing/starts.ts';
import type { PrivateTargets } from '../../outside/guarded-request.ts';

export interface ReceivedMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number | null;
}

/** How a receiver behaves: a status, or it reads the request and drops the connection, or never responds. */
export type Behaviour =
  number | 'drop' | 'hang' | { readonly status: number; readonly headers: OutgoingHttpHeaders };

export interface Receiver {
  readonly url: string;
  readonly received: readonly ReceivedMessage[];
  behave(next: (message: Pick<ReceivedMessage, 'headers' | 'body'>) => Behaviour): void;
  count(messages: number): Promise<void>;
  close(): Promise<void>;
}

export const loopbackTargets: PrivateTargets = {
  areAllowed: true,
  allows: (address) => address === '127.0.0.1',
};

export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedMessage[] = [];
  let behaviour: Parameters<Receiver['behave']>[0] = () => 204;
  let waiting: { readonly messages: number; readonly resolve: () => void }[] = [];
  const note = (message: ReceivedMessage): void => {
    received.push(message);
    for (const { resolve } of waiting.filter(({ messages }) => messages <= received.length))
      resolve();
    waiting = waiting.filter(({ messages }) => messages > received.length);
  };
  const server = createServer((request, response) => {
    void handle(request, response, (message) => behaviour(message), note);
  });
  const { url, close } = await listenHere(server);
  return {
    url: `${url}/hook`,
    received,
    behave: (next) => void (behaviour = next),
    count: (messages) =>
      received.length >= messages
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ messages, resolve })),
    close,
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  behaviour: Parameters<Receiver['behave']>[0],
  note: (message: ReceivedMessage) => void,
): Promise<void> {
  const headers = request.headers as Record<string, string>;
  const body = await readText(request).catch(() => null);
  if (body === null) return;
  const how = behaviour({ headers, body });
  const status = typeof how === 'object' ? how.status : how;
  if (status === 'drop') request.socket.destroy();
  else if (status !== 'hang')
    response.writeHead(status, typeof how === 'object' ? how.headers : {});
  if (typeof status === 'number') response.end();
  note({ headers, body, status: typeof status === 'number' ? status : null });
}
