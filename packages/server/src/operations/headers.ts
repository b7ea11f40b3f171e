import { Type, type TSchema } from 'typebox';
import { defaultRateLimit } from './limits.ts';

/** A response header as the document describes it. */
export interface Header {
  readonly description: string;
  readonly schema: TSchema;
  readonly example: string | number;
}

const limit = Type.Integer({ minimum: 1 });
const remaining = Type.Integer({ minimum: 0 });
const epochSeconds = Type.Integer({ minimum: 0, format: 'int64' });

/** The response headers of the API by name. Integer values are decimal digits. */
export const headers = {
  'RateLimit-Limit': {
    description: 'Requests per window.',
    schema: limit,
    example: defaultRateLimit,
  },
  'RateLimit-Remaining': {
    description: 'Requests left in the window after this one, at least 0.',
    schema: remaining,
    example: defaultRateLimit - 1,
  },
  'RateLimit-Reset': {
    description: 'End of the window in seconds since the Unix epoch, rounded up.',
    schema: epochSeconds,
    example: 1767225660,
  },
  'X-RateLimit-Limit': {
    description: 'Same as `RateLimit-Limit`.',
    schema: limit,
    example: defaultRateLimit,
  },
  'X-RateLimit-Remaining': {
    description: 'Same as `RateLimit-Remaining`.',
    schema: remaining,
    example: defaultRateLimit - 1,
  },
  'X-RateLimit-Reset': {
    description: 'Same as `RateLimit-Reset`.',
    schema: epochSeconds,
    example: 1767225660,
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request, rounded up, at least 1.',
    schema: Type.Integer({ minimum: 1 }),
    example: 17,
  },
  'Idempotency-Replayed': {
    description:
      '`true` if an equal request with the same `Idempotency-Key` had this response; absent otherwise.',
    schema: Type.Boolean(),
    example: 'true',
  },
  'Set-Cookie': {
    description:
      'The cookie of the session, `coffer_` and the port, with `__Host-` before it over https. Or its removal.',
    schema: Type.String(),
    example: 'coffer_8080=…; Path=/; HttpOnly; SameSite=Strict; Max-Age=15552000',
  },
  'Content-Disposition': {
    description: 'Says that the body is a file to be saved, and its name (RFC 6266).',
    schema: Type.String(),
    example: `attachment; filename="coffer-Cafe-2026-03-15.csv"; filename*=UTF-8''coffer-Cafe-2026-03-15.csv`,
  },
  ETag: {
    description: 'Identifies the response, for `If-None-Match`.',
    schema: Type.String(),
    example: 'W/"3f-1a"',
  },
  'WWW-Authenticate': {
    description:
      '`Bearer` with a realm, and with `error="invalid_token"` when a token was sent (RFC 6750, section 3).',
    schema: Type.String(),
    example: 'Bearer realm="coffer", error="invalid_token"',
  },
} as const satisfies Record<string, Header>;

/** The name of a response header in {@link headers}. */
export type HeaderName = keyof typeof headers;

/** The headers of every response to a path under /v1/ or /v2/ (section 8 of the specification). */
export const rateLimitHeaders = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const satisfies readonly HeaderName[];
