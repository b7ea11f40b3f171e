import type { routes } from '@coffer/client/openapi-types';
import { connection } from './connection.ts';
import { ApiError, errorOf, isOffline } from './errors.ts';

/** An operation as the API documents have it: `GET /v2/tags/{id}`. */
export type Route = keyof routes;

/** An operation that reads. */
export type Reading = Extract<Route, `GET ${string}`>;

/** What a route has in its path and its query. */
export type ParametersOf<R extends Route> = Pick<routes[R]['parameters'], 'path' | 'query'>;

/** The query of a route; none of it is required. */
export type QueryOf<R extends Route> = NonNullable<routes[R]['parameters']['query']>;

/** The body of the response of success; undefined for one without content. */
export type ResponseOf<R extends Route> = InJson<
  routes[R]['responses'][keyof routes[R]['responses']]
>;

type InJson<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : undefined;

/** The body of a request: JSON, or a form. */
type BodyOf<R extends Route> = routes[R] extends { requestBody: { content: infer Content } }
  ? { readonly body: SentAs<Content> }
  : { readonly body?: SentAs<NonNullable<routes[R]['requestBody']>['content']> };

type SentAs<Content> = Content extends { 'application/json': infer Body } ? Body : FormData;

/** How any request is sent. */
interface Sending {
  /** Sends the request instead of the `fetch` of the browser, such as to see how far an upload is. */
  readonly transport?: (url: string, init: RequestInit) => Promise<Response>;
  readonly signal?: AbortSignal | undefined;
  /** The request takes effect once, however often it is sent with this key. */
  readonly idempotencyKey?: string;
  /** False for requests that are made while signed out: a 401 is then an error like others. */
  readonly needsSession?: boolean;
}

/** What a request to a route sends. */
export type RequestOf<R extends Route> = ParametersOf<R> & BodyOf<R> & Sending;

/** Any request, once its types are checked. */
interface AnyRequest extends Sending {
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

const mostAttempts = 5;
const usualWaitMs = 5000;
const offlineMessage = 'The server cannot be reached';

/** The path below which the server is reachable; empty when it is at the root. */
export function basePath(): string {
  if (typeof document === 'undefined') return '';
  return document.querySelector<HTMLMetaElement>('meta[name="coffer-base"]')?.content ?? '';
}

/** The URL of a route, below the base path. Empty texts of the query are left out. */
export function urlOf<R extends Route>(route: R, parameters: ParametersOf<R>): string {
  return urlFor(route, parameters);
}

function urlFor(route: Route, { path = {}, query = {} }: AnyRequest): string {
  const [, template = ''] = route.split(' ');
  const filled = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(new Map(Object.entries(path)).get(name))),
  );
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return basePath() + filled + (text === '' ? '' : `?${text}`);
}

/**
 * Sends a request and returns the JSON of its response, as the API document types both; undefined for 204.
 *
 * A request that was too early (429) waits and is sent again; one without a valid session waits until somebody signs
 * in. Throws {@link ApiError} for every other refusal, and with status 0 when the server cannot be reached.
 */
export function request<R extends Reading>(
  route: R,
  options: ParametersOf<R> & Sending,
): Promise<ResponseOf<R>>;
export function request<R extends Route>(route: R, options: RequestOf<R>): Promise<ResponseOf<R>>;
export async function request(route: Route, options: AnyRequest): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(route, options);
    if (response.ok) {
      const body: unknown = response.status === 204 ? undefined : await response.json();
      return body;
    }
    const error = await errorOf(response);
    const isSignedOut = error.status === 401 && options.needsSession !== false;
    if (attempt === mostAttempts || !(isSignedOut || error.status === 429)) throw error;
    if (isSignedOut) {
      connection.change({ isSignedOut: true });
      await orAborted(connection.ready(), options.signal);
    } else await waitForReset(error.retryAfterMs ?? usualWaitMs, options.signal);
  }
}

async function send(route: Route, options: AnyRequest): Promise<Response> {
  const { body, signal, idempotencyKey, transport = fetch } = options;
  const [method = ''] = route.split(' ');
  const headers: Record<string, string> = { accept: 'application/json' };
  const isForm = body instanceof FormData;
  if (isForm) headers['x-coffer-upload'] = '1';
  else if (method !== 'GET') headers['content-type'] = 'application/json';
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  try {
    const response = await transport(urlFor(route, options), {
      method,
      headers,
      credentials: 'same-origin',
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    connection.change({ isOffline: false });
    return response;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    connection.change({ isOffline: true });
    throw new ApiError(0, offlineMessage);
  }
}

async function waitForReset(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  const untilMs = Date.now() + waitMs;
  connection.change({ waitingUntilMs: Math.max(untilMs, connection.state.waitingUntilMs ?? 0) });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(resolve, waitMs);
  try {
    await orAborted(promise, signal);
  } finally {
    clearTimeout(timer);
    if ((connection.state.waitingUntilMs ?? 0) <= Date.now())
      connection.change({ waitingUntilMs: null });
  }
}

async function orAborted(wait: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  await Promise.race([wait, promise]).finally(() => signal?.removeEventListener('abort', abort));
}

/** Resolves when the server can be reached, and the session is valid. */
export const reachable = (): Promise<void> => connection.ready();

/** Sends until the server can be reached, so that nothing typed is lost. Other failures are thrown. */
export async function persistently<T>(send: () => Promise<T>, wait = reachable): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isOffline(error)) throw error;
      await wait();
    }
  }
}
