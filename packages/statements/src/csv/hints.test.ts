import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reasonsOf, shownOf, warningsOf } from '../testing/reading.ts';

const table = (text: string) => `${text.replaceAll(' / ', '\n')}\n`;
/** The map that a refusal suggests; null if it suggests none. */
const hintOf = (text: string): string | null =>
  / such as --map (.*)$/.exec(reasonsOf(table(text))[0]!)?.[1] ?? null;

describe('the map that a refusal suggests', () => {
  it('never has a fee, a balance or a part of a total as the amount', () => {
    const cases: Record<string, [string, string | null]> = {
      fee: [
        'When,Transfer fee,Moved / 2024-01-31,0.61,99.39 / 2024-02-01,0.10,12.40 / 2024-02-02,0.20,7.00',
        'date=1,amount=3',
      ],
      'a fee, two amounts': [
        'When,Charge,Sent,Got / 2024-01-31,0.61,99.39,85.10 / 2024-02-01,0.10,12.40,10.90',
        null,
      ],
      'parts of a total': [
        'When,Own,Employer,Sum of both / 2024-01-31,10.00,20.50,30.50 / 2024-02-29,11.00,22.00,33.00',
        'date=1,amount=4',
      ],
      'parts of one row': ['When,Own,Employer,Sum of both / 2024-01-31,10.00,20.50,30.50', null],
      'a balance by name': [
        'When,Opening,X / 2024-01-31,10.00,20.50 / 2024-02-29,99.00,22.00',
        'date=1,amount=3',
      ],
      'a balance by its steps': [
        'When,X,Y / 2024-01-31,100.00,20.00 / 2024-02-01,70.00,30.00 / 2024-02-02,75.00,5.00',
        'date=1,amount=3',
      ],
      'only a fee with decimals': [
        'When,Fee,Moved / 2024-01-31,0.61,99 / 2024-02-01,0.10,12',
        'date=1,amount=3',
      ],
      'several columns': [
        'When,X,Y,Z / 2024-01-31,10.00,20.00,77.00 / 2024-02-01,3.00,5.00,6.00',
        null,
      ],
      'a plan and what was spent': [
        'When,Budget,Spent,Difference / 2024-01-31,10.00,8.00,2.00 / 2024-02-29,9.00,5.00,4.00',
        null,
      ],
      'numbers of documents': ['When,X,Y / 2024-01-31,1001,5 / 2024-02-01,1002,6', null],
      'a column for each side': [
        'When,X,Y / 2024-01-31,10.00, / 2024-02-01,,5.00',
        'date=1,debit=2,credit=3 or date=1,debit=3,credit=2',
      ],
    };
    for (const [name, [text, hint]] of Object.entries(cases))
      assert.equal(hintOf(text), hint, name);
  });
});

describe('a table without known names', () => {
  it('may have the balances before and after each amount, as ABN AMRO writes it', () => {
    const rows = [
      '123456789\tEUR\t20240113\t1000,00\t987,50\t20240113\t-12,50\tAlbert Heijn',
      '123456789\tEUR\t20240114\t987,50\t1987,50\t20240114\t1000,00\tWerkgever',
      '123456789\tEUR\t20240115\t1987,50\t1980,00\t20240115\t-7,50\tBakker',
    ];
    const wanted = ['-12.5 | eur | 123456789 | Albert Heijn', '1000 | eur | 123456789 | Werkgever'];
    for (const count of [1, 2, 3]) {
      const text = `${rows.slice(0, count).join('\n')}\n`;
      const shown = shownOf(text, 'amount currency account payee');
      assert.deepEqual(shown.slice(0, 2), wanted.slice(0, count));
    }
    const [turned] = shownOf(`${rows.toReversed().join('\n')}\n`, 'amount');
    assert.equal(turned, '-7.5');
  });
});

describe('a table with a column of money out alone', () => {
  it('is refused where a number that only rows without an amount have may be money in', () => {
    const rows = '2024-01-31,x,5.00, / 2024-02-01,y,,7.00';
    const [reason] = reasonsOf(table(`Date,Text,Debit,Other / ${rows}`));
    assert.equal(
      reason,
      '3: May be the amount of this row: use --map credit=Other, or --skip-bad-rows',
    );
    const numbered = '2024-01-31,x,5.00,78 / 2024-02-01,y,,79';
    assert.deepEqual(shownOf(table(`Date,Text,Debit,Other / ${numbered}`), 'amount'), ['-5']);
    assert.deepEqual(shownOf(table(`日付,摘要,支払い金額,預かり金額 / ${rows}`), 'amount'), [
      '-5',
      '7',
    ]);
  });
});

describe('a column of currencies', () => {
  it('has none where it says kr, which four countries use', () => {
    const text = table('Date,Text,Amount,Currency / 2024-01-31,x,5,kr / 2024-02-01,y,6,kr.');
    assert.deepEqual(shownOf(text, 'currency'), ['-', '-']);
    assert.deepEqual(shownOf(text.replace('kr.', 'DKK'), 'currency'), ['dkk', 'dkk']);
  });
});

describe('a column of letters under a name that is not known', () => {
  it('has no directions', () => {
    const rows = '2024-01-31,x,A,5 / 2024-02-01,y,B,6';
    assert.deepEqual(shownOf(table(`Date,Text,Group,Amount / ${rows}`), 'amount'), ['5', '6']);
    const marked = rows.replace('A', 'C').replace('B', 'D');
    assert.deepEqual(shownOf(table(`Date,Text,Group,Amount / ${marked}`), 'amount'), ['5', '-6']);
  });
});

describe('the history of Wise', () => {
  const header =
    'ID,Status,Direction,Created on,Finished on,Source fee amount,Source fee currency,Target fee amount,Target fee currency,Source name,Source amount (after fees),Source currency,Target name,Target amount (after fees),Target currency,Exchange rate,Reference,Category';
  const row = (status: string, direction: string, source: string, target: string) =>
    `T-1,${status},${direction},2025-09-01 10:00:00,2025-09-02 10:05:00,${source.split(' ')[1]},EUR,,,Ann,${source.split(' ')[0]},EUR,Bob,${target.replace(' ', ',')},0.86,INV-7,Home`;
  const read = (...rows: string[]) =>
    shownOf(`${[header, ...rows].join('\n')}\n`, 'date amount currency payee notes category');

  it('gives money out with its fee, money in, and both sides of a conversion', () => {
    assert.deepEqual(
      read(
        row('COMPLETED', 'OUT', '99.39 0.61', '85.10 GBP'),
        row('COMPLETED', 'IN', '2500.00 0', '2500.00 EUR'),
        row('COMPLETED', 'NEUTRAL', '100.00 0.50', '86.00 GBP'),
        row('COMPLETED', 'NEUTRAL', '100.00 0', '100.00 EUR'),
        row('CANCELLED', 'OUT', '500.00 0', '500.00 EUR'),
        row('REFUNDED', 'OUT', '500.00 0', '500.00 EUR'),
      ),
      [
        '2025-09-01 | -100 | eur | Bob | INV-7 | Home',
        '2025-09-01 | 2500 | eur | Ann | INV-7 | Home',
        '2025-09-01 | -100.5 | eur | Conversion EUR to GBP | INV-7 | Home',
        '2025-09-01 | 86 | gbp | Conversion EUR to GBP | INV-7 | Home',
      ],
    );
    assert.deepEqual(warningsOf(`${header}\n${row('COMPLETED', 'OUT', '1 0', '1 EUR')}\n`), []);
  });
});
