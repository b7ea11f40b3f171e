import { ArgumentError, MalformedResponseError } from './errors.ts';
import { quote } from './options.ts';
import type { CallOptions, Setup } from './options.ts';
import { send } from './retry.ts';
import type { Received } from './retry.ts';
import type { Outgoing } from './transport.ts';

/** A value of a query parameter; one that is undefined is not sent. */
export type QueryValue = string | number | boolean | undefined;

/** A request to any operation of the service. */
export interface RequestOptions extends CallOptions {
  /** `GET` unless given. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /** Behind the version: `/tags`, `/transactions/7`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /**
   * Sent as `Idempotency-Key`, by which a service knows a request that it has seen. A request that has one is sent
   * again after failures like a GET. Give one only to a service that keeps this promise.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Sends requests in the one way of this client. */
export interface Requests {
  /** Resolves to the JSON value of a 2xx answer, to undefined when it has no body. */
  request(options: RequestOptions): Promise<unknown>;
  /**
   * As `request`, and checks the value by `isExpected`, which says it in the words of `expected`. Rejects with
   * {@link MalformedResponseError} when it is another.
   */
  ask<T>(
    options: RequestOptions,
    isExpected: (value: unknown) => value is T,
    expected: string,
  ): Promise<T>;
}

/** Sends requests by the options of a client. */
export function makeRequests({ baseUrl, sender, signal }: Setup): Requests {
  const receive = async (options: RequestOptions): Promise<Received> =>
    await send(sender, outgoingOf(baseUrl, options), [signal, options.signal]);
  return {
    request: async (options) => (await receive(options)).value,
    ask: async (options, isExpected, expected) => {
      const { value, status, ...sent } = await receive(options);
      if (isExpected(value)) return value;
      throw new MalformedResponseError(`the body is not ${expected}`, { status }, sent);
    },
  };
}

function outgoingOf(baseUrl: string, options: RequestOptions): Outgoing {
  const { method = 'GET', path, query = {}, body, idempotencyKey } = options;
  return {
    method,
    url: baseUrl + checkedPath(path) + queryOf(query),
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** A path must not lead out of the version that the base names. */
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

/** The last part of a path. Throws {@link ArgumentError} for what is no id: a positive integer. */
export function idPart(name: string, id: number): string {
  if (Number.isSafeInteger(id) && id > 0) return String(id);
  throw new ArgumentError([`${name} must be a positive integer, not ${quote(id)}`]);
}
