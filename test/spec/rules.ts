/** A statement of the specification. */
export interface Rule {
  /** Its part, then its number, or the name of its row; test names start with it. */
  readonly id: string;
  /** A summary. */
  readonly says: string;
  /** The statement only says that something is not shown; a test may check what Coffer does. */
  readonly isSilent?: true;
}

/**
 * The numbered statements and the table rows of the specification, in its order.
 *
 * Parts 3 (states) and 6 (events) have no statements. A number is `part.number`; a row of a table and a sentence
 * without a number have the part and a name. The second list of part 8 is the advice to clients.
 */
export const rules: readonly Rule[] = [
  { id: '1 interface', says: 'HTTP with JSON over the records of a user, in the named areas' },
  { id: '1.1', says: 'pages by limit and offset; has_more is true if more follow' },
  { id: '1.2', says: 'every request to /v1/ and /v2/ is limited and gets the headers' },
  { id: '1.3', says: 'other purposes are not shown', isSilent: true },

  { id: '2 transactions', says: 'the array of the page; empty without matches or past the last' },
  { id: '2 has_more', says: 'true when later pages have matches, false when all were returned' },
  { id: '2 date', says: 'YYYY-MM-DD, and the date range compares it' },
  { id: '2 message', says: 'an error has a short description' },
  { id: '2 errors', says: 'an error has an array of objects' },
  { id: '2 errors[].errMsg', says: 'each of them has a text for people' },

  { id: '4 authorization', says: 'every request carries the header' },
  { id: '4 GET /v2/transactions', says: 'without a body; the response has the two keys' },
  { id: '4 limit', says: 'an integer: most transactions of one response; default 1000' },
  { id: '4 offset', says: 'an integer: matches to skip; default 0, the beginning' },
  { id: '4 start_date', says: 'lower bound of the date, default none' },
  { id: '4 end_date', says: 'upper bound of the date, default none' },
  { id: '4.1', says: 'filters before paging; page and has_more refer to matches only' },
  { id: '4.2', says: 'the defaults are 1000 and 0' },
  { id: '4.3', says: 'the next offset is offset plus limit; other steps repeat or skip' },
  { id: '4.4', says: 'continue while has_more is true, stop when it is false' },
  { id: '4.5', says: 'no match: an empty array and false' },
  { id: '4.6', says: 'the last page has false' },
  { id: '4.7', says: 'one page alone may be incomplete' },
  { id: '4 GET /v2/me', says: 'an authenticated request like any other' },
  { id: '4 GET /v2/categories', says: 'all categories in one request' },
  { id: '4 GET /v2/categories/{category_id}', says: 'one category' },
  { id: '4 POST /v2/crypto/synced/{id}/refresh', says: 'refreshes a synced crypto record' },

  { id: '5.1', says: 'the header is Authorization: Bearer and the token' },
  {
    id: '5.2',
    says: 'how tokens are obtained, how long they are valid and how they are refused is not shown',
    isSilent: true,
  },

  { id: '7 429', says: 'over the limit: 429, the fixed message, one error, all headers' },
  { id: '7 Retry-After', says: 'whole seconds until the window resets, rounded up' },

  { id: '8.1', says: 'all requests under /v1/ and /v2/ count' },
  { id: '8.2', says: '100 a minute for one client, identified by its IP address' },
  { id: '8.3', says: 'a request over the limit gets 429' },
  { id: '8 all responses', says: 'successes and refusals have the headers' },
  { id: '8 RateLimit-Limit', says: 'most requests of a window' },
  { id: '8 RateLimit-Remaining', says: 'requests left in this window' },
  { id: '8 RateLimit-Reset', says: 'when the window resets, in epoch seconds' },
  { id: '8 X-RateLimit-Limit', says: 'older name of RateLimit-Limit' },
  { id: '8 X-RateLimit-Remaining', says: 'older name of RateLimit-Remaining' },
  { id: '8 X-RateLimit-Reset', says: 'older name of RateLimit-Reset, same unit' },
  { id: '8 integers', says: 'each value is an integer as text' },
  { id: '8 advice 1', says: 'on 429 wait for Retry-After' },
  { id: '8 advice 2', says: 'watch the remaining requests on every response' },
  { id: '8 advice 3', says: 'request lists rather than single items, and filter by date' },

  { id: '9.1', says: '/v1/ and /v2/ both exist and are both limited' },
  { id: '9.2', says: 'the listing, its pages and the error format belong to /v2/' },
  { id: '9.3', says: 'differences and change of versions are not shown', isSilent: true },
];
