import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuckets } from './buckets.ts';
import type { Hit } from './limiter.ts';
import { ManualClock } from './testing/manual-clock.ts';

function made() {
  const clock = new ManualClock();
  const buckets = createBuckets({ burst: 3, perSecond: 2 }, clock);
  return { clock, buckets, hit: (key = 'a') => buckets.hit(key) as Hit };
}

test('a burst is allowed, and then as many as come in', () => {
  const { clock, hit } = made();
  assert.deepEqual(
    [1, 2, 3, 4].map(() => hit().allowed),
    [true, true, true, false],
  );
  assert.equal(hit().retryAfterMs, 500);
  clock.advance(499);
  assert.equal(hit().allowed, false);
  clock.advance(1);
  assert.deepEqual([hit().allowed, hit().allowed], [true, false]);
});

test('a refused request takes nothing, and a bucket holds no more than the burst', () => {
  const { clock, hit } = made();
  for (let n = 0; n < 100; n += 1) hit();
  clock.advance(10_000);
  const { remaining, limit } = hit();
  assert.deepEqual([remaining, limit], [2, 3]);
});

test('the reset is when the bucket is full', () => {
  const { clock, hit } = made();
  assert.equal(hit().resetsAtMs, Math.ceil(clock.wallMs() + 500));
});

test('clients do not share a bucket, and full ones are forgotten', () => {
  const { clock, buckets, hit } = made();
  for (let n = 0; n < 3; n += 1) hit('a');
  assert.equal(hit('b').allowed, true);
  for (let n = 0; n < 10_000; n += 1) hit(`client ${n}`);
  clock.advance(10_000);
  hit('last');
  assert.equal(buckets.clientCount?.(), 1);
});
