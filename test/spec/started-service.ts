import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../packages/server/src/http/app.ts';
import { createMemoryLimiter } from '../../packages/server/src/limiter/memory.ts';
import {
  newToken,
  openStore,
  readConfig,
  serve,
  type Store,
} from '../../packages/server/src/main.ts';
import { openSqlite } from '../../packages/server/src/store/sqlite.ts';
import type { CryptoRefresher } from '../../packages/server/src/records/crypto.ts';
import { checkAnswer } from './document-check.ts';
import { exchange, exchangeBytes, type Answer } from './http-exchange.ts';
import { attached, recurring, smallBook } from './small-book.ts';
import type { ManualClock } from '../../packages/server/src/limiter/testing/manual-clock.ts';

/** A user of the service, with one book and one access token. */
export interface User {
  readonly name: string;
  readonly email: string;
  readonly token: string;
  readonly bookId: number;
  readonly userId: number;
}

/** One transaction on the wire, as far as tests look at it by name. */
export interface Row {
  readonly id: number;
  readonly date: string;
  readonly payee: string;
  readonly [key: string]: unknown;
}

/** A page of the list. */
export interface Page {
  readonly transactions: readonly Row[];
  readonly has_more: boolean;
}

export interface Asking {
  readonly method?: string;
  /** Who asks; ada unless given, null for nobody. */
  readonly as?: User | null;
  /** Name and value in turn, besides Authorization. */
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
  /** An address of its own unless given, so that no request uses up the quota of another. */
  readonly from?: string;
  readonly agent?: Agent;
}

/** A service that listens on 127.0.0.1, with two users. */
export interface Service {
  readonly baseUrl: string;
  /** Where its records are, as a setting. */
  readonly database: string;
  readonly port: number;
  /** Has {@link smallBook}. */
  readonly ada: User;
  /** Has {@link manyRows} rows, all of them on few days. */
  readonly ben: User;
  /** The same database by another way: another process beside the server would see the same. */
  readonly store: Store;
  /** Asks, and holds the answer against the API document. */
  readonly ask: (target: string, asking?: Asking) => Promise<Answer>;
  /** Sends bytes as they are, as ada never would, from an address of its own unless given. */
  sendBytes(text: string, from?: string): Promise<Answer>;
  /** A page of the list; throws when it is not 200. */
  list(query?: string, asking?: Asking): Promise<Page>;
  close(): Promise<void>;
}

/** More than a page holds when nothing is said about its size. */
export const manyRows = 1_003;

let addresses = 0;

/** A source address that no request has come from yet, one of sixteen million that are all this machine. */
export function newAddress(): string {
  addresses += 1;
  return `127.${1 + (addresses >> 16)}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

/** Starts the service as it is, on a new database. `flags` besides host, port, database and log level. */
export async function startService(
  flags: Parameters<typeof readConfig>[0] = {},
  environment: Parameters<typeof readConfig>[1] = {},
): Promise<Service> {
  const books = await makeBooks();
  const config = readConfig(
    { host: '127.0.0.1', port: '0', logLevel: 'silent', database: books.url, ...flags },
    environment,
  );
  const server = await serve(config);
  return serviceOf(Number(new URL(server.url).port), books, () => server.close());
}

/** Starts the service with a clock, and with a store some methods of which may be replaced, and refreshes too. */
export async function startServiceWith(
  clock: ManualClock,
  faults: Partial<Store> = {},
  refresh: CryptoRefresher['refresh'] = () => Promise.resolve(null),
): Promise<Service> {
  const books = await makeBooks();
  const { trustedProxies, rateLimit } = readConfig({}, {});
  const store: Store = { ...books.store, ...faults };
  const app = createApp({
    store,
    cryptoRefresher: { refresh },
    limiter: createMemoryLimiter({ rateLimit, clock }),
    openapi: await readFile(new URL('../../docs/openapi.json', import.meta.url)),
    trustedProxies,
    logLevel: 'silent',
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return serviceOf((app.server.address() as AddressInfo).port, books, () => app.close());
}

interface Books {
  readonly url: string;
  readonly store: Store;
  readonly ada: User;
  readonly ben: User;
  remove(): Promise<void>;
}

async function makeBooks(): Promise<Books> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-spec-'));
  const url = `sqlite:${join(folder, 'coffer.db')}`;
  const { database } = readConfig({ database: url }, {});
  const store = openStore(database);
  const ada = await addUser(store, 'ada');
  await store.fillDemo(ada.bookId, smallBook);
  await addUnmakable(database.path, ada);
  const ben = await addUser(store, 'ben');
  await addRows(store, ben, manyRows);
  const remove = async (): Promise<void> => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { url, store, ada, ben, remove };
}

/** Writes into the tables what a book can hold although nothing makes it yet. */
async function addUnmakable(path: string, { bookId, userId }: User): Promise<void> {
  const engine = openSqlite({ path, busyTimeoutMs: 1_000 });
  const { payee, file } = attached;
  engine.execute(`
    UPDATE transactions SET recurring_id = ${recurring.id} WHERE payee = '${recurring.payee}';
    INSERT INTO transaction_files (book_id, transaction_id, uploaded_by, name, type, size, notes, created_at)
    SELECT ${bookId}, id, ${userId}, '${file.name}', '${file.type}', ${file.size}, NULL, '${file.created_at}'
    FROM transactions WHERE payee = '${payee}'`);
  await engine.close();
}

/** When all that ben has was imported: in a zone west of UTC the day before. */
export const importedAt = '2026-03-15T00:30:00.000Z';

/** Makes a user with an empty book and one access token. */
export async function addUser(store: Store, name: string): Promise<User> {
  const email = `${name}@example.org`;
  const user = {
    email,
    name,
    bookName: `${name}'s book`,
    primaryCurrency: 'eur',
    nowIso: importedAt,
  };
  const { id: bookId, userId } = await store.createUser(user);
  return { name, email, bookId, userId, token: await addToken(store, { bookId, userId }) };
}

