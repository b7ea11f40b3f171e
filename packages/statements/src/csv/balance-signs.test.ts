import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dateOfDay } from '@coffer/core/dates';
import fc from 'fast-check';
import { readStatement } from '../read-statement.ts';
import { StatementError } from '../statement/statement-error.ts';
import { reasonsOf, shownOf, warningsOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';
import { NumberSet } from '../statement/kept.ts';
import { runs } from '../../../core/src/testing/length.ts';

const HEADER = 'Date,Description,Amount,Balance';
const file = (...rows: string[]) => [HEADER, ...rows, ''].join('\n');
const amountsOf = (text: string, options = {}) => shownOf(text, 'amount', options);

describe('amounts without signs beside a balance', () => {
  it('get the sign that each balance shows, in both orders, with balances after or before them', () => {
    const after = ['08-15,Rent,900,600', '08-16,Salary,2000,2600', '08-17,Shop,50,2550'];
    const before = ['08-15,Rent,900,1500', '08-16,Salary,2000,600', '08-17,Shop,50,2600'];
    const wanted = ['-900', '2000', '-50'];
    const dated = (rows: string[]) => rows.map((row) => `2024-${row}`);
    assert.deepEqual(amountsOf(file(...dated(after))), wanted);
    assert.deepEqual(amountsOf(file(...dated(after).toReversed())), wanted.toReversed());
    // The last balance is not in such a file: 2600 less 50, or 50 more.
    const text = file(...dated(before), '2024-08-18,Shop,2560,2550');
    assert.deepEqual(amountsOf(text), [...wanted, '2560']);
    // Rows of one day do not hide the order of the others.
    assert.deepEqual(amountsOf(text.replace('08-16', '08-15')), [...wanted, '2560']);
    assert.match(warningsOf(file(...dated(after)))[1]!, /The balances show which .* money out/);
  });

  it('are proven account by account, from an opening balance, and with words that are not known', () => {
    const cases: Record<string, [string, string[]]> = {
      accounts: [
        'Date,Account,Description,Amount,Balance\n2024-08-15,A,x,10,5\n2024-08-15,B,x,90,80\n' +
          '2024-08-16,A,x,2,3\n2024-08-16,B,x,90,170\n2024-08-17,A,x,4,7\n2024-08-17,B,x,20,150\n',
        ['-10', '-90', '-2', '90', '4', '-20'],
      ],
      opening: [
        `${HEADER}\n,Opening balance,,1000\n2024-08-15,x,100,1100\n2024-08-16,x,50,1050\n`,
        ['100', '-50'],
      ],
      'opening at the end': [
        `${HEADER}\n2024-08-16,x,50,1050\n2024-08-15,x,100,1100\n2024-08-14,Opening balance,,1000\n`,
        ['-50', '100'],
      ],
      words: [
        'Date,Type,Description,Amount,Balance\n2024-08-15,FOO,x,900,600\n2024-08-16,DR,x,1,599\n2024-08-17,BAR,x,9,608\n',
        ['-900', '-1', '9'],
      ],
      debts: [
        file('2024-08-15,x,50,-40', '2024-08-16,x,10,-50', '2024-08-17,x,20,-30'),
        ['50', '-10', '20'],
      ],
      nothing: [
        file('2024-08-15,x,90,60', '2024-08-16,x,0,60', '2024-08-17,x,9,51'),
        ['-90', '0', '-9'],
      ],
      'one row': [file('2024-08-15,x,900,600'), ['-900']],
      'only money in': [
        file('2024-08-15,x,9,60', '2024-08-16,x,1,61', '2024-08-17,x,2,63'),
        ['9', '1', '2'],
      ],
      'a map': [file('2024-08-15,x,90,60', '2024-08-16,x,10,70'), ['-90', '10']],
    };
    const map = { date: '1', amount: '3', payee: '2', balance: '4' };
    for (const [name, [text, amounts]] of Object.entries(cases))
      assert.deepEqual(amountsOf(text, name === 'a map' ? { map } : {}), amounts, name);
  });

  it('are shown by a balance under a name that is not known', () => {
    const rows = ['2024-08-15,Rent,900,600', '2024-08-16,Pay,2000,2600', '2024-08-17,x,50,2550'];
    const named = (name: string): string => file(...rows).replace('Balance', name);
    for (const name of ['Running total', 'Position'])
      assert.deepEqual(amountsOf(named(name)), ['-900', '2000', '-50']);
    // Two rows, or numbers that do not follow.
    const few = [file(...rows.slice(0, 2)), file(...rows, '2024-08-18,y,1,7')];
    for (const text of few) {
      const all = amountsOf(text.replace('Balance', 'Position'));
      assert.deepEqual(
        all,
        all.map((each) => each.replace('-', '')),
      );
    }
  });

  it('are not shown by words after the balance, unless that follows by them', () => {
    const named = (...rows: string[]): string => [`${HEADER},D/C`, ...rows, ''].join('\n');
    const wrong = named('2024-01-02,x,5,95,C', '2024-01-03,y,100,5,D', '2024-01-04,z,50,45,C');
    assert.match(
      reasonsOf(wrong)[0]!,
      /column "D\/C" may be of the balance: .*--map direction=D\/C$/,
    );
    assert.deepEqual(amountsOf(wrong, { map: { direction: 'D/C' } }), ['5', '-100', '50']);
    const right = named('2024-01-02,x,5,95,D', '2024-01-03,y,9,104,C');
    assert.deepEqual(amountsOf(right), ['-5', '9']);
  });

  it('counts a skipped row once that has another problem than its sign', () => {
    const text =
      'Date,Description,Amount,Balance\n2024-10-11,x7,44,61\n2024-10-10,x6,50,17\n2024-10-09,x5,7,67\n' +
      '2024-10-,0,60\n2024-10-07,x3,28,90\n2024-10-06,x2,18,62\n2024-10-05,x1,19,44\n2024-10-04,x0,9,25\n';
    const statement = readStatement(sourceOf(text), { skipBadRows: true });
    assert.deepEqual(
      [...statement.entries()].map(({ line }) => line),
      [2, 3, 6, 7, 8],
    );
    assert.deepEqual([statement.entryCount, statement.badRows?.count], [5, 3]);
  });

  it('are refused where no balance shows the sign, row by row or as a whole', () => {
    const open = file('2024-08-15,x,100,600', '2024-08-16,x,50,550', '2024-08-17,x,5,555');
    const reason =
      'Nothing shows whether this is money in or out: column "Balance" does not show it';
    assert.deepEqual(reasonsOf(open), [
      `2: ${reason} (if all rows are money out use --negate, else --skip-bad-rows)`,
    ]);
    const rest = readStatement(sourceOf(open), { skipBadRows: true });
    assert.deepEqual([rest.entryCount, rest.badRows?.count], [2, 1]);
    assert.deepEqual(
      [...rest.entries()].map(({ amount }) => amount),
      [-500_000, 50_000],
    );
    const gap = file(
      '2024-08-15,x,900,600',
      '2024-08-16,x,50,50',
      '2024-08-17,x,5,45',
      '2024-08-18,x,5,50',
    );
    assert.deepEqual(reasonsOf(gap), [
      `3: ${reason} (if all rows are money out use --negate, else --skip-bad-rows)`,
    ]);
    const none = file('2024-08-15,x,100,600', '2024-08-16,x,70,999', '2024-08-17,x,5,1');
    assert.match(
      reasonsOf(none)[0]!,
      /no amount is negative.*--negate, else --map date=1,.*amount=3/,
    );
    assert.deepEqual(amountsOf(none, { map: { amount: 'Amount' } }), ['100', '70', '5']);
    assert.deepEqual(amountsOf(open, { negate: true }), ['-100', '-50', '-5']);
  });

  it('are never given a wrong sign, as long as they are not all of one, or of one day', () => {
    const amounts = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 8 });
    const property = fc.property(
      amounts,
      fc.nat(100),
      fc.boolean(),
      (signed, opening, isReversed) => {
        let balance = opening;
        const rows = signed.map((amount, at) => {
          balance += amount;
          return `${dateOfDay(20_000 + at)},x${at},${Math.abs(amount)},${balance}`;
        });
        const others = signed.slice(1);
        fc.pre(others.some((amount) => amount < 0) && others.some((amount) => amount > 0));
        fc.pre(rows.every((row) => Number(row.split(',')[3]) >= 0));
        try {
          const text = file(...(isReversed ? rows.toReversed() : rows));
          const statement = readStatement(sourceOf(text), { skipBadRows: true });
          for (const { payee, amount } of statement.entries())
            assert.equal(amount / 10_000, signed[Number(payee.slice(1))], text);
        } catch (error) {
          if (!(error instanceof StatementError)) throw error;
        }
      },
    );
    fc.assert(property, { numRuns: runs(500) });
  });

  it('are said where only the first row could be another way', () => {
    const text = file('2024-08-15,x,100,600', '2024-08-16,x,50,650', '2024-08-17,x,5,655');
    assert.deepEqual(amountsOf(text), ['100', '50', '5']);
    assert.match(warningsOf(text)[1]!, /^2: Nothing shows .* read as money in, like the others$/);
    const spent = file('2024-08-15,x,100,600', '2024-08-16,x,50,550', '2024-08-17,x,5,545');
    assert.match(reasonsOf(spent)[0]!, /^2: Nothing shows .* use --negate, else --skip-bad-rows/);
  });
});

describe('NumberSet', () => {
  it('has the lines that were added, and no others', () => {
    const lines = fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 20 });
    const property = fc.property(lines, fc.integer({ min: 1, max: 100_000 }), (all, other) => {
      const set = new NumberSet();
      for (const line of all) set.add(line);
      assert.ok(all.every((line) => set.has(line)));
      assert.equal(set.has(other), all.includes(other));
    });
    fc.assert(property, { numRuns: runs(100) });
  });
});
