import { ask, type Question, type Answer } from '../../test/service/ask.ts';
import { newAddress } from '../../test/service/http-exchange.ts';
import { isOfUsers } from '../../test/service/signed-in.ts';
import { targetOf } from '../../packages/server/src/operations/testing/catalogue.ts';
import { createHash } from 'node:crypto';
import type { Steps, Engine } from '../../packages/server/src/db/engine.ts';
import { find, select } from '../../packages/server/src/db/rows.ts';
import type { Table } from '../../packages/server/src/db/table.ts';
import {
  accessTokens,
  balanceAnchors,
  balanceHistory,
  books,
  bookTables,
  categories,
  cryptoAccounts,
  deletedAccounts,
  imports,
  connections,
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
} from '../../packages/server/src/db/tables/tables.ts';
import { addConnection } from '../../packages/server/src/sync/banks/actions.ts';
import { updateWebhook } from '../../packages/server/src/webhooks/actions.ts';
import type { GoodRequest } from '../../packages/server/src/operations/testing/special-requests.ts';
import { creators } from '../../packages/server/src/operations/testing/id-places.ts';
import type { RecordKind } from '../../packages/server/src/operations/testing/id-places.ts';
import {
  addSession,
  outsideRecords,
} from '../../packages/server/src/operations/testing/outside-records.ts';
import { RecordBook } from '../../packages/server/src/operations/testing/record-book.ts';
import { addOwner, type Owner } from '../../test/service/owners.ts';

type Sender = Pick<MarkedOwner, 'token' | 'cookie'>;

export interface Sent extends Omit<Question, 'token' | 'from'> {
  readonly target: string;
  readonly isByCookie?: boolean;
}

export function send(
  url: string,
  { token, cookie }: Sender,
  { target, isByCookie = false, ...rest }: Sent,
): Promise<Answer> {
  const from = newAddress();
  if (!isByCookie && !isOfUsers(target)) return ask(url + target, { ...rest, token, from });
  const { port } = new URL(url);
  // To sign in ends the session of the cookie.
  const isSigningIn = rest.method === 'POST' && target === '/coffer/session';
  const headers = {
    ...(!isSigningIn && { cookie: `coffer_${port}=${cookie}` }),
    'sec-fetch-site': 'same-origin',
    Host: `localhost:${port}`,
    'content-type': 'application/json',
    'x-coffer-upload': '1',
    ...rest.headers,
  };
  return ask(url + target, { ...rest, headers, from });
}

export function sentForm(request: GoodRequest, agent = 'test'): Sent {
  const { operation, body, file } = request;
  const { method, declaration } = operation;
  const { properties = {} } = declaration.query ?? {};
  // Lists also have what is hidden by default, and deletions do not ask.
  const more = ['force', 'include_pending', 'pending'].filter((name) => name in properties);
  const query = { ...request.query, ...Object.fromEntries(more.map((name) => [name, 'true'])) };
  const target = targetOf({ ...request, query });
  const sent = file?.bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = { 'user-agent': agent };
  if (sent === undefined) return { method, target, headers };
  const type = file?.type ?? 'application/json';
  return { method, target, body: sent, headers: { ...headers, 'content-type': type } };
}

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

const tableOf = {
  transaction: transactions,
  split: transactions,
  sent: transactions,
  received: transactions,
  group: transactions,
  file: transactionFiles,
  manual: manualAccounts,
  plaid: plaidAccounts,
  category: categories,
  categoryGroup: categories,
  tag: tags,
  crypto: cryptoAccounts,
  cryptoManual: manualCryptoAccounts,
  recurring: recurringItems,
  rule: rules,
  entry: balanceHistory,
  anchor: balanceAnchors,
  deleted: deletedAccounts,
  import: imports,
  undoneImport: imports,
  preview: imports,
  webhook: webhooks,
  connection: connections,
  session: sessions,
  passkey: passkeys,
  token: accessTokens,
  ...Object.fromEntries(
    bookTables.filter(({ name }) => creators.has(name)).map((each) => [each.name, each]),
  ),
} as const satisfies Readonly<Record<RecordKind, Table>>;

