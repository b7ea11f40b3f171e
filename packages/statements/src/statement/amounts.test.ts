import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AMOUNTS, parseAmount } from './amounts.ts';
import type { Decimal, DateOrder } from './statement.ts';
import { unitCurrency, unitOfAmount } from './currencies.ts';
import { looksLikeDate, parseDate } from './dates.ts';
import { withAsciiDigits } from '../words/vocabulary.ts';

const amount = fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });

/** Prints an amount as banks do; `group` separates the thousands. */
function bankAmount(value: number, decimal: Decimal, group: string): string {
  const [units, fraction] = AMOUNTS.print(Math.abs(value)).split('.');
  const grouped = units!.replace(/\B(?=(\d{3})+$)/g, group);
  const sign = decimal === 'point' ? '.' : ',';
  return `${value < 0 ? '-' : ''}${grouped}${fraction === undefined ? '' : sign + fraction}`;
}

function reads(text: string, decimal: Decimal, expected: number | null): void {
  assert.equal(parseAmount(text, decimal), expected, `${text} with a decimal ${decimal}`);
}

describe('parseAmount', () => {
  it('parses exactly what was printed, in both styles, with and without separated thousands', () => {
    const decimal = fc.constantFrom<Decimal>('point', 'comma');
    const group = fc.constantFrom('', "'", '’', ' ', '\u00a0', '\u202f', 'other');
    fc.assert(
      fc.property(amount, decimal, group, (value, style, parting) => {
        const other = style === 'point' ? ',' : '.';
        const text = bankAmount(value, style, parting === 'other' ? other : parting);
        assert.equal(parseAmount(text, style), value === 0 ? 0 : value);
      }),
    );
  });

  it('reads numbers with the noise of binary fractions, and no others with more than four decimals', () => {
    for (const [text, value] of [
      ['-12.299999999999999', -123_000],
      ['0.30000000000000004', 3000],
      ['100.10000000000001', 1_001_000],
      ['1.9999999999999998', 20_000],
      ['-995.4190396554627', null],
      ['1.299999999', null],
      ['0.1234500000001', null],
    ] as const)
      reads(text, 'point', value);
    reads('1.234,299999999999', 'comma', 12_343_000);
  });

  it('reads currencies in Arabic, with marks of direction', () => {
    for (const text of ['د.إ.\u200f 1,234.50', '\u200f1,234.50 ر.س.\u200f', '\u200e-1,234.50 ج.م'])
      reads(text, 'point', text.includes('-') ? -12_345_000 : 12_345_000);
    reads('١٬٢٣٤٫٥٠ د.ك.\u200f', 'point', 12_345_000);
    const units = ['د.إ.\u200f 12.00', '\u200f12.00 ر.س.\u200f', '١٢٫٥٠ ج.م', '\u200f12.00\u200f'];
    const codes = units.map((text) => unitCurrency(unitOfAmount(text) ?? ''));
    assert.deepEqual(codes, ['aed', 'sar', 'egp', null]);
  });

  it('reads signs wherever banks put them', () => {
    const out =
      '-$76.00|$-76.00|- $76.00|76.00-|(76.00)|($76.00)|−76.00|76.00 DR|76.00dr|USD -76|-76 EUR|–76.00|-76.000000';
    for (const text of out.split('|')) reads(text, 'point', -760_000);
    for (const text of '+$76.00|+ £76.00|76.00 CR|76.00+|76 kr|kr. 76.00|Rs.76.00'.split('|'))
      reads(text, 'point', 760_000);
    reads('+ £1,100.00', 'point', 11_000_000);
    reads('1 234,50 Kč', 'comma', 12_345_000);
    reads('-1.001,00', 'comma', -10_010_000);
  });

  it('reads lakhs, digits of other scripts, and ignores marks of direction', () => {
    reads('12,34,567.50', 'point', 12_345_675_000);
    reads('\u200f-1,234.50\u00a0₪', 'point', -12_345_000);
    reads('٥٠', 'point', 500_000);
    reads('R$ 1.234,50', 'comma', 12_345_000);
  });

  it('never returns a negative zero', () => {
    for (const text of ['-0', '-0.00', '(0.00)', '0.00 DR']) {
      assert.ok(Object.is(parseAmount(text, 'point'), 0), text);
    }
  });

  it('does not read a unit that ends in DR or CR as a sign, or the point of one as a decimal point', () => {
    for (const text of ['100 IDR', '100 SCR']) reads(text, 'point', 1_000_000);
    for (const text of ['kr.500', 'Rs.500']) reads(text, 'point', 5_000_000);
  });

  it('refuses thousands that are not groups of three with the same separator', () => {
    for (const text of ['1,23', '1,2345', '12,34,56', '1,234 567', '0,123', '1234,567', ',123']) {
      reads(text, 'point', null);
    }
  });

  it('refuses a megabyte of any content quickly', () => {
    for (const filler of [' ', '1', '-', ',', '$', '1,']) {
      reads(`1${filler.repeat(500_000)}x`, 'point', null);
    }
  });

  it('refuses two signs and any other text', () => {
    const texts =
      '--5|-5-|(-5)|-5 DR|+5 CR|-5 CR|| |-|$|abc|5 apples|1e5|0x10|NaN|Infinity|5.|1.2.3';
    const long = ['1'.repeat(65), `${'0'.repeat(63)}.1`];
    for (const text of [...texts.split('|'), ...long]) reads(text, 'point', null);
    reads(`${'0'.repeat(62)}.1`, 'point', 1000);
  });

  it('accepts four decimals and zeros after them, and refuses more', () => {
    reads('0.0001', 'point', 1);
    reads('0.00010000', 'point', 1);
    reads('0.00011', 'point', null);
    assert.equal(AMOUNTS.fault('0.00011'), 'More than 4 decimals');
  });

  it('accepts 2^53 − 1 ten-thousandths, and refuses more', () => {
    reads('900719925474.0991', 'point', Number.MAX_SAFE_INTEGER);
    reads('-900,719,925,474.0991', 'point', -Number.MAX_SAFE_INTEGER);
    reads('900719925474.0992', 'point', null);
    reads('9'.repeat(60), 'point', null);
    assert.equal(AMOUNTS.fault('900719925474.0992'), 'Outside ±900719925474.0991');
  });

  it('returns an amount or null for any text, quickly', () => {
    const hostile = fc.oneof(fc.string(), fc.stringMatching(/^[-+ .,'()$CRD0-9]{0,80}$/));
    fc.assert(
      fc.property(hostile, (text) => {
        const read = parseAmount(text, 'comma');
        assert.ok(read === null || (Number.isSafeInteger(read) && !Object.is(read, -0)));
      }),
    );
  });
});

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
    for (const text of [
      '٠٨/٠٢/٢٠١٥',
      '۰۸/۰۲/۲۰۱۵',
      '０８／０２／２０１５',
      '०८.०२.२०१५',
      '๐๘-๐๒-๒๐๑๕',
    ])
      assert.equal(parseDate(text, 'd/m/y'), '2015-02-08', text);
    for (const zero of [0x660, 0x966, 0xff10, 0x104a0, 0x1d7ce, 0x1d7d8, 0x1d7f6, 0x1e950]) {
      const digits = Array.from({ length: 10 }, (_, at) => String.fromCodePoint(zero + at)).join(
        '',
      );
      assert.equal(withAsciiDigits(`a${digits}7`), 'a01234567897');
    }
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
