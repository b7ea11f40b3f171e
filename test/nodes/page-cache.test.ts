import { after, describe, it } from 'node:test';
import { isLong } from '../../packages/core/src/testing/length.ts';
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
import { addOwner, useStore } from '../service/owners.ts';
import { startServer, type ServerProcess } from '../service/server-process.ts';
import { compareLists } from '../service/cached-book.ts';
import { apiOf } from '../../packages/server/src/all.ts';

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
    const servers = { cached: [urls[0]!], plain: urls[1]!, token: ada.token };
    report(await compareLists(servers, options));
  });

  if (isLong)
    it('on two servers of one PostgreSQL database', { skip }, async () => {
      const postgres = await startPostgres();
      const started: ServerProcess[] = [];
      try {
        const database = await postgres.newDatabase();
        const { token } = await useStore(database, (engine) => addOwner(engine, 'ann'));
        for (const megabytes of ['1', '32', '0'])
          started.push(
            await startServer({ database, flags: [...flags, '--page-cache', megabytes] }),
          );
        const [first, second, plain] = started.map(({ url }) => url);
        const servers = { cached: [first!, second!], plain: plain!, token };
        report(await compareLists(servers, options));
      } finally {
        await Promise.all(started.map((server) => server.end('SIGTERM')));
        await postgres.stop();
      }
    });
});
