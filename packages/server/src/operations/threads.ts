import type { Engine, Steps } from '../db/engine.ts';
import { DatabaseError, isDatabaseError, type DatabaseErrorKind } from '../db/errors.ts';
import type { PoolCounts, TaskResult, WorkerPool } from '../workers/pool.ts';
import type { Performed } from '../workers/thread.ts';
import type { Book } from './caller.ts';
import type { ErrorKind } from './errors.ts';
import { jsonPieces, type AnyRequest, type Operation, type Perform } from './operation.ts';
import { OwnRefusal, Problem, type ErrorDetail } from './problem.ts';
import { FileStream, OtherResponse, OwnResponse, Replayed } from './responses.ts';
import sql from 'sql-template-tag';
import { rowAs } from '../db/rows.ts';
import { integer } from '../db/table.ts';

/** Whatever is done to all of a smaller book takes a few milliseconds. */
export const mostInPlace = 2000;
/** Books whose size is remembered, at about 100 bytes. All are forgotten at once. */
const mostRemembered = 20_000;
const retryAfterSeconds = '5';

/** A request of an operation, as it is sent to a thread. */
export interface OperationTask {
  readonly is: 'operation';
  readonly id: string;
  readonly request: Omit<AnyRequest, 'pageKeys' | 'following' | 'left'> & {
    readonly pageKeys: null;
  };
}

/** The figures of the threads. */
export interface ThreadCounts extends PoolCounts {
  /** How many requests were refused because too many waited. */
  readonly refused: number;
}

/** What an operation returned, as it is sent from a thread: the body is in the pieces, if there is one. */
type PlainResult =
  | { readonly is: 'body'; readonly hasBody: boolean }
  | { readonly is: 'other' | 'replayed'; readonly hasBody: boolean; readonly status: number }
  | { readonly is: 'file'; readonly name: string; readonly type: string };

type PlainError =
  | {
      readonly is: 'problem';
      readonly kind: ErrorKind;
      readonly details: readonly ErrorDetail[];
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly is: 'refusal'; readonly status: number; readonly body: unknown }
  | {
      readonly is: 'database';
      readonly kind: DatabaseErrorKind;
      readonly message: string;
      readonly mayBeStored: boolean;
    }
  | {
      readonly is: 'other';
      readonly name: string;
      readonly message: string;
      readonly stack: string;
    };

/** Lets threads do the work of unbounded operations on large books. */
export class OperationThreads {
  readonly #pool: WorkerPool;
  readonly #onWritten: () => void;
  readonly #mostInPlace: number;
  readonly #known = new Map<number, { readonly version: number; readonly isLarge: boolean }>();
  #refused = 0;

  /**
   * `onWritten` is called when a thread may have written. `most` is the size of the largest book whose work stays
   * in the thread of the caller.
   */
  constructor(pool: WorkerPool, onWritten: () => void, most = mostInPlace) {
    this.#pool = pool;
    this.#onWritten = onWritten;
    this.#mostInPlace = most;
  }

