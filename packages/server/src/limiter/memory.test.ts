import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { limiterContract } from './limiter-contract.ts';
import { modelTest } from './limiter-model.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { createMemoryLimiter, systemClock } from './memory.ts';
import type { MemoryLimiter } from './memory.ts';
import { runs } from '../../../core/src/testing/length.ts';

const WINDOW_MS = 60_000;

limiterContract('memory limiter', (options) =>
  createMemoryLimiter({ ...options, maxClients: 5000 }),
);
describe('memory limiter with just enough room for the six clients of the model', () => {
  modelTest((options) => createMemoryLimiter({ ...options, maxClients: 6 }));
});

function makeFull(limit: number): { limiter: MemoryLimiter; clock: ManualClock } {
  const clock = new ManualClock();
  const rateLimit = { limit, windowMs: WINDOW_MS };
  const limiter = createMemoryLimiter({ rateLimit, clock, maxClients: 2 });
  limiter.hit('own 1');
  limiter.hit('own 2');
  return { limiter, clock };
}

describe('memory limiter with more clients than it keeps windows for', () => {
  it('keeps every running window, however many new clients arrive', () => {
    const { limiter, clock } = makeFull(100);
    for (let i = 0; i < 20_000; i += 1) limiter.hit(`newcomer ${i}`);
    clock.advance(WINDOW_MS - 1);
    for (let i = 0; i < 20_000; i += 1) limiter.hit(`late newcomer ${i}`);
    assert.equal(limiter.hit('own 1').remaining, 98);
    assert.equal(limiter.hit('own 2').remaining, 98);
  });

  it('lets new clients share 1,024 windows, each with the limit', () => {
    const { limiter } = makeFull(3);
    const passes = Array.from({ length: 40_000 }, (_, i) => limiter.hit(`newcomer ${i}`).allowed);
    // By chance, one of the 1,024 windows gets fewer than 3 of 40,000 clients once in about 10^11 runs.
    assert.equal(passes.filter(Boolean).length, 3 * 1024);
  });

  it('chooses shared windows by a secret: two limiters choose different ones', () => {
    const passes = [makeFull(1), makeFull(1)].map(({ limiter }) =>
      Array.from({ length: 5000 }, (_, i) => limiter.hit(`newcomer ${i}`).allowed),
    );
    assert.notDeepEqual(passes[0], passes[1]);
  });

  it('allows a new client exactly the limit', () => {
    const { limiter } = makeFull(100);
    const hits = Array.from({ length: 130 }, () => limiter.hit('newcomer'));
    assert.deepEqual(
      hits.map((hit) => hit.remaining),
      Array.from({ length: 130 }, (_, i) => Math.max(0, 99 - i)),
    );
    assert.equal(hits.filter((hit) => hit.allowed).length, 100);
  });

  it('keeps a new client in its shared window until that ends, even when there is room again', () => {
    const { limiter, clock } = makeFull(100);
    clock.advance(10_000);
    const { resetsAtMs } = limiter.hit('newcomer');
    clock.advance(WINDOW_MS - 10_000);
    const later = limiter.hit('newcomer');
    assert.deepEqual([later.remaining, later.resetsAtMs], [98, resetsAtMs]);
  });

  it('gives clients their own windows again when other windows have ended', () => {
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

  it('loses no room when one of several ended clients returns first', () => {
    const clock = new ManualClock();
    const rateLimit = { limit: 2, windowMs: WINDOW_MS };
    const limiter = createMemoryLimiter({ rateLimit, clock, maxClients: 4 });
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

  it('gives a new client its own window whenever fewer windows run than it keeps', () => {
    const clientArbitrary = fc.integer({ min: 0, max: 11 });
    const stepArbitrary = fc.tuple(clientArbitrary, fc.constantFrom(0, 0, 0, 1, 7_000, 31_000));
    const stepsArbitrary = fc.array(stepArbitrary, { maxLength: 400, size: 'max' });
    const property = fc.property(stepsArbitrary, (steps) => assertRoomIsUsed(steps));
    fc.assert(property, { numRuns: runs(200) });
  });

  it('never gives a client two windows at once', () => {
    const clientArbitrary = fc.integer({ min: 0, max: 11 });
    const stepArbitrary = fc.tuple(clientArbitrary, fc.constantFrom(0, 0, 0, 1, 7_000, 31_000));
    const stepsArbitrary = fc.array(stepArbitrary, { maxLength: 400, size: 'max' });
    const property = fc.property(stepsArbitrary, (steps) => assertOneWindowEach(steps));
    fc.assert(property, { numRuns: runs(200) });
  });
});

/** There is room for four clients. While a shared window may run, nothing is asserted about new clients. */
function assertRoomIsUsed(steps: readonly (readonly [number, number])[]): void {
  const clock = new ManualClock();
  const rateLimit = { limit: 3, windowMs: WINDOW_MS };
  const limiter = createMemoryLimiter({ rateLimit, clock, maxClients: 4 });
  const endsMs = new Map<number, number>();
  let sharedUntilMs = 0;
  for (const [client, waitMs] of steps) {
    clock.advance(waitMs);
    const nowMs = clock.monotonicMs();
    const running = [...endsMs.values()].filter((endMs) => endMs > nowMs).length;
    assert.equal(limiter.clientCount(), running);
    limiter.hit(`client ${client}`);
    if ((endsMs.get(client) ?? 0) > nowMs) continue;
    const isOwn = limiter.clientCount() > running;
    if (nowMs >= sharedUntilMs) assert.equal(isOwn, running < 4);
    if (isOwn) endsMs.set(client, nowMs + WINDOW_MS);
    else sharedUntilMs = nowMs + WINDOW_MS;
  }
}

/** With a steady wall clock, the reset identifies the window; it may change only when it has passed. */
function assertOneWindowEach(steps: readonly (readonly [number, number])[]): void {
  const { limiter, clock } = makeFull(3);
  const windows = new Map<number, { resetsAtMs: number; passes: number }>();
  for (const [client, waitMs] of steps) {
    clock.advance(waitMs);
    const { resetsAtMs, allowed } = limiter.hit(`client ${client}`);
    const before = windows.get(client);
    if (before !== undefined && before.resetsAtMs !== resetsAtMs) {
      assert.ok(clock.wallMs() >= before.resetsAtMs);
    }
    const passesBefore = before?.resetsAtMs === resetsAtMs ? before.passes : 0;
    const passes = passesBefore + Number(allowed);
    assert.ok(passes <= 3);
    windows.set(client, { resetsAtMs, passes });
  }
}

describe('memory limiter', () => {
  it('refuses an invalid maximum number of clients', () => {
    const rateLimit = { limit: 1, windowMs: 1 };
    for (const maxClients of [0, -1, 1.5, NaN, Infinity, 2 ** 24 + 1]) {
      assert.throws(
        () => createMemoryLimiter({ rateLimit, maxClients }),
        new RangeError(`Max clients must be 1 to 16777216, not ${maxClients}`),
      );
    }
  });

  it('uses the system clock by default', () => {
    const limiter = createMemoryLimiter({ rateLimit: { limit: 2, windowMs: 86_400_000 } });
    const first = limiter.hit('a');
    const second = limiter.hit('a');
    assert.deepEqual([first.remaining, second.remaining], [1, 0]);
    assert.ok(second.retryAfterMs <= first.retryAfterMs && second.retryAfterMs > 0);
  });

  it('starts no timer, and can be closed twice', async () => {
    const before = process.getActiveResourcesInfo();
    const limiter = createMemoryLimiter({ rateLimit: { limit: 1, windowMs: 1000 } });
    limiter.hit('a');
    assert.deepEqual(process.getActiveResourcesInfo(), before);
    await limiter.close();
    await limiter.close();
  });

  it('reports how many windows run, not how many it keeps', () => {
    const clock = new ManualClock();
    const limiter = createMemoryLimiter({ rateLimit: { limit: 1, windowMs: WINDOW_MS }, clock });
    const counts = [0, 20_000, 20_000, 20_000, 20_000, 20_000].map((passedMs, i) => {
      clock.advance(passedMs);
      limiter.hit(`client ${i}`);
      limiter.hit('always');
      return limiter.clientCount();
    });
    assert.deepEqual(counts, [2, 3, 4, 4, 4, 4]);
    clock.advance(WINDOW_MS - 1);
    assert.equal(limiter.clientCount(), 1);
    clock.advance(1);
    assert.equal(limiter.clientCount(), 0);
  });
});

describe('system clock', () => {
  it('rounds the wall clock up to the next millisecond', (t) => {
    t.mock.method(Date, 'now', () => 1_700_000_000_123);
    assert.equal(systemClock.wallMs(), 1_700_000_000_124);
  });

  it('keeps monotonic time when the wall clock is set', (t) => {
    const beforeMs = systemClock.monotonicMs();
    t.mock.method(Date, 'now', () => 0);
    const afterMs = systemClock.monotonicMs();
    assert.ok(beforeMs >= 0 && afterMs >= beforeMs);
  });
});

/** Returns the JSON that a script prints in its own process, with `hit(key)`, `clock` and the memory `before`. */
function runAlone(script: string): unknown {
  const code = `
    import { createMemoryLimiter } from ${JSON.stringify(new URL('./memory.ts', import.meta.url))};
    const clock = { nowMs: 0, monotonicMs: () => clock.nowMs, wallMs: () => clock.nowMs };
    const rateLimit = { limit: 100, windowMs: ${WINDOW_MS} };
    const limiter = createMemoryLimiter({ rateLimit, clock });
    const hit = (key) => limiter.hit(key).remaining;
    const key = (i) => [10 + (i >> 24), (i >> 16) & 255, (i >> 8) & 255, i & 255].join('.');
    const memory = () => (globalThis.gc(), process.memoryUsage());
    for (let i = 0; i < 500_000; i += 1) hit(key(i & 127));
    clock.nowMs = ${2 * WINDOW_MS};
    const before = memory();
    ${script}`;
  // The flag of a server. Without it the heap would grow briefly, which a system without memory would deny.
  const flags = ['--semi-space-growth-factor=1', '--expose-gc'];
  const args = [...flags, '--input-type=module', '--eval', code];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 300_000 });
  assert.equal(child.status, 0, child.stderr);
  return JSON.parse(child.stdout);
}

describe('memory of a memory limiter', () => {
  it('is less than 100 MB for a million clients, each with its own window', () => {
    const { grownBytes, own } = runAlone(`
      const own = { 99: 0, 98: 0 };
      for (let round = 0; round < 2; round += 1) {
        for (let i = 0; i < 1_000_000; i += 1) own[hit(key(i))] += 1;
      }
      console.log(JSON.stringify({ grownBytes: memory().rss - before.rss, own }));`) as {
      grownBytes: number;
      own: object;
    };
    assert.deepEqual(own, { 98: 1_000_000, 99: 1_000_000 });
    assert.ok(grownBytes < 100_000_000, `${grownBytes} bytes`);
  });

  it('is released within two windows of ordinary traffic, at most 1.5 MiB per hit', () => {
    const { takenBytes, leftBytes, leftExternalBytes, mostBytes } = runAlone(`
      hit('first of a generation');
      for (let i = 0; i < 1_000_000; i += 1) hit(key(i));
      const full = process.memoryUsage();
      let mostBytes = 0;
      for (let last = full.external, n = 0; n < 1000; n += 1) {
        clock.nowMs += ${WINDOW_MS / 500};
        hit(key(n & 3));
        const { external } = process.memoryUsage();
        mostBytes = Math.max(mostBytes, last - external);
        last = external;
      }
      const left = memory();
      console.log(JSON.stringify({
        takenBytes: full.external - before.external,
        leftBytes: left.rss - before.rss,
        leftExternalBytes: left.external - before.external,
        mostBytes,
      }));`) as Record<string, number>;
    assert.ok(takenBytes! > 35e6, `${takenBytes} bytes taken`);
    assert.ok(leftBytes! < 12e6, `${leftBytes} bytes of the process left`);
    assert.ok(leftExternalBytes! <= 3 * 2 ** 20, `${leftExternalBytes} bytes left`);
    assert.ok(mostBytes! <= 1.5 * 2 ** 20, `${mostBytes} bytes in one hit`);
  });

  const skip = spawnSync('prlimit', ['--version']).error !== undefined && 'missing: prlimit';
  it(
    'may be denied by the system: new clients then share windows, and none is lost',
    { skip },
    () => {
      const { own, kept } = runAlone(`
      import { execFileSync } from 'node:child_process';
      import { readFileSync } from 'node:fs';
      for (let i = 0; i < 100_000; i += 1) hit(key(i));
      const [, kilobytes] = /^VmData:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
      const limit = '--data=' + (Number(kilobytes) * 1024 + 20_000_000);
      execFileSync('prlimit', ['--pid', String(process.pid), limit]);
      let own = 0;
      for (let i = 100_000; limiter.clientCount() > own; i += 1) {
        own = limiter.clientCount();
        hit(key(i));
      }
      for (let i = 0; i < 10_000; i += 1) hit('newcomer ' + i);
      let kept = 0;
      for (let i = 0; i < 100_000; i += 1) kept += Number(hit(key(i)) === 98);
      console.log(JSON.stringify({ own: limiter.clientCount(), kept }));`) as Record<
        string,
        number
      >;
      assert.equal(kept, 100_000);
      assert.ok(own! >= 100_000 && own! < 1_000_000, `${own} own windows`);
    },
  );
});
