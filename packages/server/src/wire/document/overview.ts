import { defaultRateLimit, defaultRateLimitWindowSeconds } from '../limits.ts';

/** What holds for every operation, as the document's `info.description` (CommonMark). */
export const overview = `Coffer keeps a person's financial records and serves them over HTTP as JSON. It is wire-compatible with the public Lunch Money v2 API.

## Requests

- Send \`Authorization: Bearer <token>\`. A token opens one book; a record of another book is answered like one that does not exist.
- A query parameter that an operation does not name, or that is sent twice, is refused with 400. Values are never adjusted: what is out of bounds is refused.
- Integers are decimal digits: no sign for a positive number, no leading zeros, no decimal point, no exponent. Booleans are \`true\` or \`false\`.
- HEAD is answered like GET, without the body. A request that takes no body may send an empty one of any type, or \`{}\`; anything in it is refused with 400. A method that a path does not take is answered with 405 and an \`Allow\` header; a path that does not exist, with 404.
- A body that is too large is answered with 413, one that is not JSON with 415, one that takes too long with 408, and a URL that is too long with 414, all in the format of errors.

## Answers

- Dates are \`YYYY-MM-DD\` without a time zone. Instants are ISO 8601 in UTC with milliseconds: \`2026-03-15T06:30:00.000Z\`.
- Amounts are text with exactly four decimals. Positive is money out, negative is money in. Quantities of crypto assets are text with exactly 18 decimals.
- Objects have no keys beyond those described, except error objects and metadata.
- Every answer from status 400 up has one body: \`message\` and \`errors\`, of which every entry has \`errMsg\`.

## Rate limit

Every request to a path under \`/v1/\` or \`/v2/\` counts, whatever its outcome, by the address it comes from: ${defaultRateLimit} in ${defaultRateLimitWindowSeconds} seconds unless the operator has set another figure. The window begins with the first request from that address. Every answer has the six rate limit headers; over the limit it is 429 with \`Retry-After\`. Only a request that cannot be read as HTTP at all is neither counted nor given these headers.
`;
