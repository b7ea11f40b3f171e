import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { isLong, runs } from '../../packages/core/src/testing/length.ts';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import { createApp } from '../../packages/server/src/http/app.ts';
import {
  listen,
  makeTestApp,
  testServices,
} from '../../packages/server/src/http/testing/test-app.ts';
import { parseTrustedProxies } from '../../packages/server/src/limiter/address.ts';
import { createMemoryLimiter } from '../../packages/server/src/limiter/memory.ts';
import { askJson } from '../service/ask.ts';
import { addOwner, useStore } from '../service/owners.ts';
import { useServers } from '../service/server-process.ts';
import { apiOf } from '../../packages/server/src/all.ts';

/** Random lists and writes. More cases: `COFFER_CACHE_CASES=10000`. */
const asked = Number(process.env['COFFER_CACHE_CASES'] ?? 0);
const isReported = asked > 0;
const cases = asked || 40;
const seed = Number(process.env['COFFER_CACHE_SEED'] ?? 0) || (isReported ? undefined : 15);
const timeout = 300_000 + 500 * asked;
const skip = postgresPrograms() === null && 'missing: postgres';
const flags = ['--rate-limit', '1000000', '--coffer-rate-limit', '1000000'];

interface CachedServers {
  readonly cached: readonly string[];
  readonly plain: string;
  readonly token: string;
}

const lists = [
  '/v2/transactions',
  '/v2/transactions?limit=3',
  '/v2/transactions?limit=3&offset=3',
  '/v2/transactions?start_date=2026-02-01&end_date=2026-02-28',
  '/v1/transactions?start_date=2026-01-01&end_date=2026-03-31',
  '/v2/summary?start_date=2026-01-01&end_date=2026-01-31',
  '/v2/categories',
  '/v1/budgets?start_date=2026-01-01&end_date=2026-03-01',
  '/coffer/transactions?limit=4&q=pay',
  '/coffer/transactions/months',
  '/coffer/payees',
] as const;

const written = fc.record({
  server: fc.nat(),
  kind: fc.constantFrom('insert', 'insert', 'update', 'remove', 'category'),
  place: fc.nat(),
  day: fc.integer({ min: 1, max: 28 }),
  month: fc.integer({ min: 1, max: 3 }),
  cents: fc.integer({ min: -9999, max: 9999 }),
});
type Write = typeof written extends fc.Arbitrary<infer T> ? T : never;

const listed = fc.record({
  server: fc.nat(),
  list: fc.constantFrom(...lists),
  encoding: fc.constantFrom('identity', 'gzip'),
});
type Listing = typeof listed extends fc.Arbitrary<infer T> ? T : never;

/** A case: writes, and lists while the last of them is under way, and a list afterwards that is compared. */
const eachCase = fc.record({
  writes: fc.array(written, { maxLength: 2 }),
  during: fc.array(listed, { maxLength: 3 }),
  after: listed,
});

/** Compares lists of servers with a page cache with those of one without, between random writes. */
async function compareLists(servers: CachedServers): Promise<void> {
  const book = new CachedBook(servers);
  await fc.assert(
    fc.asyncProperty(eachCase, async ({ writes, during, after }) => {
      const last = writes.at(-1);
      for (const write of writes.slice(0, -1)) await book.write(write);
      const race = during.map((listing) => book.list(listing));
      if (last !== undefined) await book.write(last);
      await Promise.all(race);
      await book.compare(after);
    }),
    { numRuns: runs(cases), endOnFailure: true, ...(seed === undefined ? {} : { seed }) },
  );
  if (isReported) console.log({ cases, seed }, book.counts);
}

const mostRows = 30;

class CachedBook {
  readonly counts = { compared: 0, confirmed: 0, writes: 0 };
  readonly #servers: CachedServers;
  readonly #rows: number[] = [];
  /** The last body and its tag, by URL. */
  readonly #known = new Map<string, { readonly tag: string; readonly text: string }>();

  constructor(servers: CachedServers) {
    this.#servers = servers;
  }

