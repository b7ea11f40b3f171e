import { connect, type Socket } from 'node:net';

/** A request as its bytes go out. */
export interface RawRequest {
  readonly method: string;
  /** As it stands in the request line. */
  readonly target: string;
  readonly bytes: Buffer;
}

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  /** By name in lower case; several lines of one name in order. */
  readonly lines: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
  /** Whether an application gave it: Node puts a date on those, and the parser's refusals have none. */
  readonly isRouted: boolean;
}

/** What came back for requests that were sent at once. */
interface Received {
  /** In the order of the requests; fewer when the connection ended before. */
  readonly answers: readonly RawAnswer[];
  /** Bytes that are no whole answer; empty when all is well. */
  readonly rest: string;
  readonly isClosed: boolean;
  /** False when the server did not take the connection at all. */
  readonly wasOpen: boolean;
}

const silenceTimeoutMs = 20_000;

/** A connection on which several requests are sent at once and all bytes that come back are looked at. */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #answers: RawAnswer[] = [];
  /** By which the answers are asked for; null when it is not known. */
  #methods: readonly string[] | null = [];
  #isClosed = false;
  #wasOpen = false;
  #settle: () => void = () => undefined;

  /** `from` is one of 127.0.0.0/8. */
  constructor(port: number, from: string) {
    this.#socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#read();
    });
    this.#socket.once('connect', () => (this.#wasOpen = true));
    // An error is followed by a close, which is what is waited for.
    this.#socket.on('error', () => undefined);
    this.#socket.setTimeout(silenceTimeoutMs, () => this.#socket.destroy());
    this.#socket.once('close', () => {
      this.#isClosed = true;
      this.#read();
    });
  }

  /** Sends requests at once; resolves when each has an answer, or the connection has ended. */
  async send(requests: readonly RawRequest[]): Promise<Received> {
    this.#methods = requests.map(({ method }) => method);
    return this.#exchange(Buffer.concat(requests.map(({ bytes }) => bytes)), false);
  }

  /** Sends the last bytes of a connection, whatever they are; resolves when the other end has closed, too. */
  async finish(bytes: Buffer): Promise<Received> {
    // Which of the answers are to HEAD cannot be known beforehand, nor before all is there.
    this.#methods = bytes.includes('HEAD ') ? null : [];
    return this.#exchange(bytes, true);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #exchange(bytes: Buffer, isLast: boolean): Promise<Received> {
    this.#answers = [];
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#settle = () => {
      if (this.#isClosed || (!isLast && this.#answers.length === this.#methods?.length))
        resolve(undefined);
    };
    if (isLast) this.#socket.end(bytes);
    else this.#socket.write(bytes);
    this.#settle();
    await promise;
    const rest = this.#received.toString('latin1');
    return { answers: this.#answers, rest, isClosed: this.#isClosed, wasOpen: this.#wasOpen };
  }

  #read(): void {
    while (this.#methods !== null || this.#isClosed) {
      const method = this.#methods === null ? null : (this.#methods[this.#answers.length] ?? 'GET');
      const answer = takeAnswer(this.#received, method);
      if (answer === undefined) break;
      this.#received = this.#received.subarray(answer.length);
      // 100 Continue is a word in between.
      if (answer.status >= 200) this.#answers.push(answer);
    }
    this.#settle();
  }
}

/** The first answer in the bytes with the number of bytes that it takes, or undefined when it is not whole. */
function takeAnswer(
  bytes: Buffer,
  method: string | null,
): (RawAnswer & { length: number }) | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...fields] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) return undefined;
  const lines = linesByName(fields);
  const isRouted = lines['date'] !== undefined;
  const isToHead = method === null ? isWithoutBody(bytes.subarray(end + 4)) : method === 'HEAD';
  const hasBody = status >= 200 && status !== 204 && status !== 304 && !(isRouted && isToHead);
  const length = end + 4 + (hasBody ? Number(lines['content-length']?.[0] ?? 0) : 0);
  if (bytes.length < length) return undefined;
  const text = bytes.subarray(end + 4, length).toString();
  return { status, lines, text, isRouted, length };
}

/** Whether what follows a header is nothing, or the next answer. */
function isWithoutBody(rest: Buffer): boolean {
  return rest.length === 0 || rest.subarray(0, 7).toString('latin1') === 'HTTP/1.';
}

function linesByName(fields: readonly string[]): Record<string, string[]> {
  const lines = Object.create(null) as Record<string, string[]>;
  for (const field of fields) {
    const colon = field.indexOf(':');
    (lines[field.slice(0, colon).toLowerCase()] ??= []).push(field.slice(colon + 1).trim());
  }
  return lines;
}
