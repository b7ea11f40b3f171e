import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entry } from '../statement/statement.ts';
import { entriesOf, reasonsOf, shownOf, warningsOf } from '../testing/reading.ts';

const format = 'beancount' as const;
const reasons = (text: string): string[] => reasonsOf(text, { format });
const brief = (text: string): string[] =>
  entriesOf(text, { format }).map(({ date, account, amount, currency, category }) =>
    [date, account, amount / 10_000, currency, category].join(' '),
  );
const moved = (...postings: string[]): string =>
  `2024-01-31 * "x"\n${postings.map((posting) => `  ${posting}\n`).join('')}`;

describe('journals of beancount', () => {
  it('read every part of a transaction', () => {
    const text = [
      'option "title" "A; book"',
      'pushtag #trip',
      '2024-01-31 ! "Corner  shop" "Milk and',
      '  \\"eggs\\"" #food ^bill-1 ; comment " of the line',
      '  id: "x1"',
      '  #late',
      '  Assets:Bank:Checking   -1,234.50 USD ; paid',
      '    note: "of the posting"',
      '  ! Expenses:Food:Bread',
      'poptag #trip',
    ].join('\n');
    assert.deepEqual(entriesOf(text, { format }), [
      {
        line: 7,
        date: '2024-01-31',
        amount: -12_345_000,
        currency: 'usd',
        payee: 'Corner shop',
        notes: 'Milk and "eggs"',
        category: 'Food:Bread',
        account: 'Bank:Checking',
        externalId: null,
        isPending: true,
        tags: ['trip', 'food', '^bill-1', 'late'],
      },
    ]);
    const plain = '2024/1/31 txn "Only this"\n\tAssets:Cash 5 EUR\n\tIncome:X\n';
    assert.deepEqual(shownOf(plain, 'payee notes date', { format }), [
      'Only this | - | 2024-01-31',
    ]);
  });

  it('read expressions, prices and lots', () => {
    for (const [amount, wanted] of [
      ['-5 USD', '-5 usd'],
      ['-(10 + 2) * 3 / 4 USD', '-9 usd'],
      ['1,000 JPY', '1000 jpy'],
      ['-20.00 EUR @ 1.10 USD', '-20 eur'],
      ['-20.00 EUR @@ 22 USD', '-20 eur'],
    ] as const) {
      const [entry] = brief(moved(`Assets:Cash  ${amount}`, 'Expenses:Food'));
      assert.equal(entry, `2024-01-31 Cash ${wanted} Food`);
    }
    const inCash = (lot: string, cash = ''): string => {
      const [entry, ...more] = brief(moved(`Assets:Shares  ${lot}`, `Assets:Cash  ${cash}`));
      assert.deepEqual(more, []);
      return entry!.replace('2024-01-31 Cash ', '');
    };
    for (const lot of ['{5.00 USD}', '{{50.00 USD}}', '{4 # 10 USD, 2024-01-01, "a"}', '@ 5 USD'])
      assert.equal(inCash(`10 VTI ${lot}`), '-50 usd ', lot);
    assert.equal(inCash('10 VTI {}', '-49.5 USD'), '-49.5 usd ');
    assert.equal(inCash('10 VTI {5.11149 USD}'), '-51.11 usd ');
    assert.equal(inCash('1 ALL {95 USD}'), '-95 usd ');
    assert.deepEqual(reasons(moved('Assets:Shares  -1 VTI {}', 'Assets:Cash')), [
      '3: Amount depends on the cost of a lot, which is not written',
    ]);
    const gain = moved('Assets:S  -1 VTI {}', 'Assets:Cash  9 USD', 'Income:Gain');
    assert.deepEqual(brief(gain), ['2024-01-31 Cash 9 usd ']);
  });

  it('balance each commodity, with the tolerance of its least precise fraction', () => {
    const shop = (amount: string): string =>
      moved('Assets:Cash  -10.01 USD', 'Expenses:A  5.00 USD', `Expenses:B  ${amount} USD`);
    const [{ parts }] = entriesOf(shop('5.013'), { format }) as [Entry];
    const total = parts!.reduce((sum, { amount }) => sum + amount, 0);
    assert.equal(total, -100_100);
    const off = '1: Transaction does not balance: it is off by ';
    assert.deepEqual(reasons(shop('5.02')), [`${off}0.01 USD`]);
    const two = moved('Assets:Cash  -10 USD', 'Expenses:A  9 EUR');
    assert.deepEqual(reasons(two), [`${off}-10 USD, 9 EUR`]);
  });

  it('pad accounts until their next balance', () => {
    const text = [
      '2024-01-01 open Assets:Cash',
      '2024-01-01 pad Assets:Cash Equity:Opening-Balances',
      '2024-03-01 balance Assets:Cash  100.00 USD',
      '2024-02-01 * "Before the balance"',
      '  Assets:Cash:Purse  -30.00 USD',
      '  Expenses:Food',
      '2024-03-01 * "After it"',
      '  Assets:Cash  -5.00 USD',
      '  Expenses:Food',
      '2024-04-01 balance Assets:Cash  90 USD',
      '2024-04-02 pad Assets:Cash Expenses:Lost',
      '2024-05-01 balance Assets:Cash  90.00 ~ 0.5 USD',
      '2024-05-01 balance Assets:Cash  7 VTI',
    ].join('\n');
    assert.deepEqual(brief(text), [
      '2024-01-01 Cash 130 usd Opening-Balances',
      '2024-02-01 Cash:Purse -30 usd Food',
      '2024-03-01 Cash -5 usd Food',
      '2024-04-02 Cash -5 usd Lost',
    ]);
  });

  it('skip other directives, headings and comments, and use renamed accounts', () => {
    const text = [
      '* Heading "with a quote',
      ';; comment "',
      '#+STARTUP: showall',
      'option "name_assets" "Vermoegen"',
      'plugin "beancount.plugins.auto"',
      'include "other.beancount"',
      '1980-05-12 commodity USD',
      '  name: "Dollar',
      'of two lines"',
      '2024-01-01 price USD  0.9 EUR',
      '2024-01-01 note Vermoegen:Cash "It; was',
      '2024-01-02 * inside a string"',
      '2024-01-01 document Vermoegen:Cash "/x.pdf"',
      '2024-01-01 event "location" "Rome"',
      '2024-01-01 query "q" "SELECT 1"',
      '2024-01-01 custom "budget" Vermoegen:Cash 5 USD',
      '2024-01-01 close Vermoegen:Cash',
      '2024-01-31 * "x"',
      '  Vermoegen:Cash  5 USD',
      '  Income:X',
    ].join('\r\n');
    assert.deepEqual(brief(text), ['2024-01-31 Cash 5 usd X']);
    assert.deepEqual(warningsOf(text), [
      '6: "other.beancount" is not read: import it as a file of its own',
    ]);
  });

  it('report every problem with its line', () => {
    const text = [
      '2024-02-30 * "x"',
      '  Assets:Cash  5 USD',
      '2024-01-31 nonsense',
      'nonsense "x"',
      '2024-01-31 * unquoted',
      '2024-01-31 * "x"',
      '  Assets',
      '  Assets:Cash  5 USD USD',
      '  Assets:Cash  1 / 0 USD',
      '2024-01-31 pad Assets:Cash',
      '2024-01-31 balance Assets:Cash',
      '2024-01-31 * "x"',
      '  Assets:Cash  1.00001 USD',
      '  Income:X',
    ].join('\n');
    assert.deepEqual(reasons(text), [
      '1: Not a date',
      '3: Not a directive',
      '4: Not a directive',
      '5: Not a transaction',
      '7: Not a posting',
      '8: Not an amount',
      '9: Division by zero',
      '10: Not a pad',
      '11: Not a balance',
      '13: More than 4 decimals',
    ]);
    const open = reasons('2024-01-31 * "x\n  Assets:Cash  5 USD\n');
    assert.deepEqual(open, ['1: String is never closed']);
  });
});
