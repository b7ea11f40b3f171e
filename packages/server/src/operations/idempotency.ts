import { OtherResponse, jsonPieces, Replayed } from './responses.ts';
import { hash, randomUUID } from 'node:crypto';
import {
  claimKey,
  earlierRequest,
  keepResponse,
  releaseClaim,
  finishClaim,
} from '../book/idempotency.ts';
import type { EarlierRequest, KeptResponse, RequestKey } from '../book/idempotency.ts';
import type { Engine, Steps } from '../db/engine.ts';
import type { Declaration } from './declaration.ts';
import { Problem } from './problem.ts';
import type { Identity } from './caller.ts';

/** The parts of a validated request that decide whether it repeats an earlier one. */
interface KeyedRequest {
  readonly identity: Identity;
  readonly bookId: number;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey?: string;
}

/**
 * Runs the steps of a request once for each key: an equal request gets the first response again. The response is kept
 * in the transaction of the write, and only if the steps succeed. Call it while the book is locked.
 */
export function* onceInChange<T>(
  declaration: Declaration,
  request: KeyedRequest,
  work: () => Steps<T>,
): Steps<T | Replayed> {
  const key = keyOf(declaration, request);
  if (key === null) return yield* work();
  const earlier = yield* earlierRequest(key);
  if (earlier !== null) return replay(declaration, earlier);
  const body = yield* work();
  yield* keepResponse(key, responseOf(declaration, body));
  return body;
}

/**
 * Performs a request that opens its transactions itself once for each key. The key is claimed first: while the request
 * is under way, an equal one is refused with 409. A failed request gives the claim back; that of a process that ended
 * expires.
 */
export async function onceOutside<T>(
  declaration: Declaration,
  request: KeyedRequest,
  engine: Engine,
  work: () => Promise<T>,
): Promise<T | Replayed> {
  const key = keyOf(declaration, request);
  if (key === null) return work();
  const claim = randomUUID();
  const earlier = await engine.write(() => claimKey(key, claim));
  if (earlier !== null) return replay(declaration, earlier);
  let body: T;
  try {
    body = await work();
  } catch (error) {
    // The caller gets the first error. A claim that could not be given back expires.
    await engine.write(() => releaseClaim(key, claim)).catch(() => undefined);
    throw error;
  }
  const response = responseOf(declaration, body);
  // The work is done, whether or not its response could be kept.
  await engine.write(() => finishClaim(key, claim, response)).catch(() => undefined);
  return body;
}

function keyOf({ id }: Declaration, request: KeyedRequest): RequestKey | null {
  const { bookId, identity, idempotencyKey: key, params, query, body } = request;
  if (key === undefined) return null;
  const fingerprint = fingerprintOf({ params, query, body });
  return { bookId, callerId: ownerOf(identity), operation: id, key, fingerprint };
}

/** Whose key it is. A session may end while a request waits in the browser; the user's next one sends it. */
function ownerOf({ callerId, session, user }: Identity): number {
  return session === null ? callerId : -user.id;
}

/** The hash of the validated values of a request. Files are hashed on their own, without copying them into a text. */
function fingerprintOf(values: object): string {
  const text = JSON.stringify(values, function (this: Record<string, unknown>, name, value) {
    const part = this[name];
    return part instanceof Uint8Array ? hash('sha256', part, 'base64url') : (value as unknown);
  });
  return hash('sha256', text, 'base64url');
}

function responseOf({ response, isSecret = false }: Declaration, result: unknown): KeptResponse {
  if (result instanceof OtherResponse)
    return { status: result.status, body: jsonText(result.body) };
  return { status: response.status, body: isSecret ? null : jsonText(result) };
}

function jsonText(body: unknown): string | null {
  return body === undefined ? null : Buffer.concat(jsonPieces(body)).toString();
}

function replay({ isSecret = false }: Declaration, earlier: EarlierRequest): Replayed {
  if (earlier.is === 'different') throw new Problem('idempotencyKeyReused');
  if (earlier.is === 'under way') {
    // Most requests end long before their claim expires.
    throw new Problem('idempotencyKeyInUse', { headers: { 'retry-after': '1' } });
  }
  if (!isSecret) return new Replayed(earlier.response);
  const errMsg =
    'An equal request with this Idempotency-Key has succeeded. Its response has a secret, so it is not kept';
  throw new Problem('idempotencyKeyInUse', {
    headers: { 'retry-after': '86400' },
    details: [{ errMsg }],
  });
}
