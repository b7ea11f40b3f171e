import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { authenticate } from '../../identity/users/testing/authenticate.ts';
import { endsWithFile } from '../../../../core/src/testing/ends.ts';
import { changing, type Change } from '../../book/change.ts';
import { BookWatch, watched } from '../../book/watch.ts';
import { testSender } from '../../webhooks/testing/test-sender.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { createImportService } from '../../imports/previews/service.ts';
import { ManualJobClock } from '../../jobs/testing/manual-job-clock.ts';
import { ManualClock } from '../../limiter/testing/manual-clock.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import { createMemoryLimiter } from '../../limiter/memory.ts';
import { parseTrustedProxies } from '../../limiter/address.ts';
import { noServices, type Services } from '../../services.ts';
import { BulkRows } from '../../ledger/transactions/writes.ts';
import { createToken, createUser, newToken } from '../../identity/users/actions.ts';
import type { Identity } from '../../operations/caller.ts';
import { createApp, type AppOptions, type ServedApi } from '../app.ts';
import { apiOf } from '../../all.ts';
import { calmBankReader } from '../../sync/testing/calm-bank-reader.ts';
import { TestEngine } from './test-engine.ts';

export const openapiBytes = readFileSync(
  new URL('../../../../../docs/openapi.json', import.meta.url),
);

export interface TestUser {
  readonly token: string;
  readonly identity: Identity;
}

/** An application on a database in memory with two users, and access to its parts for tests. */
export interface TestApp {
  readonly app: FastifyInstance;
  readonly engine: TestEngine;
  readonly clock: ManualClock;
  /** The clock of requests that wait for changes. */
  readonly watchClock: ManualJobClock;
  /** Her book has the transactions 1001 to 1030. */
  readonly ada: TestUser;
  /** His book has the transactions 2001 to 2004. */
  readonly ben: TestUser;
  readonly log: string[];
  readonly hits: () => number;
}

export interface TestAppOptions extends Partial<Omit<AppOptions, keyof ServedApi>> {
  readonly services?: Services;
  /** Requests per window; a million by default. */
  readonly limit?: number;
  /** An open database; a new one in memory by default. */
  readonly opened?: Engine;
}

/** The name of the call that reads a page of transactions, in the calls of a {@link TestEngine}. */
export const pageRead = 'read transaction_counts';

/** Creates an application, which is closed after the tests of the file. */
export async function makeTestApp({
  limit = 1_000_000,
  opened,
  ...options
}: TestAppOptions = {}): Promise<TestApp> {
  const clock = new ManualClock();
  const now = () => clock.wallMs();
  const engine = new TestEngine(now, opened);
  const ada = await addUser(engine, 'ada', 30);
  const ben = await addUser(engine, 'ben', 4);
  engine.calls.length = 0;
  const log: string[] = [];
  const memory = createMemoryLimiter({ rateLimit: { limit, windowMs: 60_000 }, clock });
  let hits = 0;
  const limiter: Limiter = {
    hit: (key) => {
      hits += 1;
      return memory.hit(key);
    },
    clientCount: () => memory.clientCount(),
    close: () => memory.close(),
  };
  const watchClock = new ManualJobClock(now());
  const watch = new BookWatch(engine, watchClock);
  const app = createApp({
    engine: watched(engine, watch),
    limiter,
    trustedProxies: parseTrustedProxies(''),
    now,
    logLevel: 'debug',
    logStream: { write: (line) => void log.push(line) },
    ...options,
    ...apiOf(options.services ?? { ...testServices(now), watch }),
    // Only tests of the notice wait for it.
    limits: { closeNoticeMs: 0, ...options.limits },
  });
  endsWithFile(() => app.close());
  return { app, engine, clock, watchClock, ada, ben, log, hits: () => hits };
}

export function testServices(now: () => number): Services {
  return {
    ...noServices,
    // The price source knows nothing.
    assetSource: { find: () => Promise.resolve(null), prices: () => Promise.resolve([]) },
    imports: createImportService(null, { error: () => undefined }),
    webhookSender: testSender(),
    bankReader: calmBankReader(now),
    // The provider returns the known balances.
    cryptoReader: {
      read: ({ known }) =>
        Promise.resolve({ readAtIso: new Date(now()).toISOString(), balances: known }),
    },
  };
}

/** Creates a user with a token and a book of `count` transactions. */
export async function addUser(
  engine: Engine,
  name: string,
  count = 0,
  bookName = `${name}'s book`,
): Promise<TestUser> {
  const { text, hash } = newToken();
  const identity = await engine.write(function* () {
    const user = { name, email: `${name}@example.org`, bookName };
    const { id: bookId, userId } = yield* createUser({ ...user, primaryCurrency: 'eur' });
    yield* changing({ bookId, actor: 'test', operation: 'fill' }, (change) =>
      fill(change, 1000 * userId, count),
    );
    yield* createToken({ userId, bookId, hash, label: `${name}'s laptop`, expiresAt: null });
    return yield* authenticate(hash);
  });
  if (identity === null) throw new Error('The token is not valid');
  return { token: text, identity };
}

/** Adds transactions whose ids follow `before`, on three days; the latest have the highest ids. */
function* fill(change: Change, before: number, count: number): Steps<void> {
  const dates = ['2024-01-31', '2024-02-29', '2024-03-01'];
  const rows = new BulkRows(change);
  // New transactions of tests must get other ids.
  while ((yield* new BulkRows(change).nextId()) <= before + count);
  for (let at = 0; at < count; at += 1)
    rows.add({
      id: before + 1 + at,
      date: dates[Math.floor((at * dates.length) / count)]!,
      amount: 12_300,
      to_base: 12_300,
      currency: 'eur',
      payee: 'Someone',
      status: 'reviewed',
      source: 'api',
    });
  yield* rows.flush();
}

export function as(user: TestUser): Record<string, string> {
  return { authorization: `Bearer ${user.token}` };
}

export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** Lets other work continue until `hasHappened` is true; stops after many turns of the event loop. */
export async function until(hasHappened: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !hasHappened(); turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Makes all reads of a page wait until `letGo` is called. They return `page`, if given, in place of what they read. */
export function holdPages(
  engine: TestEngine,
  page?: unknown,
): { held: (count?: number) => Promise<void>; letGo: () => void } {
  const gate = Promise.withResolvers<undefined>();
  let waiting = 0;
  engine.instead.set(pageRead, async (read) => {
    waiting += 1;
    await gate.promise;
    return page ?? read();
  });
  const held = (count = 1) => until(() => waiting >= count);
  return { held, letGo: () => gate.resolve(undefined) };
}

/** Makes all reads of a page return `length` blanks. */
export function fixPages(engine: TestEngine, length: number): void {
  const page = { json: Buffer.alloc(length, ' '), hasMore: false };
  engine.instead.set(pageRead, () => page);
}
