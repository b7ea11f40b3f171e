/** One kind of error as the API shows it. */
export interface ErrorEntry {
  /** The HTTP status. */
  readonly status: number;
  /** The body's `message`: the class of the error, the same for every error of the kind. */
  readonly message: string;
  /** The body's `errors[0].errMsg` when nothing more precise is known. */
  readonly errMsg: string;
}

const entry = (status: number, message: string, errMsg: string): ErrorEntry => ({
  status,
  message,
  errMsg,
});

/**
 * Every kind of error that the service returns, by name.
 *
 * Existing clients compare `message` and the texts of 401, 404 and 429; the others are ours. Problems with more details
 * (which parameter, which id) put them into `errMsg` and extra keys.
 */
export const errorTable = {
  /** A query or path parameter, or the body, breaks its schema; `errors` has an entry for each problem. */
  validation: entry(400, 'Request Validation Failure', 'A parameter of the request is not valid'),
  /** A value of the body breaks a rule that no schema can express, such as a name that is taken. */
  invalidBody: entry(400, 'Invalid Request Body', 'The body of the request is not valid'),
  /** The transaction to unsplit does not exist or is not split. Existing clients expect 400 with this message. */
  notSplit: entry(400, 'Not Found', 'There is no such split transaction'),
  /** A value does not fit the settings of the book, such as a date on which no budget period starts. */
  invalidRequest: entry(400, 'Invalid Request', 'The request is not valid'),
  /** The request cannot be parsed: an invalid percent escape, a body that is not JSON. */
  malformedRequest: entry(400, 'Invalid Request', 'The request could not be parsed'),
  /** Records were changed since, so a change cannot be undone. */
  undoConflict: entry(409, 'Conflict', 'Records were changed since'),
  /** The change is undone already, or nothing of it is left that could be undone. */
  undone: entry(409, 'Conflict', 'The change is undone already'),
  /** A preview of an import is not as it was shown, or somebody else works on it. */
  importConflict: entry(409, 'Conflict', 'The preview has changed'),
  /** The book has another version than the one for which a change was previewed. */
  bookChanged: entry(409, 'Conflict', 'The book has changed since'),
  /** The primary currency of a book with amounts cannot change. */
  hasAmounts: entry(409, 'Conflict', 'The book has amounts already'),
  /** A proved balance depends on transactions that a request changes or removes. */
  proved: entry(409, 'Conflict', 'A proved balance depends on the transactions'),
  /** No `Authorization` header, or one that is not `Bearer` and a token. */
  missingToken: entry(401, 'Unauthorized', 'Missing authorization header'),
  /** The token is unknown, revoked or expired; the response is the same. */
  invalidToken: entry(401, 'Unauthorized', 'Access token does not exist.'),
  /** What was sent to sign in is wrong, used or expired; the response is the same. */
  signInRefused: entry(401, 'Unauthorized', 'What was sent to sign in is not valid'),
  /** The cookie's session was ended or has expired. */
  sessionEnded: entry(401, 'Unauthorized', 'The session has ended: sign in again'),
  /** A browser sent the request for another site, or the caller may not do this. */
  forbidden: entry(403, 'Forbidden', 'The request does not come from a page of this service'),
  /** No such record in the caller's book; {@link recordNotFound} returns the text that names it. */
  recordNotFound: entry(404, 'Not Found', 'There is no such record'),
  /** Ids in the body of a request to delete several records, which the caller's book does not have. */
  unknownRecords: entry(404, 'Request Validation Failure', 'There are no such records'),
  /** No such path. */
  pathNotFound: entry(404, 'Not Found', 'There is no such path'),
  /** A request to fetch from banks came too soon after the last one. */
  tooEarly: entry(425, 'Too Early', 'Please wait at least 60 seconds between fetch requests.'),
  /** The path does not support the method; the `Allow` header lists the supported ones. */
  methodNotAllowed: entry(405, 'Method Not Allowed', 'The path does not support this method'),
  /** The client took too long to send the request. */
  requestTimeout: entry(408, 'Request Timeout', 'The request took too long to arrive'),
  /** A request with the same Idempotency-Key is under way, or its response is not kept. */
  idempotencyKeyInUse: entry(
    409,
    'Conflict',
    'An equal request with this Idempotency-Key is still under way',
  ),
  /** The operation needs a setting that the server does not have. */
  unconfigured: entry(409, 'Conflict', 'The server lacks a setting that the request needs'),
  /** The change log of the book no longer has that version. */
  pruned: entry(410, 'Gone', 'The change log no longer has that version'),
  /** The body is larger than the server accepts. */
  bodyTooLarge: entry(413, 'Payload Too Large', 'The body of the request is too large'),
  /** The path and query together are longer than the server accepts. */
  uriTooLong: entry(414, 'URI Too Long', 'The path and query of the request are too long'),
  /** The body has a media type that the path does not support. */
  unsupportedMediaType: entry(
    415,
    'Unsupported Media Type',
    'The path does not support bodies of this media type',
  ),
  /** The name in the Host header is not one of the service. */
  misdirected: entry(421, 'Misdirected Request', 'The service does not have this host name'),
  /** The Idempotency-Key belongs to another request. */
  idempotencyKeyReused: entry(
    422,
    'Unprocessable Content',
    'The Idempotency-Key was used for another request',
  ),
  /** The client has sent too many requests in the window (section 7 of the specification). */
  tooManyRequests: entry(429, 'Too Many Requests', 'Too many requests, please try again later.'),
  /** The header fields are larger than the server accepts. */
  headersTooLarge: entry(
    431,
    'Request Header Fields Too Large',
    'The header fields of the request are too large',
  ),
  /** An error in the service; the response shows no details. */
  internal: entry(500, 'Internal Server Error', 'The service had an unexpected error'),
  /** The bytes of an attached file are missing or are not those that were attached. Only a backup has them. */
  fileLost: entry(500, 'Internal Server Error', 'The bytes of the file are lost'),
  /** The provider of a synced account failed; the account keeps its balances. */
  badGateway: entry(502, 'Bad Gateway', 'The provider of the synced account failed'),
  /** The database cannot be reached, or the service is stopping; the same request may succeed later. */
  unavailable: entry(
    503,
    'Service Unavailable',
    'The service is not available at the moment, please try again later',
  ),
  /** The provider of a synced account did not respond in time; the account keeps its balances. */
  gatewayTimeout: entry(
    504,
    'Gateway Timeout',
    'The provider of the synced account did not respond in time',
  ),
};

/** The name of a kind of error in {@link errorTable}. */
export type ErrorKind = keyof typeof errorTable;

/** Returns the `errMsg` for a record that the caller's book does not have; `noun` is singular. */
export function recordNotFound(noun: string, id: number): string {
  return `There is no ${noun} with the id: ${id}.`;
}

/** Returns the `errMsg` for a Host whose name the service does not have. */
export function unknownHost(name: string): string {
  return `The service does not have the host name "${name}": set it with --host-names, or the address with --public-url`;
}

/** Returns the `errMsg` for an asset that a synced crypto account does not hold; `symbol` is as it was requested. */
export function cryptoBalanceNotFound(symbol: string, id: number): string {
  return `There is no synced crypto balance with symbol '${symbol}' for the crypto account with id: ${id}.`;
}

/** Returns the `errMsg` for a version that was pruned; `oldest` is the oldest one that still works. */
export function versionPruned(version: number, oldest: number): string {
  return `The history of version ${version} was pruned: the oldest is version ${oldest}`;
}
