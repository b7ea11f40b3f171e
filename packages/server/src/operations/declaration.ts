import type { Static, TObject, TSchema } from 'typebox';
import type { Examples } from './examples.ts';
import type { Response, SharedResponse } from './responses.ts';
import { ErrorV1, type FormV1 } from './forms-v1.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The parameters, bodies and responses of an operation. Its handler is typed by it, the document is built from it. */
export interface Declaration {
  /** The operation's id in the document, as clients know it. */
  readonly id: string;
  /** The path template, beginning with the version, `/v2/tags/{id}`, or with `/coffer/` for Coffer's own operations. */
  readonly path: `/v1/${string}` | `/v2/${string}` | `/coffer/${string}`;
  readonly tag: TagName;
  /** A few words without a period. */
  readonly summary: string;
  /** Sentences after the summary, where it does not say everything. */
  readonly description?: string;
  /** Parts of the path. */
  readonly params?: TObject;
  /** Query parameters; others are refused. */
  readonly query?: TObject;
  /** The JSON body; without it the operation accepts no body, or an empty object. */
  readonly body?: TSchema;
  /** A request without a body is one with an empty object. */
  readonly isBodyOptional?: true;
  /** The body is multipart/form-data. The handler gets a MultipartForm and checks it; `body` only describes it. */
  readonly multipart?: true;
  /**
   * The body is a file, alone or in a form. The handler gets an Upload; `body` only describes the form, whose other
   * fields are parameters of the query too.
   */
  readonly upload?: true;
  /** Absent for the example of the body. */
  readonly bodyExamples?: Examples;
  /** The response to a request that succeeds. */
  readonly response: Response;
  /**
   * Absent if the work is bounded: it touches a few thousand rows at most, whatever the book has. The work of others is
   * done by a thread with an engine of its own if the book is large; a function says which requests are bounded.
   */
  readonly size?: 'unbounded' | ((query: never) => 'bounded' | 'unbounded');
  /** The response has a secret: it is never compressed, nor kept for repetitions with an Idempotency-Key. */
  readonly isSecret?: boolean;
  /** Only a user who is signed in with a browser may do it: access tokens are refused with 403. */
  readonly needsSession?: true;
  /** For the paths of v1 only: how a request that is not valid is refused. */
  readonly v1?: FormV1;
  /** A missing record is refused with 400, as existing clients expect; there is no 404. */
  readonly isMissing400?: true;
  /** Responses in addition to those of every operation, by status: shared ones by name, or the operation's own. */
  readonly refusals?: Readonly<Record<number, SharedResponse | Response>>;
}

/** The areas of the API with their descriptions, in the order of the document. */
export const tags = {
  transactions: 'Transactions: lists in pages, and single ones.',
  attachments: 'Files attached to transactions.',
  categories: 'Categories of transactions, and groups of categories.',
  tags: 'Tags: labels of transactions.',
  'manual-accounts': 'Manual accounts: their balances move with their transactions.',
  'plaid-accounts': 'Synced accounts: read from a bank by a connection.',
  connections: 'Connections to banks, which read synced accounts.',
  'recurring-items': 'Recurring items: expected transactions, and those that were found.',
  budgets: 'Budgets of categories by period, and their settings.',
  summary: 'Summary: activity and budgets of categories in a range of dates.',
  cryptocurrencies: 'Cryptocurrencies that balances can be in.',
  'crypto-manual': 'Manual crypto accounts: one balance each.',
  'balance-history': 'Balances of accounts at the ends of months.',
  transfers: 'Transfers: two transactions that are one movement between own accounts.',
  rules: 'Rules that complete new transactions.',
  changes: 'Changes of the book, in the order in which they were made.',
  imports: 'Imports of bank files, which can be undone.',
  export: 'Export: the whole book as a file.',
  history: 'History: who changed what, and when; and undo.',
  webhooks: 'Webhooks: where changes of the book are sent, signed and in order.',
  'crypto-synced': 'Synced crypto accounts: balances read from exchanges and wallets.',
  me: 'The user and the book of the access token.',
  sessions: 'Signing in with a browser: sessions, and the password.',
  passkeys: 'Passkeys: public keys with which a user signs in.',
  tokens: 'Access tokens of the book.',
  backups: 'Backups that the server makes, and the sources that it reads.',
} as const;

