import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import {
  entriesOf,
  leftOutOf,
  reasonsOf,
  shownOf,
  warningsOf,
  errorOf,
} from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';
import type { StatementOptions } from '../statement.ts';

const amountsOf = (text: string, options: StatementOptions = {}): number[] =>
  shownOf(text, 'amount', options).map(Number);
const warned = (text: string, options: StatementOptions = { currency: 'eur' }): string[] =>
  warningsOf(text, options).filter((said) => !/: no payee (?!.*Foo)/.test(said));

describe('signs', () => {
  const signed = 'Date,Amount,Type\n2024-01-31,-50.00,Credit\n2024-02-01,-7.00,Debit\n';

  it('refuses a word that contradicts the sign, and names the flags that decide', () => {
    assert.deepEqual(reasonsOf(signed), [
      '2: Next to -50.00, could be money in (the words decide: --map direction=Type) ' +
        'or money out (the signs decide: --map amount=Amount)',
    ]);
    assert.deepEqual(amountsOf(signed, { map: { direction: 'Type' } }), [50, -7]);
    assert.deepEqual(amountsOf(signed, { map: { amount: 'Amount' } }), [-50, -7]);
    const turned = warned(signed, { map: { direction: 'Type' } }).join();
    assert.match(turned, /contradicts .* in 1 row/);
  });

  it('accepts the sign that the words confirm in every row', () => {
    const turned = 'Date,Amount,Type\n2024-01-31,50.00,Debit\n2024-02-01,-7.00,Credit\n';
    assert.equal(reasonsOf(turned).length, 1);
    assert.deepEqual(amountsOf(turned, { negate: true }), [-50, 7]);
  });

  it('settles sign and order by the balance, and reports where it breaks', () => {
    const head = 'Date,Amount,Type,Balance\n';
    const rows =
      '2024-01-31,-50.00,Credit,150.00\n2024-02-01,-7.00,Debit,143.00\n2024-02-02,-3.00,Credit,146.00\n';
    assert.deepEqual(amountsOf(head + rows), [50, -7, 3]);
    const card =
      'Date,Amount,Balance\n2024-01-31,50.00,-50.00\n2024-02-01,7.00,-57.00\n2024-02-02,-20.00,-37.00\n';
    assert.deepEqual(amountsOf(card), [-50, -7, 20]);
    assert.deepEqual(warned(card), ['null: The balances show that money out is positive']);
    const newest =
      'Date,Amount,Balance\n2024-02-02,-3,40\n2024-02-01,-7,43\n2024-01-31,5,55\n2024-01-30,5,50\n';
    assert.deepEqual(amountsOf(newest), [-3, -7, 5, 5]);
    assert.deepEqual(warned(newest), [
      '4: Balance 55.0000 does not follow from the amount: 50.0000 expected',
    ]);
  });

  it('reads debits that are all negative as they are', () => {
    assert.deepEqual(amountsOf('Date,Debit,Credit\n2024-01-31,-5,\n2024-01-31,,7\n'), [-5, 7]);
  });

  it('takes a fee off where the balance proves it, else refuses', () => {
    const head = 'Date,Amount,Fee,Balance\n2024-01-31,-5,0,95\n';
    assert.deepEqual(amountsOf(`${head}2024-02-01,-10,1,84\n`), [-5, -11]);
    assert.deepEqual(amountsOf(`${head}2024-02-01,-10,1,85\n`), [-5, -10]);
    const open = 'Date,Amount,Fee\n2024-01-31,-10,1\n';
    assert.match(reasonsOf(open)[0]!, /--map fee=Fee.*--map amount=Amount/);
    assert.deepEqual(amountsOf(open, { map: { fee: 'Fee' } }), [-11]);
    assert.deepEqual(amountsOf(open, { map: { amount: 'Amount' } }), [-10]);
  });
});

