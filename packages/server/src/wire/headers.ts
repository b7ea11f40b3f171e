import { Type, type TSchema } from 'typebox';
import { defaultRateLimit, defaultRateLimitWindowSeconds } from './limits.ts';

/** A response header as the document describes it. */
export interface Header {
  readonly description: string;
  readonly schema: TSchema;
  readonly example: string | number;
}

const limit = Type.Integer({ minimum: 1 });
const remaining = Type.Integer({ minimum: 0 });
const epochSeconds = Type.Integer({ minimum: 0, format: 'int64' });

/** Every response header that the contract speaks of, by name. Values are text; integers are decimal digits. */
export const headers = {
  'RateLimit-Limit': {
    description: `Requests that one source may make in a window: ${defaultRateLimit} in ${defaultRateLimitWindowSeconds} seconds unless the operator has set another figure.`,
    schema: limit,
    example: defaultRateLimit,
  },
  'RateLimit-Remaining': {
    description: 'Requests left in the current window, this one already counted. Never below 0.',
    schema: remaining,
    example: defaultRateLimit - 1,
  },
  'RateLimit-Reset': {
    description:
      'When the window ends, in whole seconds since the Unix epoch, rounded up. The same value throughout a window.',
    schema: epochSeconds,
    example: 1767225660,
  },
  'X-RateLimit-Limit': {
    description: 'The same as `RateLimit-Limit`, under its older name.',
    schema: limit,
    example: defaultRateLimit,
  },
  'X-RateLimit-Remaining': {
    description: 'The same as `RateLimit-Remaining`, under its older name.',
    schema: remaining,
    example: defaultRateLimit - 1,
  },
  'X-RateLimit-Reset': {
    description: 'The same as `RateLimit-Reset`, under its older name and in the same unit.',
    schema: epochSeconds,
    example: 1767225660,
  },
  'Retry-After': {
    description:
      'How many seconds to wait until the same request can succeed: a whole number, rounded up, at least 1.',
    schema: Type.Integer({ minimum: 1 }),
    example: 17,
  },
  ETag: {
    description:
      'A mark of exactly this answer. Sent back in `If-None-Match`, it brings 304 as long as the answer has not changed.',
    schema: Type.String(),
    example: 'W/"3f-1a"',
  },
  'WWW-Authenticate': {
    description:
      'The scheme to use: `Bearer` with a realm; with `error="invalid_token"` when a token was sent but does not open any book (RFC 6750, section 3).',
    schema: Type.String(),
    example: 'Bearer realm="coffer", error="invalid_token"',
  },
} as const satisfies Record<string, Header>;

/** The name of a response header in {@link headers}. */
export type HeaderName = keyof typeof headers;

/** The six that are on every response to a path under /v1/ or /v2/ (section 8 of the specification). */
export const rateLimitHeaders = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const satisfies readonly HeaderName[];
