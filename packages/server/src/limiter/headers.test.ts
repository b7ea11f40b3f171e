import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { rateLimitHeaders } from './headers.ts';
import type { Hit } from './limiter.ts';
import { runs } from '../../../core/src/testing/length.ts';

const hitArbitrary: fc.Arbitrary<Hit> = fc.record({
  limit: fc.integer({ min: 1, max: 1_000_000_000 }),
  remaining: fc.nat(1_000_000_000),
  resetsAtMs: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
  retryAfterMs: fc.double({ min: 0.001, max: 86_400_000, noNaN: true }),
  allowed: fc.boolean(),
});

const passed: Hit = {
  limit: 100,
  remaining: 57,
  resetsAtMs: 1_700_000_060_001,
  retryAfterMs: 41_000.001,
  allowed: true,
};

describe('rate limit headers', () => {
  it('are six when the request is allowed', () => {
    assert.deepEqual(rateLimitHeaders(passed), {
      'RateLimit-Limit': '100',
      'RateLimit-Remaining': '57',
      'RateLimit-Reset': '1700000061',
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '57',
      'X-RateLimit-Reset': '1700000061',
    });
  });

  it('include Retry-After when the request is refused', () => {
    const headers = rateLimitHeaders({ ...passed, remaining: 0, allowed: false });
    assert.equal(headers['Retry-After'], '42');
    assert.equal(Object.keys(headers).length, 7);
  });

  it('round the reset up to a whole second, and do not change a whole second', () => {
    const reset = (resetsAtMs: number) =>
      rateLimitHeaders({ ...passed, resetsAtMs })['RateLimit-Reset'];
    assert.deepEqual([999, 1000, 1001, 1999, 2000].map(reset), ['1', '1', '2', '2', '2']);
  });

  it('never announce a wait of 0', () => {
    const wait = (retryAfterMs: number) =>
      rateLimitHeaders({ ...passed, allowed: false, retryAfterMs })['Retry-After'];
    assert.deepEqual([0.001, 1, 999, 1000, 1000.001, 60_000].map(wait), [
      '1',
      '1',
      '1',
      '1',
      '2',
      '60',
    ]);
    assert.equal(wait(0), '1');
  });

  it('are decimal digits, in equal pairs, with a reset that is never too early, for any hit', () => {
    const property = fc.property(hitArbitrary, (hit) => {
      const headers = rateLimitHeaders(hit);
      for (const value of Object.values(headers)) assert.match(value, /^[0-9]+$/);
      for (const name of ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']) {
        assert.equal(headers[`X-${name}`], headers[name]);
      }
      const lateMs = Number(headers['RateLimit-Reset']) * 1000 - hit.resetsAtMs;
      assert.ok(lateMs >= 0 && lateMs < 1000);
      assert.equal('Retry-After' in headers, !hit.allowed);
      if (!hit.allowed) assert.ok(Number(headers['Retry-After']) * 1000 >= hit.retryAfterMs);
    });
    fc.assert(property, { numRuns: runs(500) });
  });
});