/** Makes another access token of a user and returns its text. `expiresAt` is an instant; never unless given. */
export async function addToken(
  store: Store,
  { bookId, userId }: Pick<User, 'bookId' | 'userId'>,
  expiresAt: string | null = null,
): Promise<string> {
  const { text, hash } = newToken();
  await store.createToken({ userId, bookId, hash, label: 'a test', nowIso: importedAt, expiresAt });
  return text;
}

/** Imports rows of one amount each into a user's book, spread over five days of 2025 in turn, or all on `date`. */
export async function addRows(
  store: Store,
  user: User,
  count: number,
  date?: string,
): Promise<void> {
  const entries = Array.from({ length: count }, (_, place) => ({
    line: place + 1,
    date: date ?? `2025-07-0${1 + (place % 5)}`,
    amount: -(place + 1) * 100,
    currency: null,
    payee: `${date ?? 'import'} ${place}`,
    notes: null,
    category: null,
    account: null,
    externalId: null,
  }));
  const plan = { entries: () => entries, defaultAccount: null, nowIso: importedAt, dryRun: false };
  await store.importEntries(user.bookId, plan);
}

function serviceOf(port: number, books: Books, stop: () => Promise<unknown>): Service {
  const { ada, ben, store } = books;
  const ask = async (target: string, asking: Asking = {}): Promise<Answer> => {
    const { method = 'GET', as = ada, headers = [], from = newAddress(), body, agent } = asking;
    const authorization = as === null ? [] : ['Authorization', `Bearer ${as.token}`];
    const all = [...authorization, ...headers, ...lengthOf(body)];
    const answer = await exchange(port, { method, target, headers: all, body, from, agent });
    checkAnswer(method, target, answer);
    return answer;
  };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    database: books.url,
    port,
    ada,
    ben,
    store,
    ask,
    sendBytes: (text, from = newAddress()) => exchangeBytes(port, text, from),
    list: async (query = '', asking = {}) => {
      const answer = await ask(`/v2/transactions?${query}`, asking);
      if (answer.status === 200) return JSON.parse(answer.text) as Page;
      throw new Error(`The list "${query}" was answered ${answer.status}: ${answer.text}`);
    },
    close: async () => {
      await stop();
      await books.remove();
    },
  };
}

function lengthOf(body: string | Uint8Array | undefined): string[] {
  return body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))];
}

/** The error body of an answer. */
export function errorsOf({ text }: Answer): {
  readonly message: string;
  readonly errors: readonly Readonly<Record<string, unknown>>[];
} {
  return JSON.parse(text) as ReturnType<typeof errorsOf>;
}

/** The payees of a page, in order: they name the rows of {@link smallBook}. */
export function payees({ transactions }: Page): string[] {
  return transactions.map(({ payee }) => payee);
}

/** All pages of a list, walked as the law says: from offset 0 in steps of `limit`, until has_more is false. */
export async function walk(
  service: Service,
  limit: number,
  filter = '',
  asking: Asking = {},
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let offset = 0; pages.at(-1)?.has_more !== false; offset += limit) {
    if (pages.length > 2_000) throw new Error('The walk does not end');
    pages.push(await service.list(`limit=${limit}&offset=${offset}&${filter}`, asking));
  }
  return pages;
}
