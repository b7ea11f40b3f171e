import {
  targetOf,
  usesUpUser,
  type Choice,
} from '../../packages/server/src/operations/testing/catalogue.ts';
import { outsideRecords } from '../../packages/server/src/operations/testing/outside-records.ts';
import { RecordBook } from '../../packages/server/src/operations/testing/record-book.ts';
import type { Answer } from './http-exchange.ts';

import { isOfUsers, signedIn } from './signed-in.ts';
import { newName, withBody, type GoodRequest } from './json-requests.ts';
import type { Service } from './started-service.ts';
import type { GoodRequest as Made } from '../../packages/server/src/operations/testing/special-requests.ts';
import { addUser, type User } from './service-books.ts';

const books = new WeakMap<Service, Map<User, RecordBook>>();

export function recordsOf(service: Service, as: User = service.ada): RecordBook {
  const known = books.get(service) ?? new Map<User, RecordBook>();
  books.set(service, known);
  const book = known.get(as) ?? newBook(service, as);
  known.set(as, book);
  return book;
}

function newBook(service: Service, as: User): RecordBook {
  const { engine, port, now } = service;
  const send = async (made: Made): Promise<unknown> => {
    const { target, asking } = await toAsk(service, made, as);
    const { status, text } = await service.ask(target, asking);
    if (status >= 300) throw new Error(`${asking.method} ${target} returned ${status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const others = outsideRecords(engine, as, `http://localhost:${port}`, undefined, now);
  const crypto = async (): Promise<number> => {
    const { text } = await service.ask('/v2/crypto/synced', { as });
    const [first] = (JSON.parse(text) as { crypto_synced: { id: number }[] }).crypto_synced;
    // Those of a provider can be refreshed.
    return first?.id ?? others.crypto();
  };
  return new RecordBook(send, { ...others, crypto });
}

async function toAsk(service: Service, made: Made, as: User): Promise<GoodRequest> {
  const { operation, body, file } = made;
  const target = targetOf(made);
  const { method } = operation;
  if (isOfUsers(target)) return { target, asking: await signedIn(service, method, body, as) };
  if (file !== undefined)
    return {
      target,
      asking: { method, as, headers: ['Content-Type', file.type], body: file.bytes },
    };
  return { target, asking: body === undefined ? { method, as } : withBody(method, body, as) };
}

/** Returns a request that the operation accepts from a user. What uses up the user has a new one by default. */
export async function goodRequest(
  service: Service,
  id: string,
  as?: User,
  choice?: Choice,
): Promise<GoodRequest> {
  const user = as ?? (id === usesUpUser ? await newUser(service) : service.ada);
  return toAsk(service, await recordsOf(service, user).request(id, choice), user);
}

export function newUser({ engine }: Service): Promise<User> {
  return addUser(engine, newName().replace(' ', '-'));
}

export const missingId = 87_654_321;

/** Returns the same request for a record that does not exist: its path has another id, or else the ids in its body. */
export function withMissingId({ target, asking }: GoodRequest): GoodRequest {
  const id = String(missingId);
  const other = target.replace(/(?<=\/|transaction_id=)\d+/, id);
  if (other !== target || typeof asking.body !== 'string') return { target: other, asking };
  const body = asking.body.replace(/(?<="(parent_)?ids":\[)[\d,]+/, id);
  return { target, asking: { ...asking, body } };
}

function withQuery({ target, asking }: GoodRequest, parameter: string): GoodRequest {
  return { target: `${target}${target.includes('?') ? '&' : '?'}${parameter}`, asking };
}

/** Returns a request that cannot be read: v1 ignores unknown parameters. */
export function malformed(request: GoodRequest): GoodRequest {
  const { target, asking } = request;
  if (target.startsWith('/v1/')) return { target: `${target}#part`, asking };
  return withQuery(request, 'no_such_parameter=1');
}

async function otherRequest(service: Service, request: GoodRequest, id: string) {
  const range = { start_date: '2026-01-01', end_date: '2026-01-31' };
  if (id === 'triggerPlaidAccountFetch')
    return withQuery(request, String(new URLSearchParams(range)));
  if (id === 'changeTransactionsInBulk') return withQuery(request, 'offset=1');
  if (id === 'undoLastChange') return withQuery(request, 'conflicts=skip');
  if (['triggerPlaidAccountFetchV1', 'applyRules', 'findTransfers'].includes(id))
    return { target: request.target, asking: withBody('POST', range) };
  const other = withMissingId(request);
  return other.target === request.target ? goodRequest(service, id) : other;
}

/** Sends two different requests with one Idempotency-Key, and returns the refusal. */
export async function reuseKey(
  service: Service,
  request: GoodRequest,
  id: string,
): Promise<Answer> {
  const key = ['Idempotency-Key', newName()];
  for (const { target, asking } of [request, await otherRequest(service, request, id)]) {
    const headers = [...(asking.headers ?? []), ...key];
    const answer = await service.ask(target, { ...asking, headers });
    if (answer.status >= 300) return answer;
  }
  throw new Error(`${id} accepted both requests`);
}
