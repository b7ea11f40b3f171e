import { Type, type Static, type TSchema } from 'typebox';
import { ErrorBody } from './error-body.ts';
import { examples, type Examples } from './examples.ts';
import { ErrorV1, examplesV1, NamedErrorV1, SyntaxErrorV1 } from './forms-v1.ts';
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

const rateLimits = {
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
} satisfies Record<string, Header>;

const sameAs = (name: keyof typeof rateLimits): Header => ({
  ...rateLimits[name],
  description: `Same as \`${name}\`.`,
});

/** The response headers of the API by name. Integer values are decimal digits. */
export const headers = {
  ...rateLimits,
  'X-RateLimit-Limit': sameAs('RateLimit-Limit'),
  'X-RateLimit-Remaining': sameAs('RateLimit-Remaining'),
  'X-RateLimit-Reset': sameAs('RateLimit-Reset'),
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

/** One response of an operation. `T` is the body that a handler returns for it. */
export interface Response<T = unknown> {
  readonly status: number;
  readonly description: string;
  /** The body, a component of the document; absent when there is none. */
  readonly component?: TSchema;
  /** Another body with the same status; v1 refuses some requests with 200. */
  readonly otherComponent?: TSchema;
  readonly headers: readonly HeaderName[];
  /** Headers that are sometimes present; the description says when. */
  readonly optionalHeaders?: readonly HeaderName[];
  /** Absent for the example of the component. */
  readonly examples?: Examples;
  /** Examples of the stream of events that a client gets if it accepts `text/event-stream`. */
  readonly events?: Examples;
  /** Examples of the file that is the body, by its media types; absent when the body is JSON. */
  readonly files?: Readonly<Record<string, Examples>>;
  /** Only for the type checker. */
  readonly body?: T;
}

/** 200 with a JSON body and an ETag, for requests that read. */
export function ok<S extends TSchema>(
  schema: S,
  description: string,
  samples?: Examples,
): Response<Static<S>> {
  return { ...changed(schema, description, samples), headers: ['ETag', ...rateLimitHeaders] };
}

/** As {@link ok}; the handler returns the body as pieces of JSON in UTF-8. */
export function okBytes(
  schema: TSchema,
  description: string,
  samples?: Examples,
): Response<readonly Uint8Array[]> {
  return inPieces(ok(schema, description, samples));
}

/** As {@link okBytes}; or events, for clients that accept them. The handler then returns an {@link EventStream}. */
export function okEvents(
  schema: TSchema,
  description: string,
  events: Examples,
): Response<readonly Uint8Array[] | EventStream> {
  const response: Response = { ...ok(schema, description), events };
  return response as Response<readonly Uint8Array[] | EventStream>;
}

/** 200 with a file of one of some media types and an ETag. The handler returns it as a {@link FileStream}. */
export function okFile(
  description: string,
  files: Readonly<Record<string, Examples>>,
): Response<FileStream> {
  const headers = ['Content-Disposition', 'ETag', ...rateLimitHeaders] as const;
  return { status: 200, description, files, headers };
}

const withStatus =
  (status: number) =>
  <S extends TSchema>(schema: S, description: string, samples?: Examples): Response<Static<S>> =>
    refusedWith(status, schema, description, samples);

/** 200 with a JSON body and no ETag, for requests that change something. */
export const changed = withStatus(200);

/** 201 with the complete new record. */
export const created = withStatus(201);

/** 202 with a JSON body: the work continues in the background. A handler returns it as {@link Accepted}. */
export const accepted = withStatus(202);

/** The same response, with a header that sets or removes cookies. */
export function withCookie<R extends Response>(response: R): R {
  return { ...response, optionalHeaders: ['Set-Cookie'] };
}

/** The same response; the handler returns the body as pieces of JSON in UTF-8. */
export function inPieces(response: Response): Response<readonly Uint8Array[]> {
  return response as Response<readonly Uint8Array[]>;
}

/** A response without a body: 204, or 202 when the work continues. */
export function noContent(description: string, status: 202 | 204 = 204): Response<void> {
  return { status, description, headers: rateLimitHeaders };
}

/** As {@link refusedWith}, with the standard error body. */
export function refusedWithErrors(
  status: number,
  description: string,
  samples: Examples,
): Response<ErrorBody> {
  return refusal(status, description, samples) as Response<ErrorBody>;
}

/** A response of one operation with a JSON body and no ETag, such as a refusal with its own body. */
export function refusedWith<S extends TSchema>(
  status: number,
  component: S,
  description: string,
  samples?: Examples,
): Response<Static<S>> {
  return {
    status,
    description,
    component,
    headers: rateLimitHeaders,
    ...(samples && { examples: samples }),
  };
}

function refusal(
  status: number,
  description: string,
  samples: Examples,
  ...more: readonly HeaderName[]
): Response {
  return {
    status,
    description,
    component: ErrorBody,
    headers: [...more, ...rateLimitHeaders],
    examples: samples,
  };
}

/** The cookie of a browser in which a user has signed in. */
export interface DeviceCookie {
  readonly userId: number;
  readonly text: string;
}

/** Cookies to set. */
export interface Cookies {
  /** The secret of a session; null to remove the cookie; absent to leave it. */
  readonly session?: string | null;
  /** Null and absent to leave it. */
  readonly device?: DeviceCookie | null;
}

/** The ways to send a response. `http` has them: it alone knows the HTTP library. */
export interface Reply {
  /** `body` is a value to serialize, or pieces of JSON in UTF-8; undefined for none. `status` is the declared one. */
  json(body: unknown, status?: number): void;
  events(events: EventStream): void;
  file(file: FileStream): void;
  setReplayed(): void;
  setCookies(cookies: Cookies): void;
}

/** What a handler may return in place of the declared body: a response that sends itself. */
export abstract class OwnResponse {
  abstract send(reply: Reply): void;
}

/** A response with another status than the declared one. Its operation has it in `refusals`. */
export class OtherResponse extends OwnResponse {
  readonly status: number;
  /** Undefined for no body. */
  readonly body: unknown;
  constructor(status: number, body?: unknown) {
    super();
    this.status = status;
    this.body = body;
  }
  send(reply: Reply): void {
    reply.json(this.body, this.status);
  }
}

/** The body of a response with the status 202, instead of that of the declared response. */
export class Accepted extends OtherResponse {
  constructor(body: unknown) {
    super(202, body);
  }
}

/** The response to an earlier, equal request with the same Idempotency-Key. */
export class Replayed extends OtherResponse {
  /** `body` is a text of JSON; null for no body. */
  constructor({ status, body }: { readonly status: number; readonly body: string | null }) {
    super(status, body === null ? undefined : [Buffer.from(body)]);
  }
  override send(reply: Reply): void {
    reply.setReplayed();
    super.send(reply);
  }
}

/** A body, and cookies to set. */
export class WithCookies<T = unknown> extends OwnResponse {
  readonly body: T;
  readonly cookies: Cookies;
  constructor(body: T, cookies: Cookies) {
    super();
    this.body = body;
    this.cookies = cookies;
  }
  send(reply: Reply): void {
    reply.setCookies(this.cookies);
    reply.json(this.body);
  }
}

/** Events in place of a body: pieces of `text/event-stream`, each of whole events. It need not end. */
export class EventStream extends OwnResponse {
  readonly pieces: AsyncIterable<string>;
  constructor(pieces: AsyncIterable<string>) {
    super();
    this.pieces = pieces;
  }
  send(reply: Reply): void {
    reply.events(this);
  }
}

/** A file in place of a body, to be saved by the client. Its pieces are read as the client takes them. */
export class FileStream extends OwnResponse {
  readonly name: string;
  /** The value of Content-Type. */
  readonly type: string;
  readonly pieces: AsyncIterable<Uint8Array>;
  constructor({ name, type, pieces }: Pick<FileStream, 'name' | 'type' | 'pieces'>) {
    super();
    this.name = name;
    this.type = type;
    this.pieces = pieces;
  }
  send(reply: Reply): void {
    reply.file(this);
  }
}

/** The responses that operations share, by their name in the document's `components.responses`. */
export const sharedResponses = {
  NotModified: {
    status: 304,
    description: 'Nothing has changed since the response whose `ETag` was sent. No body.',
    headers: ['ETag', ...rateLimitHeaders],
  },
  BadRequest: refusal(
    400,
    'A parameter or the body is not valid. All problems of the request are listed, up to 100.',
    examples.badRequest,
  ),
  Unauthorized: refusal(
    401,
    'The access token is missing, unknown, revoked or expired.',
    examples.unauthorized,
    'WWW-Authenticate',
  ),
  Forbidden: refusal(
    403,
    'A browser sent the request from the page of another site, or the caller has no session but an access token.',
    examples.forbidden,
  ),
  MisdirectedRequest: refusal(
    421,
    'The name in the `Host` header is not one of the service: neither `localhost` nor its public URL, nor set by ' +
      '`--host-names`.',
    examples.misdirected,
  ),
  NotFound: refusal(404, 'The book has no such record.', examples.notFound),
  TooEarly: refusal(425, 'The last request was less than 60 seconds ago.', examples.tooEarly),
  Conflict: refusal(
    409,
    'An equal request with the same `Idempotency-Key` is still under way, or its response has a secret and is not kept.',
    examples.conflict,
    'Retry-After',
  ),
  Gone: refusal(
    410,
    'The change log no longer has that version. `oldest_version` of the error is the oldest that works.',
    examples.gone,
  ),
  KeyReused: refusal(
    422,
    'The `Idempotency-Key` was used for another request in the last 24 hours, or 90 days by a session.',
    examples.keyReused,
  ),
  TooManyRequests: refusal(
    429,
    'The client has sent too many requests. Wait `Retry-After` seconds.',
    examples.tooManyRequests,
    'Retry-After',
  ),
  BadRequestV1: {
    ...refusal(400, 'The request cannot be parsed, or is not valid.', examplesV1.malformed),
    component: SyntaxErrorV1,
    otherComponent: ErrorV1,
  },
  UnauthorizedV1: {
    ...refusal(
      401,
      'The access token is missing, unknown, revoked or expired.',
      examplesV1.token,
      'WWW-Authenticate',
    ),
    component: NamedErrorV1,
  },
  RefusedV1: {
    ...refusal(
      404,
      'The request is not valid, or the book has no such record.',
      examplesV1.refused,
    ),
    component: ErrorV1,
  },
  InternalServerError: refusal(500, 'An error in the service.', examples.internal),
  BadGateway: {
    ...refusal(
      502,
      'The provider failed; `reason` in the error says how. The account keeps its balances. ' +
        '`Retry-After` is present if the provider said how long to wait.',
      examples.badGateway,
    ),
    optionalHeaders: ['Retry-After'],
  },
  ServiceUnavailable: refusal(
    503,
    'The database cannot be reached, or the service is stopping. Try again later.',
    examples.unavailable,
    'Retry-After',
  ),
  GatewayTimeout: refusal(
    504,
    'The provider did not respond in time. The account keeps its balances.',
    examples.gatewayTimeout,
  ),
} as const satisfies Record<string, Response>;

/** The name of a response in {@link sharedResponses}. */
export type SharedResponse = keyof typeof sharedResponses;

/** Returns the response itself, or the shared response with this name. */
export function resolveResponse(response: Response | SharedResponse): Response {
  return typeof response === 'string' ? sharedResponses[response] : response;
}
