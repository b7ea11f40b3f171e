import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import type { Hit, Limiter, RateLimit } from './limiter.ts';
import type { Clock } from './memory.ts';
import { ManualClock } from './testing/manual-clock.ts';

/** Creates a limiter that uses no clock but the given one. */
export type MakeLimiter = (options: {
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
}) => Limiter | Promise<Limiter>;

interface ModelWindow {
  readonly endUs: number;
  resetUs: number;
  hits: number;
}

/** The simplest correct limiter: a map that forgets nothing. */
export class ModelLimiter {
  readonly #windows = new Map<string, ModelWindow>();
  readonly #rateLimit: RateLimit;
  readonly #clock: ManualClock;

  constructor(rateLimit: RateLimit, clock: ManualClock) {
    this.#rateLimit = rateLimit;
    this.#clock = clock;
  }

  hit(key: string): Hit {
    const { limit, windowMs } = this.#rateLimit;
    const nowUs = Math.round(this.#clock.monotonicMs() * 1000);
    const known = this.#windows.get(key);
    const isLive = known !== undefined && nowUs < known.endUs;
    const endUs = isLive ? known.endUs : nowUs + windowMs * 1000;
    const resetUs = Math.round(this.#clock.wallMs() * 1000) + endUs - nowUs;
    const window = isLive ? known : { endUs, resetUs, hits: 0 };
    if (Math.abs(resetUs - window.resetUs) > 500_000) window.resetUs = resetUs;
    window.hits += 1;
    this.#windows.set(key, window);
    return {
      limit,
      remaining: Math.max(0, limit - window.hits),
      resetsAtMs: Math.ceil(window.resetUs / 1000),
      retryAfterMs: (endUs - nowUs) / 1000,
      allowed: window.hits <= limit,
    };
  }
}

type Step =
  { readonly hit: string } | { readonly advanceMs: number } | { readonly setWallForwardMs: number };

const steps: fc.WeightedArbitrary<Step>[] = [
  { weight: 12, arbitrary: fc.record({ hit: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f') }) },
  { weight: 4, arbitrary: fc.record({ advanceMs: fc.nat(1_100_000).map((us) => us / 1000) }) },
  { weight: 2, arbitrary: fc.record({ advanceMs: fc.constantFrom(1, 999, 1000, 1001, 5000) }) },
];
/** Changes of the wall clock: a smear in small parts, and jumps around the tolerance and far beyond it. */
const settings: fc.Arbitrary<Step> = fc.record({
  setWallForwardMs: fc.oneof(
    fc.integer({ min: -900, max: 900 }),
    fc.constantFrom(10, -10, 500, -500, 501, -501, 3_600_000, -3_600_000),
  ),
});

/** Compares complete results with the model over random hits and moves of the clock. */
export function modelTest(make: MakeLimiter, countsByMonotonicClock = true): void {
  it('returns for every hit what a map returns that forgets nothing', async () => {
    const ofClock = countsByMonotonicClock ? [{ weight: 2, arbitrary: settings }] : [];
    const allSteps = fc.array(fc.oneof(...steps, ...ofClock), { maxLength: 300, size: 'max' });
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      allSteps,
      async (limit, all) => {
        const clock = new ManualClock(7_000_250);
        const rateLimit = { limit, windowMs: 1000 };
        const model = new ModelLimiter(rateLimit, clock);
        const limiter = await make({ rateLimit, clock });
        for (const step of all) {
          if ('hit' in step) assert.deepEqual(await limiter.hit(step.hit), model.hit(step.hit));
          else if ('advanceMs' in step) clock.advance(step.advanceMs);
          else clock.setWallForward(step.setWallForwardMs);
        }
        await limiter.close();
      },
    );
    await fc.assert(property, { numRuns: runs(150) });
  });
}

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
    modelTest(make, countsByMonotonicClock);

    it('counts different texts as different clients', async () => {
      const long = 'x'.repeat(10_000);
      const names = ['', ' ', '0', '__proto__', 'constructor', 'a\u0000', 'a\n', 'ä', 'a\u0308'];
      const keys = [...names, '1::', '1::0', 'a:b', 'a b', '{a}', '\u{1f4b6}', long, `${long}x`];
      const rateLimit = { limit: 100, windowMs: 60_000 };
      const limiter = await make({ rateLimit, clock: new ManualClock(1_234_567) });
      for (const left of [99, 98])
        for (const key of keys) assert.equal((await limiter.hit(key)).remaining, left, key);
      await limiter.close();
    });
  });
}
