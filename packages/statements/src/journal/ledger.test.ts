import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatementOptions } from '../statement/statement.ts';
import {
  entriesOf,
  leftOutOf,
  reasonsOf,
  shownOf,
  warningsOf,
  wholeOf,
} from '../testing/reading.ts';

const format = 'ledger' as const;
const reasons = (text: string, options: StatementOptions = {}): string[] =>
  reasonsOf(text, { format, ...options });
const warned = (text: string): string[] => warningsOf(text, { format });
const shown = (text: string, names: string): string[] => shownOf(text, names, { format });
/** Account, amount in units, currency and category of each entry. */
const brief = (text: string, options: StatementOptions = {}): string[] =>
  entriesOf(text, { format, ...options }).map(({ account, amount, currency, category }) =>
    [account, amount / 10_000, currency, category].join(' '),
  );
const cash = (amount: string, category = 'Expenses:Food'): string =>
  `2024/1/31 x\n  Assets:Cash  ${amount}\n  ${category}\n`;
/** The entry of a transaction that moves `amount` in cash. */
const amountOf = (amount: string, before = ''): string => brief(before + cash(amount))[0]!;

describe('journals of ledger and hledger', () => {
  it('read every part of a transaction', () => {
    const text =
      '2024-01-31=2024-02-02 ! (1042) Corner   shop | weekly ; :food:home: by card, trip: Rome\n' +
      '    ; second comment\n' +
      '    expenses:Food:Bread      $1,234.50  ; rye\n' +
      '    * Assets:Bank:Checking\n';
    assert.deepEqual(wholeOf(text, { format }), [
      'format: ledger | encoding: utf-8 | entryCount: 1 | transactionCount: 1 | leftOut: [] | warnings: []',
      'name: Bank:Checking | id: Assets:Bank:Checking | bankId: null | type: asset | currency: usd | ' +
        'entryCount: 1 | balances: []',
      'line: 4 | date: 2024-01-31 | amount: -12345000 | currency: usd | payee: Corner shop | ' +
        'notes: weekly; by card; second comment; No. 1042; rye | category: Food:Bread | ' +
        'account: Bank:Checking | externalId: null | isPending: true | tags: [food home trip:Rome]',
    ]);
  });

  it('read amounts with any commodity, sign, grouping and price', () => {
    const amounts: Record<string, string> = {
      '$-12.50': '-12.5 usd',
      '-$12.50': '-12.5 usd',
      '$ -12.5000000': '-12.5 usd',
      '-12,50 €': '-12.5 eur',
      '+1.234.567,89 EUR': '1234567.89 eur',
      '1 234 567.89 PLN': '1234567.89 pln',
      "CHF 1'234.50": '1234.5 chf',
      '1,00,000.00 ₹': '100000 inr',
      '£5': '5 gbp',
      '"USD" 5.': '5 usd',
      '1E3 usd': '1000 usd',
      '(2 * ($3 + $1.50) / 2)': '4.5 usd',
      '($10 * 2 / 3)': '6.6667 usd',
      '-20 EUR @ 7.53 HRK': '-20 eur',
      '-20 EUR @@ 150 HRK = 5 EUR': '-20 eur',
      '5 == 5': '5 ',
    };
    for (const [amount, wanted] of Object.entries(amounts))
      assert.equal(amountOf(amount), `Cash ${wanted} Food`, amount);
    for (const [amount, before, wanted] of [
      ['5', 'D 1.000,00 EUR\n', '5 eur'],
      ['1.500 EUR', 'D 1.000,00 EUR\n', '1500 eur'],
      ['1.500 EUR', 'commodity EUR\n  format 1.000,00 EUR\n', '1500 eur'],
      ['1,500 EUR', 'decimal-mark ,\n', '1.5 eur'],
    ] as const)
      assert.equal(amountOf(amount, before), `Cash ${wanted} Food`);
  });

  it('read a single separator before three digits as other amounts show', () => {
    assert.equal(amountOf('$1,500'), 'Cash 1500 usd Food');
    assert.equal(amountOf('$1.500'), 'Cash 1.5 usd Food');
    const open = cash('1,500 EUR');
    assert.equal(brief(cash('2,50 EUR') + open)[1], 'Cash 1.5 eur Food');
    assert.equal(brief(cash('2.50 EUR') + open)[1], 'Cash 1500 eur Food');
    assert.deepEqual(warned(open), [
      '2: "1,500" is taken for thousands: specify the decimal sign if it is a fraction',
    ]);
    assert.equal(brief(open, { decimal: 'comma' })[0], 'Cash 1.5 eur Food');
    assert.deepEqual(reasons(cash('2.50 EUR') + cash('2,50 EUR') + open), [
      '8: Could be thousands or a fraction: specify the decimal sign',
    ]);
  });

  it('make splits, transfers and shared payments exact', () => {
    const split =
      '2024/1/31 Shop\n  Assets:Cash  $-10\n  Expenses:Food  $7 ; bread\n  Expenses:Home  $3\n';
    assert.deepEqual(shown(split, 'category parts'), ['- | -7 - bread Food, -3 - - Home']);
    const transfer = '2024/1/31\n  Assets:Cash  $10\n  Assets:Bank\n';
    assert.deepEqual(shown(transfer, 'account amount category payee notes'), [
      'Cash | 10 | - | Bank | Transfer: Bank',
      'Bank | -10 | - | Cash | Transfer: Cash',
    ]);
    const shared = '2024/1/31\n  Assets:Cash  $-4\n  Liabilities:Card  $-6\n  Expenses:Food\n';
    assert.deepEqual(brief(shared), ['Cash -4 usd Food', 'Card -6 usd Food']);
    const fee = '2024/1/31\n  Assets:Bank  $-10\n  Expenses:Fees  $1\n  Assets:Cash\n';
    assert.deepEqual(shown(fee, 'amount category parts'), [
      '-10 | - | -1 - - Fees, -9 - Transfer: Cash -',
      '9 | - | -',
    ]);
  });

  it('take holdings of other commodities for transfers, and their gains for categories', () => {
    const buy =
      '2024/1/31 Buy\n  Assets:Broker  2 "X 1" {$10} [2024/1/1] (old) @ $10\n  Expenses:Fee  $1\n  Assets:Cash\n';
    assert.match(shown(buy, 'amount parts')[0]!, /^-21 \| -20 [^,]*, -1 [^,]*$/);
    for (const price of ['{$10} @ $15', '{{$20}} @@ $30', '{=$10}']) {
      const sell = `2024/1/31\n  Assets:Broker  -2 X ${price}\n  Assets:Cash  $30\n  Income:Gain  $-10\n`;
      assert.match(shown(sell, 'parts')[0]!, /^20 [^,]* -, 10 [^,]* Gain$/);
    }
    const byPrice = '2024/1/31\n  Assets:Broker  -2 X {$10} @ $15\n  Assets:Cash  $30\n';
    assert.deepEqual(brief(byPrice), ['Cash 30 usd ']);
    const bread =
      '2024/1/31\n  Expenses:A  0.50 x @ $3.99\n  Expenses:B  1.50 x @ $4.99\n  Assets:Cash  $-9.49\n';
    assert.deepEqual(shown(bread, 'amount'), ['-9.49']);
    const holdings = `${buy}2024/1/31\n  Assets:A  5 X\n  Assets:B\n`;
    const leftOut = ['1 posting of a holding', '1 transaction of no money'];
    assert.deepEqual(leftOutOf(holdings, { format }), leftOut);
    assert.deepEqual(brief('2024/1/31\n  Assets:A  5 X\n  Assets:Cash  $-50\n'), ['Cash -50 usd ']);
    const abroad = '2024/1/31\n  Assets:Cash  -20 EUR\n  Expenses:A  $15\n  Expenses:B  $7\n';
    assert.match(shown(abroad, 'amount parts')[0]!, /^-20 \| -13.6364 [^,]*, -6.3636 [^,]*$/);
  });

  it('find accounts of money by type, name and language, or take all for it', () => {
    const posting = (account: string, before = '') =>
      brief(`${before}2024/1/31\n  ${account}  $5\n  Spent\n`)[0];
    for (const top of ['A', 'liabilities', 'Aktiva', 'Активы', '资产', 'Kreditkarte']) {
      assert.match(posting(`${top}:x`, 'account Kreditkarte  ; type: L\n')!, /^x 5 usd/, top);
    }
    const typed = 'account Haus:Bank  ; type:C\naccount Haus  ; type:X\n';
    assert.equal(posting('Haus:Bank:Giro', typed), 'Bank:Giro 5 usd Spent');
    const unknown = '2024/1/1\n Foo:a  $5\n Bar:a\n';
    assert.match(warned(unknown).join(), /"Foo", "Bar" are taken for accounts with money/);
    assert.deepEqual(brief(unknown), ['Foo:a 5 usd ', 'Bar:a -5 usd ']);
  });

  it('take amounts without a commodity for money if most are such', () => {
    const [bare, euro] = [cash('5'), cash('5 EUR')];
    assert.deepEqual(brief(bare + bare + euro), [
      'Cash 5  Food',
      'Cash 5  Food',
      'Cash 5 eur Food',
    ]);
    assert.deepEqual(brief(euro + bare), ['Cash 5 eur Food']);
    assert.deepEqual(warned(euro + bare), [
      'null: Amounts without a currency are no money here, because most have one',
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
    assert.deepEqual(shown(types + text, 'date account amount category tags'), [
      '2023-01-31 | Assets:Cash | -5 | spent | trip:Rome',
      '2024-02-01 | Bank:Giro | -5 | Food:Bread | -',
      '2024-03-01 | Cash | -2 | Food | -',
    ]);
    assert.deepEqual(warned(types + text).slice(1), [
      '6: An alias with a regular expression is not applied',
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
    assert.equal(shown(text, 'date')[2], '2024-01-05');
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
    assert.equal(brief(text).length, 1);
    assert.deepEqual(leftOutOf(text, { format }), [
      '1 automated transaction',
      '1 periodic transaction',
      '1 line of a time clock',
      '3 virtual posting',
    ]);
    assert.deepEqual(warned(text), [
      '8: "../other.journal" is not read: import it as a file of its own',
    ]);
    assert.deepEqual(reasons('include a.j\ninclude b.j\n'), [
      '1: File has no transaction of its own, but includes "a.j", "b.j": import them',
    ]);
    assert.deepEqual(warned('comment\n2024/1/1 x\n'), [
      '2: Is in a comment block that is never ended',
    ]);
  });

  it('report every problem with its line', () => {
    const transaction = (first: string, amount: string, rest = ''): string =>
      `${first}\n  Assets:Cash  ${amount}\n  Income:X${rest}\n`;
    const text =
      transaction('2024/13/01 x', '$5') +
      transaction('1/31 x', '$1.23456') +
      transaction('2024/1/31 x', '$5', '  $-4.99') +
      '2024/1/31 x\n  Assets:Cash\n  Income:X\nnonsense\n' +
      transaction('2024/1/31 x\n  Assets:Cash  $5 $6', '$1.23456') +
      transaction('2024/1/31 x', '$1.23456') +
      transaction('2024/1/31 x', '$900719925475');
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
