import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { takeLease } from './book/leases.ts';
import { readConfig } from './config.ts';
import { select } from './db/rows.ts';
import { importPreviews, leases } from './db/tables/tables.ts';
import { newFolder } from './db/testing/folder.ts';
import { pick } from './http/testing/pick.ts';
import { createPreview } from './imports/operations/preview-records.ts';
import { createToken, createUser, newToken } from './identity/users/actions.ts';
import { noRedis, startRedis } from './limiter/testing/redis-server.ts';
import { serve } from './main.ts';

const database = join(newFolder(), 'coffer.db');
const start = () =>
  serve(readConfig({ port: '0', logLevel: 'silent', database: `sqlite:${database}` }, {}));

test('a long poll ends in its time, though the clock of the computer goes back', async () => {
  const server = await serve(
    readConfig({ port: '0', logLevel: 'silent', database: 'sqlite::memory:' }, {}),
  );
  const { text, hash } = newToken();
  await server.engine.write(function* () {
    const user = { name: 'Ada', email: 'ada@example.org', bookName: 'B', primaryCurrency: 'eur' };
    const { id: bookId, userId } = yield* createUser(user);
    yield* createToken({ userId, bookId, hash, label: null, expiresAt: null });
  });
  let nowMs = Date.now();
  const clock = mock.method(Date, 'now', () => (nowMs -= 3_600_000));
  const headers = { authorization: `Bearer ${text}` };
  const signal = AbortSignal.timeout(30_000);
  const { status } = await fetch(`${server.url}/coffer/changes?wait=1`, { headers, signal });
  clock.mock.restore();
  await server.close();
  assert.equal(status, 200);
});

test('a server releases what an earlier one on its file had begun when it was killed', async () => {
  const killed = await start();
  await killed.engine.write(function* () {
    const user = { name: 'Ada', email: 'ada@example.org', bookName: 'B', primaryCurrency: 'eur' };
    const { id: bookId } = yield* createUser(user);
    const file = { actor: 'token 1', fileName: null, hash: 'ab', bytes: 9, options: {} };
    const nowMs = Date.now();
    yield* createPreview({ bookId, ...file, nowMs, workerUntilMs: nowMs + 3_600_000 });
    yield* takeLease('webhook 1/1', 'the killed server', 300_000);
  });
  await killed.close();
  const restarted = await start();
  const left = await restarted.engine.read(function* () {
    const previews = pick(yield* select(importPreviews, {}), 'worker_until_ms');
    const names = pick(yield* select(leases, {}), 'name');
    return { previews, webhooks: names.filter((name) => name.startsWith('webhook ')) };
  });
  await restarted.close();
  assert.deepEqual(left, { previews: [0], webhooks: [] });
});

test('a server that was closed has no connection to Redis', { skip: noRedis }, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  /** Without the one that asks. */
  const connections = async () => (await redis.ask('CLIENT', 'LIST')).trim().split('\n').length - 1;
  const options = { port: '0', logLevel: 'silent', database: 'sqlite::memory:' };
  const server = await serve(readConfig({ ...options, redis: redis.url }, {}));
  assert.equal(await connections(), 2);
  await server.close();
  // Redis may see the end of a connection later.
  for (let tries = 0; tries < 50 && (await connections()) > 0; tries += 1);
  assert.equal(await connections(), 0);
});
