import type { Static, TObject, TSchema } from 'typebox';
import type { Example } from './examples.ts';
import type { Response, SharedResponse } from './responses.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What an operation takes and gives. Its handler is typed by this, and the document is built from it. */
export interface Declaration {
  /** The operation's id in the document, as clients know it. */
  readonly id: string;
  /** The path template, beginning with the version: `/v2/tags/{id}`. */
  readonly path: `/v2/${string}`;
  readonly tag: TagName;
  /** A few words, without a full stop. */
  readonly summary: string;
  readonly description: string;
  /** Parts of the path. */
  readonly params?: TObject;
  /** Query parameters; a parameter that is not among them is refused. */
  readonly query?: TObject;
  /** The JSON body; without it an operation takes none, or an empty object. */
  readonly body?: TSchema;
  readonly bodyExamples?: Readonly<Record<string, Example>>;
  /** The response to a request that succeeds. */
  readonly response: Response;
  /** Responses besides those that every operation has, by status: shared ones by name, or the operation's own. */
  readonly refusals?: Readonly<Record<number, SharedResponse | Response>>;
}

/** The areas of the interface, in the order of the document. */
export const tags = {
  transactions: 'Money that moved: lists in pages, and single transactions.',
  categories: 'What transactions are about, alone or in groups.',
  tags: 'Labels that transactions carry, any number of them.',
  'crypto-synced': 'Crypto assets, as exchanges and wallets say that they are held.',
  me: 'The user and the book behind the access token.',
} as const;

/** The name of an area in {@link tags}. */
export type TagName = keyof typeof tags;

/** The value of a schema after validation, defaults filled in; nothing where there is no schema. */
export type ValueOf<S> = S extends TSchema ? Static<S> : Readonly<Record<string, never>>;

/** What a handler returns: the body of the declared response. */
export type ResultOf<D extends Declaration> = D['response'] extends Response<infer T> ? T : never;

type Refusals<D extends Declaration> = D['refusals'] extends object ? D['refusals'] : object;

/** Ends a request with one of the operation's own responses. */
export type Refuse<D extends Declaration> = <S extends keyof Refusals<D> & number>(
  status: S,
  body: Refusals<D>[S] extends Response<infer T> ? T : never,
) => never;

/** A declared operation with its method: what the document and the router need to know. */
export interface Described {
  readonly method: Method;
  readonly declaration: Declaration;
}

const refusals = {
  400: 'BadRequest',
  401: 'Unauthorized',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
} as const;

/** Every response of an operation by status: a shared one by its name, or one of its own. */
export function responsesOf({
  method,
  declaration,
}: Described): Readonly<Record<number, Response | SharedResponse>> {
  const { response, params, refusals: own } = declaration;
  return {
    [response.status]: response,
    ...(method === 'GET' && { 304: 'NotModified' }),
    ...refusals,
    ...(params !== undefined && { 404: 'NotFound' }),
    ...own,
  };
}
