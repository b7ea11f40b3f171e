import { connect, type Socket } from 'node:net';

/** A request as bytes. */
export interface RawRequest {
  readonly method: string;
  /** As in the request line. */
  readonly target: string;
  readonly bytes: Buffer;
}

/** A response as it was received. */
export interface RawAnswer {
  readonly status: number;
  /** Header lines by name in lower case; several lines of one name in order. */
  readonly lines: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
  /** Whether the application sent it: Node adds a date to those, but not to the refusals of its parser. */
  readonly isRouted: boolean;
}

/** The responses to requests that were sent together. */
interface Received {
  /** In the order of the requests; fewer when the connection ended early. */
  readonly answers: readonly RawAnswer[];
  /** Bytes that are not a complete response; empty without a problem. */
  readonly rest: string;
  readonly isClosed: boolean;
  /** False when the server did not accept the connection. */
  readonly wasOpen: boolean;
}

const silenceTimeoutMs = 20_000;

/** A connection that sends several requests together and checks every byte that comes back. */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #answers: RawAnswer[] = [];
  /** The methods of the requests; null when they are not known. */
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
    // A close follows each error, and the close is handled.
    this.#socket.on('error', () => undefined);
    this.#socket.setTimeout(silenceTimeoutMs, () => this.#socket.destroy());
    this.#socket.once('close', () => {
      this.#isClosed = true;
      this.#read();
    });
  }

  /** Sends requests together; resolves when each has a response, or the connection has ended. */
  async send(requests: readonly RawRequest[]): Promise<Received> {
    this.#methods = requests.map(({ method }) => method);
    return this.#exchange(Buffer.concat(requests.map(({ bytes }) => bytes)), false);
  }

  /** Sends the last bytes of a connection; resolves when the server has closed it, too. */
  async finish(bytes: Buffer): Promise<Received> {
    // Which responses belong to HEAD is known only when everything has arrived.
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
      // 100 Continue is an interim response.
      if (answer.status >= 200) this.#answers.push(answer);
    }
    this.#settle();
  }
}

/** Returns the first response in the bytes with its length, or undefined when it is not complete. */
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

/** Returns whether a header is followed by nothing, or by the next response. */
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
