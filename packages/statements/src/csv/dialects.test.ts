import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { entriesOf, reasonsOf, shownOf, warningsOf } from '../testing/reading.ts';
import type { StatementOptions } from '../statement.ts';

const amounts = (text: string, options: StatementOptions = {}): number[] =>
  shownOf(text, 'amount', options).map(Number);
const warned = (text: string): string => warningsOf(text).join();

describe('the order of day and month', () => {
  const dates = (text: string) => shownOf(text, 'date');
  const rows = (first: string, second: string) =>
    `${first},5,x\n${second},-6,y\n${first},7,z\n`.replaceAll('|', ',');

  it('is known by points, other dates of the file, and their language', () => {
    assert.equal(dates('Date,Amount,Payee\n02.03.2024,5,x\n')[0], '2024-03-02');
    const two = 'Date,Posting Date,Amount,Payee\n02/03/2024,13/03/2024,-5,x\n';
    assert.equal(dates(two)[0], '2024-03-02');
    const period = `Period,01/31/2024 - 02/28/2024\nDate,Amount,Payee\n${rows('02/01/2024', '02/03/2024')}`;
    assert.deepEqual(dates(period), ['2024-02-01', '2024-02-03', '2024-02-01']);
    const french = 'Date;Libellé;Montant\n02/03/2024;x;-5,00\n';
    assert.equal(dates(french)[0], '2024-03-02');
    assert.match(warned(french), /d\/m\/y, as the language .* use --date-format/);
  });

  it('is likely by dates close together or sorted rows, with a warning, and else refused', () => {
    const lag = 'Date,Posting Date,Amount,Payee\n02/03/2024,04/03/2024,-5,x\n';
    assert.equal(dates(lag)[0], '2024-03-02');
    assert.match(warned(lag), /close together/);
    const sorted =
      'Date,Amount,Payee\n05/01/2024,-5,x\n02/02/2024,-5,x\n03/02/2024,-5,x\n01/03/2024,-5,x\n';
    assert.deepEqual(dates(sorted).slice(0, 2), ['2024-01-05', '2024-02-02']);
    assert.match(warned(sorted), /rows are then sorted/);
    assert.match(reasonsOf('Date,Amount,Payee\n02/03/2024,-5,x\n')[0]!, /specify the date format/);
  });

  it('reads a second date, times without signs, and colons', () => {
    const text = 'Date,Amount,Payee\n04/17/2024 as of 04/15/2024,-5,x\n';
    assert.equal(dates(text)[0], '2024-04-17');
    assert.equal(dates('Date,Amount,Payee\n20240131120000[0:GMT],-5,x\n')[0], '2024-01-31');
    assert.equal(dates('Date,Amount,Payee\n2024:01:31,-5,x\n')[0], '2024-01-31');
  });
});

describe('columns', () => {
  it('are known by two words, one side in parentheses, umlauts and numbers at the end', () => {
    const two = 'Datum;Beneficiary / Payer;Empfaenger 1;Betrag\n31.01.2024;A;B;-5\n';
    assert.deepEqual(shownOf(two, 'payee'), ['A']);
    assert.deepEqual(amounts('Date,Amount (debit),Amount (credit),Payee\n2024-01-31,5,,x\n'), [-5]);
    assert.deepEqual(amounts('Datum;Empfaenger 1;Betrag\n31.01.2024;B;-5\n'), [-5]);
  });

  it('of one side alone are money out or in', () => {
    assert.deepEqual(amounts('Date,Payee,Withdrawal\n2024-01-31,x,5\n'), [-5]);
  });

  it('without a name have the amount, where the named one before has the currency', () => {
    const text = 'Date,Text,Change,,Balance,\n2024-01-31,x,EUR,-5.00,EUR,7.00\n';
    assert.deepEqual(shownOf(text, 'amount currency'), ['-5 | eur']);
  });

  it('with equal names: the one that is filled', () => {
    assert.deepEqual(
      amounts('Date,Amount,Amount,Payee\n2024-01-31,,-5,x\n2024-01-31,1,-6,x\n'),
      [-5, -6],
    );
  });

  it('of a currency are amounts, but never two without a choice', () => {
    const one = 'Date,Payee,CAD$,USD$\n2024-01-31,x,-5,\n2024-01-31,y,6,\n';
    assert.equal(shownOf(one, 'amount currency')[0], '-5 | cad');
    const both = 'Date,Payee,CAD$,USD$\n2024-01-31,x,-5,\n2024-01-31,y,,6\n';
    assert.match(reasonsOf(both)[0]!, /Amount is empty, but "USD\$" has one.*--map amount=/);
  });

  it('of numbers of accounts are no payees, and blank payees have several substitutes', () => {
    const text =
      'Date;Recipient;Name;Title;Amount\n2024-01-31;12345678;;Card;-5\n2024-01-31;;Ann;Swish;6\n';
    assert.deepEqual(shownOf(text, 'payee'), ['Card', 'Ann']);
  });

  it('of details are not used where debits and credits have the money', () => {
    const text =
      'Date;Text;Amount;Debit;Credit\n2024-01-31;x;;5;\n2024-01-31;part;5;;\n2024-01-31;z;;;7\n';
    assert.deepEqual(amounts(text), [-5, 7]);
    assert.match(warned(text), /A row has a date but no amount, and is left out/);
  });
});

