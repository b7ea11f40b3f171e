import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { ArgumentError } from './errors.ts';
import { Pacer } from './pacing.ts';
import type { RetryNotice, Sender } from './retry.ts';
import type { Fetch } from './transport.ts';

/** What {@link createClient} takes. */
export interface ClientOptions {
  /**
   * Where the service is: `http://127.0.0.1:8080/v2`, `https://api.lunchmoney.dev/v2`.
   *
   * Absolute, http or https. `/v2` may be left off and is then added; a path in front of it stays as it is. No query,
   * no fragment, no user and password.
   */
  readonly baseUrl: string;
  /** The access token, without `Bearer`. It is in no error and no printout of the client. */
  readonly token: string;
  /** Sends the requests; the platform's own `fetch` unless given. */
  readonly fetch?: Fetch | undefined;
  /** How often a request is sent at most, 1 to 100; 8 unless given. */
  readonly maxAttempts?: number | undefined;
  /**
   * How long a call may take at most, in milliseconds, with all its attempts and waits; 1 to 86,400,000, 300,000 unless
   * given. Of a list it is the time for each page.
   */
  readonly maxElapsedMs?: number | undefined;
  /** How long one attempt may take, to the last byte of its answer; 1 to 86,400,000 ms, 30,000 unless given. */
  readonly timeoutMs?: number | undefined;
  /** Ends all calls of this client when it is aborted; they reject with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Told of every failed attempt that another one follows. What it throws ends the call. */
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** Where time and chance come from; the machine's own unless given. For tests. */
  readonly clock?: Clock | undefined;
}

/** What may be said of a single call. */
export interface CallOptions {
  /** Ends this call when it is aborted, also while it waits; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The options, checked. */
export interface Setup {
  /** Ends with the version and without a slash. */
  readonly baseUrl: string;
  readonly signal: AbortSignal | undefined;
  readonly sender: Sender;
}

const dayMs = 86_400_000;

/** Checks the options and fills in what is not given. Throws {@link ArgumentError} with every problem at once. */
export function readOptions(options: ClientOptions): Setup {
  const problems: string[] = [];
  const { clock = systemClock, fetch = platformFetch, onRetry = () => undefined, token } = options;
  const number = (name: NumberOption, fallback: number, max: number): number => {
    const value: unknown = options[name] ?? fallback;
    if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max) return Number(value);
    problems.push(`${name} must be an integer from 1 to ${max}, not ${quote(value)}`);
    return fallback;
  };
  const baseUrl = readBaseUrl(options.baseUrl, problems);
  if (!isToken(token)) problems.push('token must be visible ASCII characters without blanks');
  const limits = {
    maxAttempts: number('maxAttempts', 8, 100),
    maxElapsedMs: number('maxElapsedMs', 300_000, dayMs),
  };
  const transport = { fetch, clock, token, timeoutMs: number('timeoutMs', 30_000, dayMs) };
  if (problems.length > 0) throw new ArgumentError(problems);
  const sender = { ...limits, onRetry, transport, pacer: new Pacer(clock) };
  return { baseUrl, signal: options.signal, sender };
}

type NumberOption = 'maxAttempts' | 'maxElapsedMs' | 'timeoutMs';

/** Looked up at each call, so that what replaces it for a test is used. */
const platformFetch: Fetch = (url, init) => globalThis.fetch(url, init);

/** What a header field may hold; the platform's own complaint would quote the token. */
function isToken(token: unknown): boolean {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);
}

function readBaseUrl(text: unknown, problems: string[]): string {
  const url = URL.canParse(String(text)) ? new URL(String(text)) : null;
  const isPlain = url !== null && url.search + url.hash + url.username + url.password === '';
  if (url === null || !isPlain || !/^https?:$/.test(url.protocol)) {
    // A password must not come to stand in an error.
    const shown = url?.password ? 'one with a password' : quote(text);
    problems.push(`baseUrl must be an http address without query and user, not ${shown}`);
    return '';
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  const version = /\/(v\d+)$/.exec(path)?.[1];
  if (version !== undefined && version !== 'v2') {
    problems.push(`baseUrl must end with /v2 or without a version, not ${quote(text)}`);
  }
  return url.origin + path + (version === undefined ? '/v2' : '');
}

/** Shows a value that cannot be used. */
export function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
