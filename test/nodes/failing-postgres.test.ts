import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { apiOf } from '../../packages/server/src/all.ts';
import { rows } from '../../packages/server/src/db/engine.ts';
import { migratePostgres } from '../../packages/server/src/db/postgres/open.ts';
import { openPostgres } from '../../packages/server/src/db/postgres/postgres.ts';
import type {
  PostgresEngine,
  PostgresOptions,
} from '../../packages/server/src/db/postgres/postgres.ts';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';
import { createApp } from '../../packages/server/src/http/app.ts';
import {
  assertCounted,
  assertErrorFormat,
} from '../../packages/server/src/http/testing/test-answers.ts';
import {
  newToken,
  createUser,
  createToken,
} from '../../packages/server/src/identity/users/actions.ts';
import { parseTrustedProxies } from '../../packages/server/src/limiter/address.ts';
import { createMemoryLimiter } from '../../packages/server/src/limiter/memory.ts';
import { noServices } from '../../packages/server/src/services.ts';
import { until } from './nodes.ts';

const skip = postgresPrograms() === null && 'missing: postgres';

interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

describe('a service whose PostgreSQL fails', { skip }, () => {
  let server: PostgresServer;
  let url: string;
  let other: PostgresEngine;
  const closing: (() => Promise<unknown>)[] = [];
  before(async () => {
    server = await startPostgres();
    url = await server.newDatabase();
    other = open({ poolSize: 4 });
    await migratePostgres(other);
  });
  after(async () => {
    for (const close of closing.toReversed()) await close();
    await server.stop();
  });

  const open = (options: Partial<PostgresOptions>): PostgresEngine => {
    const pool = { poolSize: 2, maxWaiting: 4, connectTimeoutMs: 1000, statementTimeoutMs: 3000 };
    const engine = openPostgres({ url, ...pool, ...options });
    closing.push(() => engine.close());
    return engine;
  };

  const serve = async (options: Partial<PostgresOptions> = {}) => {
    const engine = open(options);
    const app = createApp({
      engine,
      ...apiOf(noServices),
      limiter: createMemoryLimiter({ rateLimit: { limit: 10_000, windowMs: 60_000 } }),
      trustedProxies: parseTrustedProxies(''),
      logLevel: 'silent',
    });
    closing.push(() => app.close());
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const user = { email: `${port}@example.com`, name: 'x', primaryCurrency: 'usd' };
    const { id: bookId, userId } = await engine.write(() => createUser({ ...user, bookName: 'x' }));
    const { text, hash } = newToken();
    await engine.write(() => createToken({ userId, bookId, hash, label: null, expiresAt: null }));
    const authorization = `Bearer ${text}`;
    const get = async (path: string): Promise<Answer> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization },
      });
      const body = await response.text();
      return { statusCode: response.status, headers: Object.fromEntries(response.headers), body };
    };
    return { get, port, authorization };
  };

  /** Locks the tokens; the returned function unlocks them. */
  const lockTokens = async (): Promise<() => Promise<void>> => {
    const locked = Promise.withResolvers<null>();
    const release = Promise.withResolvers<null>();
    const held = other.migrate(0, async (connection) => {
      await connection.command('LOCK TABLE access_tokens IN ACCESS EXCLUSIVE MODE');
      locked.resolve(null);
      await release.promise;
    });
    await Promise.race([locked.promise, held]);
    return async () => {
      release.resolve(null);
      await held;
    };
  };

  const assertRefused = (answer: Answer): void => {
    assert.equal(answer.statusCode, 503, answer.body);
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
    assertErrorFormat(answer);
    assertCounted(answer);
  };

  it('returns 503 with Retry-After when all connections are in use, and 200 afterwards', async () => {
    const service = await serve();
    const free = await lockTokens();
    const asked = Array.from({ length: 20 }, () => service.get('/v2/me'));
    const first = await Promise.race(asked);
    assertRefused(first);
    // Requests that wait for a connection are refused after a timeout, while the lock is held.
    const refused = Promise.withResolvers<null>();
    let left = asked.length - 2;
    for (const each of asked) void each.then(() => (left -= 1) === 0 && refused.resolve(null));
    await refused.promise;
    await free();
    const answers = await Promise.all(asked);
    for (const answer of answers) if (answer.statusCode !== 200) assertRefused(answer);
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 2);
    assert.equal((await service.get('/v2/me')).statusCode, 200);
  });

  it('gets connections back from clients that disconnect before the response', async () => {
    const service = await serve({ maxWaiting: 100, connectTimeoutMs: 4000 });
    const free = await lockTokens();
    const { port, authorization } = service;
    const target = { port, host: '127.0.0.1', path: '/v2/me', headers: { authorization } };
    const gone = Array.from({ length: 20 }, () =>
      request(target)
        .on('error', () => undefined)
        .end(),
    );
    await until(async () => (await waiting(other)) === 2, 'two requests wait for the lock');
    for (const asked of gone) asked.destroy();
    await free();
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.get('/v2/me')));
    assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]));
  });

  it('is not ready and returns 503 while the server is down, and 200 afterwards', async () => {
    const service = await serve();
    assert.equal((await service.get('/readyz')).statusCode, 200);
    server.process.kill('SIGQUIT');
    await once(server.process, 'exit');
    assertRefused(await service.get('/v2/me'));
    assertRefused(await service.get('/v2/transactions'));
    await until(async () => (await service.get('/readyz')).statusCode === 503, 'it is not ready');
    await server.restart();
    assert.equal((await service.get('/v2/me')).statusCode, 200);
    await until(async () => (await service.get('/readyz')).statusCode === 200, 'it is ready');
  });
});

async function waiting(engine: PostgresEngine): Promise<number> {
  const locked = sql`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
  return (await engine.read(() => rows(locked))).length;
}
