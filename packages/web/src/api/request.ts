import { connection } from './connection.ts';
import { ApiError, errorOf, isOffline } from './errors.ts';

/** Values of a query; undefined and empty texts are left out, lists are joined by commas. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly (string | number)[] | undefined>
>;

/** What a request sends. */
export interface RequestOptions {
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, for uploads. */
  readonly form?: FormData;
  /** Sends the request instead of the `fetch` of the browser, such as to see how far an upload is. */
  readonly transport?: (url: string, init: RequestInit) => Promise<Response>;
  readonly signal?: AbortSignal;
  /** False for requests that are made while signed out: a 401 is then an error like others. */
  readonly needsSession?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const mostAttempts = 5;
const usualWaitMs = 5000;
const offlineMessage = 'The server cannot be reached';

/** The path below which the server is reachable; empty when it is at the root. */
export function basePath(): string {
  if (typeof document === 'undefined') return '';
  return document.querySelector<HTMLMetaElement>('meta[name="coffer-base"]')?.content ?? '';
}

/** The path and query of a request below the base path. */
export function targetOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
    if (text !== '') search.set(name, text);
  }
  const text = search.toString();
  return basePath() + path + (text === '' ? '' : `?${text}`);
}

/**
 * Sends a request and returns the JSON of its response; undefined for 204.
 *
 * A request that was too early (429) waits and is sent again; one without a valid session waits until somebody signs
 * in. Throws {@link ApiError} for every other refusal, and with status 0 when the server cannot be reached.
 */
export async function request<T>(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(method, path, options);
    if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
    const error = await errorOf(response);
    const isSignedOut = error.status === 401 && options.needsSession !== false;
    if (attempt === mostAttempts || !(isSignedOut || error.status === 429)) throw error;
    if (isSignedOut) {
      connection.change({ isSignedOut: true });
      await orAborted(connection.ready(), options.signal);
    } else await waitForReset(error.retryAfterMs ?? usualWaitMs, options.signal);
  }
}

async function send(method: Method, path: string, options: RequestOptions): Promise<Response> {
  const { query, body, form, signal, transport = fetch } = options;
  const headers: Record<string, string> = { accept: 'application/json' };
  if (form !== undefined) headers['x-coffer-upload'] = '1';
  else if (method !== 'GET') headers['content-type'] = 'application/json';
  try {
    const response = await transport(targetOf(path, query), {
      method,
      headers,
      credentials: 'same-origin',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form !== undefined && { body: form }),
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
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), waitMs);
  try {
    await orAborted(promise, signal);
  } finally {
    clearTimeout(timer);
    if ((connection.state.waitingUntilMs ?? 0) <= Date.now())
      connection.change({ waitingUntilMs: null });
  }
}

async function orAborted(wait: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) {
    await wait;
    return;
  }
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([wait, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
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
