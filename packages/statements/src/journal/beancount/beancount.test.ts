import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../../read-statement.ts';
import type { Entry } from '../../statement.ts';
import { entriesOf, reasonsOf } from '../../testing/reading.ts';
import { sourceOf } from '../../testing/sources.ts';

const format = 'beancount' as const;
const entries = (text: string): Entry[] => entriesOf(text, { format });
const reasons = (text: string): string[] => reasonsOf(text, { format });
const brief = (text: string): string[] =>
  entries(text).map(({ date, account, amount, currency, category }) =>
    [date, account, amount / 10_000, currency, category].join(' '),
  );
/** The amount of a transaction of one posting with the given amount. */
const amountOf = (amount: string): string =>
  brief(`2024-01-31 * "x"\n  Assets:Cash  ${amount}\n  Expenses:Food\n`)[0]!.slice(
    '2024-01-31 '.length,
  );

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
    assert.deepEqual(entries(text), [
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
        tags: ['trip', 'food', 'bill-1']
          .map((tag) => (tag === 'bill-1' ? '^bill-1' : tag))
          .concat('late'),
      },
    ]);
    const [plain] = entries('2024/1/31 txn "Only this"\n\tAssets:Cash 5 EUR\n\tIncome:X\n');
    assert.deepEqual([plain!.payee, plain!.notes, plain!.date], ['Only this', null, '2024-01-31']);
  });

  it('read expressions, prices and lots', () => {
    const amounts: Record<string, string> = {
      '-5 USD': 'Cash -5 usd Food',
      '-(10 + 2) * 3 / 4 USD': 'Cash -9 usd Food',
      '1,000 JPY': 'Cash 1000 jpy Food',
      '-20.00 EUR @ 1.10 USD': 'Cash -20 eur Food',
      '-20.00 EUR @@ 22 USD': 'Cash -20 eur Food',
    };
    for (const [amount, wanted] of Object.entries(amounts)) assert.equal(amountOf(amount), wanted);
    const buy = (lot: string, cash = ''): string[] =>
      brief(`2024-01-31 * "x"\n  Assets:Shares  10 VTI ${lot}\n  Assets:Cash  ${cash}\n`);
    for (const lot of ['{5.00 USD}', '{{50.00 USD}}', '{4 # 10 USD, 2024-01-01, "a"}', '@ 5 USD']) {
      assert.deepEqual(buy(lot), ['2024-01-31 Cash -50 usd '], lot);
    }
    assert.deepEqual(buy('{}', '-49.5 USD'), ['2024-01-31 Cash -49.5 usd ']);
    assert.deepEqual(buy('{5.11149 USD}'), ['2024-01-31 Cash -51.11 usd ']);
    const lots = '2024-01-31 * "x"\n Assets:Shares  1 ALL {95 USD}\n Assets:Cash\n';
    assert.deepEqual(brief(lots), ['2024-01-31 Cash -95 usd ']);
    assert.deepEqual(reasons('2024-01-31 * "x"\n  Assets:Shares  -1 VTI {}\n  Assets:Cash\n'), [
      '3: Amount depends on the cost of a lot, which is not written',
    ]);
    const gain = '2024-01-31 * "x"\n Assets:S  -1 VTI {}\n Assets:Cash  9 USD\n Income:Gain\n';
    assert.deepEqual(brief(gain), ['2024-01-31 Cash 9 usd ']);
  });

  it('balance each commodity, with the tolerance of its least precise fraction', () => {
    const shop = (amount: string): string =>
      `2024-01-31 * "x"\n  Assets:Cash  -10.01 USD\n  Expenses:A  5.00 USD\n  Expenses:B  ${amount} USD\n`;
    assert.equal(
      entries(shop('5.013'))[0]!.parts!.reduce((sum, { amount }) => sum + amount, 0),
      -100_100,
    );
    assert.deepEqual(reasons(shop('5.02')), [
      '1: Transaction does not balance: it is off by 0.01 USD',
    ]);
    assert.deepEqual(reasons('2024-01-31 * "x"\n  Assets:Cash  -10 USD\n  Expenses:A  9 EUR\n'), [
      '1: Transaction does not balance: it is off by -10 USD, 9 EUR',
    ]);
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
    const { warnings } = readStatement(sourceOf(text));
    assert.deepEqual(warnings, [
      { line: 6, text: '"other.beancount" is not read: import it as a file of its own' },
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
    assert.deepEqual(reasons('2024-01-31 * "x\n  Assets:Cash  5 USD\n'), [
      '1: String is never closed',
    ]);
  });
});
