/** How one kind of error looks on the wire. */
export interface ErrorEntry {
  /** The HTTP status. */
  readonly status: number;
  /** The body's `message`: the class of the error, the same for every error of the kind. */
  readonly message: string;
  /** The body's `errors[0].errMsg` when nothing more precise is known. */
  readonly errMsg: string;
}

/**
 * Every kind of error the service answers with, by name.
 *
 * `message` and the texts of 401, 404 and 429 are wire constants that existing clients compare; the others are ours.
 * A kind that says more than its default (which parameter, which id) puts that into `errMsg` and extra keys.
 */
export const errorTable = {
  /** A query or path parameter breaks its schema; one entry of `errors` for each problem found. */
  validation: {
    status: 400,
    message: 'Request Validation Failure',
    errMsg: 'A parameter of the request is not valid',
  },
  /** A value of the body breaks a rule: a name that is taken, a record that the book does not have. */
  invalidBody: {
    status: 400,
    message: 'Invalid Request Body',
    errMsg: 'The body of the request is not valid',
  },
  /** The request cannot be read at all: a broken percent-escape, a body that is not JSON. */
  malformedRequest: {
    status: 400,
    message: 'Invalid Request',
    errMsg: 'The request could not be read',
  },
  /** No `Authorization` header, or one that is not `Bearer` and a token. */
  missingToken: {
    status: 401,
    message: 'Unauthorized',
    errMsg: 'Missing authorization header',
  },
  /** The token is unknown, revoked or expired; the three are not told apart. */
  invalidToken: {
    status: 401,
    message: 'Unauthorized',
    errMsg: 'Access token does not exist.',
  },
  /** No such record in the caller's book; {@link recordNotFound} makes the text that names it. */
  recordNotFound: {
    status: 404,
    message: 'Not Found',
    errMsg: 'There is no such record',
  },
  /** No such path. */
  pathNotFound: {
    status: 404,
    message: 'Not Found',
    errMsg: 'There is no such path',
  },
  /** The path exists, the method does not; the `Allow` header lists those that do. */
  methodNotAllowed: {
    status: 405,
    message: 'Method Not Allowed',
    errMsg: 'The path does not take this method',
  },
  /** The client took too long to send the request. */
  requestTimeout: {
    status: 408,
    message: 'Request Timeout',
    errMsg: 'The request took too long to arrive',
  },
  /** The body is larger than the server takes. */
  bodyTooLarge: {
    status: 413,
    message: 'Payload Too Large',
    errMsg: 'The body of the request is too large',
  },
  /** The path and query together are longer than the server takes. */
  uriTooLong: {
    status: 414,
    message: 'URI Too Long',
    errMsg: 'The path and query of the request are too long',
  },
  /** The body has a media type that the path does not take. */
  unsupportedMediaType: {
    status: 415,
    message: 'Unsupported Media Type',
    errMsg: 'The path does not take a body of this media type',
  },
  /** The source has used up its requests of the window (section 7 of the specification). */
  tooManyRequests: {
    status: 429,
    message: 'Too Many Requests',
    errMsg: 'Too many requests, please try again later.',
  },
  /** The header fields are larger than the server takes. */
  headersTooLarge: {
    status: 431,
    message: 'Request Header Fields Too Large',
    errMsg: 'The header fields of the request are too large',
  },
  /** A fault of the service. Nothing of its inside is told. */
  internal: {
    status: 500,
    message: 'Internal Server Error',
    errMsg: 'The service met an unexpected fault',
  },
  /** The provider of a synced account does not answer as it should; the account keeps what it had. */
  badGateway: {
    status: 502,
    message: 'Bad Gateway',
    errMsg: 'The provider of the synced account could not be read',
  },
  /** The store is out of reach or the service is stopping; the same request may succeed later. */
  unavailable: {
    status: 503,
    message: 'Service Unavailable',
    errMsg: 'The service is not available at the moment, please try again later',
  },
  /** The provider of a synced account does not answer in time; the account keeps what it had. */
  gatewayTimeout: {
    status: 504,
    message: 'Gateway Timeout',
    errMsg: 'The provider of the synced account did not answer in time',
  },
} as const satisfies Record<string, ErrorEntry>;

/** The name of a kind of error in {@link errorTable}. */
export type ErrorKind = keyof typeof errorTable;

/**
 * The `errMsg` for a record that the caller's book does not have.
 *
 * `noun` is the singular word for the record, such as `transaction`; `id` is the integer of the path.
 */
export function recordNotFound(noun: string, id: number): string {
  return `There is no ${noun} with the id: ${id}.`;
}

/**
 * The `errMsg` for an asset that a synced crypto account does not hold.
 *
 * `symbol` is as it was asked for; `id` is the account's, the integer of the path.
 */
export function cryptoBalanceNotFound(symbol: string, id: number): string {
  return `There is no synced crypto balance with symbol '${symbol}' for the crypto account with id: ${id}.`;
}
