import { examples, type Example } from './examples.ts';
import { rateLimitHeaders, type HeaderName } from './headers.ts';

/** One answer of an operation. */
export interface Response {
  readonly description: string;
  /** The name of the body's schema in {@link components}; absent when there is no body. */
  readonly component?: string;
  readonly headers: readonly HeaderName[];
  /** Headers that are there only at times; the description says when. */
  readonly optionalHeaders?: readonly HeaderName[];
  readonly examples?: Readonly<Record<string, Example>>;
}

/** A successful answer: 200 with a body and a mark for conditional requests. */
export function ok(
  component: string,
  description: string,
  samples: Readonly<Record<string, Example>>,
): Response {
  return { description, component, headers: ['ETag', ...rateLimitHeaders], examples: samples };
}

/** A successful answer to a request that changes something: 200 with a body, and nothing to keep it by. */
export function changed(
  component: string,
  description: string,
  samples: Readonly<Record<string, Example>>,
): Response {
  return { description, component, headers: rateLimitHeaders, examples: samples };
}

function refusal(
  description: string,
  samples: Readonly<Record<string, Example>>,
  ...more: readonly HeaderName[]
): Response {
  return {
    description,
    component: 'ErrorBody',
    headers: [...more, ...rateLimitHeaders],
    examples: samples,
  };
}

/** Answers that operations share, by their name in the document's `components.responses`. */
export const sharedResponses = {
  NotModified: {
    description:
      'The answer is still the one whose `ETag` was sent in `If-None-Match`. No body. Counted like any request.',
    headers: ['ETag', ...rateLimitHeaders],
  },
  BadRequest: refusal(
    'A parameter is wrong, unknown or sent twice, or a body was sent that is not taken. Every problem of the request is listed, a hundred at most.',
    examples.badRequest,
  ),
  Unauthorized: refusal(
    'No access token was sent, or it is unknown, revoked or expired.',
    examples.unauthorized,
    'WWW-Authenticate',
  ),
  NotFound: refusal(
    'The book has no such record. A record of another book is answered in the same way.',
    examples.notFound,
  ),
  TooManyRequests: refusal(
    'The source has used up its requests of the window. Wait `Retry-After` seconds.',
    examples.tooManyRequests,
    'Retry-After',
  ),
  InternalServerError: refusal('A fault of the service.', examples.internal),
  BadGateway: {
    ...refusal(
      'The provider could not be reached, did not take the key, asked to wait, or gave an answer that was not understood; ' +
        '`reason` says which. The account keeps its last balances. `Retry-After` is there when the provider said how long to wait.',
      examples.badGateway,
    ),
    optionalHeaders: ['Retry-After'],
  },
  ServiceUnavailable: refusal(
    'The store is out of reach or the service is stopping. The same request may succeed later.',
    examples.unavailable,
    'Retry-After',
  ),
  GatewayTimeout: refusal(
    'The provider did not answer in time. The account keeps its last balances.',
    examples.gatewayTimeout,
  ),
} as const satisfies Record<string, Response>;

/** The name of an answer in {@link sharedResponses}. */
export type SharedResponse = keyof typeof sharedResponses;
