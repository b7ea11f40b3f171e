/**
 * Counts the requests of each source against one rate limit.
 *
 * A window belongs to one source, begins with that source's first request and has a fixed
 * length; the request that arrives at or after its end opens the next one. Refused hits do not
 * extend it. Source: part 8 of the law.
 */
export interface Limiter {
  /**
   * Counts one request of a source and says where the source stands.
   *
   * `key` is any text; equal texts are one source, the empty text is a source like any other.
   * Never rejects because of the limiter's own troubles.
   */
  hit(key: string): Hit | Promise<Hit>;

  /** How many windows it keeps in this process, running or not yet given back; absent when it does not know. */
  sourceCount?(): number;

  /** How it shares its counts with other nodes; absent when it is not meant to. */
  sharing?(): Sharing;

  /** Connects to what shares the counts, if anything does; resolves within two seconds, connected or not. */
  open?(): Promise<void>;

  /** Releases what the limiter holds. May be called more than once; no hit may follow. */
  close(): Promise<void>;
}

/** How a limiter shares its counts. */
export interface Sharing {
  /** False while this node counts for itself, for some sources at least. */
  readonly isShared: boolean;
  /** Requests that this node has counted for itself because it could not share them. */
  readonly fallbacks: number;
}

/** What one request was told; all figures come from the same reading of the clock. */
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

/** How many requests a source may make, and in how long a window. */
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
 * Reads a rate limit as an operator writes it.
 *
 * `100/60s`, `100/1m`, `5000/1h`, `100/500ms`; a bare number is per minute. Both figures are
 * plain decimal integers without sign, spaces or leading zeros: the limit from 1 to
 * 1,000,000,000 requests, the window from 1 ms to 24 h, bounds included.
 *
 * @throws Error that quotes the text when it is anything else
 */
export function parseRateLimit(text: string): RateLimit {
  const [, limitText, amount = '1', unit = 'm'] = RATE_LIMIT_PATTERN.exec(text) ?? [];
  const limit = Number(limitText);
  const windowMs = Number(amount) * (UNIT_MS[unit] ?? NaN);
  if (limit <= MAX_LIMIT && windowMs <= MAX_WINDOW_MS) return { limit, windowMs };
  throw new Error(
    `Rate limit must read like "100/60s" with 1 to ${MAX_LIMIT} requests in 1ms to 24h, ` +
      `not ${JSON.stringify(text)}`,
  );
}
