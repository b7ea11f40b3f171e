import { request as startRequest, type Agent, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface Question {
  readonly method: string;
  readonly target: string;
  /** Alternating names and values, so that a name can be sent twice. */
  readonly headers: readonly string[];
  readonly body?: string | Uint8Array | undefined;
  /** The client address: any 127.x.y.z is an address of this machine. 127.0.0.1 by default. */
  readonly from?: string | undefined;
  /** A connection for this request alone by default. */
  readonly agent?: Agent | undefined;
  /** The longest time without a byte; 10 seconds by default. */
  readonly timeoutMs?: number | undefined;
}

export interface Answer {
  readonly status: number;
  /** The values of all lines in order, by name in lower case. */
  readonly lines: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
}

export type FullAnswer = Answer & { readonly headers: IncomingHttpHeaders };

const silenceTimeoutMs = 90_000;

let addresses = 0;

/** Returns a client address that no request has used yet, one of sixteen million addresses of this machine. */
export function newAddress(): string {
  addresses += 1;
  return `127.${1 + (addresses >> 16)}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

export function exchange(port: number, question: Question): Promise<FullAnswer> {
  const { method, target, headers, body, from, agent = false } = question;
  const hasHost = headers.some((each, n) => n % 2 === 0 && each.toLowerCase() === 'host');
  return new Promise((resolve, reject) => {
    const outgoing = startRequest(
      {
        host: '127.0.0.1',
        port,
        localAddress: from,
        agent,
        method,
        path: target,
        headers: hasHost ? headers : ['Host', `127.0.0.1:${port}`, ...headers],
        timeout: question.timeoutMs ?? silenceTimeoutMs,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => void chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            lines: linesByName(incoming.rawHeaders),
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`No response to ${method} ${target}`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/**
 * Sends bytes on a new connection and reads the response until the connection is closed.
 *
 * `text` is Latin-1, so that it can contain bytes that no client would send. The body is everything after the header.
 */
export function exchangeBytes(port: number, text: string, from: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: from });
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    socket.setTimeout(silenceTimeoutMs, () => socket.destroy(new Error('No response')));
    socket.on('error', reject);
    socket.on('close', () => resolve(parseAnswer(received)));
    socket.write(text, 'latin1');
  });
}

function parseAnswer(received: string): Answer {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [statusLine = '', ...fields] = head.split('\r\n');
  const raw = fields.flatMap((field) => /^([^:]*): ?(.*)$/.exec(field)?.slice(1) ?? []);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  return { status, lines: linesByName(raw), text: rest.join('\r\n\r\n') };
}

function linesByName(raw: readonly string[]): Record<string, string[]> {
  const lines: Record<string, string[]> = {};
  for (let at = 0; at < raw.length; at += 2) {
    (lines[raw[at]!.toLowerCase()] ??= []).push(raw[at + 1]!);
  }
  return lines;
}

/** Returns the value of a header that must exist exactly once. Throws otherwise. */
export function header({ lines, status }: Answer, name: string): string {
  const [value, ...more] = lines[name.toLowerCase()] ?? [];
  if (value !== undefined && more.length === 0) return value;
  const lineCount = value === undefined ? 0 : more.length + 1;
  throw new Error(`A response ${status} must have one header ${name}, not ${lineCount}`);
}

export function numberIn(answer: Answer, name: string): number {
  const value = header(answer, name);
  if (/^(0|[1-9]\d*)$/.test(value)) return Number(value);
  throw new Error(`The header ${name} must be a whole number, not "${value}"`);
}
