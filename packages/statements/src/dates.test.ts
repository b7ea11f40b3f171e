import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { looksLikeDate, parseDate, type DateOrder } from './dates.ts';

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const day = fc
  .record({ year: fc.integer({ min: 1, max: 9999 }), month: fc.integer({ min: 1, max: 12 }) })
  .chain(({ year, month }) =>
    fc.record({
      year: fc.constant(year),
      month: fc.constant(month),
      day: fc.integer({ min: 1, max: DAYS[month - 1]! }),
    }),
  );
const order = fc.constantFrom<DateOrder>('y-m-d', 'd/m/y', 'm/d/y');

function padded(part: number, digits: number): string {
  return String(part).padStart(digits, '0');
}

describe('parseDate', () => {
  it('reads back every date printed in any order, with any separator, padded or not', () => {
    const print = fc.record({
      separator: fc.constantFrom('-', '/', '.'),
      digits: fc.constantFrom(1, 2),
      time: fc.constantFrom('', ' 10:00', 'T23:59:59.123Z', '  6:11:59', ' 12:34:56 +0000'),
    });
    fc.assert(
      fc.property(day, order, print, (date, style, { separator, digits, time }) => {
        const parts: Record<string, string> = {
          y: padded(date.year, 4),
          m: padded(date.month, digits),
          d: padded(date.day, digits),
        };
        const letters = style.split(/[-/]/);
        const text = letters.map((letter) => parts[letter]).join(separator) + time;
        const expected = `${padded(date.year, 4)}-${padded(date.month, 2)}-${padded(date.day, 2)}`;
        assert.equal(parseDate(text, style), expected);
      }),
    );
  });

  it('reads years of two digits as 1970 to 2069', () => {
    assert.equal(parseDate('31.12.69', 'd/m/y'), '2069-12-31');
    assert.equal(parseDate('31.12.70', 'd/m/y'), '1970-12-31');
    assert.equal(parseDate('2/8/15', 'm/d/y'), '2015-02-08');
    assert.equal(parseDate('15-02-08', 'y-m-d'), '2015-02-08');
  });

  it('refuses days that are not in the calendar', () => {
    const days = '2023-02-29 1900-02-29 2024-04-31 2024-13-01 2024-00-10 0000-01-01';
    for (const text of days.split(' ')) assert.equal(parseDate(text, 'y-m-d'), null, text);
    assert.equal(parseDate('2024-02-29', 'y-m-d'), '2024-02-29');
    assert.equal(parseDate('2000-02-29', 'y-m-d'), '2000-02-29');
  });

  it('reads eight digits as year, month and day', () => {
    assert.equal(parseDate('20240131', 'y-m-d'), '2024-01-31');
    assert.equal(parseDate('20240132', 'y-m-d'), null);
    assert.equal(parseDate('20240131', 'd/m/y'), null);
  });

  it('reads month names of many languages in every order', () => {
    const texts =
      '12-Dec-2019|12-Dez-2019|12 déc. 2019|12 de diciembre de 2019|Dec 12, 2019|12 декабря 2019|' +
      '12 aralık 2019|Thu, 12 Dec 2019|12. prosince 2019';
    for (const style of ['y-m-d', 'd/m/y', 'm/d/y'] as const) {
      for (const text of texts.split('|')) assert.equal(parseDate(text, style), '2019-12-12', text);
      assert.equal(parseDate('3 january 24', style), '2024-01-03');
      // November in Poland, October in Croatia.
      assert.equal(parseDate('12 listopada 2019', style), null);
    }
  });

  it('reads points with spaces, a point at the end, times and marks of direction', () => {
    assert.equal(parseDate('2019.04.19.', 'y-m-d'), '2019-04-19');
    assert.equal(parseDate('19. 4. 2019', 'd/m/y'), '2019-04-19');
    assert.equal(parseDate('19.04.2019, 17:05', 'd/m/y'), '2019-04-19');
    assert.equal(parseDate('\u200f19/04/2019\u00a0', 'd/m/y'), '2019-04-19');
    assert.equal(parseDate('2019年4月9日', 'y-m-d'), '2019-04-09');
  });

  it('refuses any other text', () => {
    const texts = '|Pending|01/02|1/2-2020|001/02/2020|01/02/020|2020-01-01 noon'.split('|');
    for (const text of [...texts, `2020-01-01 10:00${' '.repeat(60)}`])
      assert.equal(looksLikeDate(text), false, text);
  });

  it('does not accept a leading year of two digits if no order is given', () => {
    assert.equal(looksLikeDate('70-02-08'), false);
    assert.equal(looksLikeDate('08-02-70'), true);
  });
});
