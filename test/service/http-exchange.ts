import { request as startRequest, type Agent } from 'node:http';
import { connect } from 'node:net';

/** A request as a test writes it. */
export interface Question {
  readonly method: string;
  /** Path and query, sent as they are. */
  readonly target: string;
  /** Names and values in turn, so that a name can be sent twice. */
  readonly headers: readonly string[];
  readonly body?: string | Uint8Array | undefined;
  /** The address that the request comes from: any 127.x.y.z is the machine's own. */
  readonly from: string;
  readonly agent?: Agent | undefined;
}

/** An answer as it came. */
export interface Answer {
  readonly status: number;
  /** By name in lower case; several lines of one name in order. */
  readonly lines: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
}

const silenceTimeoutMs = 10_000;

/** Sends one request over HTTP and reads the whole answer. */
export function exchange(port: number, question: Question): Promise<Answer> {
  const { method, target, headers, body, from, agent = false } = question;
  return new Promise((resolve, reject) => {
    const outgoing = startRequest(
      {
        host: '127.0.0.1',
        port,
        localAddress: from,
        agent,
        method,
        path: target,
        headers: ['host', `127.0.0.1:${port}`, ...headers],
        timeout: silenceTimeoutMs,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => void chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            lines: linesByName(incoming.rawHeaders),
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`No answer to ${method} ${target}`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/**
 * Sends bytes on a connection of its own and reads the one answer that comes before it is closed.
 *
 * `text` in latin1, so that it can hold what no client would send. The answer's body is the rest.
 */
export function exchangeBytes(port: number, text: string, from: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: from });
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    socket.setTimeout(silenceTimeoutMs, () => socket.destroy(new Error('No answer')));
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

/** The value of a header that must be there exactly once. Throws otherwise. */
export function header({ lines, status }: Answer, name: string): string {
  const [value, ...more] = lines[name.toLowerCase()] ?? [];
  if (value !== undefined && more.length === 0) return value;
  throw new Error(`An answer ${status} must have one header ${name}, not ${more.length + 1}`);
}

/** The value of a header that must be there once and hold a whole number in digits. Throws otherwise. */
export function numberIn(answer: Answer, name: string): number {
  const value = header(answer, name);
  if (/^(0|[1-9]\d*)$/.test(value)) return Number(value);
  throw new Error(`The header ${name} must be a whole number, not "${value}"`);
}
