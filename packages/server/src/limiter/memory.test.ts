import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { limiterContract } from './limiter-contract.ts';
import { modelTest } from './limiter-model.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { createMemoryLimiter } from './memory.ts';
import type { MemoryLimiter } from './memory.ts';

const WINDOW_MS = 60_000;

limiterContract('memory limiter', (options) =>
  createMemoryLimiter({ ...options, maxSources: 5000 }),
);
describe('memory limiter with just enough room for the six sources of the model', () => {
  modelTest((options) => createMemoryLimiter({ ...options, maxSources: 6 }));
});

function makeFull(limit: number): { limiter: MemoryLimiter; clock: ManualClock } {
  const clock = new ManualClock();
  const rateLimit = { limit, windowMs: WINDOW_MS };
  const limiter = createMemoryLimiter({ rateLimit, clock, maxSources: 2 });
  limiter.hit('own 1');
  limiter.hit('own 2');
  return { limiter, clock };
}

describe('memory limiter beyond its bound', () => {
  it('keeps every running window, whoever else comes', () => {
    const { limiter, clock } = makeFull(100);
    for (let i = 0; i < 20_000; i += 1) limiter.hit(`newcomer ${i}`);
    clock.advance(WINDOW_MS - 1);
    for (let i = 0; i < 20_000; i += 1) limiter.hit(`late newcomer ${i}`);
    assert.equal(limiter.hit('own 1').remaining, 98);
    assert.equal(limiter.hit('own 2').remaining, 98);
  });

  it('lets newcomers share 1,024 windows, each with the limit', () => {
    const { limiter } = makeFull(3);
    const passes = Array.from({ length: 40_000 }, (_, i) => limiter.hit(`newcomer ${i}`).allowed);
    // That one of the 1,024 gets fewer than 3 of 40,000 happens once in some 10^11 runs.
    assert.equal(passes.filter(Boolean).length, 3 * 1024);
  });

  it('spreads newcomers under a secret: two limiters share them out differently', () => {
    const passes = [makeFull(1), makeFull(1)].map(({ limiter }) =>
      Array.from({ length: 5000 }, (_, i) => limiter.hit(`newcomer ${i}`).allowed),
    );
    assert.notDeepEqual(passes[0], passes[1]);
  });

  it('gives a newcomer the limit and no more', () => {
    const { limiter } = makeFull(100);
    const hits = Array.from({ length: 130 }, () => limiter.hit('newcomer'));
    assert.deepEqual(
      hits.map((hit) => hit.remaining),
      Array.from({ length: 130 }, (_, i) => Math.max(0, 99 - i)),
    );
    assert.equal(hits.filter((hit) => hit.allowed).length, 100);
  });

  it('leaves a newcomer in its shared window until that ends, also when room returns', () => {
    const { limiter, clock } = makeFull(100);
    clock.advance(10_000);
    const { resetsAtMs } = limiter.hit('newcomer');
    clock.advance(WINDOW_MS - 10_000);
    const later = limiter.hit('newcomer');
    assert.deepEqual([later.remaining, later.resetsAtMs], [98, resetsAtMs]);
  });

  it('gives out own windows again as others end', () => {
    const { limiter, clock } = makeFull(2);
    for (let i = 0; i < 20_000; i += 1) limiter.hit(`newcomer ${i}`);
    clock.advance(WINDOW_MS);
    const again = ['x', 'y'].map((key) => limiter.hit(key).remaining);
    assert.deepEqual(again, [1, 1]);
    for (let i = 0; i < 20_000; i += 1) limiter.hit(`newcomer ${i}`);
    assert.deepEqual(
      ['x', 'y'].map((key) => limiter.hit(key).remaining),
      [0, 0],
    );
  });

  it('loses no room when a source comes back before others that ended with it', () => {
    const clock = new ManualClock();
    const rateLimit = { limit: 2, windowMs: WINDOW_MS };
    const limiter = createMemoryLimiter({ rateLimit, clock, maxSources: 4 });
    for (const key of ['a', 'b', 'back']) limiter.hit(key);
    clock.advance(10_000);
    limiter.hit('d');
    clock.advance(WINDOW_MS - 10_000);
    limiter.hit('back');
    clock.advance(15_000);
    for (const key of ['x', 'y', 'z']) limiter.hit(key);
    for (let i = 0; i < 20_000; i += 1) limiter.hit(`newcomer ${i}`);
    const second = ['back', 'x', 'y', 'z'].map((key) => limiter.hit(key).allowed);
    assert.deepEqual(second, [true, true, true, true]);
  });

  it('never gives a source two windows at once', () => {
    const sourceArbitrary = fc.integer({ min: 0, max: 11 });
    const stepArbitrary = fc.tuple(sourceArbitrary, fc.constantFrom(0, 0, 0, 1, 7_000, 31_000));
    const stepsArbitrary = fc.array(stepArbitrary, { maxLength: 400, size: 'max' });
    const property = fc.property(stepsArbitrary, (steps) => assertOneWindowEach(steps));
    fc.assert(property, { numRuns: 200 });
  });
});

