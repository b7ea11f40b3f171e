import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { rateLimitHeaders } from '../headers.ts';
import type { Hit } from '../limiter.ts';
import { createRedisLimiter } from './redis-limiter.ts';
import { parseRedisUrl } from './redis-url.ts';
import type { SharingState } from './shared-limiter.ts';
import { hitTimes, SPECIFIED } from '../testing/limiter-under-test.ts';
import { startRelay } from '../testing/relay.ts';
import { noRedis, startRedis } from '../testing/redis-server.ts';
import type { RedisServer } from '../testing/redis-server.ts';
import { atOnce, share, sharedAgain, untilTrue, watch } from '../testing/sharing.ts';

/** A limiter in these tests waits 400 ms; the rest allows for a busy machine. */
const mostWaitMs = 1000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function startFor(t: TestContext, flags: readonly string[] = []): Promise<RedisServer> {
  const server = await startRedis({ flags });
  t.after(() => server.stop());
  return server;
}

async function shareFor(t: TestContext, url: string) {
  const watched = await share(url);
  t.after(() => watched.limiter.close());
  return watched;
}

/** How a fault begins and ends, and the reason that must be logged. */
interface Fault {
  readonly begin: (server: RedisServer) => unknown;
  readonly end: (server: RedisServer) => unknown;
  readonly reason: RegExp;
}

const faults: Readonly<Record<string, Fault>> = {
  stopped: {
    begin: (server) => server.kill(),
    end: (server) => server.restart(),
    reason: /ECONNREFUSED|connection was closed/,
  },
  frozen: {
    begin: (server) => server.freeze(),
    end: (server) => server.thaw(),
    reason: /no reply within 400 ms/,
  },
  full: {
    begin: (server) => server.ask('CONFIG', 'SET', 'maxmemory', '1mb'),
    end: (server) => server.ask('CONFIG', 'SET', 'maxmemory', '0'),
    reason: /^OOM /,
  },
  'a replica after a failover': {
    begin: (server) => server.ask('REPLICAOF', '127.0.0.1', '1'),
    end: (server) => server.ask('REPLICAOF', 'NO', 'ONE'),
    reason: /^READONLY /,
  },
  'unable to save': {
    begin: async (server) => {
      await server.ask('CONFIG', 'SET', 'save', '3600 1');
      mkdirSync(join(server.folder, 'dump.rdb'));
      await server.ask('BGSAVE');
      await untilTrue(
        async () => (await server.ask('INFO', 'PERSISTENCE')).includes('bgsave_status:err'),
        'the save does not fail',
      );
    },
    end: (server) => server.ask('CONFIG', 'SET', 'stop-writes-on-bgsave-error', 'no'),
    reason: /^MISCONF /,
  },
  'refusing permission': {
    begin: async (server) => {
      await server.ask('ACL', 'SETUSER', 'default', '-evalsha', '-eval');
    },
    end: (server) => server.ask('ACL', 'SETUSER', 'default', '+@all'),
    reason: /^NOPERM /,
  },
};

