import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { limiterContract } from './limiter-contract.ts';
import { noRedis, redisPrograms, startRedis, type RedisServer } from './testing/redis-server.ts';
import { atOnce, contractLimiters, hitTimes, share, SPECIFIED } from './testing/sharing.ts';
import type { RedisLimiterOptions, SharedLimiter } from './redis.ts';

const { windowMs } = SPECIFIED;

for (const program of noRedis === false ? redisPrograms() : ['redis-server'])
  describe(`limiter shared over ${basename(program)}`, { skip: noRedis }, () =>
    sharedTests(program),
  );

function sharedTests(program: string): void {
  let server: RedisServer;
  before(async () => {
    server = await startRedis({ program });
  });
  after(() => server.stop());
  const make = async (
    t: TestContext,
    options: Partial<RedisLimiterOptions> = {},
  ): Promise<SharedLimiter> => {
    const { limiter } = await share(server.url, { timeoutMs: 5000, ...options });
    t.after(() => limiter.close());
    return limiter;
  };

  const { make: fresh, close } = contractLimiters(() => server.url);
  after(close);
  limiterContract('the contract of every limiter', fresh, { countsByMonotonicClock: false });

  it('counts stay when all nodes are restarted', async (t) => {
    const node = await make(t);
    await hitTimes(node, 'restart', 40);
    await node.close();
    assert.equal((await (await make(t)).hit('restart')).remaining, 59);
  });

  it('limiters with different spaces or databases count apart', async (t) => {
    const rateLimit = { limit: 3, windowMs };
    const [first, second] = [await make(t), await make(t, { space: 'own', rateLimit })];
    const { limiter: third } = await share(`${server.url}/2`);
    t.after(() => third.close());
    await hitTimes(first, 'spaces', 40);
    assert.equal((await second.hit('spaces')).remaining, 2);
    assert.equal((await third.hit('spaces')).remaining, 99);
    assert.equal((await first.hit('spaces')).remaining, 59);
  });

  it('a script that the server has lost is sent again, and every hit counts once', async (t) => {
    const limiter = await make(t);
    await limiter.hit('script');
    await server.ask('SCRIPT', 'FLUSH');
    const hits = await atOnce(50, () => limiter.hit('script'));
    const left = new Set(hits.map(({ remaining }) => remaining));
    assert.deepEqual([left.size, Math.max(...left), Math.min(...left)], [50, 98, 49]);
    assert.equal(limiter.sharing().fallbacks, 0);
  });

  it('a key without an address, of less than 200 bytes, expires with its window', async (t) => {
    const limiter = await make(t);
    await server.ask('FLUSHALL');
    await limiter.hit('203.0.113.77');
    const key = await server.ask('RANDOMKEY');
    assert.doesNotMatch(key, /203|\.77/);
    assert.ok(Number(await server.ask('MEMORY', 'USAGE', key)) < 200);
    const expiresInMs = async (): Promise<number> => Number(await server.ask('PTTL', key));
    await server.ask('PERSIST', key);
    await limiter.hit('203.0.113.77');
    const ttlMs = await expiresInMs();
    assert.ok(ttlMs > 0 && ttlMs <= windowMs + 5000, `${ttlMs}: it gets its expiry again`);
    for (const [command = '', ...values] of [
      ...['nonsense', '', '9999999999999999999999 1'].map((value) => ['SET', value]),
      ['LPUSH', '1'],
      ['HSET', 'count', '1'],
    ]) {
      await server.ask('DEL', key);
      await server.ask(command, key, ...values);
      const hits = [await limiter.hit('203.0.113.77'), await limiter.hit('203.0.113.77')];
      const what = `overwritten by ${command} ${values.join(' ')}`;
      assert.equal(hits[0]!.remaining - hits[1]!.remaining, 1, what);
      for (const { retryAfterMs } of hits) assert.ok(retryAfterMs <= windowMs, what);
      assert.ok((await expiresInMs()) > 0, what);
    }
    assert.deepEqual(limiter.sharing(), { isShared: true, fallbacks: 0 });
  });

  describe('the clock', () => {
    /** Two nodes that send the time to Redis, because the clock of a Redis server cannot be set. */
    const shareFor = async (t: TestContext) => {
      const clock = { nowMs: Date.now() };
      const now = (): number => clock.nowMs;
      return { clock, one: await make(t, { now }), two: await make(t, { now }) };
    };

    for (const byMs of [-3_600_000, -windowMs / 2])
      it(`set by ${byMs / 1000} s returns no quota, and keeps the wait within a window and one end`, async (t) => {
        const { clock, one, two } = await shareFor(t);
        const client = `back ${byMs}`;
        await hitTimes(one, client, 100);
        clock.nowMs += byMs;
        const end = clock.nowMs + windowMs;
        for (const [n, node] of [one, two, one].entries()) {
          const { allowed, retryAfterMs, resetsAtMs } = await node.hit(client);
          const expected = [false, windowMs - n * 1000, end];
          assert.deepEqual([allowed, retryAfterMs, resetsAtMs], expected);
          clock.nowMs += 1000;
        }
        clock.nowMs = end;
        assert.equal((await two.hit(client)).remaining, 99);
      });

    it('set an hour forward ends the windows and starts correct ones', async (t) => {
      const { clock, one, two } = await shareFor(t);
      await hitTimes(one, 'forward', 101);
      clock.nowMs += 3_600_000;
      for (const [at, node] of [two, one].entries()) {
        const { remaining, retryAfterMs } = await node.hit('forward');
        assert.deepEqual([remaining, retryAfterMs], [99 - at, windowMs]);
      }
    });

    it('is that of Redis: a node whose clock is an hour ahead announces the same end', async (t) => {
      const here = await (await make(t)).hit('astray');
      const { now } = Date;
      t.mock.method(Date, 'now', () => now() + 3_600_000);
      const there = await (await make(t)).hit('astray');
      assert.deepEqual([there.remaining, there.resetsAtMs], [98, here.resetsAtMs]);
      assert.ok(there.retryAfterMs <= here.retryAfterMs);
    });
  });
}
