import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { limiterContract, ModelLimiter, modelTest } from './limiter-contract.ts';
import { createMemoryLimiter, systemClock } from './memory.ts';
import { ManualClock } from './testing/manual-clock.ts';

const windowMs = 60_000;

limiterContract('memory limiter', createMemoryLimiter);
describe('memory limiter with just enough room for the six clients of the model', () => {
  modelTest((options) => createMemoryLimiter({ ...options, maxClients: 6 }));
});

function makeFull(limit: number) {
  const clock = new ManualClock();
  const limiter = createMemoryLimiter({ rateLimit: { limit, windowMs }, clock, maxClients: 2 });
  limiter.hit('own 1');
  limiter.hit('own 2');
  return { limiter, clock };
}

const newcomers = Array.from({ length: 5000 }, (_, i) => `newcomer ${i}`);

describe('memory limiter with more clients than it has places for', () => {
  it('lets new clients share 65,536 windows, each with one count and the limit, and keeps the others', () => {
    const { limiter } = makeFull(3);
    const hits = newcomers.map((key) => limiter.hit(key));
    for (const key of [...newcomers, ...newcomers, ...newcomers]) hits.push(limiter.hit(key));
    const used = hits.filter(({ remaining }) => remaining === 2).length;
    // About 190 of 5,000 find their window in use; their standard deviation is 14.
    assert.ok(used > 4600 && used < 4990, `${used} shared windows`);
    assert.equal(hits.filter(({ allowed }) => allowed).length, 3 * used);
    for (const key of ['own 1', 'own 2']) assert.equal(limiter.hit(key).remaining, 1);
    assert.equal(limiter.clientCount(), 2);
  });

  it('chooses shared windows by a secret: two limiters choose different ones', () => {
    const passes = [makeFull(1), makeFull(1)].map(({ limiter }) =>
      newcomers.map((key) => limiter.hit(key).allowed),
    );
    assert.notDeepEqual(passes[0], passes[1]);
  });

  it('counts clients exactly through a flood of others, if they were there before and keep coming', () => {
    const pauseArbitrary = fc.integer({ min: 1, max: windowMs });
    const stepArbitrary = fc.record({ pauseMs: pauseArbitrary, strangers: fc.nat(20) });
    const property = fc.property(fc.array(stepArbitrary), (steps) => {
      const clock = new ManualClock();
      const rateLimit = { limit: 4, windowMs };
      const limiter = createMemoryLimiter({ rateLimit, clock, maxClients: 5 });
      const model = new ModelLimiter(rateLimit, clock);
      let stranger = 0;
      for (const { pauseMs, strangers } of steps) {
        for (const key of ['a', 'b', 'c', 'a'])
          assert.deepEqual(limiter.hit(key), model.hit(key), `${key} after ${stranger} strangers`);
        assert.ok(limiter.clientCount() >= 3, 'each has its own window');
        for (let n = 0; n < strangers; n += 1) limiter.hit(`stranger ${(stranger += 1)}`);
        clock.advance(pauseMs);
      }
    });
    fc.assert(property, { numRuns: runs(200) });
  });

  it('lets no known client share a window, also when all shared windows are used up', () => {
    const clock = new ManualClock();
    const rateLimit = { limit: 1, windowMs };
    const limiter = createMemoryLimiter({ rateLimit, clock, maxClients: 40 });
    const known = Array.from({ length: 40 }, (_, i) => `known ${i}`);
    for (const key of known) limiter.hit(key);
    clock.advance(windowMs / 2);
    // They use about 51,000 of the windows. The chance that none is that of a known client is 1 in 10^26.
    for (let i = 0; i < 100_000; i += 1) limiter.hit(`stranger ${i}`);
    clock.advance(windowMs / 2);
    for (const key of known) assert.ok(limiter.hit(key).allowed, key);
  });

  const stepArbitrary = fc.tuple(fc.nat(11), fc.constantFrom(0, 0, 0, 1, 7_000, 31_000, 90_000));
  const stepsArbitrary = fc.array(stepArbitrary, { maxLength: 400, size: 'max' });

  it('gives a new client its own window when fewer than it has places for began one in two lengths', () => {
    const property = fc.property(stepsArbitrary, (steps) => assertRoomIsUsed(steps));
    fc.assert(property, { numRuns: runs(200) });
  });

  it('never gives a client two windows at once', () => {
    const property = fc.property(stepsArbitrary, (steps) => assertOneWindowEach(steps));
    fc.assert(property, { numRuns: runs(200) });
  });
});

/** There is room for four clients. While a shared window may run, nothing is asserted about new clients. */
function assertRoomIsUsed(steps: readonly (readonly [number, number])[]): void {
  const clock = new ManualClock();
  const limiter = createMemoryLimiter({ rateLimit: { limit: 3, windowMs }, clock, maxClients: 4 });
  const beginsMs = new Map<number, number>();
  let sharedUntilMs = 0;
  for (const [client, waitMs] of steps) {
    clock.advance(waitMs);
    const nowMs = clock.monotonicMs();
    const within = (lengthMs: number) =>
      [...beginsMs.values()].filter((beginMs) => beginMs + lengthMs > nowMs).length;
    const running = within(windowMs);
    assert.equal(limiter.clientCount(), running);
    assert.ok(running <= 4);
    const lately = within(2 * windowMs);
    limiter.hit(`client ${client}`);
    if ((beginsMs.get(client) ?? -windowMs) + windowMs > nowMs) continue;
    const isOwn = limiter.clientCount() > running;
    if (nowMs >= sharedUntilMs && lately < 4) assert.ok(isOwn);
    if (isOwn) beginsMs.set(client, nowMs);
    else sharedUntilMs = nowMs + windowMs;
  }
}

/** With a steady wall clock, the reset identifies the window; it may change only when it has passed. */
function assertOneWindowEach(steps: readonly (readonly [number, number])[]): void {
  const { limiter, clock } = makeFull(3);
  const windows = new Map<number, { resetsAtMs: number; passes: number }>();
  for (const [client, waitMs] of steps) {
    clock.advance(waitMs);
    const { resetsAtMs, retryAfterMs, allowed } = limiter.hit(`client ${client}`);
    assert.ok(retryAfterMs > 0 && retryAfterMs <= windowMs);
    const before = windows.get(client);
    if (before !== undefined && before.resetsAtMs !== resetsAtMs)
      assert.ok(clock.wallMs() >= before.resetsAtMs);
    const passesBefore = before?.resetsAtMs === resetsAtMs ? before.passes : 0;
    const passes = passesBefore + Number(allowed);
    assert.ok(passes <= 3);
    windows.set(client, { resetsAtMs, passes });
  }
}

it('a memory limiter starts no timer, and can be closed twice', async () => {
  const before = process.getActiveResourcesInfo();
  const limiter = createMemoryLimiter({ rateLimit: { limit: 2, windowMs: 86_400_000 } });
  assert.deepEqual([limiter.hit('a').remaining, limiter.hit('a').remaining], [1, 0]);
  assert.deepEqual(process.getActiveResourcesInfo(), before);
  await limiter.close();
  await limiter.close();
});

it('the system clock rounds the wall clock up, and its monotonic time does not follow it', (t) => {
  const beforeMs = systemClock.monotonicMs();
  t.mock.method(Date, 'now', () => 1_700_000_000_123);
  assert.equal(systemClock.wallMs(), 1_700_000_000_124);
  const afterMs = systemClock.monotonicMs();
  assert.ok(beforeMs >= 0 && afterMs >= beforeMs && afterMs < 1_700_000_000_000);
});
