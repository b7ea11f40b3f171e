import { ArgumentError } from './errors.ts';
import { Pacer } from './pacing.ts';
import type { RetryNotice, Sender } from './retry.ts';
import { systemClock, type Clock } from './timing.ts';
import type { Fetch } from './transport.ts';

/** Options of {@link createClient}. */
export interface ClientOptions {
  /**
   * The address of the service: `http://127.0.0.1:8080/v2`, `https://api.lunchmoney.dev/v2`.
   *
   * Absolute, http or https. `/v2` is added when it is missing; a path before it is kept. No query, no fragment,
   * no user and no password. Coffer's own API is at `/coffer` in the place of `/v2`.
   */
  readonly baseUrl: string;
  /** The access token, without `Bearer`. No error and no printout of the client contains it. */
  readonly token: string;
  /** Sends the requests; default: the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Maximum number of attempts of a request, 1 to 100; default 8. */
  readonly maxAttempts?: number | undefined;
  /**
   * Time limit of a call with all its attempts and waits, 1 to 86,400,000 ms; default 300,000. In a list it applies to
   * each page.
   */
  readonly maxElapsedMs?: number | undefined;
  /** Time limit of one attempt, to the last byte of its response, 1 to 86,400,000 ms; default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Aborts all calls of this client; they reject with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every failed attempt that will be retried. An error that it throws ends the call. */
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /**
   * Whether methods that send a POST add an `Idempotency-Key`, so that it is retried after every temporary failure and
   * takes effect once. Set false for a service that ignores these keys: a repeated POST would take effect twice.
   * Default: true, but false for the public Lunch Money API (`lunchmoney.dev` and its subdomains).
   */
  readonly idempotencyKeys?: boolean | undefined;
  /** Source of time and random numbers, for tests; default: the system's. */
  readonly clock?: Clock | undefined;
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts this call, also while it waits; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Checked options. */
export interface Setup extends Sender {
  /** The base URL without the version and without a slash at its end. */
  readonly rootUrl: string;
  readonly hasKeys: boolean;
  readonly signal: AbortSignal | undefined;
}

const dayMs = 86_400_000;

/** Checks the options and adds defaults. Throws {@link ArgumentError} with every problem at once. */
export function readOptions(options: ClientOptions): Setup {
  const problems: string[] = [];
  const { clock = systemClock, fetch = platformFetch, onRetry = () => undefined, token } = options;
  const number = (name: NumberOption, fallback: number, max: number): number => {
    const value: unknown = options[name] ?? fallback;
    if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max) return Number(value);
    problems.push(`${name} must be an integer from 1 to ${max}, not ${quote(value)}`);
    return fallback;
  };
  const rootUrl = readRootUrl(options.baseUrl, problems);
  if (!isToken(token)) problems.push('token must be visible ASCII characters without spaces');
  const limits = {
    maxAttempts: number('maxAttempts', 8, 100),
    maxElapsedMs: number('maxElapsedMs', 300_000, dayMs),
    timeoutMs: number('timeoutMs', 30_000, dayMs),
  };
  if (problems.length > 0) throw new ArgumentError(problems);
  // This service is known to ignore idempotency keys.
  const ignoresKeys = /(^|\.)lunchmoney\.dev$/.test(new URL(rootUrl).hostname);
  const { signal, idempotencyKeys: hasKeys = !ignoresKeys } = options;
  const sender = { token, fetch, clock, onRetry, ...limits, pacer: new Pacer(clock) };
  return { ...sender, rootUrl, signal, hasKeys };
}

type NumberOption = 'maxAttempts' | 'maxElapsedMs' | 'timeoutMs';

/** Looked up at each call, so that a test can replace it. */
const platformFetch: Fetch = (url, init) => globalThis.fetch(url, init);

/** Whether a header field may contain the token. Checked here because the platform's error would quote it. */
function isToken(token: unknown): boolean {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);
}

function readRootUrl(text: unknown, problems: string[]): string {
  const url = URL.canParse(String(text)) ? new URL(String(text)) : null;
  const isPlain = url !== null && url.search + url.hash + url.username + url.password === '';
  if (url === null || !isPlain || !/^https?:$/.test(url.protocol)) {
    // No error may contain a password.
    const shown = url?.password ? 'one with a password' : quote(text);
    problems.push(
      `baseUrl must be an http or https URL without query, fragment and user, not ${shown}`,
    );
    return '';
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  const version = /\/(v\d+)$/.exec(path)?.[1];
  if (version !== undefined && version !== 'v2') {
    problems.push(`baseUrl must end with /v2 or without a version, not ${quote(text)}`);
  }
  return url.origin + path.replace(/\/(v2)?$/, '');
}

/** Quotes a value in an error message. */
export function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
