import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';

export interface WireAnswer {
  readonly status: number;
  /** The values of all lines, by name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

/** The text of a GET request with a token; `lines` are more headers, each with its end. */
export function getText({ token }: { token: string }, path = '/v2/me', lines = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${lines}\r\n`;
}

/** The header after whose response the server closes the connection. */
export const closing = 'Connection: close\r\n';

export function statusesIn(text: string): number[] {
  return parseAnswers(text).map(({ status }) => status);
}

/** Sends bytes on a new connection and returns all received bytes until the server closes it. */
export function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text, 'latin1');
  return received(socket);
}

/** Returns all bytes that a connection still receives until it is closed in any way. */
export function received(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (text += chunk));
    // An error is always followed by a close.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

/** Parses responses that all have Content-Length or no body; `bodiless` for responses to HEAD. */
export function parseAnswers(text: string, { bodiless = false } = {}): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    assert.notEqual(end, -1, `No end of header in ${JSON.stringify(rest)}`);
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    assert.match(statusLine, /^HTTP\/1\.1 \d{3} /);
    const headers = headersOf(lines);
    const length = bodiless ? 0 : Number(headers['content-length']?.[0] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    answers.push({ status: Number(statusLine.slice(9, 12)), headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

function headersOf(lines: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    (headers[line.slice(0, colon).toLowerCase()] ??= []).push(line.slice(colon + 1).trim());
  }
  return headers;
}
