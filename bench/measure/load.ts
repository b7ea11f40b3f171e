import { connect, type Socket } from 'node:net';

export interface Load {
  /** The ports of the servers; connections are spread evenly, and a faster server gets more requests. */
  readonly ports: readonly number[];
  readonly token: string;
  readonly paths: readonly string[];
  readonly requests: number;
  readonly connections: number;
  readonly headers?: readonly string[];
}

/**
 * Sends GET requests over keep-alive connections. Returns the bytes of all bodies, with the heads of chunks. Rejects on
 * any status but 200.
 */
export async function runLoad(load: Load): Promise<number> {
  const shared = { next: 0, bytes: 0 };
  const workers = Array.from({ length: load.connections }, (_, at) =>
    worker(load, load.ports[at % load.ports.length] ?? 0, shared),
  );
  await Promise.all(workers);
  return shared.bytes;
}

async function worker(load: Load, port: number, shared: { next: number; bytes: number }) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  const answers = new AnswerReader(socket);
  const lines = ['Host: bench', `Authorization: Bearer ${load.token}`, ...(load.headers ?? [])];
  const head = lines.join('\r\n');
  while (shared.next < load.requests) {
    const path = load.paths[shared.next % load.paths.length] ?? '/';
    shared.next += 1;
    socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n\r\n`);
    const bytes = await answers.next();
    shared.bytes += bytes;
  }
  socket.destroy();
}

/** What ends a body in chunks. JSON cannot have it, because it escapes line ends in texts. */
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Reads responses by their Content-Length or last chunk only, because parsing would cost more than serving. */
class AnswerReader {
  #head = Buffer.alloc(0);
  /** The bytes that are missing; null for a body in chunks, undefined before the end of the head. */
  #left: number | null | undefined;
  #end = Buffer.alloc(0);
  #bytes = 0;
  #settle: { resolve: (bytes: number) => void; reject: (error: Error) => void } | null = null;

  constructor(socket: Socket) {
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('The server closed the connection')));
  }

  next(): Promise<number> {
    this.#left = undefined;
    this.#head = Buffer.alloc(0);
    this.#end = Buffer.alloc(0);
    this.#bytes = 0;
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  #read(chunk: Buffer): void {
    if (this.#left === undefined) this.#readHead(chunk);
    else this.#readBody(chunk);
  }

  #readHead(chunk: Buffer): void {
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#head.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    const isChunked = /\r\ntransfer-encoding: chunked/i.test(head);
    if (!head.startsWith('HTTP/1.1 200') || (length === undefined && !isChunked)) {
      this.#settle?.reject(new Error(`The server sent: ${head}`));
      return;
    }
    this.#left = length === undefined ? null : Number(length);
    this.#readBody(this.#head.subarray(end + 4));
  }

  #readBody(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#left === null || this.#left === undefined) {
      this.#end = Buffer.concat([this.#end, chunk.subarray(-lastChunk.length)]);
      this.#end = this.#end.subarray(-lastChunk.length);
      if (this.#end.equals(lastChunk)) this.#settle?.resolve(this.#bytes);
      return;
    }
    this.#left -= chunk.length;
    if (this.#left === 0) this.#settle?.resolve(this.#bytes);
  }
}
