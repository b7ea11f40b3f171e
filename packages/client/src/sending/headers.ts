/*
 * Reads the header fields of a response that say when the next request may be sent.
 */

/** The rate limit window in the headers of a response (the specification, part 8; the public API has the same). */
export interface WindowReading {
  /** Requests allowed in a window. */
  readonly limit: number;
  /** Requests left in this window. */
  readonly remaining: number;
  /** Its end in seconds since the Unix epoch, by the service's clock; null when there is none. */
  readonly resetSeconds: number | null;
}

/** Reads `RateLimit-…`, or `X-RateLimit-…` where that is missing. Null without a valid remaining. */
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
 * The wait that `Retry-After` requests, in milliseconds: plain seconds, or a date (RFC 9110, 10.2.3).
 *
 * A date is compared with the `Date` of the same response, never with the local clock. Null when the field is
 * missing or not valid, and when it requests no wait, which would only repeat the failure.
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

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The three forms of RFC 9110, 5.6.7, newest first; recipients must accept all of them. */
const forms = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/**
 * Reads an HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT`, or one of the two older forms.
 *
 * Returns milliseconds since the Unix epoch, or null when the text is not valid. A year of two digits is the one
 * nearest to 2026.
 */
export function readHttpDate(text: string | null): number | null {
  for (const form of forms) {
    const found = form.exec(text?.trim() ?? '')?.groups;
    if (found !== undefined) return toMs(found);
  }
  return null;
}

function toMs({ day, month, year, time }: Record<string, string>): number | null {
  const [hour, minute, second] = time!.split(':').map(Number) as [number, number, number];
  const parts = [wholeYear(year!), months.indexOf(month!), Number(day)] as const;
  // A leap second is the first second of the next minute.
  const isTime = hour < 24 && minute < 60 && second <= 60;
  const midnight = new Date(Date.UTC(...parts));
  if (!isTime || midnight.getUTCMonth() !== parts[1] || midnight.getUTCDate() !== parts[2]) {
    return null;
  }
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

function wholeYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year < 76 ? 2000 + year : 1900 + year;
}
