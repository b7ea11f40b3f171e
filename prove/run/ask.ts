import { request, type Agent, type IncomingHttpHeaders } from 'node:http';

/** A complete response. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Question {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The address that the request comes from, one of 127.0.0.0/8. */
  readonly from?: string;
  readonly agent?: Agent;
  /** Rejects after this time; 30,000 by default. */
  readonly timeoutMs?: number;
}

/** Sends a request and returns the complete response. Rejects when the connection fails or the response is cut off. */
export function ask(url: string, question: Question = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { token, timeoutMs = 30_000 } = question;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const asked = request(url, {
    method: question.method ?? 'GET',
    headers: { ...authorization, ...lengthOf(question.body), ...question.headers },
    signal: AbortSignal.timeout(timeoutMs),
    // Keeping a connection for an address that sends one request would fill up the server.
    ...(question.from === undefined ? {} : { localAddress: question.from, agent: false }),
    ...(question.agent === undefined ? {} : { agent: question.agent }),
  });
  asked.once('error', reject);
  asked.once('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('error', reject);
    response.once('close', () => {
      if (!response.complete) {
        reject(new Error('The response was cut off'));
        return;
      }
      const text = Buffer.concat(chunks).toString();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
  });
  asked.end(question.body);
  return promise;
}

/** Node sends the body of a DELETE without its length otherwise. */
function lengthOf(body: string | Uint8Array | undefined): Readonly<Record<string, string>> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

let addresses = 0;

/** Returns a client address that no request has used yet, so that no limit applies. */
export function newAddress(): string {
  addresses += 1;
  return `127.${1 + (addresses >> 16)}.${(addresses >> 8) & 255}.${addresses & 255}`;
}
