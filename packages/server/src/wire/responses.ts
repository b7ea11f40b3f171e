import type { Static, TSchema } from 'typebox';
import { examples, type Example } from './examples.ts';
import { rateLimitHeaders, type HeaderName } from './headers.ts';
import { componentName } from './schema.ts';

/** One response of an operation. `T` is the body that a handler gives for it. */
export interface Response<T = unknown> {
  readonly status: number;
  readonly description: string;
  /** The name of the body's schema in the document; absent when there is no body. */
  readonly component?: string;
  readonly headers: readonly HeaderName[];
  /** Headers that are there only at times; the description says when. */
  readonly optionalHeaders?: readonly HeaderName[];
  readonly examples?: Readonly<Record<string, Example>>;
  /** Only for the type checker. */
  readonly body?: T;
}

type Examples = Readonly<Record<string, Example>>;

/** 200 with a JSON body and an ETag, for requests that read. */
export function ok<S extends TSchema>(
  schema: S,
  description: string,
  samples: Examples,
): Response<Static<S>> {
  return { ...withBody(200, schema, description, samples), headers: ['ETag', ...rateLimitHeaders] };
}

/** As {@link ok}, where the handler gives the body as the pieces of its JSON in UTF-8. */
export function okBytes(
  schema: TSchema,
  description: string,
  samples: Examples,
): Response<readonly Uint8Array[]> {
  return ok(schema, description, samples) as Response<readonly Uint8Array[]>;
}

/** 200 with a JSON body, for requests that change something: there is nothing to keep it by. */
export function changed<S extends TSchema>(
  schema: S,
  description: string,
  samples: Examples,
): Response<Static<S>> {
  return withBody(200, schema, description, samples);
}

/** 201 with the complete new record. */
export function created<S extends TSchema>(
  schema: S,
  description: string,
  samples: Examples,
): Response<Static<S>> {
  return withBody(201, schema, description, samples);
}

/** A response without a body: 204, or 202 where the work goes on. */
export function noContent(description: string, status: 202 | 204 = 204): Response<void> {
  return { status, description, headers: rateLimitHeaders };
}

/** A refusal of one operation, with a body of its own shape. */
export function refusedWith<S extends TSchema>(
  status: number,
  schema: S,
  description: string,
  samples: Examples,
): Response<Static<S>> {
  return withBody(status, schema, description, samples);
}

function withBody<S extends TSchema>(
  status: number,
  schema: S,
  description: string,
  samples: Examples,
): Response<Static<S>> {
  const component = componentName(schema);
  return { status, description, component, headers: rateLimitHeaders, examples: samples };
}

function refusal(
  status: number,
  description: string,
  samples: Readonly<Record<string, Example>>,
  ...more: readonly HeaderName[]
): Response {
  return {
    status,
    description,
    component: 'ErrorBody',
    headers: [...more, ...rateLimitHeaders],
    examples: samples,
  };
}

/** Answers that operations share, by their name in the document's `components.responses`. */
export const sharedResponses = {
  NotModified: {
    status: 304,
    description:
      'The answer is still the one whose `ETag` was sent in `If-None-Match`. No body. Counted like any request.',
    headers: ['ETag', ...rateLimitHeaders],
  },
  BadRequest: refusal(
    400,
    'A parameter is wrong, unknown or sent twice, or a body was sent that is not taken. Every problem of the request is listed, a hundred at most.',
    examples.badRequest,
  ),
  Unauthorized: refusal(
    401,
    'No access token was sent, or it is unknown, revoked or expired.',
    examples.unauthorized,
    'WWW-Authenticate',
  ),
  NotFound: refusal(
    404,
    'The book has no such record. A record of another book is answered in the same way.',
    examples.notFound,
  ),
  TooManyRequests: refusal(
    429,
    'The source has used up its requests of the window. Wait `Retry-After` seconds.',
    examples.tooManyRequests,
    'Retry-After',
  ),
  InternalServerError: refusal(500, 'A fault of the service.', examples.internal),
  BadGateway: {
    ...refusal(
      502,
      'The provider could not be reached, did not take the key, asked to wait, or gave an answer that was not understood; ' +
        '`reason` says which. The account keeps its last balances. `Retry-After` is there when the provider said how long to wait.',
      examples.badGateway,
    ),
    optionalHeaders: ['Retry-After'],
  },
  ServiceUnavailable: refusal(
    503,
    'The store is out of reach or the service is stopping. The same request may succeed later.',
    examples.unavailable,
    'Retry-After',
  ),
  GatewayTimeout: refusal(
    504,
    'The provider did not answer in time. The account keeps its last balances.',
    examples.gatewayTimeout,
  ),
} as const satisfies Record<string, Response>;

/** The name of an answer in {@link sharedResponses}. */
export type SharedResponse = keyof typeof sharedResponses;
