import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Random, runningSums } from './random.ts';

const seeds = fc.nat(4_294_967_295);

function draws(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => random.integer(0, 999_999));
}

test('the sequence of a seed is the one that was pinned', () => {
  assert.deepEqual(draws(new Random(1), 5), [948599, 671439, 655193, 451835, 920979]);
});

test('equal seeds give equal sequences, different purposes different ones', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = new Random(seed);
      assert.deepEqual(draws(new Random(seed), 20), draws(random, 20));
      assert.deepEqual(
        draws(random.fork('bills'), 20),
        draws(new Random(seed).fork('bills'), 20),
        'a fork does not depend on what was drawn before',
      );
      assert.notDeepEqual(draws(random.fork('bills'), 20), draws(random.fork('trips'), 20));
      assert.notDeepEqual(draws(random.fork('bills'), 20), draws(new Random(seed), 20));
    }),
  );
});

test('whole numbers stay within both bounds and reach them', () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: -1000, max: 1000 }), fc.nat(5), (seed, least, span) => {
      const random = new Random(seed);
      const seen = new Set(Array.from({ length: 400 }, () => random.integer(least, least + span)));
      assert.deepEqual(
        [...seen].toSorted((a, b) => a - b),
        Array.from({ length: span + 1 }, (_, at) => least + at),
      );
      const skewed = random.skewedInteger(least, least + span);
      assert.ok(Number.isInteger(skewed) && skewed >= least && skewed <= least + span);
    }),
  );
});

test('the numbers are spread evenly', () => {
  const random = new Random(7);
  const counts = Array.from({ length: 10 }, () => 0);
  for (let i = 0; i < 20_000; i += 1) {
    const digit = random.integer(0, 9);
    counts[digit] = (counts[digit] ?? 0) + 1;
  }
  for (const count of counts) assert.ok(count > 1850 && count < 2150, String(counts));
});

test('a weight of nothing is never picked, and a chance of 0 or 100 per cent is certain', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = new Random(seed);
      const sums = runningSums([0, 3, 0, 1, 0]);
      for (let i = 0; i < 30; i += 1) assert.ok([1, 3].includes(random.pickWeighted(sums)));
      assert.equal(random.chance(0), false);
      assert.equal(random.chance(100), true);
    }),
  );
});

test('picking from nothing is refused', () => {
  const refusal = { name: 'RangeError', message: 'There is nothing to pick from' };
  assert.throws(() => new Random(1).pick([]), refusal);
  assert.throws(() => new Random(1).pickWeighted([]), refusal);
});
