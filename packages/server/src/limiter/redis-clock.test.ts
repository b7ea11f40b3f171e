import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { FakeClock, faketimeLibrary } from '../../../../prove/faketime.ts';
import type { Hit } from './limiter.ts';
import { hitTimes, LAW } from './testing/limiter-under-test.ts';
import { noRedis, startRedis } from './testing/redis-server.ts';
import type { RedisServer } from './testing/redis-server.ts';
import { share } from './testing/sharing.ts';

const hourMs = 3_600_000;

describe('the clock that counts', { skip: noRedis }, () => {
  let server: RedisServer;
  before(async () => {
    server = await startRedis();
  });
  after(() => server.stop());

  /** Two nodes whose Redis is told the time, for want of one whose clock can be set. */
  const shareFor = async (t: TestContext) => {
    const clock = { nowMs: Date.now() };
    const now = (): number => clock.nowMs;
    const nodes = [await share(server.url, { now }), await share(server.url, { now })];
    t.after(() => Promise.all(nodes.map(({ limiter }) => limiter.close())));
    return { clock, one: nodes[0]!.limiter, two: nodes[1]!.limiter };
  };

  for (const byMs of [-hourMs, -LAW.windowMs / 2])
    it(`set by ${byMs / 1000} s gives no quota back, no longer wait, and one end on all nodes`, async (t) => {
      const { clock, one, two } = await shareFor(t);
      const source = `back ${byMs}`;
      await hitTimes(one, source, 100);
      clock.nowMs += byMs;
      const hits: Hit[] = [];
      for (const node of [one, two, one]) {
        hits.push(await node.hit(source));
        clock.nowMs += 1000;
      }
      assert.ok(hits.every(({ allowed }) => !allowed));
      assert.deepEqual(
        hits.map(({ retryAfterMs }) => retryAfterMs),
        [LAW.windowMs, LAW.windowMs - 1000, LAW.windowMs - 2000],
      );
      assert.equal(new Set(hits.map(({ resetsAtMs }) => resetsAtMs)).size, 1);
      clock.nowMs = hits[0]!.resetsAtMs;
      assert.equal((await two.hit(source)).remaining, 99);
    });

  it('set an hour forward ends the windows, and begins sound ones', async (t) => {
    const { clock, one, two } = await shareFor(t);
    await hitTimes(one, 'forward', 101);
    clock.nowMs += hourMs;
    const hits = [await two.hit('forward'), await one.hit('forward')];
    assert.deepEqual(
      hits.map(({ remaining, retryAfterMs }) => [remaining, retryAfterMs]),
      [
        [99, LAW.windowMs],
        [98, LAW.windowMs],
      ],
    );
  });

  const noFaketime = faketimeLibrary() === undefined && 'missing: libfaketime';
  it(
    'is that of Redis: a node an hour ahead tells the same end',
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
      assert.ok(there.nodeMs > Date.now() + hourMs / 2, 'the node does not go by another clock');
      assert.deepEqual([there.remaining, there.resetsAtMs], [98, here.resetsAtMs]);
      assert.ok(there.retryAfterMs <= here.retryAfterMs);
    },
  );
});

/** One hit by a node in a process of its own, and the time that process went by. */
async function hitElsewhere(
  source: string,
  url: string,
  environment: Readonly<Record<string, string>>,
): Promise<Hit & { nodeMs: number }> {
  const script = `
    import { share } from ${JSON.stringify(new URL('testing/sharing.ts', import.meta.url).href)};
    const { limiter } = await share(${JSON.stringify(url)});
    const hit = await limiter.hit(${JSON.stringify(source)});
    console.log(JSON.stringify({ ...hit, nodeMs: Date.now() }));
    await limiter.close();`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { env: { ...process.env, ...environment }, timeout: 20_000 },
  );
  return JSON.parse(stdout) as Hit & { nodeMs: number };
}
