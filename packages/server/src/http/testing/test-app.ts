import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ManualClock } from '../../limiter/testing/manual-clock.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import { createMemoryLimiter } from '../../limiter/memory.ts';
import { parseTrustedProxies } from '../../limiter/client-address.ts';
import { createApp, type AppOptions } from '../app.ts';
import { TestStore, type TestUser } from './test-store.ts';

export const openapiBytes = readFileSync(
  new URL('../../../../../docs/openapi.json', import.meta.url),
);

/** An application on the test store, with two users, and what a test wants to look at. */
export interface TestApp {
  readonly app: FastifyInstance;
  readonly store: TestStore;
  readonly clock: ManualClock;
  readonly ada: TestUser;
  readonly ben: TestUser;
  /** The lines of the log so far. */
  readonly log: string[];
  /** How often the limiter was asked. */
  readonly hits: () => number;
}

export interface TestAppOptions extends Partial<AppOptions> {
  /** Requests a window; many unless given. */
  readonly limit?: number;
}

/** The caller closes `app` when the test ends. */
export function makeTestApp({ limit = 1_000_000, ...options }: TestAppOptions = {}): TestApp {
  const store = new TestStore();
  const ada = store.addUser('ada', 30);
  const ben = store.addUser('ben', 4);
  const clock = new ManualClock();
  const log: string[] = [];
  const memory = createMemoryLimiter({ rateLimit: { limit, windowMs: 60_000 }, clock });
  let hits = 0;
  const limiter: Limiter = {
    hit: (key) => {
      hits += 1;
      return memory.hit(key);
    },
    sourceCount: () => memory.sourceCount(),
    close: () => memory.close(),
  };
  const app = createApp({
    store: store.asStore(),
    // Finds what is stored, as if the provider had told nothing new.
    cryptoRefresher: { refresh: (book, id) => store.findCryptoAccount(book.id, id) },
    limiter,
    openapi: openapiBytes,
    trustedProxies: parseTrustedProxies(''),
    now: () => clock.wallMs(),
    logLevel: 'debug',
    logStream: { write: (line) => void log.push(line) },
    ...options,
    // Nobody waits for a client to notice, unless that is the test.
    limits: { closeNoticeMs: 0, ...options.limits },
  });
  return { app, store, clock, ada, ben, log, hits: () => hits };
}

/** The headers of a caller with that user's token. */
export function as(user: TestUser): Record<string, string> {
  return { authorization: `Bearer ${user.token}` };
}

/** Listens on a free port of the loopback and returns the port. */
export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** Lets other work go on until something has happened; gives up after many turns of the event loop. */
export async function until(hasHappened: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !hasHappened(); turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
