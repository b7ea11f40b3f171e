import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PeriodRanks } from './counts.ts';
import { BoundedCache } from './remembered-keys.ts';

const countsArbitrary = fc
  .uniqueArray(
    fc.record({ period: fc.integer({ min: 1, max: 40 }), count: fc.integer({ min: 1, max: 9 }) }),
    { selector: ({ period }) => period },
  )
  .map((counts) => counts.toSorted((a, b) => b.period - a.period));

test('ranks of periods are those of the rows', () => {
  fc.assert(
    fc.property(countsArbitrary, (counts) => {
      const ranks = new PeriodRanks(counts);
      const rows = counts.flatMap(({ period, count }) => Array<number>(count).fill(period));
      assert.equal(ranks.total, rows.length);
      for (const [rank, period] of rows.entries()) assert.equal(ranks.at(rank), period);
      for (let period = 0; period <= 41; period += 1) {
        assert.equal(ranks.after(period), rows.filter((row) => row > period).length);
        assert.equal(ranks.countOf(period), rows.filter((row) => row === period).length);
      }
    }),
  );
});

test('counts of more than 2^31 rows are exact', () => {
  const large = 2 ** 52;
  const ranks = new PeriodRanks([
    { period: 99991231, count: large },
    { period: 10101, count: 1 },
  ]);
  const found = [ranks.total, ranks.at(large - 1), ranks.at(large)];
  assert.deepEqual(found, [large + 1, 99991231, 10101]);
});

test('remembered counts stay within their bytes; those used last stay', () => {
  const ranks = new PeriodRanks([{ period: 1, count: 1 }]);
  const remembered = new BoundedCache<PeriodRanks>(3 * ranks.bytes, ({ bytes }) => bytes);
  for (const name of ['a', 'b', 'c']) remembered.remember(name, ranks);
  remembered.remember('c', ranks);
  assert.equal(remembered.size, 3 * ranks.bytes);
  assert.equal(remembered.find('a'), ranks);
  remembered.remember('d', ranks);
  const found = ['a', 'b', 'c', 'd'].filter((name) => remembered.find(name) !== undefined);
  assert.deepEqual(found, ['a', 'c', 'd']);
  remembered.remember(
    'large',
    new PeriodRanks(Array.from({ length: 999 }, (_, at) => ({ period: 999 - at, count: 1 }))),
  );
  assert.equal(remembered.size, 0);
});
