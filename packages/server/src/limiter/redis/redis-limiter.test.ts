import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { limiterContract } from '../limiter-contract.ts';
import type { SharedLimiter } from './shared-limiter.ts';
import { hitTimes, SPECIFIED } from '../testing/limiter-under-test.ts';
import { noRedis, redisPrograms, startRedis } from '../testing/redis-server.ts';
import type { RedisServer } from '../testing/redis-server.ts';
import { atOnce, contractLimiters, share } from '../testing/sharing.ts';

const patient = { timeoutMs: 5000 };

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
  const make = async (options = {}): Promise<SharedLimiter> => {
    const { limiter } = await share(server.url, { ...patient, ...options });
    return limiter;
  };

  const { make: fresh, close } = contractLimiters(() => server.url);
  after(close);
  limiterContract('the contract of every limiter', fresh, { countsByMonotonicClock: false });

  it('four nodes share one count and announce one end', async () => {
    const nodes = await Promise.all([make(), make(), make(), make()]);
    for (let round = 0; round < 20; round += 1) {
      const hits = await atOnce(400, (n) => nodes[n % 4]!.hit(`four ${round}`));
      const left = hits.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
      assert.deepEqual(
        left.toSorted((a, b) => b - a),
        Array.from({ length: 100 }, (_, n) => 99 - n),
      );
      assert.equal(new Set(hits.map(({ resetsAtMs }) => resetsAtMs)).size, 1);
    }
    assert.ok(nodes.every((node) => node.sharing().fallbacks === 0));
    for (const node of nodes) await node.close();
  });

  it('a restarted node continues the count', async () => {
    const first = await make();
    await hitTimes(first, 'restart', 40);
    await first.close();
    const second = await make();
    assert.equal((await second.hit('restart')).remaining, 59);
    await second.close();
  });

  it('limiters with different spaces count apart', async () => {
    const rateLimit = { limit: 3, windowMs: 60_000 };
    const [first, second] = [await make(), await make({ space: 'own', rateLimit })];
    await hitTimes(first, 'spaces', 40);
    assert.equal((await second.hit('spaces')).remaining, 2);
    assert.equal((await first.hit('spaces')).remaining, 59);
    await first.close();
    await second.close();
  });

  it('a script that the server has lost is sent again, and every hit counts once', async () => {
    const limiter = await make();
    await limiter.hit('script');
    await server.ask('SCRIPT', 'FLUSH');
    const hits = await atOnce(50, () => limiter.hit('script'));
    const left = hits.map(({ remaining }) => remaining).toSorted((a, b) => b - a);
    assert.deepEqual(
      left,
      Array.from({ length: 50 }, (_, n) => 98 - n),
    );
    assert.equal(limiter.sharing().fallbacks, 0);
    await limiter.close();
  });

  describe('a key', () => {
    /** Hits a client once and returns its key. */
    const keyOfHit = async (limiter: SharedLimiter, client: string): Promise<string> => {
      await server.ask('FLUSHALL');
      await limiter.hit(client);
      return server.ask('RANDOMKEY');
    };

    it('that lost its expiry gets it again', async () => {
      const limiter = await make();
      const key = await keyOfHit(limiter, 'persistent');
      await server.ask('PERSIST', key);
      await limiter.hit('persistent');
      const ttlMs = Number(await server.ask('PTTL', key));
      assert.ok(ttlMs > 0 && ttlMs <= SPECIFIED.windowMs + 5000, String(ttlMs));
      await limiter.close();
    });

    const commands: readonly (readonly string[])[] = [
      ['SET', 'KEY', 'nonsense'],
      ['SET', 'KEY', ''],
      ['SET', 'KEY', '9999999999999999999999 1'],
      ['LPUSH', 'KEY', '1'],
      ['HSET', 'KEY', 'count', '1'],
    ];
    for (const command of commands) {
      it(`overwritten by ${command.join(' ')} becomes a window again, with its hits and its end`, async () => {
        const limiter = await make();
        const key = await keyOfHit(limiter, 'overwritten');
        await server.ask('DEL', key);
        await server.ask(...command.map((word) => (word === 'KEY' ? key : word)));
        const hits = [await limiter.hit('overwritten'), await limiter.hit('overwritten')];
        assert.equal(hits[0]!.remaining - hits[1]!.remaining, 1);
        assert.ok(hits.every(({ retryAfterMs }) => retryAfterMs <= SPECIFIED.windowMs));
        assert.ok(Number(await server.ask('PTTL', key)) > 0);
        assert.deepEqual(limiter.sharing(), { isShared: true, fallbacks: 0 });
        await limiter.close();
      });
    }

    it('does not contain the address, takes less than 200 bytes, and expires with its window', async () => {
      const limiter = await make({ rateLimit: { limit: 5, windowMs: 50 } });
      const key = await keyOfHit(limiter, '203.0.113.77');
      assert.doesNotMatch(key, /203|\.77/);
      assert.ok(Number(await server.ask('MEMORY', 'USAGE', key)) < 200);
      assert.ok(Number(await server.ask('PTTL', key)) <= 50 + 5000);
      await limiter.close();
    });
  });
}