  async write({ server, kind, place, day, month, cents }: Write): Promise<void> {
    this.counts.writes += 1;
    const date = `2026-0${month}-${String(day).padStart(2, '0')}`;
    const row = { date, amount: (cents / 100).toFixed(2), payee: `Payee ${place % 7}` };
    const id = this.#rows[place % Math.max(1, this.#rows.length)];
    const name = `Category ${this.counts.writes} ${place}`;
    if (kind === 'category') await this.#change(server, 'POST', '/v2/categories', { name });
    else if (id === undefined || (kind === 'insert' && this.#rows.length < mostRows)) {
      const body = { transactions: [row] };
      const made = await this.#change(server, 'POST', '/v2/transactions', body);
      this.#rows.push((JSON.parse(made) as { transactions: { id: number }[] }).transactions[0]!.id);
    } else if (kind === 'update')
      await this.#change(server, 'PUT', `/v2/transactions/${id}`, { amount: row.amount });
    else {
      await this.#change(server, 'DELETE', `/v2/transactions/${id}`);
      this.#rows.splice(this.#rows.indexOf(id), 1);
    }
  }

  async list(listing: Listing): Promise<{ readonly text: string; readonly isConfirmed: boolean }> {
    const { cached } = this.#servers;
    const url = `${cached[listing.server % cached.length]}${listing.list}`;
    const known = this.#known.get(listing.list);
    const answer = await this.#fetch(url, {
      'Accept-Encoding': listing.encoding,
      ...(known && { 'If-None-Match': known.tag }),
    });
    const text = await answer.text();
    if (answer.status === 304) return { text: known!.text, isConfirmed: true };
    assert.equal(answer.status, 200, `${url}: ${text}`);
    this.#known.set(listing.list, { tag: answer.headers.get('etag')!, text });
    return { text, isConfirmed: false };
  }

  async compare(listing: Listing): Promise<void> {
    const expected = await this.#fetch(`${this.#servers.plain}${listing.list}`, {});
    const text = await expected.text();
    for (const isKnown of [true, false, false]) {
      if (!isKnown) this.#known.delete(listing.list);
      const found = await this.list(listing);
      assert.equal(found.text, text, listing.list);
      this.counts.compared += 1;
      if (found.isConfirmed) this.counts.confirmed += 1;
    }
  }

  async #change(server: number, method: string, path: string, body = {}): Promise<string> {
    const all = [...this.#servers.cached, this.#servers.plain];
    const url = `${all[server % all.length]}${path}`;
    const { status, text } = await askJson(url, method, this.#servers.token, body);
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
    return text;
  }

  #fetch(url: string, headers: Record<string, string>): Promise<Response> {
    return fetch(url, { headers: { Authorization: `Bearer ${this.#servers.token}`, ...headers } });
  }
}

describe('lists between random writes are those of a server without a cache', { timeout }, () => {
  it('on SQLite', async () => {
    const rateLimit = { limit: 1e9, windowMs: 60_000 };
    const cofferLimiter = createMemoryLimiter({ rateLimit });
    const { app, engine, ada } = await makeTestApp({
      limit: 1e9,
      pageCacheBytes: 200_000,
      cofferLimiter,
    });
    const plain = createApp({
      engine,
      ...apiOf(testServices(Date.now)),
      limiter: createMemoryLimiter({ rateLimit }),
      cofferLimiter,
      trustedProxies: parseTrustedProxies(''),
      logLevel: 'silent',
    });
    after(() => Promise.all([app.close(), plain.close()]));
    const [cachedPort, plainPort] = [await listen(app), await listen(plain)];
    const urls = [cachedPort, plainPort].map((port) => `http://127.0.0.1:${port}`);
    await compareLists({ cached: [urls[0]!], plain: urls[1]!, token: ada.token });
  });

  if (isLong)
    it('on two servers of one PostgreSQL database', { skip }, async () => {
      const postgres = await startPostgres();
      try {
        const database = await postgres.newDatabase();
        const { token } = await useStore(database, (engine) => addOwner(engine, 'ann'));
        const servers = ['1', '32', '0'].map((megabytes) => {
          return { database, flags: [...flags, '--page-cache', megabytes] };
        });
        await useServers(servers, async (started) => {
          const [first, second, plain] = started.map(({ url }) => url);
          await compareLists({ cached: [first!, second!], plain: plain!, token });
        });
      } finally {
        await postgres.stop();
      }
    });
});
