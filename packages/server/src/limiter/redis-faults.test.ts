import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { startRelay } from './testing/relay.ts';
import { noRedis, startRedis, type RedisServer } from './testing/redis-server.ts';
import { atOnce, hitTimes, share, sharedAgain, untilTrue, watch } from './testing/sharing.ts';

let server: RedisServer;
before(async () => {
  if (noRedis) return;
  const slowly = ['--key-load-delay', '2000', '--loading-process-events-interval-bytes', '1024'];
  server = await startRedis({ flags: ['--enable-debug-command', 'yes', ...slowly] });
});
after(async () => {
  if (!noRedis) await server.stop();
});

async function shareFor(t: TestContext, url: string) {
  const watched = await share(url);
  t.after(() => watched.limiter.close());
  return watched;
}

async function opened(t: TestContext, url: string) {
  const watched = watch(url);
  t.after(() => watched.limiter.close());
  await watched.limiter.open();
  return watched;
}

const say = (words: string) => (): Promise<string> => server.ask(...words.split(' '));
const persistenceHas = (what: string): Promise<void> =>
  untilTrue(async () => (await server.ask('INFO', 'PERSISTENCE')).includes(what), `no ${what}`);

/** How a fault begins and ends, and the reason that must be logged. */
const faults: readonly (readonly [string, () => unknown, () => unknown, RegExp])[] = [
  ['full', say('CONFIG SET maxmemory 1mb'), say('CONFIG SET maxmemory 0'), /^OOM /],
  ['a replica', say('REPLICAOF 127.0.0.1 1'), say('REPLICAOF NO ONE'), /^READONLY /],
  [
    'refusing permission',
    say('ACL SETUSER default -evalsha -eval'),
    say('ACL SETUSER default +@all'),
    /^NOPERM /,
  ],
  [
    'unable to save',
    async () => {
      await server.ask('CONFIG', 'SET', 'save', '3600 1');
      mkdirSync(join(server.folder, 'dump.rdb'));
      await server.ask('BGSAVE');
      await persistenceHas('bgsave_status:err');
    },
    async () => {
      await server.ask('CONFIG', 'SET', 'stop-writes-on-bgsave-error', 'no', 'save', '');
      rmdirSync(join(server.folder, 'dump.rdb'));
    },
    /^MISCONF /,
  ],
];

describe('shared limiter while Redis', { skip: noRedis }, () => {
  for (const [name, begin, end, reason] of faults)
    it(`is ${name}: counts locally, and shares again automatically`, async (t) => {
      const { limiter, states } = await shareFor(t, server.url);
      await begin();
      const hits = await atOnce(150, () => limiter.hit(name));
      assert.equal(hits.filter(({ allowed }) => allowed).length, 100);
      assert.deepEqual(limiter.sharing(), { isShared: false, fallbacks: 150 });
      await end();
      await sharedAgain(limiter);
      assert.equal(states.map(({ isShared }) => isShared).join(), 'true,false,true');
      assert.match(states[1]!.reason, reason);
      assert.equal((await limiter.hit(`after ${name}`)).remaining, 99);
    });

  it('has become a replica: connects again, by the same name, to the new primary', async (t) => {
    const former = await startRedis();
    t.after(() => former.stop());
    const relay = await startRelay(former.port);
    t.after(() => relay.close());
    const { limiter } = await shareFor(t, `redis://127.0.0.1:${relay.port}`);
    relay.divert(server.port);
    await former.ask('REPLICAOF', '127.0.0.1', '1');
    await server.ask('FLUSHALL');
    await atOnce(100, () => limiter.hit('somebody'));
    await sharedAgain(limiter);
    assert.equal((await limiter.hit('another')).remaining, 99);
    assert.ok(Number(await server.ask('DBSIZE')) > 0);
    assert.equal(relay.connections(), 2);
  });

  it('has lost a connection during a hit, or has become silent: connects again', async (t) => {
    const relay = await startRelay(server.port);
    t.after(() => relay.close());
    const { limiter } = await shareFor(t, `redis://127.0.0.1:${relay.port}`);
    relay.cutAfterNextRequest();
    const hit = await limiter.hit('cut');
    assert.deepEqual([hit.allowed, hit.remaining], [true, 99]);
    await sharedAgain(limiter);
    assert.equal(relay.connections(), 2);
    // Redis had counted the hit before its reply was lost.
    assert.equal((await limiter.hit('cut')).remaining, 98);
    relay.silence();
    await limiter.hit('silent');
    assert.equal(limiter.sharing().isShared, false);
    await sharedAgain(limiter);
    assert.equal(relay.connections(), 3);
  });
});

describe('a start of a shared limiter', { skip: noRedis }, () => {
  for (const [state, begin, end, reason] of [
    ['stopped', () => server.kill(), () => server.restart(), /ECONNREFUSED 127\.0\.0\.1/],
    ['frozen', () => server.freeze(), () => server.thaw(), /no reply within|Socket timeout/],
    [
      'loading its data',
      async () => {
        await server.ask('DEBUG', 'POPULATE', '2000');
        void server.ask('DEBUG', 'RELOAD').catch(() => undefined);
        await persistenceHas('loading:1');
      },
      say('CONFIG SET key-load-delay 0'),
      /^LOADING |no reply/,
    ],
  ] as const)
    it(`is not delayed by a Redis that is ${state}, which is shared when it is available`, async (t) => {
      await begin();
      const { limiter, states } = await opened(t, server.url);
      assert.match(states[0]!.reason, reason);
      assert.equal((await hitTimes(limiter, state, 101)).allowed, false);
      await end();
      await sharedAgain(limiter);
      assert.equal(states.length, 2);
    });

  it('reports a name that cannot be resolved', async (t) => {
    const { states } = await opened(t, 'redis://nowhere.invalid');
    assert.match(states[0]!.reason, /(ENOTFOUND|EAI_AGAIN) nowhere\.invalid|no reply within/);
  });

  it('without Redis, one server or a cluster, does not keep the process running', async () => {
    const script = `
      import { watch } from ${JSON.stringify(new URL('./testing/sharing.ts', import.meta.url).href)};
      for (const url of ['redis://127.0.0.1:1', 'redis://127.0.0.1:1?cluster']) {
        const { limiter } = watch(url);
        await limiter.open();
        await limiter.close();
      }`;
    const args = ['--input-type=module', '--eval', script];
    await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
  });
});
