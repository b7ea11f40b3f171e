import { testSender } from '../../packages/server/src/webhooks/testing/test-sender.ts';
import { calmBankReader } from '../../packages/server/src/sync/testing/calm-bank-reader.ts';
import type { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../packages/server/src/http/app.ts';
import { createImportService } from '../../packages/server/src/imports/previews/service.ts';
import { createMemoryLimiter } from '../../packages/server/src/limiter/memory.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { serve } from '../../packages/server/src/main.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { checkAnswer } from './document-check.ts';
import { specEngine } from './engine.ts';
import { exchange, exchangeBytes, newAddress, type Answer } from './http-exchange.ts';
import { importedAt, makeBooks, type Books, type User } from './service-books.ts';
import type { ManualClock } from '../../packages/server/src/limiter/testing/manual-clock.ts';
import { noServices, type Services } from '../../packages/server/src/services.ts';
import { apiOf } from '../../packages/server/src/all.ts';

export interface Row {
  readonly id: number;
  readonly date: string;
  readonly payee: string;
  readonly [key: string]: unknown;
}

export interface Page {
  readonly transactions: readonly Row[];
  readonly has_more: boolean;
}

export interface Asking {
  readonly method?: string;
  /** The user whose token is sent; ada by default, null for no token. */
  readonly as?: User | null;
  /** Alternating names and values, in addition to Authorization. */
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
  /** The client address; a new one by default, so that no request uses the quota of another. */
  readonly from?: string;
  readonly agent?: Agent;
}

export async function startService(
  flags: Parameters<typeof readConfig>[0] = {},
  environment: Parameters<typeof readConfig>[1] = {},
): Promise<Service> {
  const books = await makeBooks();
  const { redis = specEngine().newRedisUrl() } = flags;
  const { url, folder: files = '' } = books.database;
  const own = {
    host: '127.0.0.1',
    port: '0',
    logLevel: 'silent',
    database: url,
    files,
    webhookPrivateTargets: '127.0.0.1',
    bankSetup: 'on',
  };
  const config = readConfig({ ...own, ...flags, redis }, { ENCRYPTION_KEY: key, ...environment });
  // Processes that share two processors can keep a healthy Redis waiting, and then each node counts for itself.
  const server = await serve(config, { redisTimeoutMs: 10_000 }).catch(async (error: unknown) => {
    await books.remove();
    throw error;
  });
  const port = Number(new URL(server.url).port);
  return serviceOf({ port, redis, books, now: Date.now, stop: () => server.close() });
}

const key = '11'.repeat(32);

interface Replaced {
  readonly faults?: Partial<Engine> | ((engine: Engine) => Partial<Engine>);
  /** Without a service here, operations that need it fail. */
  readonly services?: Partial<Services>;
  readonly onHandling?: () => void;
}

export async function startServiceWith(
  clock: ManualClock,
  { faults = {}, services = {}, onHandling }: Replaced = {},
): Promise<Service> {
  const books = await makeBooks();
  const { trustedProxies, rateLimit } = readConfig({}, {});
  const app = createApp({
    engine: withFaults(books.engine, typeof faults === 'function' ? faults(books.engine) : faults),
    ...apiOf({
      ...noServices,
      imports: createImportService(null, { error: () => undefined }),
      webhookSender: testSender(),
      bankReader: calmBankReader(Date.now),
      ...services,
    }),
    limiter: createMemoryLimiter({ rateLimit, clock }),
    trustedProxies,
    logLevel: 'silent',
  });
  app.addHook('preHandler', (_request, _reply, done) => {
    onHandling?.();
    done();
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return serviceOf({
    port,
    redis: '',
    books,
    now: () => Date.parse(importedAt),
    stop: () => app.close(),
  });
}

/** Returns the engine with some of its methods replaced; its internal calls are not. */
function withFaults(engine: Engine, faults: Partial<Engine>): Engine {
  return {
    dialect: engine.dialect,
    get canWrite() {
      return engine.canWrite;
    },
    read: (steps, options) => engine.read(steps, options),
    readStatement: (steps) => engine.readStatement(steps),
    write: (steps, options) => engine.write(steps, options),
    stream: (steps) => engine.stream(steps),
    eraseDeleted: (options) => engine.eraseDeleted(options),
    close: () => engine.close(),
    ...faults,
  };
}

interface Started {
  readonly port: number;
  readonly redis: string;
  readonly books: Books;
  readonly now: () => number;
  readonly stop: () => Promise<unknown>;
}

export type Service = ReturnType<typeof serviceOf>;

function serviceOf({ port, redis, books, now, stop }: Started) {
  const { ada, ben, engine } = books;
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
    database: books.database.url,
    /** The folder of attached files. */
    files: books.database.folder ?? '',
    /** Empty when requests are counted in memory. */
    redis,
    port,
    /** Has {@link smallBook}. */
    ada,
    /** Has {@link manyRows} rows, all of them on few days. */
    ben,
    /** A second connection to the same database, like that of another process. */
    engine,
    /** The clock of the service. */
    now,
    /** Sends a request, and checks that the response matches the API document. */
    ask,
    sendBytes: (text: string, from = newAddress()) => exchangeBytes(port, text, from),
    list: async (query = '', asking: Asking = {}): Promise<Page> => {
      const answer = await ask(`/v2/transactions?${query}`, asking);
      if (answer.status === 200) return JSON.parse(answer.text) as Page;
      throw new Error(`The list "${query}" returned ${answer.status}: ${answer.text}`);
    },
    close: async (): Promise<void> => {
      await stop();
      await books.remove();
    },
  };
}

function lengthOf(body: string | Uint8Array | undefined): string[] {
  return body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))];
}

export function errorsOf({ text }: Answer): {
  readonly message: string;
  readonly errors: readonly Readonly<Record<string, unknown>>[];
} {
  return JSON.parse(text) as ReturnType<typeof errorsOf>;
}

export function payees({ transactions }: Page): string[] {
  return transactions.map(({ payee }) => payee);
}

/** Returns all pages of a list, from offset 0 in steps of `limit` until has_more is false. */
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
