/*
 * Slow clients that hold connections: `node slow-clients.ts PORT TOKEN COUNT`. A third each sends headers slowly, sends
 * bodies slowly and reads slowly.
 *
 * Sends its parent `{ opened }` when all are connected, and `{ kind, heldMs }` for each that the server closes.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { newAddress } from '../../test/service/http-exchange.ts';

const kinds = ['header', 'silent', 'body', 'unread', 'slow reader', 'unwanted body'] as const;
export type SlowKind = (typeof kinds)[number];

export type SlowNews =
  { readonly opened: number } | { readonly kind: SlowKind; readonly heldMs: number };

const dripMs = 1_000;
/** With the pause, 200 a second. */
const openedAtOnce = 10;
const openPauseMs = 50;
/** Enough responses to fill every buffer between client and server. */
const answersWanted = 40;
const bytesAtOnce = 32;

function begin(kind: SlowKind, socket: Socket, token: string): void {
  const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`;
  const drip = (text: string): void => {
    const timer = setInterval(() => socket.write(text), dripMs);
    socket.once('close', () => clearInterval(timer));
  };
  if (kind === 'silent') return;
  if (kind === 'header') {
    socket.write('GET /v2/me HTTP/1.1\r\n');
    drip('X-Drip: x\r\n');
  } else if (kind === 'body' || kind === 'unwanted body') {
    const line = kind === 'body' ? 'GET /v2/me' : 'POST /v2/me';
    socket.write(
      `${line} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n`,
    );
    drip(' ');
  } else {
    socket.write(`GET /v2/transactions?limit=300 HTTP/1.1\r\n${head}\r\n`.repeat(answersWanted));
    socket.pause();
    if (kind === 'slow reader') readSlowly(socket);
  }
}

/** Reads a few bytes every second; the buffer of the socket is soon full. */
function readSlowly(socket: Socket): void {
  const timer = setInterval(() => void socket.read(bytesAtOnce), dripMs);
  socket.once('close', () => clearInterval(timer));
}

function open(kind: SlowKind, port: number, token: string): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const socket = connect({ port, host: '127.0.0.1', localAddress: newAddress() });
  let openedMs = performance.now();
  if (kind !== 'unread' && kind !== 'slow reader') socket.resume();
  socket.on('error', () => undefined);
  socket.once('connect', () => {
    openedMs = performance.now();
    begin(kind, socket, token);
    resolve(undefined);
  });
  socket.once('close', () => {
    report({ kind, heldMs: performance.now() - openedMs });
    resolve(undefined);
  });
  return promise;
}

function report(news: SlowNews): void {
  if (process.connected) process.send?.(news);
}

async function main(port: number, token: string, count: number): Promise<void> {
  // Each third has two kinds.
  const all = Array.from({ length: count }, (_, n) => kinds[n % kinds.length]!);
  for (let at = 0; at < count; at += openedAtOnce) {
    await Promise.all(all.slice(at, at + openedAtOnce).map((kind) => open(kind, port, token)));
    await wait(openPauseMs);
  }
  report({ opened: count });
}

if (import.meta.main) {
  const [port, token = '', count] = process.argv.slice(2);
  await main(Number(port), token, Number(count));
}
