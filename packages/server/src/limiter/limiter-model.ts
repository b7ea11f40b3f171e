import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { withLimiter } from './testing/limiter-under-test.ts';
import type { MakeLimiter } from './testing/limiter-under-test.ts';
import type { Hit, RateLimit } from './limiter.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { runs } from '../../../core/src/testing/length.ts';

interface ModelWindow {
  readonly endMs: number;
  resetMs: number;
  hits: number;
}

/** The simplest correct limiter: a map that forgets nothing. Whole milliseconds only. */
class ModelLimiter {
  readonly #windows = new Map<string, ModelWindow>();
  readonly #rateLimit: RateLimit;
  readonly #clock: ManualClock;

  constructor(rateLimit: RateLimit, clock: ManualClock) {
    this.#rateLimit = rateLimit;
    this.#clock = clock;
  }

  hit(key: string): Hit {
    const { limit } = this.#rateLimit;
    const nowMs = this.#clock.monotonicMs();
    const window = this.#windowOf(key, nowMs);
    window.hits += 1;
    const remaining = Math.max(0, limit - window.hits);
    const retryAfterMs = window.endMs - nowMs;
    const allowed = window.hits <= limit;
    return { limit, remaining, resetsAtMs: window.resetMs, retryAfterMs, allowed };
  }

  #windowOf(key: string, nowMs: number): ModelWindow {
    const known = this.#windows.get(key);
    const live = known !== undefined && nowMs < known.endMs;
    const endMs = live ? known.endMs : nowMs + this.#rateLimit.windowMs;
    const resetMs = this.#clock.wallMs() + endMs - nowMs;
    const window = live ? known : { endMs, resetMs, hits: 0 };
    if (Math.abs(resetMs - window.resetMs) > 500) window.resetMs = resetMs;
    this.#windows.set(key, window);
    return window;
  }
}

type Step =
  { readonly hit: string } | { readonly advanceMs: number } | { readonly setWallForwardMs: number };

const settings: fc.WeightedArbitrary<Step>[] = [
  { weight: 1, arbitrary: fc.record({ setWallForwardMs: fc.integer({ min: -900, max: 900 }) }) },
];
const steps: fc.WeightedArbitrary<Step>[] = [
  { weight: 12, arbitrary: fc.record({ hit: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f') }) },
  { weight: 4, arbitrary: fc.record({ advanceMs: fc.nat(1100) }) },
  { weight: 1, arbitrary: fc.record({ advanceMs: fc.constantFrom(1, 999, 1000, 1001, 5000) }) },
];

/** Compares complete results with the model over random hits and moves of the clock. */
export function modelTest(make: MakeLimiter, countsByMonotonicClock = true): void {
  it('every result equals that of a map that forgets nothing', async () => {
    const step = fc.oneof(...steps, ...(countsByMonotonicClock ? settings : []));
    const stepsArbitrary = fc.array(step, { maxLength: 300, size: 'max' });
    const limitArbitrary = fc.integer({ min: 1, max: 4 });
    const property = fc.asyncProperty(limitArbitrary, stepsArbitrary, (limit, steps) =>
      compareRun(make, { limit, windowMs: 1000 }, steps),
    );
    await fc.assert(property, { numRuns: runs(150) });
  });
}

function compareRun(
  make: MakeLimiter,
  rateLimit: RateLimit,
  steps: readonly Step[],
): Promise<void> {
  const clock = new ManualClock();
  const model = new ModelLimiter(rateLimit, clock);
  return withLimiter(make, { rateLimit, clock }, async (limiter) => {
    for (const step of steps) {
      if ('hit' in step) assert.deepEqual(await limiter.hit(step.hit), model.hit(step.hit));
      else if ('advanceMs' in step) clock.advance(step.advanceMs);
      else clock.setWallForward(step.setWallForwardMs);
    }
  });
}