/** The name of an area in {@link tags}. */
export type TagName = keyof typeof tags;

/** The value of a schema after validation, with defaults; an empty object without a schema. */
export type ValueOf<S> = S extends TSchema ? Static<S> : Readonly<Record<string, never>>;

/** What a handler returns: the body of the declared response. */
export type ResultOf<D extends Declaration> = D['response'] extends Response<infer T> ? T : never;

type Refusals<D extends Declaration> = D['refusals'] extends object ? D['refusals'] : object;

/** Ends a request with one of the operation's own responses. */
export type Refuse<D extends Declaration> = <S extends keyof Refusals<D> & number>(
  status: S,
  body: Refusals<D>[S] extends Response<infer T> ? T : never,
) => never;

/** A declared operation with its method and kind: what the document and the router need to know. */
export interface Described {
  readonly method: Method;
  /**
   * Responses of `read` to GET have an ETag; HEAD is served like GET. `outside` opens its transactions itself. `open`
   * needs no authentication.
   */
  readonly kind: 'read' | 'write' | 'outside' | 'open';
  readonly declaration: Declaration;
}

const refusals = {
  400: 'BadRequest',
  401: 'Unauthorized',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
} as const;

/** Whether repetitions of a request with the same Idempotency-Key have no effect. Keys are for programs. */
export function acceptsKey({ method, kind, declaration }: Described): boolean {
  const isOfBrowser = kind === 'open' || declaration.needsSession === true;
  return method === 'POST' && kind !== 'read' && !isOfBrowser;
}

/** Returns every response of an operation by status: a shared one by its name, or its own. */
export function responsesOf(
  operation: Described,
): Readonly<Record<number, Response | SharedResponse>> {
  const { method, kind, declaration } = operation;
  const { response, params, isMissing400, refusals: own, isSecret = false, v1 } = declaration;
  const isOfBrowser = kind === 'open' || declaration.needsSession === true;
  const isKeyed = acceptsKey(operation);
  const success = v1 === undefined ? response : withErrorV1(response, v1);
  return {
    [response.status]: isKeyed && !isSecret ? withReplay(success) : success,
    ...(method === 'GET' && kind !== 'open' && { 304: 'NotModified' }),
    ...refusals,
    ...(v1 !== undefined && refusalsV1(v1)),
    ...(isOfBrowser && !(kind === 'open' && method === 'GET') && { 403: 'Forbidden' }),
    ...(isOfBrowser && { 421: 'MisdirectedRequest' }),
    ...(params !== undefined &&
      isMissing400 === undefined &&
      v1 === undefined && { 404: 'NotFound' }),
    ...(isKeyed && (kind === 'outside' || isSecret) && { 409: 'Conflict' }),
    ...(isKeyed && { 422: 'KeyReused' }),
    ...own,
  };
}

/** Operations of v1 can refuse a request with 200; then there is no ETag. */
function withErrorV1(response: Response, { status }: FormV1): Response {
  if (status !== 200) return response;
  const { headers, optionalHeaders = [] } = response;
  return {
    ...response,
    otherComponent: ErrorV1,
    headers: headers.filter((name) => name !== 'ETag'),
    optionalHeaders: [...optionalHeaders, ...headers.filter((name) => name === 'ETag')],
  };
}

function refusalsV1({ status }: FormV1): Readonly<Record<number, SharedResponse>> {
  return {
    400: 'BadRequestV1',
    401: 'UnauthorizedV1',
    ...(status === 404 && { 404: 'RefusedV1' }),
  };
}

function withReplay(response: Response): Response {
  const { optionalHeaders = [] } = response;
  return { ...response, optionalHeaders: [...optionalHeaders, 'Idempotency-Replayed'] };
}
