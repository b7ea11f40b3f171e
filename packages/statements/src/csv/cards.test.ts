import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatementOptions } from '../statement/statement.ts';
import { ofxText } from '../testing/ofx-text.ts';
import { errorOf, shownOf, warningsOf } from '../testing/reading.ts';

const table = (text: string) => `${text.replaceAll(' / ', '\n')}\n`;
const amountsOf = (text: string, options: StatementOptions = {}) =>
  shownOf(table(text), 'amount', options).join(' ');
const rows = '2024-09-30,Tesco,23.99 / 2024-09-28,Shell,54.10';
/** The same rows under names of a card, and of an account. */
const card = (more = '') => `Transaction Date,Merchant,Amount / ${rows}${more}`;
const account = (more = '') => `Date,Description,Amount / ${rows}${more}`;
const QUESTION = 'Could be money out, as on a card (--negate), or money in (--map amount=Amount)';

describe('signs of cards', () => {
  it('are turned round where a text or a category proves it, and that is said', () => {
    const proofs = [
      card(' / 2024-09-15,TESCO STORES REFUND,-20'),
      card(' / 2024-09-15,Autopay,-20'),
      card(' / 2024-09-15,Payment,-20'),
      account(' / 2024-09-15,PAYMENT - THANK YOU,-20'),
      account(' / 2024-09-15,Gutschrift Tesco,-20'),
      account(' / 2024-09-15,x,-20,Payments and Credits')
        .replace('Amount', 'Amount,Category')
        .replace('23.99', '23.99,Food')
        .replace('54.10', '54.10,Car'),
      'Kartennummer,Datum,Händler,Betrag / 1,2024-09-30,A,23.99 / 1,2024-09-28,B,54.10 / 1,2024-09-15,Lastschrifteinzug,-20',
      'Date,Details,Kind,Amount,Card number / 2024-09-30,A,Sale,23.99,1 / 2024-09-28,B,Sale,54.10,1 / 2024-09-15,C,Return,-20,1',
      'Date,Number,Shop,Amount / 2024-09-30,4111********1111,A,23.99 / 2024-09-28,4111********1111,B,54.10 / 2024-09-15,4111********1111,Refund,-20',
      'Credit card statement / Date,Description,Amount / 2024-09-30,A,23.99 / 2024-09-28,B,54.10 / 2024-09-15,Remboursement,-20',
      '日付,利用店名,金額 / 2024-09-30,A,23.99 / 2024-09-28,B,54.10 / 2024-09-15,返金 C,-20',
    ];
    for (const text of proofs) {
      assert.equal(amountsOf(text), '-23.99 -54.1 20', text);
      assert.equal(amountsOf(text, { negate: false }), '23.99 54.1 -20', text);
      assert.match(warningsOf(table(text)).join(), /texts show that money out is positive/);
    }
  });

  it('are a question where nothing proves them, and positive amounts prevail', () => {
    const open: [string, StatementOptions][] = [
      [card(), {}],
      [card(' / 2024-09-15,Tesco,-20'), {}],
      [card(' / 2024-09-15,Refund,-20 / 2024-09-14,Refund,5'), {}],
      [account(' / 2024-09-15,Refund,-20'), {}],
      [account(' / 2024-09-15,Tesco,-20'), { isCard: true }],
      [`Trans. Date,Post Date,Description,Amount / 2024-09-30,2024-09-30,x,5`, {}],
    ];
    for (const [text, options] of open) {
      const [problem, ...others] = errorOf(table(text), options).problems;
      assert.deepEqual([problem?.reason, others], [QUESTION, []], text);
      const [out, own] = problem!.choices!.map((choice) => choice.options);
      const read = (more: StatementOptions) => amountsOf(text, { ...options, ...more });
      const numbers = read(own!);
      const turned = numbers.split(' ').map((each) => String(-Number(each)));
      assert.equal(read(out!), turned.join(' '), text);
      assert.equal(read({ negate: false }), numbers);
    }
  });

  it('stay where texts agree with them, and in tables of accounts', () => {
    const plain = [
      card(' / 2024-09-15,Refund,20 / 2024-09-14,Tesco,-9'),
      account(' / 2024-09-15,Refund,20 / 2024-09-14,Tesco,-9'),
      account(' / 2024-09-15,Tesco,-20'),
      account(' / 2024-09-15,Lastschrifteinzug,-20'),
      account(' / 2024-09-15,Payment,-20'),
      account(' / 2024-09-15,Direct debit,-20'),
      'Date,Merchant,Amount,Balance / 2024-09-30,A,23.99,100 / 2024-09-28,B,54.10,76.01',
    ];
    for (const text of plain) assert.match(amountsOf(text), /^23.99 54.1/, text);
    assert.equal(amountsOf(card().replaceAll(/,(?=\d+\.)/g, ',-')), '-23.99 -54.1');
  });

  it('are shown by a mark of money in, or by words for kinds of rows, where no amount has a sign', () => {
    const marked = 'Date,Details,Amount / 2024-09-30,A,5 / 2024-09-29,B,7.50 CR / 2024-09-28,C,9';
    assert.equal(amountsOf(marked), '-5 7.5 -9');
    assert.equal(amountsOf(marked, { negate: false }), '5 7.5 9');
    assert.equal(amountsOf(marked.replace('A,5', 'A,5 DR').replace('C,9', 'C,9 CR')), '-5 7.5 9');
    const kinds = (...words: string[]): string =>
      `Date,Merchant,Type,Amount${words.map((word) => ` / 2024-09-30,A,${word},5`).join('')}`;
    assert.equal(amountsOf(kinds('Purchase', 'Payment', 'Fee', 'Refund')), '-5 5 -5 5');
    assert.equal(amountsOf(kinds('Kauf', 'Erstattung')), '-5 5');
    const open = kinds('Purchase', 'Payment', 'Other');
    assert.equal(errorOf(table(open)).problems[0]?.reason, QUESTION);
  });

  it('are a question where texts are those of a card, and the balance may be what is owed', () => {
    const owed =
      'Date,Details,Amount,Balance / 2024-09-28,A,5,105 / 2024-09-29,PAYMENT - THANK YOU,-100,5 / 2024-09-30,B,10,15';
    assert.equal(errorOf(table(owed)).problems[0]?.reason, QUESTION);
    assert.equal(amountsOf(owed, { negate: true }), '-5 100 -10');
    assert.equal(amountsOf(owed, { map: { amount: 'Amount' } }), '5 -100 10');
    const own = owed.replace('105', '-105').replace(',5 /', ',-5 /').replace('10,15', '10,-15');
    assert.equal(amountsOf(own), '-5 100 -10');
  });

  it('of payments in other languages are known', () => {
    for (const word of ['Inbetalning', 'INNBETALING', 'Indbetaling', 'SPŁATA KARTY', 'Погашение'])
      assert.equal(amountsOf(card(` / 2024-09-15,${word},-20`)), '-23.99 -54.1 20', word);
    const tables = account(' / 2024-09-15,INBETALNING,-20');
    assert.equal(errorOf(table(tables)).problems[0]?.reason, QUESTION);
  });

  it('of other formats that contradict all types or payments are said', () => {
    const ofx = (...entries: (readonly [type: string, amount: string])[]): string =>
      ofxText([
        {
          kind: 'CCSTMTRS',
          entries: entries.map(([TRNTYPE, TRNAMT], at) => ({
            TRNTYPE,
            DTPOSTED: '20240131',
            TRNAMT,
            FITID: `F${at}`,
            NAME: 'x',
          })),
        },
      ]);
    const qif = (...rows: string[]): string =>
      `!Type:CCard\n${rows.map((row) => `D2024-01-31\n${row}\n^\n`).join('')}`;
    const [bought, paid] = ['T5\nPShop', 'T-9\nPPAYMENT - THANK YOU'];
    const turned = [ofx(['DEBIT', '5'], ['CREDIT', '-9']), qif(bought, bought, paid)];
    const plain = [
      ofx(['DEBIT', '5'], ['DEBIT', '6'], ['CREDIT', '9']),
      ofx(['DEBIT', '5'], ['OTHER', '-9']),
      qif(bought, paid),
    ];
    const said = (text: string, options: StatementOptions = {}): boolean =>
      warningsOf(text, options).some((each) => each.endsWith('is positive, use --negate'));
    for (const text of turned)
      assert.deepEqual([said(text), said(text, { negate: true })], [true, false]);
    for (const text of plain) assert.equal(said(text), false);
  });

  it('of a known card need no proof', () => {
    const header =
      'Kreditkartennummer;Buchungsdatum;Transaktionsdatum;Haendler;Transaktionsbetrag;Transaktionswaehrung;Buchungsbetrag';
    const text = `${header} / 1234********5678;30.09.2020;29.09.2020;AMAZON.DE;23,99;EUR;23,99`;
    const wanted = ['2020-09-30 | -23.99 | eur | AMAZON.DE'];
    assert.deepEqual(shownOf(table(text), 'date amount currency payee'), wanted);
  });
});
