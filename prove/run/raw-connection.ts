import { connect, type Socket } from 'node:net';

export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly bytes: Buffer;
}

export interface RawAnswer {
  readonly status: number;
  /** Header lines by name in lower case; several lines of one name in order. */
  readonly lines: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
  /** Whether the application sent it: Node adds a date to those, but not to the refusals of its parser. */
  readonly isRouted: boolean;
}

interface Received {
  /** In the order of the requests; fewer when the connection ended early. */
  readonly answers: readonly RawAnswer[];
  /** Bytes that are not a complete response; empty without a problem. */
  readonly rest: string;
  readonly isClosed: boolean;
  /** False when the server did not accept the connection. */
  readonly wasOpen: boolean;
}

const silenceTimeoutMs = 90_000;

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

function takeAnswer(bytes: Buffer, method: string | null) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...fields] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) return undefined;
  const lines = linesByName(fields);
  const isRouted = lines['date'] !== undefined;
  const isToHead = method === null ? isWithoutBody(bytes.subarray(end + 4)) : method === 'HEAD';
  const hasBody = status >= 200 && status !== 204 && status !== 304 && !(isRouted && isToHead);
  const body = hasBody ? takeBody(bytes.subarray(end + 4), lines) : noBody;
  if (body === undefined) return undefined;
  return { status, lines, text: body.text, isRouted, length: end + 4 + body.length };
}

interface Body {
  readonly text: string;
  readonly length: number;
}

const noBody: Body = { text: '', length: 0 };

function takeBody(bytes: Buffer, lines: RawAnswer['lines']): Body | undefined {
  if (lines['transfer-encoding']?.[0] === 'chunked') return takeChunks(bytes);
  const length = Number(lines['content-length']?.[0] ?? 0);
  return bytes.length < length ? undefined : { text: bytes.toString('utf8', 0, length), length };
}

function takeChunks(bytes: Buffer): Body | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at);
    if (line === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    const end = line + 2 + size + 2;
    if (bytes.length < end) return undefined;
    chunks.push(bytes.subarray(line + 2, end - 2));
    if (size === 0) return { text: Buffer.concat(chunks).toString(), length: end };
    at = end;
  }
}

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
