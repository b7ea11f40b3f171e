import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { limiterContract, modelTest } from './limiter-contract.ts';
import { createMemoryLimiter, systemClock } from './memory.ts';
import { ManualClock } from './testing/manual-clock.ts';

const windowMs = 60_000;

limiterContract('memory limiter', (options) =>
  createMemoryLimiter({ ...options, maxClients: 5000 }),
);
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

describe('memory limiter with more clients than it keeps windows for', () => {
  it('lets new clients share 1,024 windows, each with the limit, and keeps the others', () => {
    const { limiter } = makeFull(3);
    const passes = Array.from({ length: 40_000 }, (_, i) => limiter.hit(`newcomer ${i}`).allowed);
    // By chance, one of the 1,024 windows gets fewer than 3 of 40,000 clients once in about 10^11 runs.
    assert.equal(passes.filter(Boolean).length, 3 * 1024);
    for (const key of ['own 1', 'own 2']) assert.equal(limiter.hit(key).remaining, 1);
  });

  it('chooses shared windows by a secret: two limiters choose different ones', () => {
    const passes = [makeFull(1), makeFull(1)].map(({ limiter }) =>
      Array.from({ length: 5000 }, (_, i) => limiter.hit(`newcomer ${i}`).allowed),
    );
    assert.notDeepEqual(passes[0], passes[1]);
  });

  const stepArbitrary = fc.tuple(fc.nat(11), fc.constantFrom(0, 0, 0, 1, 7_000, 31_000));
  const stepsArbitrary = fc.array(stepArbitrary, { maxLength: 400, size: 'max' });

  it('gives a new client its own window whenever fewer windows run than it keeps', () => {
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
  const rateLimit = { limit: 3, windowMs };
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
    if (isOwn) endsMs.set(client, nowMs + windowMs);
    else sharedUntilMs = nowMs + windowMs;
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
    if (before !== undefined && before.resetsAtMs !== resetsAtMs)
      assert.ok(clock.wallMs() >= before.resetsAtMs);
    const passesBefore = before?.resetsAtMs === resetsAtMs ? before.passes : 0;
    const passes = passesBefore + Number(allowed);
    assert.ok(passes <= 3);
    windows.set(client, { resetsAtMs, passes });
  }
}

it('a memory limiter refuses an invalid maximum number of clients', () => {
  const rateLimit = { limit: 1, windowMs: 1 };
  for (const maxClients of [0, -1, 1.5, NaN, Infinity, 2 ** 24 + 1])
    assert.throws(
      () => createMemoryLimiter({ rateLimit, maxClients }),
      new RangeError(`Max clients must be 1 to 16777216, not ${maxClients}`),
    );
});

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