  get counts(): ThreadCounts {
    return { ...this.#pool.counts, refused: this.#refused };
  }

  /** Returns an operation that does the same, perhaps in a thread. */
  wrap(operation: Operation): Operation {
    const { declaration } = operation;
    const { size } = declaration;
    if (size === undefined) return operation;
    const perform: Perform = async (engine, request) => {
      const isBounded = typeof size === 'function' && size(request.query as never) === 'bounded';
      if (isBounded || !(await this.#isLarge(engine, request.identity.book)))
        return operation.perform(engine, request);
      return this.#perform(operation, request);
    };
    return {
      ...operation,
      perform,
      run: (engine, request) => operation.run(engine, request, perform),
    };
  }

  /** Whether the book is too large for this thread. A large one is not counted again. */
  async #isLarge(engine: Engine, { id, version }: Book): Promise<boolean> {
    const known = this.#known.get(id);
    if (known?.isLarge === true || known?.version === version) return known.isLarge;
    const most = this.#mostInPlace;
    const isLarge = (await engine.readStatement(() => bookSize(id, most + 1))) > most;
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(id, { version, isLarge });
    return isLarge;
  }

  async #perform(operation: Operation, request: AnyRequest): Promise<unknown> {
    // Signals cannot be sent.
    const { following, left, ...rest } = request;
    const { bookId } = request;
    this.#refuseFull(bookId);
    const isWriting = operation.kind !== 'read';
    const { id } = operation.declaration;
    const task: OperationTask = { is: 'operation', id, request: { ...rest, pageKeys: null } };
    const signal = following?.signal ?? left;
    try {
      const options = { bookId, isWriting, ...(signal && { signal }) };
      return resultOf(await this.#pool.run(task, options));
    } catch (error) {
      // Nobody gets the response.
      throw signal?.aborted === true ? new Problem('unavailable') : error;
    } finally {
      if (isWriting) this.#onWritten();
    }
  }

  #refuseFull(bookId: number): void {
    if (this.#pool.hasRoom(bookId)) return;
    this.#refused += 1;
    throw new Problem('unavailable', { headers: { 'retry-after': retryAfterSeconds } });
  }
}

/** Performs the request of a task in its thread. Other requests need other services, which a thread does not have. */
export async function performTask(
  operation: Operation,
  engine: Engine,
  request: AnyRequest,
): Promise<Performed> {
  const result = await operation.perform(engine, request);
  if (result instanceof FileStream) {
    const { name, type, pieces } = result;
    return { value: { is: 'file', name, type } satisfies PlainResult, stream: pieces };
  }
  if (!(result instanceof OwnResponse)) return withBody({ is: 'body' }, result);
  if (!(result instanceof OtherResponse))
    throw new Error(`${operation.declaration.id} returns what no thread can send`);
  const is = result instanceof Replayed ? 'replayed' : 'other';
  return withBody({ is, status: result.status }, result.body);
}

function withBody(value: object, body: unknown): Performed {
  const hasBody = body !== undefined;
  return { value: { ...value, hasBody }, ...(hasBody && { pieces: jsonPieces(body) }) };
}

/** Returns what {@link performTask} has performed, as its operation returned it. */
function resultOf({ value, pieces, stream }: TaskResult): unknown {
  const result = value as PlainResult;
  if (result.is === 'file') return new FileStream({ ...result, pieces: stream! });
  const body = result.hasBody ? pieces : undefined;
  if (result.is === 'body') return body;
  const { status } = result;
  if (result.is === 'other') return new OtherResponse(status, body);
  return new Replayed({ status, body: body === undefined ? null : Buffer.concat(body).toString() });
}

/** Returns an error as plain data, from which {@link errorOf} makes it again. */
export function plainError(error: unknown): PlainError {
  if (error instanceof Problem) {
    const { kind, details, headers } = error;
    return { is: 'problem', kind, details, headers };
  }
  if (error instanceof OwnRefusal) return { is: 'refusal', status: error.status, body: error.body };
  if (isDatabaseError(error)) {
    const { kind, message, mayBeStored } = error;
    return { is: 'database', kind, message, mayBeStored };
  }
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  return { is: 'other', name, message, stack };
}

/** Returns the error that {@link plainError} has made plain. */
export function errorOf(plain: unknown): Error {
  const error = plain as PlainError;
  if (error.is === 'problem') return new Problem(error.kind, error);
  if (error.is === 'refusal') return new OwnRefusal(error.status, error.body);
  if (error.is === 'database') return new DatabaseError(error.kind, error.message, error);
  const { name, message, stack } = error;
  return Object.assign(new Error(message), { name, stack });
}

/**
 * Returns how much an operation on all of a book reads: the number of its transactions, by their counts, and of the
 * lines of its change log, at most `mostLines`.
 */
export function* bookSize(bookId: number, mostLines: number): Steps<number> {
  const months = sql`book_id = ${bookId} AND granularity = 'month'`;
  const found = yield* rowAs(
    { size: integer },
    sql`SELECT CAST(
        (SELECT coalesce(sum(listed), 0) FROM transaction_counts WHERE ${months})
        + (SELECT coalesce(sum(number), 0) FROM hidden_counts WHERE ${months})
        + (SELECT count(*) FROM (SELECT place FROM changed_records WHERE book_id = ${bookId} LIMIT ${mostLines}) lines)
      AS BIGINT) AS size`,
  );
  return found!.size;
}
