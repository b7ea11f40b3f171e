import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../../read-statement.ts';
import type { Entry, StatementOptions } from '../../statement.ts';
import { entriesOf, reasonsOf } from '../../testing/reading.ts';
import { sourceOf } from '../../testing/sources.ts';

const format = 'ledger' as const;
const entries = (text: string, options: StatementOptions = {}): Entry[] =>
  entriesOf(text, { format, ...options });
const reasons = (text: string, options: StatementOptions = {}): string[] =>
  reasonsOf(text, { format, ...options });
const read = (text: string) => readStatement(sourceOf(text), { format });
/** Account, amount in units, currency and category of each entry. */
const brief = (text: string, options?: StatementOptions) =>
  entries(text, options).map(({ account, amount, currency, category }) =>
    [account, amount / 10_000, currency, category].join(' '),
  );
/** The entry of a transaction that moves `amount` in cash. */
const amountOf = (amount: string, before = ''): string =>
  brief(`${before}2024/1/31 x\n  Assets:Cash  ${amount}\n  Expenses:Food\n`)[0]!;

describe('journals of ledger and hledger', () => {
  it('read every part of a transaction', () => {
    const text =
      '2024-01-31=2024-02-02 ! (1042) Corner   shop | weekly ; :food:home: by card, trip: Rome\n' +
      '    ; second comment\n' +
      '    expenses:Food:Bread      $1,234.50  ; rye\n' +
      '    * Assets:Bank:Checking\n';
    const found = read(text);
    assert.deepEqual(
      [...found.entries()],
      [
        {
          line: 4,
          date: '2024-01-31',
          amount: -12_345_000,
          currency: 'usd',
          payee: 'Corner shop',
          notes: 'weekly; by card; second comment; No. 1042; rye',
          category: 'Food:Bread',
          account: 'Bank:Checking',
          externalId: null,
          isPending: true,
          tags: ['food', 'home', 'trip:Rome'],
        },
      ],
    );
    assert.deepEqual(
      { ...found, entries: null },
      {
        format: 'ledger',
        encoding: 'utf-8',
        entryCount: 1,
        transactionCount: 1,
        accounts: [
          {
            ...{ name: 'Bank:Checking', id: 'Assets:Bank:Checking', bankId: null, type: 'asset' },
            ...{ currency: 'usd', entryCount: 1, balances: [] },
          },
        ],
        leftOut: [],
        warnings: [],
        entries: null,
      },
    );
  });

  it('read amounts with any commodity, sign, grouping and price', () => {
    const amounts: Record<string, string> = {
      '$-12.50': 'Cash -12.5 usd Food',
      '-$12.50': 'Cash -12.5 usd Food',
      '$ -12.5000000': 'Cash -12.5 usd Food',
      '-12,50 €': 'Cash -12.5 eur Food',
      '+1.234.567,89 EUR': 'Cash 1234567.89 eur Food',
      '1 234 567.89 PLN': 'Cash 1234567.89 pln Food',
      "CHF 1'234.50": 'Cash 1234.5 chf Food',
      '1,00,000.00 ₹': 'Cash 100000 inr Food',
      '£5': 'Cash 5 gbp Food',
      '"USD" 5.': 'Cash 5 usd Food',
      '1E3 usd': 'Cash 1000 usd Food',
      '(2 * ($3 + $1.50) / 2)': 'Cash 4.5 usd Food',
      '($10 * 2 / 3)': 'Cash 6.6667 usd Food',
      '-20 EUR @ 7.53 HRK': 'Cash -20 eur Food',
      '-20 EUR @@ 150 HRK = 5 EUR': 'Cash -20 eur Food',
      '5 == 5': 'Cash 5  Food',
    };
    for (const [amount, wanted] of Object.entries(amounts)) {
      assert.equal(amountOf(amount), wanted, amount);
    }
    assert.equal(amountOf('5', 'D 1.000,00 EUR\n'), 'Cash 5 eur Food');
    assert.equal(amountOf('1.500 EUR', 'D 1.000,00 EUR\n'), 'Cash 1500 eur Food');
    assert.equal(
      amountOf('1.500 EUR', 'commodity EUR\n  format 1.000,00 EUR\n'),
      'Cash 1500 eur Food',
    );
    assert.equal(amountOf('1,500 EUR', 'decimal-mark ,\n'), 'Cash 1.5 eur Food');
  });

  it('read a single separator before three digits as other amounts show', () => {
    const other = (amount: string): string => `2024/1/1\n  Assets:Cash  ${amount}\n  Income:X\n`;
    assert.equal(amountOf('$1,500'), 'Cash 1500 usd Food');
    assert.equal(amountOf('$1.500'), 'Cash 1.5 usd Food');
    const shown = (text: string) => brief(text)[1];
    const cash = '2024/1/2\n  Assets:Cash  1,500 EUR\n  Income:X\n';
    assert.equal(shown(other('2,50 EUR') + cash), 'Cash 1.5 eur X');
    assert.equal(shown(other('2.50 EUR') + cash), 'Cash 1500 eur X');
    assert.deepEqual(read(cash).warnings, [
      {
        line: 2,
        text: '"1,500" is taken for thousands: specify the decimal sign if it is a fraction',
      },
    ]);
    assert.equal(brief(cash, { decimal: 'comma' })[0], 'Cash 1.5 eur X');
    assert.deepEqual(reasons(other('2.50 EUR') + other('2,50 EUR') + cash), [
      '8: Could be thousands or a fraction: specify the decimal sign',
    ]);
  });

  it('make splits, transfers and shared payments exact', () => {
    const split =
      '2024/1/31 Shop\n  Assets:Cash  $-10\n  Expenses:Food  $7 ; bread\n  Expenses:Home  $3\n';
    const [entry] = entries(split);
    assert.equal(entry!.category, null);
    assert.deepEqual(entry!.parts, [
      { amount: -70_000, payee: null, notes: 'bread', category: 'Food' },
      { amount: -30_000, payee: null, notes: null, category: 'Home' },
    ]);
    const transfer = '2024/1/31\n  Assets:Cash  $10\n  Assets:Bank\n';
    assert.deepEqual(
      entries(transfer).map(({ account, amount, category, payee, notes }) => [
        ...[account, amount, category],
        ...[payee, notes],
      ]),
      [
        ['Cash', 100_000, null, 'Bank', 'Transfer: Bank'],
        ['Bank', -100_000, null, 'Cash', 'Transfer: Cash'],
      ],
    );
    const shared = '2024/1/31\n  Assets:Cash  $-4\n  Liabilities:Card  $-6\n  Expenses:Food\n';
    assert.deepEqual(brief(shared), ['Cash -4 usd Food', 'Card -6 usd Food']);
    const fee = '2024/1/31\n  Assets:Bank  $-10\n  Expenses:Fees  $1\n  Assets:Cash\n';
    const [bank, cash] = entries(fee);
    assert.deepEqual(
      bank!.parts!.map(({ amount, category, notes }) => [amount, category, notes]),
      [
        [-10_000, 'Fees', null],
        [-90_000, null, 'Transfer: Cash'],
      ],
    );
    assert.deepEqual([cash!.amount, cash!.category], [90_000, null]);
  });

  it('take holdings of other commodities for transfers, and their gains for categories', () => {
    const buy =
      '2024/1/31 Buy\n  Assets:Broker  2 "X 1" {$10} [2024/1/1] (old) @ $10\n  Expenses:Fee  $1\n  Assets:Cash\n';
    const [bought] = entries(buy);
    assert.equal(bought!.amount, -210_000);
    assert.deepEqual(
      bought!.parts!.map(({ amount }) => amount),
      [-200_000, -10_000],
    );
    for (const price of ['{$10} @ $15', '{{$20}} @@ $30', '{=$10}']) {
      const sell = `2024/1/31\n  Assets:Broker  -2 X ${price}\n  Assets:Cash  $30\n  Income:Gain  $-10\n`;
      assert.deepEqual(
        entries(sell)[0]!.parts!.map(({ amount, category }) => [amount, category]),
        [
          [200_000, null],
          [100_000, 'Gain'],
        ],
      );
    }
    const byPrice = '2024/1/31\n  Assets:Broker  -2 X {$10} @ $15\n  Assets:Cash  $30\n';
    assert.deepEqual(brief(byPrice), ['Cash 30 usd ']);
    const bread =
      '2024/1/31\n  Expenses:A  0.50 x @ $3.99\n  Expenses:B  1.50 x @ $4.99\n  Assets:Cash  $-9.49\n';
    assert.equal(entries(bread)[0]!.amount, -94_900);
    const { leftOut } = read(`${buy}2024/1/31\n  Assets:A  5 X\n  Assets:B\n`);
    assert.deepEqual(leftOut, [
      { what: 'posting of a holding', count: 1 },
      { what: 'transaction of no money', count: 1 },
    ]);
    assert.deepEqual(brief('2024/1/31\n  Assets:A  5 X\n  Assets:Cash  $-50\n'), ['Cash -50 usd ']);
    const abroad = '2024/1/31\n  Assets:Cash  -20 EUR\n  Expenses:A  $15\n  Expenses:B  $7\n';
    const { amount, parts } = entries(abroad)[0]!;
    assert.equal(amount, -200_000);
    assert.deepEqual(
      parts!.map((part) => part.amount),
      [-136_364, -63_636],
    );
  });

  it('find accounts of money by type, name and language, or take all for it', () => {
    const posting = (account: string, before = '') =>
      brief(`${before}2024/1/31\n  ${account}  $5\n  Spent\n`)[0];
    for (const top of ['A', 'liabilities', 'Aktiva', 'Активы', '资产', 'Kreditkarte']) {
      assert.match(posting(`${top}:x`, 'account Kreditkarte  ; type: L\n')!, /^x 5 usd/, top);
    }
    const typed = 'account Haus:Bank  ; type:C\naccount Haus  ; type:X\n';
    assert.equal(posting('Haus:Bank:Giro', typed), 'Bank:Giro 5 usd Spent');
    assert.match(
      JSON.stringify(read('2024/1/1\n Foo:a  $5\n Bar:a\n').warnings),
      /\\"Foo\\", \\"Bar\\" are taken for accounts with money/,
    );
    assert.deepEqual(brief('2024/1/1\n Foo:a  $5\n Bar:a\n'), ['Foo:a 5 usd ', 'Bar:a -5 usd ']);
  });

  it('take amounts without a commodity for money if most are such', () => {
    const bare = (account: string): string => `2024/1/31\n  ${account}  5\n  Income:X\n`;
    const euro = '2024/1/31\n  Assets:Cash  5 EUR\n  Income:X\n';
    const text = bare('Assets:Cash') + bare('Assets:Cash') + euro;
    assert.deepEqual(brief(text), ['Cash 5  X', 'Cash 5  X', 'Cash 5 eur X']);
    assert.deepEqual(brief(euro + bare('Assets:Sheep')), ['Cash 5 eur X']);
    assert.deepEqual(read(euro + bare('Assets:Sheep')).warnings, [
      { line: null, text: 'Amounts without a currency are no money here, because most have one' },
    ]);
  });

  it('apply directives to what follows them', () => {
    const text = [
      'Y2023',
      'account Assets:Bank:Giro',
      '  alias giro',
      'alias spent = Expenses:Food',
      'alias /x.*/ = y',
      'apply account Home',
      'apply tag trip: Rome',
      'bucket Assets:Cash',
      '1/31 Shop',
      '  spent  $5',
      'end apply tag',
      'end apply account',
      '!year 2024',
      '02.01 Shop',
      '  giro  $-5',
      '  spent:Bread',
      'end aliases',
      'A Assets:Cash',
      '3/1 Kiosk',
      '  Expenses:Food  $2',
    ].join('\n');
    const types = 'account Home:Assets  ; type: A\n';
    assert.deepEqual(
      entries(types + text).map(({ date, account, amount, category, tags }) => [
        date,
        account,
        amount,
        category,
        tags,
      ]),
      [
        ['2023-01-31', 'Assets:Cash', -50_000, 'spent', ['trip:Rome']],
        ['2024-02-01', 'Bank:Giro', -50_000, 'Food:Bread', undefined],
        ['2024-03-01', 'Cash', -20_000, 'Food', undefined],
      ],
    );
    const { warnings = [] } = read(types + text);
    assert.deepEqual(warnings.slice(1), [
      { line: 6, text: 'An alias with a regular expression is not applied' },
    ]);
  });

  it('set amounts by balances, and dates by postings', () => {
    const text =
      '2024/1/1\n  Assets:Cash  = $100\n  Equity:Opening\n' +
      '2024/1/2\n  Assets:Cash:Purse  $5\n  Income:X\n' +
      '2024/1/3\n  Assets:Cash  =* $90 ; [2024/1/5]\n  Expenses:Lost\n';
    assert.deepEqual(brief(text), [
      'Cash 100 usd Opening',
      'Cash:Purse 5 usd X',
      'Cash -15 usd Lost',
    ]);
    const twice = '2024/1/1\n  Assets:Cash  $5\n  Assets:Cash  = $20\n  Income:X\n';
    assert.deepEqual(brief(twice), ['Cash 20 usd X']);
    assert.equal(entries(text)[2]!.date, '2024-01-05');
  });

  it('leave out and count what moves no money, and never follow a path', () => {
    const text = [
      '; comment',
      '# * % | comments',
      '* heading',
      'comment',
      '2024/1/1 not read',
      'end comment',
      'P 2024/1/1 EUR $1.1',
      'include ../other.journal',
      '= /Food/',
      '  (Budget)  1',
      '~ monthly',
      '  Expenses:Food  $5',
      '  Assets:Cash',
      'i 2024/1/1 09:00:00 work',
      '2024/1/1 Shop',
      '  (Budget:Food)  $-5',
      '  [Assets:Pot]  $-5',
      '  [Assets:Other]  $5',
      '  Expenses:Food  $5',
      '  Assets:Cash',
    ].join('\n');
    const { leftOut, warnings, entryCount } = read(text);
    assert.equal(entryCount, 1);
    assert.deepEqual(
      leftOut.map(({ what, count }) => `${count} ${what}`),
      [
        '1 automated transaction',
        '1 periodic transaction',
        '1 line of a time clock',
        '3 virtual posting',
      ],
    );
    assert.deepEqual(warnings, [
      { line: 8, text: '"../other.journal" is not read: import it as a file of its own' },
    ]);
    assert.deepEqual(reasons('include a.j\ninclude b.j\n'), [
      '1: File has no transaction of its own, but includes "a.j", "b.j": import them',
    ]);
    assert.deepEqual(read('comment\n2024/1/1 x\n').warnings, [
      { line: 2, text: 'Is in a comment block that is never ended' },
    ]);
  });

  it('report every problem with its line', () => {
    const text = [
      '2024/13/01 x',
      '  Assets:Cash  $5',
      '  Income:X',
      '1/31 x',
      '  Assets:Cash  $1.23456',
      '  Income:X',
      '2024/1/31 x',
      '  Assets:Cash  $5',
      '  Income:X  $-4.99',
      '2024/1/31 x',
      '  Assets:Cash',
      '  Income:X',
      'nonsense',
      '2024/1/31 x',
      '  Assets:Cash  $5 $6',
      '  Assets:Cash  $1.23456',
      '  Income:X',
      '2024/1/31 x',
      '  Assets:Cash  $1.23456',
      '  Income:X',
      '2024/1/31 x',
      '  Assets:Cash  $900719925475',
      '  Income:X',
    ].join('\n');
    assert.deepEqual(reasons(text), [
      '1: Not a date',
      '4: Date has no year: write a line such as "Y2024" above it',
      '7: Transaction does not balance: it is off by 0.01 $',
      '12: More than one posting has no amount',
      '13: Not a transaction or a directive',
      '15: Not an amount',
      '19: More than 4 decimals',
      '22: Outside ±900719925474.0991',
    ]);
    assert.match(reasons('x', { map: { date: '1' } })[0]!, /map is for CSV/);
    assert.match(reasons('x', { negate: true })[0]!, /cannot be negated/);
  });
});
