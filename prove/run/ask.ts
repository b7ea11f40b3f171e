import { request, type Agent, type IncomingHttpHeaders } from 'node:http';

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Question {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The address that the request comes from, one of 127.0.0.0/8. */
  readonly from?: string;
  readonly agent?: Agent;
  /** Rejects after this time; 30,000 unless given. */
  readonly timeoutMs?: number;
}

/** Asks a server and reads the whole answer. Rejects when the connection fails or the answer is cut. */
export function ask(url: string, question: Question = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { token, timeoutMs = 30_000 } = question;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const asked = request(url, {
    method: question.method ?? 'GET',
    headers: { ...authorization, ...question.headers },
    signal: AbortSignal.timeout(timeoutMs),
    // A connection that is kept for an address that asks once would fill up the server.
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
        reject(new Error('The answer was cut'));
        return;
      }
      const text = Buffer.concat(chunks).toString();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
  });
  asked.end(question.body);
  return promise;
}

let addresses = 0;

/** A source address that no request has come from yet, so that no limit is met. */
export function newAddress(): string {
  addresses += 1;
  return `127.${1 + (addresses >> 16)}.${(addresses >> 8) & 255}.${addresses & 255}`;
}
