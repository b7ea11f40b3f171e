import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';

/** Sends a request of one user. Resolves at the end of the body, to its status and the start of its text. */
export type SendAs = (method: string, path: string, body?: object | Uint8Array) => Promise<Reply>;

export interface Reply {
  readonly status: number;
  readonly bytes: number;
  /** The start of the body, at least 500,000 bytes. */
  readonly text: string;
}

const keptBytes = 500_000;

/** So that a run ends. */
const longestMs = 180_000;

/** Returns a sender over kept connections, without compression. It rejects after three minutes. */
export function sendTo(port: number, token: string): SendAs {
  const agent = new Agent({ keepAlive: true });
  return async (method, path, body) => {
    const isFile = body instanceof Uint8Array;
    const type = isFile ? 'text/csv' : 'application/json';
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': type }),
    };
    const signal = AbortSignal.timeout(longestMs);
    const sent = request({
      port,
      host: '127.0.0.1',
      agent,
      method,
      path,
      headers,
      signal,
    });
    const payload = isFile || body === undefined ? body : JSON.stringify(body);
    sent.end(payload);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const received = await bodyOf(response).catch((error: unknown) => {
      throw signal.aborted ? new Error(`It took more than ${longestMs / 1000} s`) : error;
    });
    return { status: response.statusCode ?? 0, ...received };
  };
}

async function bodyOf(response: IncomingMessage): Promise<Pick<Reply, 'bytes' | 'text'>> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (bytes < keptBytes) kept.push(chunk);
    bytes += chunk.length;
  }
  return { bytes, text: Buffer.concat(kept).toString() };
}

/** As {@link sendTo}, but throws for a status of 300 or more. */
export function succeeding(send: SendAs): SendAs {
  return async (method, path, body) => {
    const reply = await send(method, path, body);
    if (reply.status < 300) return reply;
    throw new Refusal(method, path, reply);
  };
}

/** A request had a status of 300 or more. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  constructor(method: string, path: string, { status, text }: Reply) {
    super(`${method} ${path} failed with ${status}: ${text.slice(0, 500)}`);
    this.status = status;
  }
}
