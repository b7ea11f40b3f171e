import { globalAgent, type Agent } from 'node:http';
import { exchange, type FullAnswer } from './http-exchange.ts';

export type Answer = FullAnswer;

export interface Question {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The address that the request comes from, one of 127.0.0.0/8. */
  readonly from?: string;
  readonly agent?: Agent;
}

const timeoutMs = 30_000;

export function ask(url: string, question: Question = {}): Promise<Answer> {
  const { method = 'GET', token, headers = {}, body, from } = question;
  const { port, pathname, search } = new URL(url);
  const all = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    // Node sends the body of a DELETE without its length otherwise.
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  // Keeping a connection for an address that sends one request would fill up the server.
  const agent = question.agent ?? (from === undefined ? globalAgent : undefined);
  return exchange(Number(port), {
    method,
    target: pathname + search,
    headers: Object.entries(all).flat(),
    body,
    from,
    agent,
    timeoutMs,
  });
}

export function askJson(
  url: string,
  method: string,
  token: string,
  body: unknown,
  { headers, ...more }: Pick<Question, 'headers' | 'agent'> = {},
): Promise<Answer> {
  const all = { 'content-type': 'application/json', ...headers };
  return ask(url, { method, token, headers: all, body: JSON.stringify(body), ...more });
}