/** More than any of two that a request needs. */
const count = 3;

export async function addMarkedOwner(
  engine: Engine,
  url: string,
  name: string,
): Promise<MarkedOwner> {
  const mark = `mark-of-${name}`;
  const owner = await addOwner(engine, mark);
  const sealed_credentials = new TextEncoder().encode(mark);
  const connection = { provider: 'simplefin', name: mark, sealed_credentials } as const;
  const cause = { bookId: owner.bookId, actor: 'command', operation: 'sync add' };
  await addConnection(engine, cause, connection);
  const cookie = await addSession(engine, owner);
  const origin = `http://localhost:${new URL(url).port}`;
  const sender = { ...owner, cookie };
  const perform = async (request: GoodRequest): Promise<unknown> => {
    const { status, text } = await send(url, sender, sentForm(request, mark));
    if (status < 300) return text === '' ? undefined : JSON.parse(text);
    throw new Error(`${request.operation.declaration.id} returned ${status}: ${text}`);
  };
  const outside = outsideRecords(engine, owner, origin, () => mark);
  const records = new RecordBook(perform, outside);
  let texts = 0;
  records.fresh = () => `${mark} ${(texts += 1)}`;
  const ids: Partial<Record<RecordKind, readonly number[]>> = {};
  for (const kind of Object.keys(tableOf) as RecordKind[]) {
    const made: number[] = [];
    for (let n = 0; n < count; n += 1) made.push(await records.own(kind));
    ids[kind] = made;
  }
  for (const id of ids.connection!) {
    const read = await records.request('readConnection', { at: { place: 'path id', id } });
    // The job would read it. While that is under way, and a minute after it, this is refused.
    while (!(await engine.read(() => isRead(owner, id))))
      await send(url, sender, sentForm(read, mark));
  }
  // Deliveries would change them.
  for (const id of ids.webhook!)
    await engine.write(() => updateWebhook(owner.bookId, id, { enabled: false }));
  // The example of a category has no budget, which could carry over.
  const budgeted = {
    ...(await records.request('createCategory')),
    body: { name: records.fresh('Food') },
  };
  const { id } = (await perform(budgeted)) as { id: number };
  await records.perform('updateCategorySettings', { at: { place: 'path id', id } });
  const rules = await records.rules();
  const named = await engine.read(() => idsByKind(owner));
  return { ...sender, mark, records, ids: ids as MarkedOwner['ids'], rules, named };
}

/** Whether the job has no reason to read a connection. */
function* isRead({ bookId }: Owner, id: number): Steps<boolean> {
  const connection = yield* find(connections, { book_id: bookId, id });
  return connection?.status === 'relink' || connection?.last_read !== null;
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

/** Returns a digest of the records of an owner in each table, by its name. */
export async function digestsOf(
  engine: Engine,
  { bookId, userId }: Owner,
): Promise<ReadonlyMap<string, string>> {
  const rows = await engine.read(function* () {
    const all = new Map<string, unknown>([['books', yield* find(books, { id: bookId })]]);
    for (const table of [...bookTables, syncRequests, imports, webhooks])
      all.set(table.name, yield* select(table, { book_id: bookId }));
    all.set(
      'passkeys',
      (yield* select(passkeys, { user_id: userId })).map(({ id }) => id),
    );
    // Their last uses change.
    all.set(
      'sessions',
      (yield* select(sessions, { book_id: bookId })).map(({ id }) => id),
    );
    const tokens = yield* select(accessTokens, { book_id: bookId });
    all.set(
      'access_tokens',
      tokens.map((each) => [each.id, each.revoked_at]),
    );
    return all;
  });
  const digest = (value: unknown): string =>
    createHash('sha256').update(JSON.stringify(value)).digest('hex');
  return new Map([...rows].map(([name, value]) => [name, digest(value)]));
}
