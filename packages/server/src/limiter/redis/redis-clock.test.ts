import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { FakeClock, faketimeLibrary } from '../testing/faketime.ts';
import type { Hit } from '../limiter.ts';
import { hitTimes, SPECIFIED } from '../testing/limiter-under-test.ts';
import { noRedis, startRedis } from '../testing/redis-server.ts';
import type { RedisServer } from '../testing/redis-server.ts';
import { share } from '../testing/sharing.ts';

const hourMs = 3_600_000;

describe('the clock of shared windows', { skip: noRedis }, () => {
  let server: RedisServer;
  before(async () => {
    server = await startRedis();
  });
  after(() => server.stop());

  /** Two nodes that send the time to Redis, because the clock of a Redis server cannot be set. */
  const shareFor = async (t: TestContext) => {
    const clock = { nowMs: Date.now() };
    const now = (): number => clock.nowMs;
    const nodes = [await share(server.url, { now }), await share(server.url, { now })];
    t.after(() => Promise.all(nodes.map(({ limiter }) => limiter.close())));
    return { clock, one: nodes[0]!.limiter, two: nodes[1]!.limiter };
  };

  for (const byMs of [-hourMs, -SPECIFIED.windowMs / 2])
    it(`set by ${byMs / 1000} s returns no quota, and keeps the wait within a window and one end`, async (t) => {
      const { clock, one, two } = await shareFor(t);
      const client = `back ${byMs}`;
      await hitTimes(one, client, 100);
      clock.nowMs += byMs;
      const hits: Hit[] = [];
      for (const node of [one, two, one]) {
        hits.push(await node.hit(client));
        clock.nowMs += 1000;
      }
      assert.ok(hits.every(({ allowed }) => !allowed));
      assert.deepEqual(
        hits.map(({ retryAfterMs }) => retryAfterMs),
        [SPECIFIED.windowMs, SPECIFIED.windowMs - 1000, SPECIFIED.windowMs - 2000],
      );
      assert.equal(new Set(hits.map(({ resetsAtMs }) => resetsAtMs)).size, 1);
      clock.nowMs = hits[0]!.resetsAtMs;
      assert.equal((await two.hit(client)).remaining, 99);
    });

  it('set an hour forward ends the windows and starts correct ones', async (t) => {
    const { clock, one, two } = await shareFor(t);
    await hitTimes(one, 'forward', 101);
    clock.nowMs += hourMs;
    const hits = [await two.hit('forward'), await one.hit('forward')];
    assert.deepEqual(
      hits.map(({ remaining, retryAfterMs }) => [remaining, retryAfterMs]),
      [
        [99, SPECIFIED.windowMs],
        [98, SPECIFIED.windowMs],
      ],
    );
  });

  const noFaketime = faketimeLibrary() === undefined && 'missing: libfaketime';
  it(
    'is that of Redis: a node an hour ahead announces the same end',
    { skip: noFaketime },
    async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'coffer-redis-clock-'));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      const { limiter } = await share(server.url);
      t.after(() => limiter.close());
      const here = await limiter.hit('astray');
      const ahead = await FakeClock.start(folder);
      await ahead.set(hourMs);
      const there = await hitElsewhere('astray', server.url, ahead.environment);
      assert.ok(there.nodeMs > Date.now() + hourMs / 2, 'the node does not use another clock');
      assert.deepEqual([there.remaining, there.resetsAtMs], [98, here.resetsAtMs]);
      assert.ok(there.retryAfterMs <= here.retryAfterMs);
    },
  );
});

/** One hit by a node in its own process, and the time by the clock of that process. */
async function hitElsewhere(
  client: string,
  url: string,
  environment: Readonly<Record<string, string>>,
): Promise<Hit & { nodeMs: number }> {
  const script = `
    import { share } from ${JSON.stringify(new URL('../testing/sharing.ts', import.meta.url).href)};
    const { limiter } = await share(${JSON.stringify(url)});
    const hit = await limiter.hit(${JSON.stringify(client)});
    console.log(JSON.stringify({ ...hit, nodeMs: Date.now() }));
    await limiter.close();`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { env: { ...process.env, ...environment }, timeout: 20_000 },
  );
  return JSON.parse(stdout) as Hit & { nodeMs: number };
}
