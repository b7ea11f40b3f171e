import { readHttpDate } from './http-date.ts';

/** What an answer says of the window (the law, part 8; the public API the same). */
export interface WindowReading {
  /** Requests allowed in a window. */
  readonly limit: number;
  /** Requests left in this one. */
  readonly remaining: number;
  /** Its end in seconds since the Unix epoch, by the service's clock; null when that is not said. */
  readonly resetSeconds: number | null;
}

/** Reads `RateLimit-…`, or where one is missing its `X-RateLimit-…` twin. Null without a readable remaining. */
export function readWindow(headers: Headers): WindowReading | null {
  const read = (name: string): number | null =>
    readInteger(headers.get(`ratelimit-${name}`)) ??
    readInteger(headers.get(`x-ratelimit-${name}`));
  const remaining = read('remaining');
  if (remaining === null) return null;
  const limit = Math.max(read('limit') ?? remaining, remaining);
  return { limit, remaining, resetSeconds: read('reset') };
}

/**
 * How long `Retry-After` asks to wait, in milliseconds: plain seconds, or a date (RFC 9110, 10.2.3).
 *
 * A date is held against the `Date` of the same answer, never against this machine's. Null when there is none, when it
 * cannot be read, and when it asks for no wait at all, which would only repeat what has failed.
 */
export function readRetryAfter(headers: Headers): number | null {
  const text = headers.get('retry-after');
  const seconds = readInteger(text);
  if (seconds !== null) return seconds === 0 ? null : seconds * 1000;
  const untilMs = readHttpDate(text);
  const nowMs = readHttpDate(headers.get('date'));
  if (untilMs === null || nowMs === null || untilMs <= nowMs) return null;
  return untilMs - nowMs;
}

function readInteger(text: string | null): number | null {
  const digits = text?.trim() ?? '';
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}
