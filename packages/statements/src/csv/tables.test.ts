import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import type { StatementOptions } from '../statement/statement.ts';
import {
  entriesOf,
  errorOf,
  leftOutOf,
  problemsOf,
  reasonsOf,
  shownOf,
  warningsOf,
} from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

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

  it('skips text between entries on request, but not the entry after it', () => {
    const text = 'Date,Amount,Payee\n2024-01-31,5,a\nJanuary,,whole month\n2024-02-01,7,c\n';
    assert.deepEqual(shownOf(text, 'payee', { skipBadRows: true }), ['a', 'c']);
    assert.equal(readStatement(sourceOf(text), { skipBadRows: true }).badRows?.count, 1);
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
    const found = warned('Date,Amount,Payee\n2024-01-31,5,x\n', {}).join();
    assert.match(found, /no currency in the file/);
  });

  it('warns if no row has a payee', () => {
    const found = warned('Date,Amount,Foo\n2024-01-31,5,x\n').join();
    assert.match(found, /no payee .*"Date", "Amount", "Foo"/);
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

/** A file whose lines are separated by slashes with spaces. */
const file = (lines: string): string => `${lines.replaceAll(' / ', '\n')}\n`;
/** Asserts what parts of the entries of a file are. */
function reads(lines: string, names: string, wanted: string, options: StatementOptions = {}): void {
  assert.equal(shownOf(file(lines), names, options).join('; '), wanted, lines);
}
const refused = (lines: string, reason: RegExp): void =>
  assert.match(reasonsOf(file(lines)).join('; '), reason);
const warns = (lines: string, words: RegExp): void =>
  assert.match(warningsOf(file(lines)).join(), words);

describe('the order of day and month', () => {
  it('is known by points, other dates of the file, and their language', () => {
    reads('Date,Amount,Payee / 02.03.2024,5,x', 'date', '2024-03-02');
    const two = 'Date,Posting Date,Amount,Payee / 02/03/2024,13/03/2024,-5,x';
    reads(two, 'date', '2024-03-02');
    // A date that is written in another way may have another order.
    refused(two.replace('13/03/2024', '13.03.2024'), /Could be 2024-03-02 .* or 2024-02-03/);
    const period =
      'Period,01/31/2024 - 02/28/2024 / Date,Amount,Payee / 02/01/2024,5,x / 02/03/2024,-6,y';
    reads(period, 'date', '2024-02-01; 2024-02-03');
    const french = 'Date;Libellé;Montant / 02/03/2024;x;-5,00';
    reads(french, 'date', '2024-03-02');
    warns(french, /d\/m\/y, as the language .* use --date-format/);
  });

  it('is likely by dates close together or sorted rows, with a warning, and else refused', () => {
    const lag = 'Date,Posting Date,Amount,Payee / 02/03/2024,04/03/2024,-5,x';
    reads(lag, 'date', '2024-03-02');
    warns(lag, /close together/);
    const days = ['05/01/2024', '02/02/2024', '03/02/2024', '01/03/2024'];
    const sorted = `Date,Amount,Payee / ${days.map((day) => `${day},-5,x`).join(' / ')}`;
    reads(sorted, 'date', '2024-01-05; 2024-02-02; 2024-02-03; 2024-03-01');
    warns(sorted, /rows are then sorted/);
    refused('Date,Amount,Payee / 02/03/2024,-5,x', /specify the date format/);
  });

  it('is not asked of a second date, times without signs, and colons', () => {
    for (const [text, date] of [
      ['04/17/2024 as of 04/15/2024', '2024-04-17'],
      ['20240131120000[0:GMT]', '2024-01-31'],
      ['2024:01:31', '2024-01-31'],
    ] as const)
      reads(`Date,Amount,Payee / ${text},-5,x`, 'date', date);
  });
});

describe('columns', () => {
  it('are known by two words, one side in parentheses, umlauts and numbers at the end', () => {
    const two = 'Datum;Beneficiary / Payer;Empfaenger 1;Betrag\n31.01.2024;A;B;-5\n';
    assert.deepEqual(shownOf(two, 'payee'), ['A']);
    reads('Date,Amount (debit),Amount (credit),Payee / 2024-01-31,5,,x', 'amount', '-5');
    reads('Datum;Empfaenger 1;Betrag / 31.01.2024;B;-5', 'amount', '-5');
    reads('Date,Payee,Withdrawal / 2024-01-31,x,5', 'amount', '-5');
  });

  it('without a name have the amount, where the named one before has the currency', () => {
    const text = 'Date,Text,Change,,Balance, / 2024-01-31,x,EUR,-5.00,EUR,7.00';
    reads(text, 'amount currency', '-5 | eur');
  });

  it('with equal names: the one that is filled', () => {
    reads('Date,Amount,Amount,Payee / 2024-01-31,,-5,x / 2024-01-31,1,-6,x', 'amount', '-5; -6');
    reads('Date,Amount,Payee,payee / 2024-01-31,5,one,two', 'payee', 'one');
  });

  it('of a currency are amounts, but never two without a choice', () => {
    const one = 'Date,Payee,CAD$,USD$ / 2024-01-31,x,-5, / 2024-01-31,y,6,';
    reads(one, 'amount currency', '-5 | cad; 6 | cad');
    const both = 'Date,Payee,CAD$,USD$ / 2024-01-31,x,-5, / 2024-01-31,y,,6';
    refused(both, /Amount is empty, but "USD\$" has one.*--map amount=/);
  });

  it('of numbers of accounts are no payees, and blank payees have several substitutes', () => {
    const rows = '2024-01-31;12345678;;Card;-5 / 2024-01-31;;Ann;Swish;6';
    reads(`Date;Recipient;Name;Title;Amount / ${rows}`, 'payee', 'Card; Ann');
  });

  it('of details are not used where debits and credits have the money', () => {
    const rows = '2024-01-31;x;;5; / 2024-01-31;part;5;; / 2024-01-31;z;;;7';
    const text = `Date;Text;Amount;Debit;Credit / ${rows}`;
    reads(text, 'amount', '-5; 7');
    warns(text, /A row has a date but no amount, and is left out/);
  });

  it('are compared without case, accents, blanks and byte order marks, each used for one key', () => {
    for (const header of [
      '\uFEFF DATE , "amount" ',
      'Booking_Date,Amount (total)',
      'Fecha,IMPORTE',
    ])
      reads(`${header} / 2024-01-31,5`, 'amount', '5');
    reads('Date,Description,Amount / 2024-01-31,Shop,5', 'payee notes', 'Shop | -');
  });

  it('prefer the day of the transaction to a plain date, to booking and to value', () => {
    const names = ['Value Date', 'Posted Date', 'Date', 'Transaction Date'];
    for (const count of [4, 3, 2, 1]) {
      const days = names.slice(0, count).map((_, at) => `2024-01-0${at + 1}`);
      const text = `${names.slice(0, count).join()},Amount / ${days.join()},-5`;
      reads(text, 'date', `2024-01-0${count}`);
    }
  });

  it('of plain ids are no external ids', () => {
    const read = (name: string, wanted: string): void =>
      reads(`Date,Amount,${name} / 2024-01-31,5,7`, 'externalId', wanted);
    for (const name of ['id', 'ID', 'Transaction ID']) read(name, '-');
    for (const name of ['external_id', 'External Id', 'FITID']) read(name, '7');
  });
});

describe('signs', () => {
  it('come from any column in which every cell is a word for one of both directions', () => {
    const text = 'Date,Foo,Amount,Payee / 2024-01-31,借 Dr,5,x / 2024-01-31,贷 Cr,6,y';
    reads(text, 'amount', '-5; 6');
  });

  it('are refused where a word is unknown, and neutral rows are left out', () => {
    const text = 'Date,D/C,Amount,Payee\n2024-01-31,D,5,x\n2024-01-31,Z,6,y\n';
    assert.match(reasonsOf(text)[0]!, /Not a known direction.*--map amount=Amount/);
    const neutral = '交易时间,收/支,金额,交易对方\n2024-01-31,支出,5,x\n2024-01-31,不计收支,6,y\n';
    assert.deepEqual(shownOf(neutral, 'amount'), ['-5']);
    assert.match(warningsOf(neutral).join(), /neither money in nor money out/);
  });

  it('of cards are known by payments and purchases, else doubted', () => {
    const open = 'Date,Payee,Amount / 2024-01-31,Shop,5 / 2024-01-31,Bar,6';
    const card = `${open} / 2024-02-01,PAYMENT - THANK YOU,-11`;
    reads(card, 'amount', '-5; -6; 11');
    reads(card, 'amount', '-5; -6; 11', { negate: true });
    reads(card, 'amount', '5; 6; -11', { map: { amount: 'Amount' } });
    warns(open, /no amount is negative.*--negate/);
    warns(`${open} / 2024-01-31,x,7 / 2024-02-01,y,-1`, /nearly all .*--negate/);
    assert.deepEqual(shownOf('利用日,利用店名,利用金額\n2024/01/31,店,"1,500"\n', 'amount'), [
      '-1500',
    ]);
  });

  it('of credits that are all negative next to debits are turned', () => {
    const text = 'Date,Payee,Debit,Credit / 2024-01-31,Shop,5, / 2024-02-01,PAID,,-11';
    reads(text, 'amount', '-5; 11');
    reads('Date,Amount,Payee / 2024-01-31,5(-),x / 2024-01-31,6,y', 'amount', '-5; 6');
  });

  it('that half of the balances contradict are said row by row', () => {
    const rows = '2024-01-01,-1,100,x / 2024-01-02,-5,95,y / 2024-01-03,-5,91,z';
    const text = `Date,Amount,Balance,Payee / ${rows}`;
    warns(text, /Balance 91\.0000 does not follow from the amount: 90\.0000 expected/);
  });

  it('are not turned by a balance before each row', () => {
    const rows = '2024-01-01,100,-20,x / 2024-01-02,80,50,y / 2024-01-03,130,-5,z';
    reads(`Date,Balance,Amount,Payee / ${rows}`, 'amount', '-20; 50; -5');
    const once = rows.replace('2024-01-03', '2024-01-02');
    reads(`Date,Balance,Amount,Payee / ${once}`, 'amount', '-20; 50; -5');
    const back = '2024-01-02,130,-5,z / 2024-01-02,80,50,y / 2024-01-01,100,-20,x';
    reads(`Date,Balance,Amount,Payee / ${back}`, 'amount', '-5; 50; -20');
  });
});

describe('the search for the table', () => {
  const table = '2024-01-31;Shop;5,50';
  const map = { date: '1', payee: '2', amount: '3' };

  it('finds the header below a preamble of at most 49 rows', () => {
    reads(`Statement;of;x /  / Datum;Empfänger;Betrag / ${table}`, 'payee', 'Shop');
    const far = (rows: number): string =>
      `${'x;y / '.repeat(rows)}Datum;Text;Betrag (EUR) / ${table}`;
    reads(far(49), 'amount', '5.5');
    refused(
      far(50),
      /^1: No header row with a date and an amount among the first 50 rows: map the columns by name or number$/,
    );
    refused(`${', / '.repeat(60)}Date,Amount / 2024-01-31,5`, /^1: No header row/);
  });

  it('reads mapped columns by name, by number, or by both', () => {
    const text = file('Day,What it was,"Sum, total" / 2024-01-31,Shop,5');
    const named = { date: 'day', amount: 'SUM,  total', payee: '2' };
    assert.deepEqual(shownOf(text, 'payee', { map: named }), ['Shop']);
    assert.deepEqual(reasonsOf(text, { map: { ...named, notes: 'Memo' } }), [
      '1: No header row with a date, an amount and the columns of the map ("day", "SUM,  total", "Memo") among the first 50 rows',
    ]);
  });

  it('needs no header if the map has only numbers, and skips an existing one', () => {
    reads(table, 'amount', '5.5', { map });
    reads(`When;Who;What / ${table}`, 'line', '2', { map });
    const none = ['1: No date in column 1 among the first 50 rows'];
    assert.deepEqual(reasonsOf('a,b\n', { map }), none);
    const problems = problemsOf(file(`${table} / 2024-01-31;Shop;x`), { map });
    assert.deepEqual(problems, ['2 column 3 x: Not an amount']);
  });

  it('needs none where a balance proves which column is which, else names the maps to give', () => {
    const rows =
      '07 Nov 2024,In,,500.00,500.00 / 08 Nov 2024,Out,20.00,,480.00 / 09 Nov 2024,Out,10.00,,470.00';
    reads(rows, 'amount', '500; -20; -10');
    const words =
      '14-11-2024,23.45,Debet,Shop,976.55 / 13-11-2024,1000.00,Credit,Pay,1000.00 / 12-11-2024,100.00,Debet,Net,0.00';
    reads(words, 'amount', '-23.45; 1000; -100');
    refused('2024-01-31,Shop,5.00 / 2024-02-01,Bar,6.00', /--negate, else --map date=1/);
    const pair = '2024-01-31,Shop,5.00, / 2024-02-01,Bar,,6.00';
    refused(pair, /debit=3,credit=4 or .*debit=4,credit=3/);
  });

  it('chooses the delimiter that gives the most known columns', () => {
    reads('Date;Payee;Amount;x,Date,Amount / 2024-01-31;Shop;5;', 'payee', 'Shop');
    const columns = { date: '1', amount: '2' };
    reads('2024-01-31 10:00;5,50;Shop', 'amount', '5.5', { map: columns });
  });

  it('reads text with a line for each cell, and no other text as such', () => {
    const block = (day: number, text: string, amount: string, more: readonly string[] = []) => [
      '',
      `Date: ${day}/01/2024`,
      `Description: ${text}`,
      `Amount:\u00a0${amount}`,
      ...more,
    ];
    const above = ['From: 01/01/2024 to 31/01/2024', '', 'Account: 12-34-56 12345678'];
    const rows = [
      ...block(30, 'CARD PAYMENT AT 10:30', '-12.30', ['Balance: 1034.56']),
      ...block(29, 'BANK GIRO CREDIT', '1500.00', ['Balance: 1046.86']),
      ...block(20, 'DIRECT DEBIT PAYMENT TO EDF', '-35.00', ['Balance: -453.14']),
    ];
    const all = [...above, ...rows].join('\r\n');
    assert.deepEqual(shownOf(all, 'line date payee amount'), [
      '5 | 2024-01-30 | CARD PAYMENT AT 10:30 | -12.3',
      '10 | 2024-01-29 | BANK GIRO CREDIT | 1500',
      '15 | 2024-01-20 | DIRECT DEBIT PAYMENT TO EDF | -35',
    ]);
    // Rows that only repeated names divide.
    const dense = [...above, ...rows].filter((line) => line !== '').join('\n');
    assert.deepEqual(amountsOf(dense), [-12.3, 1500, -35]);
    assert.match(
      reasonsOf(dense.replace('12-34-56 12345678', 'XXXX XXXX XXXX 1234')).join(),
      /as on a card/,
    );
    assert.equal(amountsOf([...rows, ...block(19, 'RENT', '-7')].join('\n')).at(-1), -7);
    assert.deepEqual(amountsOf([...rows, 'Printed by Ada'].join('\n')), [-12.3, 1500, -35]);
    const one = [...above, ...block(30, 'RENT', '-35.00', ['Balance: 1034.56'])].join('\n');
    assert.deepEqual(shownOf(one, 'payee notes'), ['RENT | -']);
    const odd = [...rows, ...block(19, 'ODD', '-1.00', ['Balance: 1.00', 'Fee: 2.00'])];
    assert.match(reasonsOf(odd.join('\n')).join(), /^17: The table has only 4 columns/);
    assert.match(reasonsOf('Date: 30/01/2024\nAmount: 5\n').join(), /^1: No header row/);
  });

  it('mentions the encoding if the file is not UTF-8 and no header is found', () => {
    const russian = Buffer.from([0xc4, 0xe0, 0xf2, 0xe0, 0x3b, 0xd1, 0xf3, 0xec, 0xec, 0xe0]);
    for (const options of [{}, { encoding: 'cp1251' }])
      assert.deepEqual(entriesOf(russian, options), []);
    const other = Buffer.from('Tag;\xfcber;Wert', 'latin1');
    assert.match(errorOf(other).message, /\(not valid utf-8, so read as windows-1252\)$/);
  });
});

describe('cells', () => {
  it('may have tabs after quotes, and Latin letters', () => {
    reads('Date,Amount,Payee / 2024-01-31,"-1,099.14"\t,x', 'amount', '-1099.14');
    // The first letter is Latin.
    reads('Дата;Опис;Cума / 31.01.2024;x;-5,00', 'amount', '-5');
  });

  it('name currencies in words and numbers, and the amount has that of its own column', () => {
    for (const [text, currency] of [
      ['Date,Amount,Currency,Payee / 2024-01-31,-5,Euro,x', 'eur'],
      ['Date,Amount,Currency,Payee / 2024-01-31,-5,978,x', 'eur'],
      ['日期,金额,币种,摘要 / 2024-01-31,-5,人民币,x', 'cny'],
      ['Date,Amount (UAH),Currency,Payee / 2024-01-31,-5,EUR,x', 'uah'],
      ['Kirjauspäivä;Määrä EUROA;Saaja / 31.01.2024;-5,00;x', 'eur'],
      ['交易时间,金额,交易对方 / 2024-01-31,¥-5.00,x', 'cny'],
    ] as const)
      reads(text, 'currency', currency);
  });

  it('without an amount leave their row out, unless most rows are so', () => {
    const split = 'Date,Amount,Payee / 2024-01-31,-5,x / 2024-01-31,,split / 2024-02-01,6,y';
    reads(split, 'amount', '-5; 6');
    const most = 'Date,Amount,Payee / 2024-01-31,-5,x / 2024-01-31,,y / 2024-02-01,,z';
    refused(most, /^3: Amount is empty; 4: Amount is empty$/);
    reads('Date,Payee,Amount / 2024-01-31,x,-5 / 2024-02-01,Opening balance,7', 'amount', '-5');
  });
});
