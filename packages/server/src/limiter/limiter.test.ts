import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseRateLimit } from './limiter.ts';
import { runs } from '../../../core/src/testing/length.ts';

describe('rate limit', () => {
  const readable: readonly (readonly [string, number, number])[] = [
    ['100/60s', 100, 60_000],
    ['100/1m', 100, 60_000],
    ['5000/1h', 5000, 3_600_000],
    ['100/500ms', 100, 500],
    ['100', 100, 60_000],
    ['1/1ms', 1, 1],
    ['1000000000/24h', 1_000_000_000, 86_400_000],
    ['1000000000/86400000ms', 1_000_000_000, 86_400_000],
  ];
  for (const [text, limit, windowMs] of readable) {
    it(`parses ${text}`, () => assert.deepEqual(parseRateLimit(text), { limit, windowMs }));
  }

  const nonsense = [
    '',
    ' ',
    '0',
    '0/60s',
    '100/0s',
    '-1',
    '-1/60s',
    '100/-60s',
    '+1',
    '1.5',
    '1e3',
  ];
  const misspelt = ['100/', '/60s', '100/60', '100/s', '100/60d', '100/60S', '100 / 60s', ' 100'];
  const others = ['100\n', '100/60s/2', '0100/60s', '100/060s', '١٠٠', '0x10', 'NaN', 'Infinity'];
  const tooLarge = ['1000000001', '100/25h', '100/86400001ms', '100/1441m', '9'.repeat(400)];
  for (const text of [...nonsense, ...misspelt, ...others, ...tooLarge]) {
    it(`refuses ${JSON.stringify(text).slice(0, 40)} and quotes it`, () => {
      const opening = `Invalid rate limit ${JSON.stringify(text)}: use `;
      assert.throws(
        () => parseRateLimit(text),
        (error: Error) => error.message.startsWith(opening),
      );
    });
  }

  it('parses any figures within the bounds, in any unit', () => {
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

  it('returns whole numbers within the bounds or throws, for any text', () => {
    const charArbitrary = fc.constantFrom(...Array.from('0123456789/msh .-e'));
    const property = fc.property(fc.string({ unit: charArbitrary, maxLength: 12 }), (text) => {
      try {
        const { limit, windowMs } = parseRateLimit(text);
        assert.ok(Number.isInteger(limit) && limit >= 1 && limit <= 1_000_000_000);
        assert.ok(Number.isInteger(windowMs) && windowMs >= 1 && windowMs <= 86_400_000);
      } catch (error) {
        assert.match(String(error), /^Error: Invalid rate limit "/);
      }
    });
    fc.assert(property, { numRuns: runs(1000) });
  });
});
