import { connect } from 'node:net';
import type { Socket } from 'node:net';

export interface Load {
  /** The ports of the servers; connections are spread evenly, and a faster server gets more requests. */
  readonly ports: readonly number[];
  readonly token: string;
  /** Requested in turn, repeatedly. */
  readonly paths: readonly string[];
  readonly requests: number;
  readonly connections: number;
}

/** Sends GET requests over keep-alive connections. Returns the bytes of all bodies; rejects on any status but 200. */
export async function runLoad(load: Load): Promise<number> {
  const shared = { next: 0, bytes: 0 };
  const workers = Array.from({ length: load.connections }, (_, at) =>
    worker(load, load.ports[at % load.ports.length] ?? 0, shared),
  );
  await Promise.all(workers);
  return shared.bytes;
}

async function worker(
  load: Load,
  port: number,
  shared: { next: number; bytes: number },
): Promise<void> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  const answers = new AnswerReader(socket);
  while (shared.next < load.requests) {
    const path = load.paths[shared.next % load.paths.length] ?? '/';
    shared.next += 1;
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${load.token}\r\n\r\n`,
    );
    const bytes = await answers.next();
    shared.bytes += bytes;
  }
  socket.destroy();
}

/** Reads responses by their Content-Length only, because parsing would cost more than serving. */
class AnswerReader {
  #head = Buffer.alloc(0);
  #left = -1;
  #length = 0;
  #settle: { resolve: (bytes: number) => void; reject: (error: Error) => void } | null = null;

  constructor(socket: Socket) {
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('The server closed the connection')));
  }

  next(): Promise<number> {
    this.#left = -1;
    this.#head = Buffer.alloc(0);
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  #read(chunk: Buffer): void {
    if (this.#left === -1) this.#readHead(chunk);
    else this.#left -= chunk.length;
    if (this.#left === 0) this.#settle?.resolve(this.#length);
  }

  #readHead(chunk: Buffer): void {
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#head.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
      this.#settle?.reject(new Error(`The server sent: ${head}`));
      return;
    }
    this.#length = Number(length);
    this.#left = this.#length - (this.#head.length - end - 4);
  }
}
