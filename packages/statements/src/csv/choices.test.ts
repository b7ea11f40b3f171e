import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import { errorOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

/** The amounts, or the dates, of a file by each choice that its only problem has. */
function readings(content: string, key: 'amount' | 'date') {
  const [problem, ...others] = errorOf(content).problems;
  assert.deepEqual(others, []);
  return problem!.choices?.map(({ label, options }) => {
    const [entry] = readStatement(sourceOf(content), options).entries();
    return `${label}: ${entry![key]}`;
  });
}

describe('a file that can be read in several ways', () => {
  it('has the options for each', () => {
    const date = 'Date,Payee,Amount\n01/02/2024,Shop,-1.50\n';
    assert.deepEqual(readings(date, 'date'), [
      '2024-02-01 (d/m/y): 2024-02-01',
      '2024-01-02 (m/d/y): 2024-01-02',
    ]);
    const decimal = 'Date;Payee;Amount\n2024-01-31;Shop;-1,234\n';
    assert.deepEqual(readings(decimal, 'amount'), [
      '-1234 (decimal point): -12340000',
      '-1.234 (decimal comma): -12340',
    ]);
    const signs = 'Date,Type,Amount\n2024-01-31,Credit,-50.00\n2024-01-31,Debit,-7\n';
    assert.deepEqual(readings(signs, 'amount'), [
      'money in (the words decide): 500000',
      'money out (the signs decide): -500000',
    ]);
    const fee = 'Date,Amount,Fee\n2024-01-31,-10,1\n';
    assert.deepEqual(readings(fee, 'amount'), [
      'taken off the amount: -110000',
      'a part of the amount: -100000',
    ]);
  });

  it('says that its columns are not known, in any encoding', () => {
    const unknown = 'Wann;Wof\u00fcr;Wieviel;Rest\n2024-01-31;Laden;1;2\n';
    for (const bytes of [Buffer.from(unknown), Buffer.from(unknown, 'latin1')]) {
      const [problem] = errorOf(bytes).problems;
      assert.equal(problem?.needsColumns, true);
    }
    const [other] = errorOf('Date,Amount\n2024-01-31,x\n').problems;
    assert.equal(other?.needsColumns, undefined);
  });
});
