import { ArgumentError } from './errors.ts';
import { quote, type CallOptions, type Setup } from './options.ts';
import { send, type Received } from './retry.ts';
import type { Outgoing } from './transport.ts';

/** A value of a query parameter; undefined is not sent. */
export type QueryValue = string | number | boolean | undefined;

/** A request to any operation of the service. */
export interface RequestOptions extends CallOptions {
  /** Default: `GET`. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /** The v2 API, or Coffer's own under `/coffer`; default: `v2`. */
  readonly api?: 'v2' | 'coffer' | undefined;
  /** The path after `/v2` or `/coffer`: `/tags`, `/transactions/7`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>> | undefined;
  /** Sent as JSON; a `FormData` is sent as `multipart/form-data`. */
  readonly body?: unknown;
  /** Resolve to the body as a `File`, with the name and the type that the service gives it, instead of its JSON. */
  readonly isFile?: boolean | undefined;
  /**
   * Sent as `Idempotency-Key`, by which a service recognizes a repeated request. A request with a key is retried like a
   * GET. Use it only with a service that supports it.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Sends a request, with pacing and retries, and resolves to its 2xx response. */
export type Requests = (options: RequestOptions) => Promise<Received>;

/** The {@link Requests} of a client. */
export function makeRequests(setup: Setup): Requests {
  return async (options) =>
    await send(setup, await outgoingOf(setup.rootUrl, options), [setup.signal, options.signal]);
}

async function outgoingOf(rootUrl: string, options: RequestOptions): Promise<Outgoing> {
  const { method = 'GET', api = 'v2', path, query = {}, idempotencyKey, isFile = false } = options;
  const url = `${rootUrl}/${api}${checkedPath(path)}${queryOf(query)}`;
  const { type, body } = await encoded(options.body);
  return {
    method,
    url,
    headers: {
      Accept: isFile ? '*/*' : 'application/json',
      ...(type === null ? {} : { 'Content-Type': type }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body }),
    isFile,
  };
}

interface Encoded {
  readonly type: string | null;
  readonly body?: string | ArrayBuffer;
}

/** A form is encoded once, because each encoding has another boundary and retries must be equal. */
async function encoded(body: unknown): Promise<Encoded> {
  if (body === undefined) return { type: null };
  if (!(body instanceof FormData)) return { type: 'application/json', body: JSON.stringify(body) };
  const form = new Response(body);
  return { type: form.headers.get('content-type'), body: await form.arrayBuffer() };
}

/** Refuses a path that leaves the API. */
function checkedPath(path: string): string {
  const isPlain = /^(\/[^/?#\\]+)+$/.test(path) && !/\/(\.|%2e){1,2}(\/|$)/i.test(path);
  if (!isPlain) throw new ArgumentError([`path must be like /tags/7, not ${quote(path)}`]);
  return path;
}

function queryOf(query: Readonly<Record<string, QueryValue>>): string {
  const problems: string[] = [];
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries<unknown>(query)) {
    if (value === undefined) continue;
    if (isQueryValue(value)) parameters.set(name, String(value));
    else problems.push(`${name} must be a text, a number or a boolean, not ${quote(value)}`);
  }
  if (problems.length > 0) throw new ArgumentError(problems);
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

function isQueryValue(value: unknown): value is string | number | boolean {
  return ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}
