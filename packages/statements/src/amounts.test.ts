import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AMOUNTS, parseAmount, type Decimal } from './amounts.ts';

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
