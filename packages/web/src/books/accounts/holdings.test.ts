import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fullColour, readableOn } from '../colours.ts';
import { browserOf, localesWith } from '../formats/names.ts';
import { formatQuantity, parseQuantity } from '../formats/quantity.ts';
import { layBalances } from './balances.ts';
import { decimalOf, groupHoldings, netWorthOf, type Holding } from './holdings.ts';

function holding(id: number, part: Partial<Holding>): Holding {
  return {
    key: `manual-${id}`,
    kind: 'manual',
    id,
    name: `Account ${id}`,
    institution: '',
    type: 'cash',
    balance: '0.0000',
    currency: 'usd',
    base: '0',
    asOf: null,
    isClosed: false,
    trouble: null,
    ...part,
  };
}

describe('accounts', () => {
  it('are grouped by type, what is owned first, and debts count negative', () => {
    const all = [
      holding(1, { type: 'credit', base: '100.5' }),
      holding(2, { base: '250' }),
      holding(3, { type: 'cryptocurrency', base: null }),
      holding(4, { base: '1', isClosed: true, name: 'A' }),
      holding(5, { type: 'stamps', base: '0' }),
    ];
    const groups = groupHoldings(all);
    assert.deepEqual(
      groups.map(({ type, total }) => [type, total]),
      [
        ['cash', '251.0000'],
        ['cryptocurrency', '0.0000'],
        ['credit', '-100.5000'],
        ['stamps', '0.0000'],
      ],
    );
    const ids = groups[0]!.holdings.map(({ id }) => id);
    assert.deepEqual(ids, [2, 4]);
    assert.equal(netWorthOf(all), '150.5000');
  });

  it('have converted balances as decimals, also very large and very small ones', () => {
    assert.equal(decimalOf(1e-7), '0');
    assert.equal(decimalOf(1e15), '1000000000000000');
    assert.equal(decimalOf(-12.346), '-12.35');
  });
});

describe('a line of balances', () => {
  it('stays within its square, from one side to the other', () => {
    const values = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 2 });
    fc.assert(
      fc.property(values, (balances) => {
        const { points, zero } = layBalances(balances);
        assert.deepEqual([points[0]!.x, Math.round(points.at(-1)!.x)], [0, 100]);
        for (const { y } of points) assert.ok(y >= -1e-9 && y <= 100 + 1e-9);
        if (zero !== null) assert.ok(zero >= 0 && zero <= 100);
      }),
    );
    for (const [balances, points, zero] of [
      [[0, 50, -50], ['0 50', '50 0', '100 100'], 50],
      [[5, 5], ['0 50', '100 50'], null],
      [[7], ['0 50'], null],
      [[0, 2], ['0 100', '100 0'], 100],
      [[-2, 0], ['0 100', '100 0'], 0],
      [[1, 2], ['0 100', '100 0'], null],
      [[-1, -2], ['0 0', '100 100'], null],
    ] as const) {
      const line = layBalances(balances);
      const shown = line.points.map(({ x, y }) => `${x} ${y}`);
      assert.deepEqual([shown, line.zero], [points, zero]);
    }
  });
});

describe('a quantity', () => {
  it('is the same after it was written and read, in each locale', () => {
    const locale = fc.constantFrom('en-GB', 'de-DE', 'de-CH', 'fr-FR', 'en-IN');
    const digits = fc.tuple(fc.nat(999_999_999), fc.nat(999_999), fc.boolean());
    fc.assert(
      fc.property(locale, digits, (tag, [whole, part, isNegative]) => {
        const text = `${isNegative ? '-' : ''}${whole}.${String(part).padStart(6, '0')}`;
        const read = parseQuantity(formatQuantity(text, tag), tag, 18);
        assert.equal(Number(read), Number(text));
      }),
    );
  });

  it('has no zeros at the end', () => {
    for (const [text, shown] of [
      ['1.500', '1,5'],
      ['2.000', '2'],
      ['100', '100'],
      ['0.010', '0,01'],
    ] as const)
      assert.equal(formatQuantity(text, 'de-DE'), shown);
  });

  it('is refused with too many decimals, and when it is no number', () => {
    assert.equal(parseQuantity('1.23456', 'en-GB', 4), null);
    for (const text of ['', '1e3', 'NaN', '--1', '1.2.3']) {
      assert.equal(parseQuantity(text, 'en-GB', 4), null);
    }
  });
});

describe('colours, browsers and locales', () => {
  it('black or white can be read on any colour', () => {
    assert.equal(readableOn('#ffffff'), '#000000');
    assert.equal(readableOn('#204060'), '#ffffff');
    // Red alone is enough, and so is green.
    assert.deepEqual(['#f00000', '#008000'].map(readableOn), ['#000000', '#ffffff']);
    for (const colour of ['#ff0000', '#008f00', '#7a7a7a', 'red', '#aaaaff'])
      assert.equal(readableOn(colour), '#000000', colour);
    for (const colour of ['#e80000', '#007f00', '#0000ff', '#707070', '#000'])
      assert.equal(readableOn(colour), '#ffffff', colour);
    assert.equal(fullColour('fAe'), '#ffaaee');
    assert.equal(fullColour('#CFF4F3'), '#cff4f3');
    assert.equal(fullColour('red'), null);
  });

  it('a browser has the name that people know', () => {
    const edge = 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0';
    assert.equal(browserOf(edge), 'Edge on Windows');
    assert.equal(browserOf('curl/8'), null);
    assert.equal(browserOf('Links (Linux)'), 'Linux');
    assert.equal(browserOf('Firefox/140.0'), 'Firefox');
    assert.equal(browserOf(null), null);
  });

  it('a locale that is not offered is added when it is chosen', () => {
    const tags = (present: string) => localesWith(present).map(({ tag }) => tag);
    assert.ok(!tags('').includes('is-IS'));
    assert.ok(tags('is-IS').includes('is-IS'));
  });
});
