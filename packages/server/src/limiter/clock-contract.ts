import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { rateLimitHeaders } from './headers.ts';
import { hitTimes, SPECIFIED, withLimiter } from './testing/limiter-under-test.ts';
import type { MakeLimiter } from './testing/limiter-under-test.ts';
import type { Hit, Limiter, RateLimit } from './limiter.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { runs } from '../../../core/src/testing/length.ts';

const HOUR_MS = 3_600_000;

/** A moment at which a window may start, at any fraction of a second and of a millisecond. */
const startArbitrary = fc.record({
  monotonicUs: fc.nat(2 ** 31 - 1),
  wallUs: fc.integer({ min: 1_700_000_000_000_000, max: 1_700_000_004_000_000 }),
});

const rateLimitArbitrary: fc.Arbitrary<RateLimit> = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  windowMs: fc.constantFrom(60_000, 1000, 500, 7, 61_007),
});

/** The two ways in which a refused client can find out how long to wait. */
const waits = {
  'waits Retry-After': (hit: Hit, _clock: ManualClock) =>
    Number(rateLimitHeaders(hit)['Retry-After']) * 1000,
  'waits until Reset': (hit: Hit, clock: ManualClock) =>
    Number(rateLimitHeaders(hit)['RateLimit-Reset']) * 1000 - clock.wallMs(),
};

/** Tests of waiting clients, and of a wall clock that is set. */
export function clockTests(make: MakeLimiter, countsByMonotonicClock: boolean): void {
  for (const [name, waitMs] of Object.entries(waits)) {
    it(`a client that ${name} is not refused again`, () => patientClientTest(make, waitMs));
  }
  if (!countsByMonotonicClock) return;
  for (const jumpMs of [HOUR_MS, -HOUR_MS, 1000, -1000, 501, -501]) {
    it(`a wall clock set by ${jumpMs} ms`, () => jumpTest(make, jumpMs));
  }
  for (const shiftMs of [500, -500]) {
    it(`a smear of ${shiftMs} ms leaves reset as it is`, () => smearTest(make, shiftMs));
  }
}

function patientClientTest(
  make: MakeLimiter,
  waitMs: (hit: Hit, clock: ManualClock) => number,
): Promise<void> {
  const partArbitrary = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const property = fc.asyncProperty(
    startArbitrary,
    rateLimitArbitrary,
    partArbitrary,
    async ({ monotonicUs, wallUs }, rateLimit, part) => {
      const clock = new ManualClock(monotonicUs, wallUs);
      await withLimiter(make, { rateLimit, clock }, async (limiter) => {
        await hitTimes(limiter, 'a', rateLimit.limit);
        clock.advance(Math.floor(rateLimit.windowMs * 1000 * part) / 1000);
        const refused = await limiter.hit('a');
        assertTruthful(refused, rateLimit, clock);
        clock.advance(waitMs(refused, clock));
        assert.equal((await limiter.hit('a')).allowed, true);
      });
    },
  );
  return fc.assert(property, { numRuns: runs(300) });
}

/** Asserts that the announced wait is not 0 and not longer than necessary. */
function assertTruthful(hit: Hit, rateLimit: RateLimit, clock: ManualClock): void {
  const headers = rateLimitHeaders(hit);
  const retryAfter = Number(headers['Retry-After']);
  const msPastEnd = Number(headers['RateLimit-Reset']) * 1000 - hit.resetsAtMs;
  assert.equal(hit.allowed, false);
  assert.ok(retryAfter >= 1 && retryAfter <= Math.ceil(rateLimit.windowMs / 1000));
  assert.ok(hit.retryAfterMs > 0 && hit.retryAfterMs <= rateLimit.windowMs);
  assert.ok(msPastEnd >= 0 && msPastEnd < 1000);
  assert.ok(Math.abs(hit.resetsAtMs - clock.wallMs() - hit.retryAfterMs) <= 501);
}

function jumpTest(make: MakeLimiter, jumpMs: number): Promise<void> {
  const clock = new ManualClock(7_000_250);
  return withLimiter(make, { rateLimit: SPECIFIED, clock }, async (limiter) => {
    await hitTimes(limiter, 'a', 100);
    clock.advance(30_000);
    clock.setWallForward(jumpMs);
    const refused = await limiter.hit('a');
    assertTruthful(refused, SPECIFIED, clock);
    assert.equal(refused.resetsAtMs, clock.wallMs() + 30_000);
    await assertEndsIn(limiter, clock, 30_000);
  });
}

function smearTest(make: MakeLimiter, shiftMs: number): Promise<void> {
  const clock = new ManualClock(7_000_250);
  return withLimiter(make, { rateLimit: SPECIFIED, clock }, async (limiter) => {
    const { resetsAtMs } = await hitTimes(limiter, 'a', 100);
    for (let second = 1; second <= 50; second += 1) {
      clock.advance(1000);
      clock.setWallForward(shiftMs / 50);
      const refused = await limiter.hit('a');
      assertTruthful(refused, SPECIFIED, clock);
      assert.equal(refused.resetsAtMs, resetsAtMs);
    }
    await assertEndsIn(limiter, clock, 10_000);
  });
}

/** Asserts that the window ends exactly after `ms` of monotonic time. */
async function assertEndsIn(limiter: Limiter, clock: ManualClock, ms: number): Promise<void> {
  clock.advance(ms - 1);
  assert.equal((await limiter.hit('a')).allowed, false);
  clock.advance(1);
  const hit = await limiter.hit('a');
  assert.deepEqual([hit.allowed, hit.remaining], [true, SPECIFIED.limit - 1]);
  assert.equal(hit.resetsAtMs, Math.ceil(clock.wallMs()) + SPECIFIED.windowMs);
}