describe('signs', () => {
  it('come from any column in which every cell is a word for one of both directions', () => {
    assert.deepEqual(
      amounts('Date,Foo,Amount,Payee\n2024-01-31,借 Dr,5,x\n2024-01-31,贷 Cr,6,y\n'),
      [-5, 6],
    );
  });

  it('are refused where a word is unknown, and neutral rows are left out', () => {
    const head = 'Date,D/C,Amount,Payee\n2024-01-31,D,5,x\n';
    assert.match(
      reasonsOf(`${head}2024-01-31,Z,6,y\n`)[0]!,
      /Not a known direction.*--map amount=Amount/,
    );
    const neutral = '交易时间,收/支,金额,交易对方\n2024-01-31,支出,5,x\n2024-01-31,不计收支,6,y\n';
    assert.deepEqual(amounts(neutral), [-5]);
    assert.match(warned(neutral), /neither money in nor money out/);
  });

  it('of cards are known by payments and purchases, else doubted', () => {
    const card =
      'Date,Payee,Amount\n2024-01-31,Shop,5\n2024-01-31,Bar,6\n2024-02-01,PAYMENT - THANK YOU,-11\n';
    assert.deepEqual(amounts(card), [-5, -6, 11]);
    assert.deepEqual(amounts(card, { negate: true }), [-5, -6, 11]);
    assert.deepEqual(amounts(card, { map: { amount: 'Amount' } }), [5, 6, -11]);
    const open = 'Date,Payee,Amount\n2024-01-31,Shop,5\n2024-01-31,Bar,6\n';
    assert.match(warned(open), /no amount is negative.*--negate/);
    assert.match(warned(`${open}2024-01-31,x,7\n2024-02-01,y,-1\n`), /nearly all .*--negate/);
    assert.deepEqual(amounts('利用日,利用店名,利用金額\n2024/01/31,店,"1,500"\n'), [-1500]);
  });

  it('of credits that are all negative next to debits are turned', () => {
    const text = 'Date,Payee,Debit,Credit\n2024-01-31,Shop,5,\n2024-02-01,PAID,,-11\n';
    assert.deepEqual(amounts(text), [-5, 11]);
    assert.deepEqual(amounts('Date,Amount,Payee\n2024-01-31,5(-),x\n2024-01-31,6,y\n'), [-5, 6]);
  });

  it('are not turned by a balance before each row', () => {
    const text =
      'Date,Balance,Amount,Payee\n2024-01-01,100,-20,x\n2024-01-02,80,50,y\n2024-01-03,130,-5,z\n';
    assert.deepEqual(amounts(text), [-20, 50, -5]);
  });
});

describe('tables without a header', () => {
  it('are read where a balance proves which column is which', () => {
    const text =
      '07 Nov 2024,In,,500.00,500.00\n08 Nov 2024,Out,20.00,,480.00\n09 Nov 2024,Out,10.00,,470.00\n';
    assert.deepEqual(amounts(text), [500, -20, -10]);
  });

  it('are refused where nothing shows what is money out, with the maps to give', () => {
    assert.match(
      reasonsOf('2024-01-31,Shop,5.00\n2024-02-01,Bar,6.00\n')[0]!,
      /--negate, else --map date=1/,
    );
    const pair = '2024-01-31,Shop,5.00,\n2024-02-01,Bar,,6.00\n';
    assert.match(reasonsOf(pair)[0]!, /debit=3,credit=4 or .*debit=4,credit=3/);
  });
});

describe('cells', () => {
  it('may be written in UTF-16 without a byte order mark, with tabs after quotes, and with Latin letters', () => {
    const text = 'Datum;Omschrijving;Bedrag\n31-01-2024;Winkel;-5,50\n';
    assert.deepEqual(shownOf(Buffer.from(text, 'utf16le'), 'payee'), ['Winkel']);
    assert.deepEqual(amounts('Date,Amount,Payee\n2024-01-31,"-1,099.14"\t,x\n'), [-1099.14]);
    // The first letter is Latin.
    assert.deepEqual(amounts('Дата;Опис;Cума\n31.01.2024;x;-5,00\n'), [-5]);
  });

  it('name currencies in words and numbers, and the amount has that of its own column', () => {
    const currency = (text: string) => shownOf(text, 'currency')[0];
    assert.equal(currency('Date,Amount,Currency,Payee\n2024-01-31,-5,Euro,x\n'), 'eur');
    assert.equal(currency('Date,Amount,Currency,Payee\n2024-01-31,-5,978,x\n'), 'eur');
    assert.equal(currency('日期,金额,币种,摘要\n2024-01-31,-5,人民币,x\n'), 'cny');
    assert.equal(currency('Date,Amount (UAH),Currency,Payee\n2024-01-31,-5,EUR,x\n'), 'uah');
    assert.equal(currency('Kirjauspäivä;Määrä EUROA;Saaja\n31.01.2024;-5,00;x\n'), 'eur');
    assert.equal(currency('交易时间,金额,交易对方\n2024-01-31,¥-5.00,x\n'), 'cny');
  });

  it('without an amount leave their row out, unless most rows are so', () => {
    const text = 'Date,Amount,Payee\n2024-01-31,-5,x\n2024-01-31,,split\n2024-02-01,6,y\n';
    assert.deepEqual(amounts(text), [-5, 6]);
    assert.deepEqual(
      reasonsOf('Date,Amount,Payee\n2024-01-31,-5,x\n2024-01-31,,y\n2024-02-01,,z\n'),
      ['3: Amount is empty', '4: Amount is empty'],
    );
    const opening = 'Date,Payee,Amount\n2024-01-31,x,-5\n2024-02-01,Opening balance,7\n';
    assert.equal(entriesOf(opening).length, 1);
  });
});
