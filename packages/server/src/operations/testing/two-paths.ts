import { gunzipSync } from 'node:zlib';
import { operations } from '../../all.ts';
import type { Engine } from '../../db/engine.ts';
import { isDatabaseError } from '../../db/errors.ts';
import { createImportService } from '../../imports/previews/service.ts';
import { RememberedKeys } from '../../pages/remembered-keys.ts';
import type { WorkerPool } from '../../workers/pool.ts';
import type { Identity } from '../caller.ts';
import { jsonPieces, type Operation } from '../operation.ts';
import { OwnRefusal, Problem } from '../problem.ts';
import { requestReader } from '../request/request-reader.ts';
import { FileStream, OtherResponse, Replayed } from '../responses.ts';
import { OperationThreads } from '../threads.ts';
import { fixedClient, receivedOf } from './every-operation.ts';
import { fixedServices } from './fixed-services.ts';
import type { GoodRequest } from './special-requests.ts';

/** A request, and its key for repetitions. */
export interface Sent {
  readonly request: GoodRequest;
  readonly idempotencyKey?: string;
}

/** What an operation returned or threw, as text: two paths are compared by it. */
export interface Outcome {
  readonly text: string;
  /** The parsed body; undefined if the request was refused, or has no JSON. */
  readonly body: unknown;
}

/** Performs requests of a caller, with all operations in this thread, or the unbounded ones in threads. */
export function performerOf(
  engine: Engine,
  identity: Identity,
  pool: WorkerPool | null,
): (sent: Sent) => Promise<Outcome> {
  const imports = createImportService(pool, { error: () => undefined });
  const threads = pool && new OperationThreads(pool, () => undefined, -1);
  const all = operations({ ...fixedServices, imports }).map((each) => threads?.wrap(each) ?? each);
  const byId = new Map(
    all.map((operation) => [
      operation.declaration.id,
      { operation, read: requestReader(operation) },
    ]),
  );
  const pageKeys = new RememberedKeys(1000);
  return async ({ request, idempotencyKey }) => {
    const { operation, read } = byId.get(request.operation.declaration.id)!;
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    const closed = new AbortController();
    const following = { signal: closed.signal, events: null };
    const bookId = identity.book.id;
    const context = { identity, bookId, pageKeys, client: fixedClient, following, ...key };
    try {
      const values = await read(receivedOf(request));
      return await outcomeOf(operation, await operation.run(engine, { ...context, ...values }));
    } catch (error) {
      return { text: refusalOf(error), body: undefined };
    } finally {
      closed.abort();
    }
  };
}

async function outcomeOf({ declaration }: Operation, result: unknown): Promise<Outcome> {
  if (result instanceof FileStream) {
    const bytes = Buffer.concat(await Array.fromAsync(result.pieces));
    const content = bytes[0] === 0x1f ? gunzipSync(bytes) : bytes;
    return { text: `${result.name} ${result.type}\n${content.toString()}`, body: undefined };
  }
  const { status } = declaration.response;
  if (!(result instanceof OtherResponse)) return shown(`${status}`, result);
  return shown(`${result.status}${result instanceof Replayed ? ' again' : ''}`, result.body);
}

function shown(status: string, body: unknown): Outcome {
  if (body === undefined) return { text: status, body };
  const text = Buffer.concat(jsonPieces(body)).toString();
  return { text: `${status} ${text}`, body: JSON.parse(text) as unknown };
}

function refusalOf(error: unknown): string {
  if (error instanceof Problem)
    return `${error.kind} ${JSON.stringify(error.details)} ${JSON.stringify(error.headers)}`;
  if (error instanceof OwnRefusal) return `${error.status} ${JSON.stringify(error.body)}`;
  if (isDatabaseError(error)) return `${error.kind} ${error.message}`;
  throw error;
}

/**
 * Returns a text without the times of this run, and what is random in a database: also which of several alike rows an
 * entry of a file is compared with, because PostgreSQL reads them in any order.
 */
export function lasting(text: string, { databaseId }: Identity, startedAt: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => (at < startedAt ? at : 'of this run'))
    .replaceAll(/\d{8}T\d{6}Z/g, 'of this run')
    .replaceAll(/"known_transaction_id":\d+/g, '"known_transaction_id":1')
    .replaceAll(/expires=\d+&signature=[\w-]+/g, 'signed')
    .replaceAll(databaseId, 'of this database');
}
