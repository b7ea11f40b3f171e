import {
  defaultCofferRateLimit,
  defaultRateLimit,
  defaultRateLimitWindowSeconds,
} from '../limits.ts';

/** What an interface is, for the beginning of its document and of its reference. Texts are CommonMark. */
export interface About {
  readonly title: string;
  readonly summary: string;
  /** The first paragraph of the description. */
  readonly intro: string;
  /** What all operations share: sections by their headings. */
  readonly sections: Readonly<Record<string, string>>;
}

const intro = `Coffer keeps a person's financial records and serves them over HTTP as JSON. It is compatible with
the public Lunch Money v2 API. Paths are relative to the address of the server, \`http://127.0.0.1:8080\` by default.`;

const sections = {
  Requests: `\
- Send \`Authorization: Bearer <token>\`. A token opens one book. Records of other books do not exist for it.
- Query parameters are optional unless marked as required. An unknown, repeated or invalid one is refused with 400.
  Values are never adjusted.
- Integers are plain decimal digits up to 2^53 - 1: no leading zeros, no decimal point, no exponent, no plus sign.
  Ids are integers from 1. Booleans are \`true\` or \`false\`.
- \`{id}\` is the id of a record. If it is not an integer, the request is refused with 400. If the book has no such
  record, the response is 404.
- Bodies are JSON: \`application/json\` in UTF-8. An operation without a body accepts an empty one of any type, or
  \`{}\`.
- PUT changes only the properties that are sent, and needs at least one. A whole object from a response can be sent.
- A request that is refused changes nothing.
- HEAD returns what GET returns, without the body.
- POST accepts the header \`Idempotency-Key\`, an addition of Coffer: an equal request with the same key within 24 hours
  (90 days for a session) has no effect, and gets the first response again, with \`Idempotency-Replayed: true\`. A key
  belongs to one operation, and to one token or to the user of a session. Failed requests do not use it up.`,

  Responses: `\
- Success is 200, 201 for a new record, or 204 without a body.
- Keys marked optional may be absent; all others are always present. Null means that there is no value. Objects have
  no keys besides those described, except error objects and metadata.
- Dates are \`YYYY-MM-DD\` without a time zone, years 0001 to 9999. Instants are ISO 8601 in UTC with milliseconds:
  \`2026-03-15T06:30:00.000Z\`.
- Amounts are strings with exactly four decimals. Positive is money out, negative is money in. \`to_base\` is the amount
  in the primary currency of the book, as a number. Quantities of crypto assets are strings with exactly 18 decimals.
- Currencies are lower-case codes.`,

  Paging: `\
\`GET /v2/transactions\` returns pages: raise \`offset\` by \`limit\` until \`has_more\` is false. All other lists are
returned whole.`,

  ETags: `\
Every 200 response to GET has an \`ETag\`. Send it back in \`If-None-Match\`, or several, separated by commas: as long
as nothing has changed, the response is 304 without a body. A 304 counts towards the rate limit.`,

  'Rate limit': `\
By default a client can send ${defaultRateLimit} requests in ${defaultRateLimitWindowSeconds} seconds. Clients are \
identified by their address.
Every request to a path under \`/v1/\` or \`/v2/\` counts, whatever its outcome. The window starts with the first
request. Over the limit the response is 429: wait as many seconds as \`Retry-After\` says. All responses to these paths
have the six rate limit headers. Bytes that are not HTTP do not count, and get a response without these headers.`,

  Errors: `\
Responses from status 400 up have the body \`ErrorBody\`, except 422 of DELETE. All problems of a request are listed,
up to 100.

- Every operation can return 400, 401, 429, 500 and 503, and 404 when its path has an id.
- 401 does not distinguish between unknown, revoked and expired tokens.
- 409 and 422 of POST are about an \`Idempotency-Key\`.
- 405 has an \`Allow\` header with the methods of the path.
- 408, 413, 414, 415 and 431 are about the request as a whole: too slow, too large, or not JSON.
- 409, 429 and 503 have a \`Retry-After\` header, 502 sometimes.`,
} as const;

/** The v2 API. */
export const aboutV2: About = {
  title: 'Coffer',
  summary: "A person's financial records.",
  intro,
  sections,
};

const { Requests, Responses, ETags, Errors } = sections;

/** The v1 API. */
export const aboutV1: About = {
  title: 'Coffer v1',
  summary: 'The older API, over the same records.',
  intro: `The older Lunch Money v1 API. It works on the same books as the v2 API, with the same access tokens. New
programs should use v2. Paths are relative to the address of the server, \`http://127.0.0.1:8080\` by default.`,
  sections: {
    Requests: `\
- Send \`Authorization: Bearer <token>\`. A token opens one book. The parameter \`access_token\` works too, but URLs are
  seen by more programs than headers.
- Unknown query parameters and unknown properties of a body are ignored. \`null\` for an optional property of a body
  means that it is not given, unless its description says otherwise.
- Bodies are JSON: \`application/json\` in UTF-8. An operation without a body accepts any object.
- A request that is refused changes nothing.
- POST accepts the header \`Idempotency-Key\`, an addition of Coffer, as in v2.`,
    Responses: `\
- Success is 200, also for new and for deleted records. One response is 204: no row of an insert was new.
- Objects have no keys besides those described.
- Amounts are strings with four decimals, those of transaction groups without zeros at the end. Positive is money out,
  negative is money in; \`debit_as_negative=true\` inverts both. \`to_base\` is a number.`,
    ETags,
    'Rate limit': sections['Rate limit'],
    Errors: `\
- A request that an operation refuses gets \`{"error": "text"}\`, \`{"error": ["text", …]}\`, or
  \`{"errors": ["text", …]}\`. The status depends on the area: 200 for categories, budgets, and accounts; 404 for
  transactions and recurring items; 400 for the others.
- 401 is \`{"name": "Error", "message": "Access token does not exist."}\`. A request that cannot be parsed is 400 with
  \`name\` and \`message\`.
- All other errors have the body of v2, \`ErrorBody\`, such as 429, 500 and 503.`,
  },
};

/** Coffer's own API. */
export const aboutCoffer: About = {
  title: "Coffer's own API",
  summary: 'What Coffer adds to the v2 API.',
  intro: `Coffer's own operations, under \`/coffer/\`. They are additions to the v2 API, and work on the same books
with the same access tokens. Paths are relative to the address of the server, \`http://127.0.0.1:8080\` by default.`,
  sections: {
    Requests,
    Responses,
    ETags,
    'Rate limit': `\
By default a client can send ${defaultCofferRateLimit} requests in ${defaultRateLimitWindowSeconds} seconds. \
Clients are identified by their address.
Every request to a path under \`/coffer/\` counts, except \`/coffer/openapi.json\`, whatever its outcome. Requests to
\`/v1/\` and \`/v2/\` count apart from them. The window starts with the first request. Over the limit the response is
429: wait as many seconds as \`Retry-After\` says. All responses to these paths have the six rate limit headers.`,
    Errors,
  },
};

/** Returns the `info.description` of a document (CommonMark). */
export function overviewOf({ intro: first, sections: all }: About): string {
  return [first, ...Object.entries(all).flatMap(([heading, text]) => [`## ${heading}`, text])].join(
    '\n\n',
  );
}
