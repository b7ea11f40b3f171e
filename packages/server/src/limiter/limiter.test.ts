import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createBuckets } from './memory.ts';
import { parseRateLimit, type Hit } from './limiter.ts';
import { ManualClock } from './testing/manual-clock.ts';

test('a rate limit is a number of requests and a length, a minute by default', () => {
  for (const [text, limit, windowMs] of [
    ['100', 100, 60_000],
    ['100/500ms', 100, 500],
    ['1/1ms', 1, 1],
    ['1000000000/24h', 1_000_000_000, 86_400_000],
    ['1000000000/86400000ms', 1_000_000_000, 86_400_000],
  ] as const)
    assert.deepEqual(parseRateLimit(text), { limit, windowMs }, text);
  const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  const unitArbitrary = fc.constantFrom<keyof typeof units>('ms', 's', 'm', 'h');
  const limitArbitrary = fc.integer({ min: 1, max: 1_000_000_000 });
  const property = fc.property(limitArbitrary, unitArbitrary, fc.nat(), (limit, unit, n) => {
    const amount = 1 + (n % (86_400_000 / units[unit]));
    const windowMs = amount * units[unit];
    assert.deepEqual(parseRateLimit(`${limit}/${amount}${unit}`), { limit, windowMs });
  });
  fc.assert(property);
});

test('any other rate limit is refused and quoted', () => {
  const nonsense = ['', ' ', '0', '0/60s', '100/0s', '-1', '-1/60s', '100/-60s', '+1', '1.5'];
  const misspelt = ['100/', '/60s', '100/60', '100/s', '100/60d', '100/60S', '100 / 60s', ' 100'];
  const others = ['100\n', '100/60s/2', '0100/60s', '100/060s', '١٠٠', '0x10', 'NaN', '1e3'];
  const tooLarge = ['1000000001', '100/25h', '100/86400001ms', '100/1441m', '9'.repeat(400)];
  for (const text of [...nonsense, ...misspelt, ...others, ...tooLarge])
    assert.throws(
      () => parseRateLimit(text),
      ({ message }: Error) => message.startsWith(`Invalid rate limit ${JSON.stringify(text)}: use`),
      text,
    );
});

function made() {
  const clock = new ManualClock();
  const buckets = createBuckets({ burst: 3, perSecond: 2 }, clock);
  return { clock, buckets, hit: (key = 'a') => buckets.hit(key) as Hit };
}

test('a burst is allowed, and then as many as come in', () => {
  const { clock, hit } = made();
  for (const expected of [true, true, true, false]) assert.equal(hit().allowed, expected);
  assert.equal(hit().retryAfterMs, 500);
  clock.advance(499);
  assert.equal(hit().allowed, false);
  clock.advance(1);
  assert.deepEqual([hit().allowed, hit().allowed], [true, false]);
});

test('a refused request takes nothing, and a bucket holds no more than the burst; a reset is when it is full', () => {
  const { clock, hit } = made();
  assert.equal(hit().resetsAtMs, Math.ceil(clock.wallMs() + 500));
  for (let n = 0; n < 100; n += 1) hit();
  clock.advance(10_000);
  const { remaining, limit } = hit();
  assert.deepEqual([remaining, limit], [2, 3]);
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