describe('rows that are no entries', () => {
  it('leaves out what did not happen, counts it, and keeps what is pending', () => {
    const text =
      'Date,Amount,State\n2024-01-31,5,COMPLETED\n2024-01-31,6,REVERTED\n2024-01-31,7,rechazada\n' +
      '2024-01-31,8,storniert\n2024-01-31,9,vorgemerkt\n2024-01-31,10,odrzucona\n';
    assert.deepEqual(shownOf(text, 'amount isPending'), ['5 | -', '9 | true']);
    assert.deepEqual(leftOutOf(text), [
      '1 reverted transaction',
      '2 declined transaction',
      '1 cancelled transaction',
    ]);
  });

  it('leaves out balances, totals and text below the table, but no payee that only contains such a word', () => {
    const text =
      'Date,Payee,Amount,Notes\n2024-01-31,SALDO ANTERIOR,100,\n2024-01-31,Opening balance 31/01/2024,100,x\n' +
      '2024-01-31,Balance Gym,-5,\n2024-01-31,TOTAL,-6,fuel\n2024-01-31,New Balance,-7,shoes\n,Total,100,\n' +
      'Printed by,the bank,,\n';
    assert.deepEqual(amountsOf(text), [-5, -6, -7]);
    assert.deepEqual(leftOutOf(text), ['2 balance line', '1 total line', '1 line of text']);
  });

  it('skips bad rows on request, and lists them', () => {
    const text = 'Date,Amount,Payee\n2024-01-31,5,a\n2024-02-31,6,b\n2024-02-01,7,c\n';
    assert.deepEqual(shownOf(text, 'payee', { skipBadRows: true }), ['a', 'c']);
    assert.deepEqual(readStatement(sourceOf(text), { skipBadRows: true }).badRows, {
      count: 1,
      problems: [{ line: 3, column: 'Date', value: '2024-02-31', reason: 'Not a date' }],
    });
  });
});

describe('currencies and payees', () => {
  it('finds currencies in cells, headers and text above, and else uses the given one', () => {
    const currency = (text: string, given?: string) =>
      entriesOf(text, given === undefined ? {} : { currency: given })[0]!.currency;
    assert.equal(currency('Date,Amount\n2024-01-31,12.00 USD\n', 'eur'), 'usd');
    assert.equal(currency('Date,Amount\n2024-01-31,"R$ 12,00"\n'), 'brl');
    assert.equal(currency('Datum;Betrag in EUR\n2024-01-31;5\n'), 'eur');
    assert.equal(currency('Data,Kwota PLN\n2024-01-31,5\n'), 'pln');
    assert.equal(currency('Account;x;Currency: CHF\nDate;Amount\n2024-01-31;5\n'), 'chf');
    assert.equal(currency('Date,Amount\n2024-01-31,-$5\n', 'cad'), 'cad');
    assert.equal(currency('Date,Amount\n2024-01-31,5\n', 'cad'), 'cad');
    assert.equal(currency('Date,Amount\n2024-01-31,5\n'), null);
    assert.match(
      warned('Date,Amount,Payee\n2024-01-31,5,x\n', {}).join(),
      /no currency in the file/,
    );
  });

  it('warns if no row has a payee', () => {
    assert.match(
      warned('Date,Amount,Foo\n2024-01-31,5,x\n').join(),
      /no payee .*"Date", "Amount", "Foo"/,
    );
  });

  it('reads tables of other languages, without a header, and with texts that hold the delimiter', () => {
    for (const [text, payee] of [
      ['Päivä;Saaja;Määrä\n31.1.2024;Kauppa;-5,00\n', 'Kauppa'],
      ['31.01.2024;Shop;-5,00\n01.02.2024;Bar;6,00\n', 'Shop'],
      ['Date,Payee,Amount\n2024-01-31,Shop, Inc,5.00\n', 'Shop, Inc'],
      ['Date,Payee,Amount\n2024-01-31,"the "Corner" shop",5\n', 'the "Corner" shop'],
      ['"Date,""Payee"",Amount"\n"2024-01-31,""a, b"",5"\n', 'a, b'],
      ['sep=|\nDate|Amount|Payee\n2024-01-31|5|x\n', 'x'],
    ] as const)
      assert.equal(shownOf(text, 'payee')[0], payee);
    assert.deepEqual(amountsOf('取引日,摘要,出金,入金\n2024/01/31,店,500,\n'), [-500]);
  });
});

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
