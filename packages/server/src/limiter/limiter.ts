/**
 * Counts the requests of each client against one rate limit.
 *
 * A window belongs to one client, starts with that client's first request and has a fixed length. The first request at
 * or after its end starts the next one. Refused hits do not extend it. Source: part 8 of the specification.
 */
export interface Limiter {
  /**
   * Counts one request of a client and returns the state of its window.
   *
   * `key` is any text; equal texts are one client, also the empty text. Never rejects because of
   * a failure of the limiter itself.
   */
  hit(key: string): Hit | Promise<Hit>;

  /** How many windows of single clients run in this process; absent when unknown. */
  clientCount?(): number;

  /** How it shares its counts with other nodes; absent when it never does. */
  sharing?(): Sharing;

  /** Connects to the shared counts, if any; resolves within two seconds, connected or not. */
  open?(): Promise<void>;

  /** Releases what the limiter holds. May be called more than once; no hit may follow. */
  close(): Promise<void>;
}

/** How a limiter shares its counts. */
export interface Sharing {
  /** False while this node counts at least some clients locally. */
  readonly isShared: boolean;
  /** Requests that this node has counted locally because it could not share them. */
  readonly fallbacks: number;
}

/** The state of a window after one request; all figures come from one reading of the clock. */
export interface Hit {
  /** Requests allowed in a window. */
  readonly limit: number;
  /** Requests left in the window after this one: `max(0, limit - n)` for the n-th. */
  readonly remaining: number;
  /** End of the window in whole milliseconds since the Unix epoch, exclusive. */
  readonly resetsAtMs: number;
  /** Milliseconds until the window ends: above 0, at most the length of a window. */
  readonly retryAfterMs: number;
  /** Whether this request is within the limit. */
  readonly allowed: boolean;
}

/** How many requests a client may make in a window, and how long a window is. */
export interface RateLimit {
  readonly limit: number;
  readonly windowMs: number;
}

const MAX_LIMIT = 1_000_000_000;
const MAX_WINDOW_MS = 86_400_000;
const MINUTE_MS = 60_000;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: MINUTE_MS, h: 3_600_000 };
const RATE_LIMIT_PATTERN = /^([1-9][0-9]{0,9})(?:\/([1-9][0-9]{0,9})(ms|s|m|h))?$/;

/**
 * Parses the setting for the rate limit.
 *
 * `100/60s`, `100/1m`, `5000/1h`, `100/500ms`; a bare number is per minute. Both figures are
 * plain decimal integers without sign, spaces or leading zeros: the limit from 1 to
 * 1,000,000,000 requests, the window from 1 ms to 24 h, bounds included.
 *
 * @throws Error that quotes any other text
 */
export function parseRateLimit(text: string): RateLimit {
  const [, limitText, amount = '1', unit = 'm'] = RATE_LIMIT_PATTERN.exec(text) ?? [];
  const limit = Number(limitText);
  const windowMs = Number(amount) * (UNIT_MS[unit] ?? NaN);
  if (limit <= MAX_LIMIT && windowMs <= MAX_WINDOW_MS) return { limit, windowMs };
  throw new Error(
    `Invalid rate limit ${JSON.stringify(text)}: use 1 to ${MAX_LIMIT} requests in 1ms to 24h, ` +
      'for example "100/60s"',
  );
}