describe('shared limiter while Redis', { skip: noRedis }, () => {
  for (const [name, { begin, end, reason }] of Object.entries(faults))
    it(`is ${name}: counts locally, and shares again automatically`, async (t) => {
      const server = await startFor(t);
      const { limiter, states } = await shareFor(t, server.url);
      await begin(server);
      const hits = await timed(150, () => limiter.hit('somebody'));
      assert.equal(hits.filter(({ allowed }) => allowed).length, SPECIFIED.limit);
      for (const hit of hits) assert.match(rateLimitHeaders(hit)['RateLimit-Reset']!, /^\d{10}$/);
      assert.deepEqual(limiter.sharing(), { isShared: false, fallbacks: 150 });
      // Failing probes in the meantime are not logged.
      await hitTimes(limiter, 'another', 3);
      await end(server);
      await sharedAgain(limiter);
      assert.deepEqual(
        states.map(({ isShared }) => isShared),
        [true, false, true],
      );
      assert.match(states[1]!.reason, reason);
      assert.equal((await limiter.hit('third')).remaining, 99);
    });

  it('has become a replica: connects again, by the same name, to the new primary', async (t) => {
    const [former, first] = [await startFor(t), await startFor(t)];
    const relay = await startRelay(former.port);
    t.after(() => relay.close());
    const { limiter } = await shareFor(t, `redis://127.0.0.1:${relay.port}`);
    relay.divert(first.port);
    await former.ask('REPLICAOF', '127.0.0.1', '1');
    await atOnce(100, () => limiter.hit('somebody'));
    await sharedAgain(limiter);
    assert.equal((await limiter.hit('another')).remaining, 99);
    assert.ok(Number(await first.ask('DBSIZE')) > 0);
    assert.equal(relay.connections(), 2);
  });

  it('reports that the limit is reached: counts nothing locally', async (t) => {
    const server = await startFor(t);
    const { limiter } = await shareFor(t, server.url);
    const hits = await atOnce(250, () => limiter.hit('somebody'));
    assert.equal(hits.filter(({ allowed }) => allowed).length, SPECIFIED.limit);
    assert.deepEqual([limiter.sharing().fallbacks, limiter.clientCount()], [0, 0]);
  });

  it('is frozen: a hit waits for 100 ms by default', async (t) => {
    const server = await startFor(t);
    const states: SharingState[] = [];
    const limiter = createRedisLimiter({
      rateLimit: SPECIFIED,
      address: parseRedisUrl(server.url)!,
      onStateChange: (state) => states.push(state),
    });
    t.after(() => limiter.close());
    await limiter.open();
    server.freeze();
    const beganMs = performance.now();
    await limiter.hit('somebody');
    assert.ok(performance.now() - beganMs >= 99);
    assert.equal(states.at(-1)?.reason, 'no reply within 100 ms');
  });

  it('is frozen: only hits already sent wait for it, and late replies change nothing', async (t) => {
    const server = await startFor(t);
    const { limiter } = await shareFor(t, server.url);
    await hitTimes(limiter, 'somebody', 10);
    server.freeze();
    await atOnce(20, () => limiter.hit('somebody'));
    for (let n = 0; n < 200; n += 1) assert.ok(!(limiter.hit('somebody') instanceof Promise));
    server.thaw();
    await sharedAgain(limiter);
    // Redis may have counted the 20 hits that were sent, but not the 200 that were not.
    const { remaining } = await limiter.hit('somebody');
    assert.ok(remaining >= 100 - 31 && remaining <= 100 - 11, String(remaining));
  });

  it('is unavailable for long: no hits are queued for its return', async (t) => {
    const server = await startFor(t);
    const { limiter } = await shareFor(t, server.url);
    server.freeze();
    await limiter.hit('somebody');
    const untilMs = performance.now() + 2500;
    await untilTrue(() => {
      void limiter.hit('somebody');
      return performance.now() > untilMs;
    }, 'the clock does not move');
    server.thaw();
    await sharedAgain(limiter);
    await server.ask('PING');
    const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await server.ask('INFO', 'COMMANDSTATS'));
    assert.ok(Number(calls?.[1]) < 20, calls?.[0]);
  });

  it('is stopped: a flood of clients is forgotten one window after its return', async (t) => {
    const server = await startFor(t);
    const { limiter } = watch(server.url, { rateLimit: { limit: 5, windowMs: 1000 } });
    t.after(() => limiter.close());
    await limiter.open();
    await server.kill();
    await limiter.hit('somebody');
    const held = (): number => process.memoryUsage().external;
    const beforeBytes = held();
    for (let n = 0; n < 100_000; n += 1) void limiter.hit(`client ${n}`);
    assert.ok(held() - beforeBytes > 3_000_000, 'the flood takes memory');
    await server.restart();
    await sharedAgain(limiter);
    await untilTrue(() => {
      collectGarbage();
      return held() - beforeBytes < 1_000_000;
    }, 'the memory is kept');
  });
});

describe('a connection to Redis', { skip: noRedis }, () => {
  it('that is cut during a hit is opened again, and the hit is counted', async (t) => {
    const server = await startFor(t);
    const relay = await startRelay(server.port);
    t.after(() => relay.close());
    const { limiter } = await shareFor(t, `redis://127.0.0.1:${relay.port}`);
    relay.cutAfterNextRequest();
    const [hit] = await timed(1, () => limiter.hit('cut'));
    assert.deepEqual([hit!.allowed, hit!.remaining], [true, 99]);
    await sharedAgain(limiter);
    assert.equal(relay.connections(), 2);
    // Redis had counted the hit before its reply was lost.
    assert.equal((await limiter.hit('cut')).remaining, 98);
  });

  it('that has become silent is closed', async (t) => {
    const server = await startFor(t);
    const relay = await startRelay(server.port);
    t.after(() => relay.close());
    const { limiter } = await shareFor(t, `redis://127.0.0.1:${relay.port}`);
    relay.silence();
    await timed(1, () => limiter.hit('silent'));
    assert.equal(limiter.sharing().isShared, false);
    await sharedAgain(limiter);
    assert.equal(relay.connections(), 2);
  });
});

