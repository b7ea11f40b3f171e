import { changing } from '../changes/changing.ts';
import type { Cause } from '../changes/changing.ts';
import type { Change } from '../changes/change.ts';
import type { Engine, Steps } from '../db/engine.ts';
import type { RememberedKeys } from '../pages/remembered-keys.ts';
import type {
  Declaration,
  Described,
  Method,
  Refuse,
  ResultOf,
  ValueOf,
} from '../wire/operation.ts';
import { OwnRefusal } from '../wire/problem.ts';
import type { Identity } from './users/identity.ts';

/** A validated request of an identified caller, typed by the operation's declaration. */
export interface Request<D extends Declaration = Declaration> {
  readonly identity: Identity;
  readonly bookId: number;
  readonly params: ValueOf<D['params']>;
  readonly query: ValueOf<D['query']>;
  readonly body: ValueOf<D['body']>;
  /** What the page engine remembers between the pages of a walk. */
  readonly pageKeys: RememberedKeys;
  /** Ends the request with one of the operation's own responses. */
  readonly refuse: Refuse<D>;
}

/** A request before its operation is known. */
export interface AnyRequest extends Omit<Request, 'params' | 'query' | 'body' | 'refuse'> {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** An operation of the interface: its declaration, its method, and what carries it out. */
export interface Operation extends Described {
  /** `read` responses carry an ETag; HEAD is answered like GET. */
  readonly kind: 'read' | 'write' | 'outside';
  /** What a response to GET depends on besides the book and the URL, as text. */
  readonly state: (identity: Identity) => string;
  /** Carries the operation out and returns the body of its response. Throws a Problem or an OwnRefusal to refuse. */
  readonly run: (engine: Engine, request: AnyRequest) => Promise<unknown>;
}

/** How a read differs from others. */
export interface ReadOptions {
  /** One statement reads everything, so that no transaction has to be begun. */
  readonly isOneStatement?: boolean;
  readonly state?: (identity: Identity) => string;
}

/** An operation that reads: GET. Its steps see one snapshot. */
export function read<const D extends Declaration>(
  declaration: D,
  handler: (request: Request<D>) => Steps<ResultOf<D>>,
  { isOneStatement = false, state = () => '' }: ReadOptions = {},
): Operation {
  return {
    method: 'GET',
    declaration,
    kind: 'read',
    state,
    run: (engine, request) => {
      const steps = () => handler(typed<D>(request));
      return isOneStatement ? engine.readStatement(steps) : engine.read(steps);
    },
  };
}

/** An operation that changes records of the book: one transaction, one version. */
export function write<const D extends Declaration>(
  method: Exclude<Method, 'GET'>,
  declaration: D,
  handler: (request: Request<D>, change: Change) => Steps<ResultOf<D>>,
): Operation {
  return {
    method,
    declaration,
    kind: 'write',
    state: () => '',
    run: (engine, request) => {
      const cause = causeOf(declaration, request);
      return engine.write(() => changing(cause, (change) => handler(typed<D>(request), change)));
    },
  };
}

/** An operation that asks somebody else's server, and opens its transactions itself. */
export function outside<const D extends Declaration>(
  method: Exclude<Method, 'GET'>,
  declaration: D,
  handler: (request: Request<D>, engine: Engine) => Promise<ResultOf<D>>,
): Operation {
  return {
    method,
    declaration,
    kind: 'outside',
    state: () => '',
    run: (engine, request) => handler(typed<D>(request), engine),
  };
}

/** Who changes the book of a request, by what. */
export function causeOf({ id }: Declaration, { bookId, identity }: AnyRequest): Cause {
  return { bookId, actor: `token ${identity.token.id}`, operation: id };
}

/** The request's values have passed the schemas of the declaration, which is what its types say. */
function typed<D extends Declaration>(request: AnyRequest): Request<D> {
  const refuse = (status: number, body: unknown): never => {
    throw new OwnRefusal(status, body);
  };
  return { ...request, refuse } as unknown as Request<D>;
}
