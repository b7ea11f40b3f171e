import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/**
 * What a provider does instead of sending the right response.
 *
 * `down`: it refuses connections. `slowHeader`: it reads the request and sends nothing. `slowBody`: it sends a space
 * every few milliseconds, endlessly. `reset`: it resets the connection. `truncated`: it closes the connection in the
 * middle of the right body. `endless`: it sends the right body and then endless spaces. `endlessHeader`: it sends one
 * endless header. `notUtf8`: it sends the right body with one more key, in Latin-1. `notHttp`, `html`, `deepJson`: it
 * sends such a response. `status` is sent with the right body and the media type `type` (JSON by default), `redirectTo`
 * with status 307, and `text` and `json` with status 200.
 */
export type Fault =
  | ('down' | 'slowHeader' | 'slowBody' | 'reset' | 'truncated' | 'endless' | 'endlessHeader')
  | ('notHttp' | 'notUtf8' | 'html' | 'deepJson')
  | { readonly status: number; readonly retryAfter?: string; readonly type?: string }
  | { readonly redirectTo: string }
  | { readonly text: string }
  | { readonly json: unknown };

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ProviderResponse {
  readonly status: number;
  readonly text: string;
}

export interface ProviderServer {
  readonly url: string;
  /** Every request that arrived completely, including requests that met a fault. */
  readonly calls: readonly Call[];
  /** Resolves when `count` requests have arrived since the start. */
  arrived(count: number): Promise<void>;
  /** Sets the fault of all responses from now on; null for none. */
  fail(fault: Fault | null): Promise<void>;
  /** Delays all responses from now on until the returned function is called. */
  hold(): () => void;
  close(): Promise<void>;
}

const dripMs = 5;
const spaces = ' '.repeat(64 * 1024);
const letters = 'a'.repeat(64 * 1024);
const depth = 200_000;

export async function startProviderServer(
  respond: (call: Call) => ProviderResponse,
): Promise<ProviderServer> {
  const calls: Call[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let fault: Fault | null = null;
  let held: Promise<void> = Promise.resolve();
  const server = createServer((request, response) => {
    const done = readCall(request).then(async (call) => {
      calls.push(call);
      for (const each of waiting) if (calls.length >= each.count) each.resolve();
      const right = respond(call);
      await held;
      if (fault === null) send(response, right);
      else if (typeof fault === 'object') sendOther(fault, response, right);
      else faults[fault](request, response, right);
    });
    // The client disconnected, or `respond` threw: close the connection, so that no client waits.
    done.catch(() => request.destroy());
  });
  const port = await listen(server, 0);
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async arrived(count) {
      if (calls.length >= count) return;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      waiting.push({ count, resolve: () => resolve(undefined) });
      await promise;
    },
    async fail(next) {
      if (next === 'down') await stop(server);
      else if (!server.listening) await listen(server, port);
      fault = next;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      held = promise;
      return () => resolve(undefined);
    },
    close: () => stop(server),
  };
}

export function jsonResponse(value: unknown, status = 200): ProviderResponse {
  return { status, text: JSON.stringify(value) };
}

async function readCall(request: IncomingMessage): Promise<Call> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const body = await text(request);
  const { method = '', headers } = request;
  return { method, path: pathname, query: searchParams, headers, body };
}

function send(
  response: ServerResponse,
  { status, text }: ProviderResponse,
  headers: Record<string, string> = {},
): void {
  const length = String(Buffer.byteLength(text));
  const usual = { 'content-type': 'application/json', 'content-length': length };
  response.writeHead(status, { ...usual, ...headers }).end(text);
}

const faults: Readonly<
  Record<
    Fault & string,
    (request: IncomingMessage, response: ServerResponse, right: ProviderResponse) => void
  >
> = {
  down: () => undefined,
  slowHeader: () => undefined,
  // Spaces may precede any JSON, so that only the time limit ends this.
  slowBody: (_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), dripMs);
    response.on('close', () => clearInterval(timer));
  },
  reset: ({ socket }) => socket.resetAndDestroy(),
  truncated: ({ socket }, response, { text }) => {
    response.writeHead(200, { 'content-length': String(text.length) });
    response.write(text.slice(0, -1), () => socket.destroy());
  },
  endless: (_request, response, { text }) => {
    response.writeHead(200).write(text);
    flood(response, spaces);
  },
  endlessHeader: ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ');
    flood(socket, letters);
  },
  notHttp: ({ socket }) => void socket.end('SSH-2.0-provider\r\n\r\n'),
  notUtf8: (_request, response, { text }) =>
    void response.end(Buffer.from(text.replace('{', '{"\u00e9":0,'), 'latin1')),
  html: (_request, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><p>Sign in</p>'),
  deepJson: (_request, response) => void response.end('['.repeat(depth) + ']'.repeat(depth)),
};

function sendOther(fault: Fault & object, response: ServerResponse, right: ProviderResponse): void {
  if ('status' in fault) {
    const { status, retryAfter, type } = fault;
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    send(response, { ...right, status }, { ...headers, ...(type && { 'content-type': type }) });
  } else if ('redirectTo' in fault)
    send(response, { ...right, status: 307 }, { location: fault.redirectTo });
  else
    send(response, 'text' in fault ? { status: 200, text: fault.text } : jsonResponse(fault.json));
}

function flood(stream: Writable, piece: string): void {
  if (!stream.destroyed) stream.write(piece, () => flood(stream, piece));
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