describe('a start', { skip: noRedis }, () => {
  const opened = async (t: TestContext, url: string) => {
    const watched = watch(url);
    t.after(() => watched.limiter.close());
    const beganMs = performance.now();
    await watched.limiter.open();
    const tookMs = performance.now() - beganMs;
    assert.ok(tookMs < 2 * mostWaitMs, `${tookMs} ms`);
    return watched;
  };

  it('with Redis reports before the first hit that counts are shared', async (t) => {
    const server = await startFor(t);
    const { states } = await opened(t, server.url);
    assert.deepEqual(states, [{ isShared: true, reason: '' }]);
  });

  it('without Redis reports it, counts locally, and shares when Redis is available', async (t) => {
    const server = await startFor(t);
    await server.kill();
    const { limiter, states } = await opened(t, server.url);
    assert.match(states[0]!.reason, /ECONNREFUSED 127\.0\.0\.1/);
    assert.equal((await hitTimes(limiter, 'a', 101)).allowed, false);
    await server.restart();
    await sharedAgain(limiter);
    assert.equal(states.length, 2);
  });

  for (const [form, to] of [
    ['one server', 'redis://127.0.0.1:1'],
    ['a cluster', 'redis://127.0.0.1:1?cluster'],
  ])
    it(`without Redis, ${form}, does not delay the end of the process`, async () => {
      const script = `
        import { watch } from ${JSON.stringify(new URL('../testing/sharing.ts', import.meta.url).href)};
        const { limiter } = watch(${JSON.stringify(to)});
        await limiter.open();
        await limiter.close();
        const closedMs = performance.now();
        process.on('exit', () => console.log(performance.now() - closedMs));`;
      const args = ['--input-type=module', '--eval', script];
      const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
      assert.ok(Number(stdout) < mostWaitMs, `${stdout} ms`);
    });

  it('with a frozen Redis is not delayed', async (t) => {
    const server = await startFor(t);
    server.freeze();
    const { limiter, states } = await opened(t, server.url);
    assert.match(states[0]!.reason, /no reply within 1000 ms|Socket timeout/);
    assert.equal((await hitTimes(limiter, 'a', 101)).allowed, false);
    server.thaw();
    await sharedAgain(limiter);
  });

  it('with a name that cannot be resolved reports the name', async (t) => {
    const { limiter, states } = await opened(t, 'redis://nowhere.invalid');
    assert.match(states[0]!.reason, /(ENOTFOUND|EAI_AGAIN) nowhere\.invalid|no reply within/);
    assert.equal((await hitTimes(limiter, 'a', 101)).allowed, false);
  });

  it('while Redis loads its data counts locally until it is loaded', async (t) => {
    const slowly = ['--key-load-delay', '2000', '--loading-process-events-interval-bytes', '1024'];
    const server = await startFor(t, ['--enable-debug-command', 'yes', ...slowly]);
    await server.ask('DEBUG', 'POPULATE', '2000');
    void server.ask('DEBUG', 'RELOAD').catch(() => undefined);
    await untilTrue(
      async () => (await server.ask('INFO', 'PERSISTENCE')).includes('loading:1'),
      'Redis does not load',
    );
    const { limiter, states } = await opened(t, server.url);
    assert.match(states[0]!.reason, /^LOADING |no reply/);
    assert.equal((await hitTimes(limiter, 'a', 101)).allowed, false);
    await server.ask('CONFIG', 'SET', 'key-load-delay', '0');
    await sharedAgain(limiter);
  });
});

/** Sends hits at once and asserts that none of them takes long. */
async function timed(times: number, hit: () => Hit | Promise<Hit>): Promise<Hit[]> {
  const beganMs = performance.now();
  const all = await atOnce(times, hit);
  const tookMs = performance.now() - beganMs;
  assert.ok(tookMs < mostWaitMs, `${tookMs} ms`);
  return all;
}