/** With a steady wall clock, reset names the window; it may change only once it has passed. */
function assertOneWindowEach(steps: readonly (readonly [number, number])[]): void {
  const { limiter, clock } = makeFull(3);
  const windows = new Map<number, { resetsAtMs: number; passes: number }>();
  for (const [source, waitMs] of steps) {
    clock.advance(waitMs);
    const { resetsAtMs, allowed } = limiter.hit(`source ${source}`);
    const before = windows.get(source);
    if (before !== undefined && before.resetsAtMs !== resetsAtMs) {
      assert.ok(clock.wallMs() >= before.resetsAtMs);
    }
    const passesBefore = before?.resetsAtMs === resetsAtMs ? before.passes : 0;
    const passes = passesBefore + Number(allowed);
    assert.ok(passes <= 3);
    windows.set(source, { resetsAtMs, passes });
  }
}

describe('memory limiter', () => {
  it('refuses a number of sources it cannot keep', () => {
    const rateLimit = { limit: 1, windowMs: 1 };
    for (const maxSources of [0, -1, 1.5, NaN, Infinity, 2 ** 24 + 1]) {
      assert.throws(
        () => createMemoryLimiter({ rateLimit, maxSources }),
        new RangeError(`Max sources must be 1 to 16777216, not ${maxSources}`),
      );
    }
  });

  it('uses the clock of the machine unless given another', () => {
    const limiter = createMemoryLimiter({ rateLimit: { limit: 2, windowMs: 86_400_000 } });
    const first = limiter.hit('a');
    const second = limiter.hit('a');
    assert.deepEqual([first.remaining, second.remaining], [1, 0]);
    assert.ok(second.retryAfterMs <= first.retryAfterMs && second.retryAfterMs > 0);
  });

  it('leaves no timer behind and closes twice', async () => {
    const before = process.getActiveResourcesInfo();
    const limiter = createMemoryLimiter({ rateLimit: { limit: 1, windowMs: 1000 } });
    limiter.hit('a');
    assert.deepEqual(process.getActiveResourcesInfo(), before);
    await limiter.close();
    await limiter.close();
  });

  it('keeps a million sources apart in less than 100 MB', () => {
    const source = `
      import { createMemoryLimiter } from ${JSON.stringify(new URL('./memory.ts', import.meta.url))};
      const rss = () => (globalThis.gc(), process.memoryUsage.rss());
      const before = rss();
      const limiter = createMemoryLimiter({ rateLimit: { limit: 100, windowMs: 86_400_000 } });
      const key = (i) => [10 + (i >> 24), (i >> 16) & 255, (i >> 8) & 255, i & 255].join('.');
      const own = { 99: 0, 98: 0 };
      for (let round = 0; round < 2; round += 1) {
        for (let i = 0; i < 1_000_000; i += 1) own[limiter.hit(key(i)).remaining] += 1;
      }
      console.log(JSON.stringify({ grownBytes: rss() - before, own }));`;
    const args = ['--expose-gc', '--input-type=module', '--eval', source];
    const child = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
    assert.equal(child.status, 0, child.stderr);
    const { grownBytes, own } = JSON.parse(child.stdout) as { grownBytes: number; own: object };
    assert.deepEqual(own, { 98: 1_000_000, 99: 1_000_000 });
    assert.ok(grownBytes < 100_000_000, `${grownBytes} bytes`);
  });
});
