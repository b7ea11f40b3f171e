import {
  catalogue,
  goodRequest,
  targetOf,
  type GoodRequest,
  type Records,
} from '../../packages/server/src/resources/testing/catalogue.ts';
import { pathsOf, placesOf } from '../../packages/server/src/resources/testing/id-places.ts';
import type { IdPlace, RecordKind } from '../../packages/server/src/resources/testing/id-places.ts';
import { ask, newAddress, type Answer, type Question } from '../../test/service/ask.ts';
import type { RecordBook } from '../../packages/server/src/resources/testing/record-book.ts';
import type { Owner } from '../../test/service/owners.ts';

/** An owner with a filled book, in which every text contains the mark of the owner. */
export interface MarkedOwner extends Owner {
  readonly mark: string;
  /** The secret in the cookie of a session that is not among the records. */
  readonly cookie: string;
  readonly records: RecordBook;
  readonly ids: Readonly<Record<RecordKind, readonly number[]>>;
  readonly rules: readonly number[];
  /** All records that an id of a kind can name: of all kinds in the same table. */
  readonly named: Readonly<Record<RecordKind, ReadonlySet<number>>>;
}

export const unusedId = 87_654_321;

export type Owners = readonly [MarkedOwner, MarkedOwner];

export function inTurn([first, second]: Owners, n: number): Owners {
  return n % 2 === 0 ? [first, second] : [second, first];
}

export interface Place extends IdPlace {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly name: string;
}

export const places: readonly Place[] = catalogue.flatMap((operation) =>
  pathsOf(operation).flatMap((path) => {
    const { method, declaration } = operation;
    return placesOf(operation, path).map((each) => ({
      ...{ ...each, id: declaration.id, method, path },
      name: `${method} ${path} ${each.place}`,
    }));
  }),
);

export const lists: readonly string[] = catalogue
  .filter(({ method }) => method === 'GET')
  .map(({ declaration: { path } }) => path)
  .filter((path) => !path.includes('{') && path !== '/v1/transactions/group');

/** Paths for which an access token is not enough. */
const ofUsers = /^\/coffer\/(session|sessions|password|passkeys|tokens)\b/;

type Sender = Pick<MarkedOwner, 'token' | 'cookie'>;

interface Sent extends Omit<Question, 'token' | 'from'> {
  readonly target: string;
  readonly isByCookie?: boolean;
}

/** Sends a request from a new address with the token of an owner, or with the cookie where it is needed or wanted. */
export function send(
  url: string,
  { token, cookie }: Sender,
  { target, isByCookie = false, ...rest }: Sent,
): Promise<Answer> {
  const from = newAddress();
  if (!isByCookie && !ofUsers.test(target)) return ask(url + target, { ...rest, token, from });
  const { port } = new URL(url);
  // To sign in ends the session of the cookie.
  const isSigningIn = rest.method === 'POST' && target === '/coffer/session';
  const headers = {
    ...(!isSigningIn && { cookie: `coffer_${port}=${cookie}` }),
    ...{ 'sec-fetch-site': 'same-origin', host: `localhost:${port}` },
    ...{ 'content-type': 'application/json', 'x-coffer-upload': '1', ...rest.headers },
  };
  return ask(url + target, { ...rest, headers, from });
}

function sentForm(request: GoodRequest): Sent {
  const { operation, body, file } = request;
  const { properties = {} } = operation.declaration.query ?? {};
  // Lists also have what is hidden by default, and deletions do not ask.
  const more = ['force', 'include_pending', 'pending']
    .filter((name) => name in properties)
    .map((name): [string, string] => [name, 'true']);
  const target = targetOf({ ...request, query: { ...request.query, ...Object.fromEntries(more) } });
  const type = file?.type ?? 'application/json';
  const sent = file?.bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  const { method } = operation;
  if (sent === undefined) return { method, target };
  return { method, target, body: sent, headers: { 'content-type': type } };
}

export function sendGood(
  url: string,
  owner: Sender,
  request: GoodRequest,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const form = sentForm(request);
  return send(url, owner, { ...form, headers: { ...form.headers, ...headers } });
}

/** Returns the request of a stranger with an id in a place; the rest of it is always the same for a name. */
export async function strangeRequest(
  { id, path, place }: Place,
  record: number,
  { ids, mark, rules }: MarkedOwner,
  name: string,
): Promise<Sent> {
  let taken = 0;
  const own = (kind: RecordKind): number => ids[kind].at(-1 - (taken++ % 2))!;
  const records: Records = {
    ...{ own, link: own, rules: () => rules, version: () => 1 },
    fresh: (example) => `${mark} ${name} ${example}`.slice(0, 70),
    prepared: (request) => request,
  };
  const choice = { path, at: { place, id: record }, isBare: true };
  return sentForm(await goodRequest(id, records, choice));
}
