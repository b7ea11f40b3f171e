import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import type { Steps } from '../../packages/server/src/db/engine.ts';
import { find, select } from '../../packages/server/src/db/rows.ts';
import type { Table } from '../../packages/server/src/db/table.ts';
import {
  accessTokens,
  balanceHistory,
  books,
  bookTables,
  categories,
  cryptoAccounts,
  deletedAccounts,
  imports,
  manualAccounts,
  manualCryptoAccounts,
  passkeys,
  plaidAccounts,
  recurringItems,
  rules,
  sessions,
  syncRequests,
  tags,
  transactionFiles,
  transactions,
  webhooks,
} from '../../packages/server/src/db/tables.ts';
import type { DemoBook } from '../../packages/server/src/demo/demo-book.ts';
import {
  addConnection,
  fillDemo,
  updateWebhook,
  type Engine,
} from '../../packages/server/src/main.ts';
import { bookArbitrary } from '../../packages/server/src/pages/testing/page-model.ts';
import {
  catalogue,
  goodRequest,
  targetOf,
  type GoodRequest,
  type Records,
} from '../../packages/server/src/resources/testing/catalogue.ts';
import {
  pathsOf,
  placesOf,
  type IdPlace,
  type RecordKind,
} from '../../packages/server/src/resources/testing/id-places.ts';
import {
  addSession,
  outsideRecords,
} from '../../packages/server/src/resources/testing/outside-records.ts';
import { RecordBook } from '../../packages/server/src/resources/testing/record-book.ts';
import { ask, newAddress, type Answer, type Question } from '../../test/service/ask.ts';
import { addOwner, type Owner } from '../../test/service/owners.ts';

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
    ...{ 'sec-fetch-site': 'same-origin', Host: `localhost:${port}` },
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

const tableOf = {
  ...{ transaction: transactions, split: transactions, group: transactions },
  ...{ file: transactionFiles, manual: manualAccounts, plaid: plaidAccounts },
  ...{ category: categories, categoryGroup: categories, tag: tags },
  ...{ crypto: cryptoAccounts, cryptoManual: manualCryptoAccounts },
  ...{ recurring: recurringItems, rule: rules, entry: balanceHistory, deleted: deletedAccounts },
  ...{ import: imports, undoneImport: imports, preview: imports, webhook: webhooks },
  ...{ session: sessions, passkey: passkeys, token: accessTokens },
} as const satisfies Readonly<Record<RecordKind, Table>>;

/** More than any of two that a request needs. */
const count = 3;

/** Creates an owner with records of every kind: those of a demo book, and others through the API at `url`. */
export async function addMarkedOwner(
  engine: Engine,
  url: string,
  name: string,
): Promise<MarkedOwner> {
  const mark = `mark-of-${name}`;
  const owner = await addOwner(engine, mark);
  await fillDemo(engine, owner.bookId, markedBook(mark));
  const sealedCredentials = new TextEncoder().encode(mark);
  await addConnection(engine, owner.bookId, {
    provider: 'simplefin',
    name: mark,
    sealedCredentials,
  });
  const cookie = await addSession(engine, owner);
  const origin = `http://localhost:${new URL(url).port}`;
  const sender = { ...owner, cookie };
  const send = async (request: GoodRequest): Promise<unknown> => {
    const { status, text } = await sendGood(url, sender, request, { 'user-agent': mark });
    if (status < 300) return text === '' ? undefined : JSON.parse(text);
    throw new Error(`${request.operation.declaration.id} returned ${status}: ${text}`);
  };
  const records = new MarkedBook(
    mark,
    send,
    outsideRecords(engine, owner, origin, () => mark),
  );
  const ids: Partial<Record<RecordKind, readonly number[]>> = {};
  for (const kind of Object.keys(tableOf) as RecordKind[]) {
    const made: number[] = [];
    for (let n = 0; n < count; n += 1) made.push(await records.own(kind));
    ids[kind] = made;
  }
  // Deliveries would change them.
  for (const id of ids.webhook!)
    await engine.write(() => updateWebhook(owner.bookId, id, { enabled: false }));
  const rules = await records.rules();
  const named = await engine.read(() => idsByKind(owner));
  return { ...sender, mark, records, ids: ids as MarkedOwner['ids'], rules, named };
}

class MarkedBook extends RecordBook {
  readonly #mark: string;
  #texts = 0;

  constructor(mark: string, ...rest: ConstructorParameters<typeof RecordBook>) {
    super(...rest);
    this.#mark = mark;
  }

  override fresh(): string {
    return `${this.#mark} ${(this.#texts += 1)}`;
  }
}

function* idsByKind({ bookId, userId }: Owner): Steps<Record<RecordKind, ReadonlySet<number>>> {
  const named: Partial<Record<RecordKind, ReadonlySet<number>>> = {};
  for (const kind of Object.keys(tableOf) as RecordKind[]) {
    const rows =
      kind === 'passkey'
        ? yield* select(passkeys, { user_id: userId })
        : yield* select(tableOf[kind] as typeof imports, { book_id: bookId });
    named[kind] = new Set(rows.map((row) => row.id));
  }
  return named as Record<RecordKind, ReadonlySet<number>>;
}

function markedBook(mark: string): DemoBook {
  const samples = fc.sample(bookArbitrary, { numRuns: 50, seed: 11 });
  const book = samples.find(({ transactions }) => transactions.length > 40)!;
  const marked = <T extends { readonly name: string }>(records: readonly T[]): T[] =>
    records.map((record) => ({ ...record, name: `${mark} ${record.name}` }));
  return {
    ...book,
    manualAccounts: marked(book.manualAccounts),
    plaidAccounts: marked(book.plaidAccounts),
    categories: marked(book.categories),
    tags: marked(book.tags),
    transactions: book.transactions.map((row) => ({
      ...row,
      payee: mark,
      notes: mark,
      originalName: mark,
      plaidMetadata: `{"mark":"${mark}"}`,
      customMetadata: `{"mark":"${mark}"}`,
    })),
  };
}

export async function digestOf(engine: Engine, { bookId, userId }: Owner): Promise<string> {
  const digest = createHash('sha256');
  const tables = [...bookTables, syncRequests, imports, webhooks];
  const rows = await engine.read(function* () {
    const all: unknown[] = [yield* find(books, { id: bookId })];
    for (const table of tables) all.push(yield* select(table, { book_id: bookId }));
    all.push((yield* select(passkeys, { user_id: userId })).map(({ id }) => id));
    // Their last uses change.
    all.push((yield* select(sessions, { book_id: bookId })).map(({ id }) => id));
    const tokens = yield* select(accessTokens, { book_id: bookId });
    all.push(tokens.map((each) => [each.id, each.revoked_at]));
    return all;
  });
  digest.update(JSON.stringify(rows));
  return digest.digest('hex');
}
