import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAmount, plainDate, readDate, readQifAmount } from './figures.ts';

describe('dates of QIF', () => {
  it('have many forms', () => {
    const forms = {
      'm/d/y': "1/31'04|1/31' 4| 1/31/04|01/31/2004|1-31-04|1.31.2004|1-31'2004",
      'd/m/y': "31.1'04|31/ 1/04|31.01.2004|31.01.2004.|31/1' 4|31-Jan-2004",
      'y-m-d': '2004-01-31|2004/1/31|20040131|2004-01-31 10:20|2004-01-31T10:20:00',
    } as const;
    for (const order of ['m/d/y', 'd/m/y', 'y-m-d'] as const)
      for (const text of forms[order].split('|'))
        assert.equal(readDate(text, order), '2004-01-31', text);
    assert.equal(readDate(" 1/ 3'04", 'm/d/y'), '2004-01-03');
    assert.equal(readDate('04-01-31', 'y-m-d'), '2004-01-31');
  });

  it('are of this century after an apostrophe, else of the years 1970 to 2069', () => {
    assert.equal(readDate("6/1'94", 'm/d/y'), '2094-06-01');
    assert.equal(readDate('6/1/94', 'm/d/y'), '1994-06-01');
  });

  it('are not other texts', () => {
    const texts = "2/30'04|1/31|1'2|x||13/1'04".split('|');
    for (const text of [...texts, `1/31/${' '.repeat(10_000)}04`])
      assert.equal(readDate(text, 'm/d/y'), null, text);
    assert.equal(plainDate('31 Jan 2004'), '31 Jan 2004');
  });
});

describe('amounts of QIF', () => {
  it('have thousands, currencies and either decimal sign', () => {
    assert.equal(readQifAmount('-1,010.00', 'point'), -10_100_000);
    assert.equal(readQifAmount('1.010,5', 'comma'), 10_105_000);
    assert.equal(readQifAmount("1'234.50", 'point'), 12_345_000);
    assert.equal(readQifAmount('$5.', 'point'), 50_000);
    assert.equal(readQifAmount('-.50', 'point'), -5_000);
    assert.deepEqual([isAmount('=746.36'), isAmount('746,36'), isAmount('')], [false, true, false]);
  });
});
