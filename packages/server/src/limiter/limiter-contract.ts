import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clockTests } from './clock-contract.ts';
import { rateLimitHeaders } from './headers.ts';
import { modelTest } from './limiter-model.ts';
import { hitTimes, SPECIFIED, withLimiter } from './testing/limiter-under-test.ts';
import type { MakeLimiter } from './testing/limiter-under-test.ts';
import type { Limiter } from './limiter.ts';
import { ManualClock } from './testing/manual-clock.ts';

/**
 * The tests that every limiter must pass.
 *
 * `make` is called many times and must return a limiter without counts. A limiter that uses the clock of a server has
 * only a wall clock and cannot detect that it is set; set `countsByMonotonicClock` to false for it.
 */
export function limiterContract(
  name: string,
  make: MakeLimiter,
  { countsByMonotonicClock = true } = {},
): void {
  describe(name, () => {
    describe('counting', () => {
      countingTests(make);
      clientTests(make);
    });
    describe('windows', () => windowTests(make));
    describe('clocks', () => clockTests(make, countsByMonotonicClock));
    describe('against a model', () => modelTest(make, countsByMonotonicClock));
  });
}

function specifiedTest(
  make: MakeLimiter,
  name: string,
  body: (limiter: Limiter, clock: ManualClock) => Promise<void>,
): void {
  it(name, async () => {
    const clock = new ManualClock(1_234_567);
    await withLimiter(make, { rateLimit: SPECIFIED, clock }, (limiter) => body(limiter, clock));
  });
}

function countingTests(make: MakeLimiter): void {
  specifiedTest(make, 'the n-th request of a window leaves limit - n', async (limiter) => {
    for (let n = 1; n <= SPECIFIED.limit; n += 1) {
      const hit = await limiter.hit('a');
      assert.deepEqual([hit.limit, hit.remaining, hit.allowed], [100, 100 - n, true]);
    }
  });

  specifiedTest(
    make,
    'the 100th passes with 0 left, the 101st and later are refused',
    async (limiter) => {
      const last = await hitTimes(limiter, 'a', 100);
      assert.deepEqual([last.remaining, last.allowed], [0, true]);
      for (let n = 101; n <= 130; n += 1) {
        const hit = await limiter.hit('a');
        assert.deepEqual([hit.limit, hit.remaining, hit.allowed], [100, 0, false]);
      }
    },
  );

  specifiedTest(make, 'of 400 at once exactly 100 pass, 20 times of 20', async (limiter) => {
    const eachOnce = Array.from({ length: 100 }, (_, i) => 99 - i);
    for (let round = 0; round < 20; round += 1) {
      const all = Array.from({ length: 400 }, () => Promise.resolve(limiter.hit(`round ${round}`)));
      const passed = (await Promise.all(all)).filter((hit) => hit.allowed);
      const left = passed.map((hit) => hit.remaining).sort((a, b) => b - a);
      assert.deepEqual(left, eachOnce);
    }
  });
}

function clientTests(make: MakeLimiter): void {
  specifiedTest(make, 'each client has its own count', async (limiter) => {
    for (let n = 1; n <= 100; n += 1) {
      assert.equal((await limiter.hit('a')).remaining, 100 - n);
      if (n % 2 === 0) assert.equal((await limiter.hit('b')).remaining, 100 - n / 2);
    }
    assert.equal((await limiter.hit('a')).allowed, false);
    assert.equal((await limiter.hit('b')).allowed, true);
  });

  specifiedTest(make, 'different texts are different clients', async (limiter) => {
    const long = 'x'.repeat(10_000);
    const names = ['', ' ', '0', '__proto__', 'constructor', 'a\u0000', 'a\n', 'ä', 'a\u0308'];
    const keys = [...names, '1::', '1::0', 'a:b', 'a b', '{a}', '\u{1f4b6}', long, `${long}x`];
    for (const key of keys) assert.equal((await limiter.hit(key)).remaining, 99, key);
    for (const key of keys) assert.equal((await limiter.hit(key)).remaining, 98, key);
  });
}

function windowTests(make: MakeLimiter): void {
  specifiedTest(
    make,
    'a window starts with the first request of its client',
    async (limiter, clock) => {
      const startMs = clock.wallMs();
      assert.equal((await limiter.hit('a')).resetsAtMs, startMs + 60_000);
      clock.advance(25_000);
      assert.equal((await limiter.hit('a')).resetsAtMs, startMs + 60_000);
      assert.equal((await limiter.hit('b')).resetsAtMs, startMs + 85_000);
    },
  );

  specifiedTest(
    make,
    'the reset is constant in a window and the wait gets shorter',
    async (limiter, clock) => {
      const first = await limiter.hit('a');
      for (let passedMs = 0; passedMs < 60_000; passedMs += 333.25) {
        const hit = await limiter.hit('a');
        assert.equal(hit.resetsAtMs, first.resetsAtMs);
        assert.equal(hit.retryAfterMs, 60_000 - passedMs);
        clock.advance(333.25);
      }
    },
  );

  specifiedTest(make, 'the end of a window is exclusive', async (limiter, clock) => {
    await hitTimes(limiter, 'a', 101);
    clock.advance(59_999);
    assert.equal((await limiter.hit('a')).allowed, false);
    clock.advance(1);
    const hit = await limiter.hit('a');
    assert.deepEqual([hit.allowed, hit.remaining, hit.retryAfterMs], [true, 99, 60_000]);
    assert.equal(hit.resetsAtMs, clock.wallMs() + 60_000);
  });

  specifiedTest(make, 'refused requests do not extend a window', async (limiter, clock) => {
    const { resetsAtMs } = await hitTimes(limiter, 'a', 100);
    for (let second = 1; second < 60; second += 1) {
      clock.advance(1000);
      const hit = await limiter.hit('a');
      assert.deepEqual([hit.allowed, hit.resetsAtMs], [false, resetsAtMs]);
    }
    clock.advance(1000);
    assert.equal((await limiter.hit('a')).allowed, true);
  });

  specifiedTest(
    make,
    'the next window starts with a request, not when the last one ends',
    async (limiter, clock) => {
      await limiter.hit('a');
      clock.advance(90_000);
      assert.equal((await limiter.hit('a')).resetsAtMs, clock.wallMs() + 60_000);
    },
  );

  specifiedTest(make, 'the headers of a refused request match the hit', async (limiter, clock) => {
    await hitTimes(limiter, 'a', 100);
    clock.advance(20_000.5);
    const headers = rateLimitHeaders(await limiter.hit('a'));
    assert.equal(headers['RateLimit-Remaining'], '0');
    assert.equal(headers['Retry-After'], '40');
  });
}
