import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { isLong } from '../../packages/core/src/testing/length.ts';
import { coffer, makeFolder } from '../../packages/cli/src/testing/run-coffer.ts';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';
import { find } from '../../packages/server/src/db/rows.ts';
import { books } from '../../packages/server/src/db/tables.ts';
import { createApp } from '../../packages/server/src/http/app.ts';
import {
  listen,
  makeTestApp,
  testServices,
} from '../../packages/server/src/http/testing/test-app.ts';
import { parseTrustedProxies } from '../../packages/server/src/limiter/address/client-address.ts';
import { createMemoryLimiter } from '../../packages/server/src/limiter/memory.ts';
import { addOwner, useStore, type Owner } from '../service/owners.ts';
import { startServer, type ServerProcess } from '../service/server-process.ts';
import { compareLists } from '../service/cached-book.ts';

/** Random lists and writes. More cases: `COFFER_CACHE_CASES=10000`. */
const cases = Number(process.env['COFFER_CACHE_CASES'] ?? 0);
const seed = Number(process.env['COFFER_CACHE_SEED'] ?? 0) || (cases === 0 ? 15 : undefined);
const timeout = 300_000 + 500 * cases;
const skip = postgresPrograms() === null && 'missing: postgres';
const flags = ['--rate-limit', '1000000', '--coffer-rate-limit', '1000000'];

describe('lists between random writes are those of a server without a cache', { timeout }, () => {
  const options = { cases: cases || 40, seed };
  const report = (counts: object) => cases > 0 && console.log(options, counts);

  it('on SQLite', async () => {
    const rateLimit = { limit: 1e9, windowMs: 60_000 };
    const cofferLimiter = createMemoryLimiter({ rateLimit });
    const { app, engine, ada } = await makeTestApp({
      ...{ limit: 1e9, pageCacheBytes: 200_000, cofferLimiter },
    });
    const plain = createApp({
      engine,
      services: testServices(Date.now),
      limiter: createMemoryLimiter({ rateLimit }),
      cofferLimiter,
      trustedProxies: parseTrustedProxies(''),
      logLevel: 'silent',
    });
    after(() => Promise.all([app.close(), plain.close()]));
    const [cachedPort, plainPort] = [await listen(app), await listen(plain)];
    const urls = [cachedPort, plainPort].map((port) => `http://127.0.0.1:${port}`);
    const servers = { cached: [urls[0]!], plain: urls[1]!, token: ada.token };
    report(await compareLists(servers, options));
  });

  const itInAll = isLong ? it : () => undefined;

  itInAll('on two servers of one PostgreSQL database', { skip }, async () => {
    const postgres = await startPostgres();
    const started: ServerProcess[] = [];
    try {
      const database = await postgres.newDatabase();
      const { token } = await useStore(database, (engine) => addOwner(engine, 'ann'));
      for (const megabytes of ['1', '32', '0'])
        started.push(await startServer({ database, flags: [...flags, '--page-cache', megabytes] }));
      const [first, second, plain] = started.map(({ url }) => url);
      const servers = { cached: [first!, second!], plain: plain!, token };
      report(await compareLists(servers, options));
    } finally {
      await Promise.all(started.map((server) => server.end('SIGTERM')));
      await postgres.stop();
    }
  });
});

const lists = ['/v2/transactions', '/v2/transactions?limit=1', '/v2/categories', '/v2/summary'].map(
  (path) => (path === '/v2/summary' ? `${path}?start_date=2026-01-01&end_date=2026-01-31` : path),
);

interface Kept {
  readonly status: number;
  readonly tag: string;
  readonly text: string;
}

/** Starts a server, adds a transaction and reads every list until it is held, with earlier tags if there are any. */
async function live(database: string, owner: Owner, payee: string, tags: readonly string[] = []) {
  const server = await startServer({ database, flags });
  try {
    const headers = { Authorization: `Bearer ${owner.token}`, 'Content-Type': 'application/json' };
    const row = { date: '2026-01-02', amount: payee.length, payee };
    const body = JSON.stringify({ transactions: [row] });
    const added = await fetch(`${server.url}/v2/transactions`, { method: 'POST', headers, body });
    assert.equal(added.status, 201);
    const read = async (path: string, tag?: string): Promise<Kept> => {
      const known = tag === undefined ? {} : { 'If-None-Match': tag };
      const answer = await fetch(`${server.url}${path}`, { headers: { ...headers, ...known } });
      return {
        status: answer.status,
        tag: answer.headers.get('etag')!,
        text: await answer.text(),
      };
    };
    const all: Kept[] = [];
    for (const [place, path] of lists.entries()) {
      const first = await read(path, tags[place]);
      for (let time = 2; time <= 4; time += 1) assert.equal((await read(path)).text, first.text);
      all.push(first);
    }
    return all;
  } finally {
    await server.end('SIGTERM');
  }
}

const versionOf = (database: string, { bookId }: Owner) =>
  useStore(database, (engine) =>
    engine.read(function* () {
      return (yield* find(books, { id: bookId }))!.version;
    }),
  );

/** Asserts that nothing of a history is served or confirmed after it was replaced by another of the same length. */
async function assertForgotten(database: string, owner: Owner, restore: () => Promise<void>) {
  const before = await live(database, owner, 'lost');
  const version = await versionOf(database, owner);
  await restore();
  const tags = before.map(({ tag }) => tag);
  const later = await live(database, owner, 'other', tags);
  assert.equal(await versionOf(database, owner), version, 'both histories have as many changes');
  for (const [place, { status, tag, text }] of later.entries()) {
    assert.equal(status, 200, lists[place]);
    assert.notEqual(tag, tags[place]);
    assert.ok(!text.includes('lost'));
  }
  assert.match(later[0]!.text, /other/);
}

const describeInAll = isLong ? describe : () => undefined;

describeInAll(
  'a server that was restarted after a restore serves and confirms nothing older',
  () => {
    const folder = makeFolder();

    it('on SQLite, from a backup', { timeout }, async () => {
      const database = `sqlite:${join(folder, 'coffer.db')}`;
      const backup = join(folder, 'backup.db');
      const owner = await useStore(database, (engine) => addOwner(engine, 'ann'));
      await live(database, owner, 'first');
      await coffer('backup', backup, '--database', database);
      await assertForgotten(database, owner, async () => {
        await coffer('restore', backup, '--replace', '--database', database);
      });
    });

    describe('on PostgreSQL', { skip, timeout }, () => {
      let postgres: PostgresServer;
      before(async () => {
        postgres = await startPostgres();
      });
      after(() => postgres.stop());

      it('from a copy that takes its place', async () => {
        const database = await postgres.newDatabase();
        const nameOf = (url: string) => /([^/?]+)(\?|$)/.exec(url)![1]!;
        const [name, kept] = [nameOf(database), nameOf(await postgres.newDatabase())];
        const admin = await postgres.newDatabase();
        const run = async (...statements: readonly string[]): Promise<void> => {
          const client = new Client({ connectionString: admin });
          await client.connect();
          for (const statement of statements) await client.query(statement);
          await client.end();
        };
        const owner = await useStore(database, (engine) => addOwner(engine, 'ann'));
        await live(database, owner, 'first');
        await run(`DROP DATABASE ${kept}`, `CREATE DATABASE ${kept} TEMPLATE ${name}`);
        await assertForgotten(database, owner, () =>
          run(`DROP DATABASE ${name}`, `CREATE DATABASE ${name} TEMPLATE ${kept}`),
        );
      });
    });
  },
);
