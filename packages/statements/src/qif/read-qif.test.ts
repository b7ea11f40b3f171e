import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import type { StatementOptions } from '../statement.ts';
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

/** A file of records; `;` separates the fields of one. */
function qif(...parts: readonly string[]): string {
  return parts
    .map((part) => (part.startsWith('!') ? part : `${part.replaceAll(';', '\n')}\n^`))
    .map((part) => `${part}\n`)
    .join('');
}

/** A file with one record that has a date and an amount of -100. */
const record = (fields: string): string => qif('!Type:Bank', `D2024-01-31;T-100.00;${fields}`);
const one = (fields: string, names: string): string => shownOf(record(fields), names)[0]!;
const ONE = 'D2024-01-31;T1.00';

describe('a QIF file', () => {
  it('gives entries', () => {
    const text = qif(
      '!Type:Bank',
      "D1/31'24;U-1,234.50;T-1,234.50;CX;N1042;PShop  AG;MBread;AStreet;LFood:Bread/Trip",
    );
    const statement = readStatement(sourceOf(text));
    assert.deepEqual(
      { ...statement, entries: [...statement.entries()] },
      {
        format: 'qif',
        encoding: 'utf-8',
        entryCount: 1,
        accounts: [],
        leftOut: [],
        warnings: [],
        entries: [
          {
            line: 2,
            date: '2024-01-31',
            amount: -12_345_000,
            currency: null,
            payee: 'Shop AG',
            notes: 'Bread; No. 1042',
            category: 'Food:Bread',
            account: null,
            externalId: null,
            tags: ['Trip'],
          },
        ],
      },
    );
  });

  it('has other texts, numbers, classes and transfers', () => {
    for (const [fields, wanted] of [
      ['MOnly a memo', 'Only a memo | - | - | -'],
      ['PA;MA;N000;L--Split--', 'A | - | - | -'],
      ['PA;NATM;LFood/Trip/Anna', 'A | ATM | Food | Trip, Anna'],
      ['PA;Mb;L[Savings]/Trip', 'A | b; Transfer: Savings | - | Trip'],
      ['L[Savings]', 'Savings | Transfer: Savings | - | -'],
      ['PA;L;SFood/X;Ebread;$-100.00', 'A | bread | Food | X'],
    ] as const)
      assert.equal(one(fields, 'payee notes category tags'), wanted);
  });

  it('may have any line ends, a byte order mark, no last "^", comments and blank lines', () => {
    const text = qif('!Type:Bank ', 'D2024-01-31;T5;Pé', 'D2024-02-01;T6;PÜ');
    const wanted = ['é | 5', 'Ü | 6'];
    const lists = [`# note\nT7\n\n${text}`, `${text}!Type:Cat\nNx\n`];
    for (const shape of [
      text,
      `\uFEFF${text}`,
      ...lists,
      text.slice(0, -3),
      text.replaceAll('\n', '\n \n'),
    ])
      for (const end of ['\n', '\r\n', '\r']) {
        const lines = shape.replaceAll('\n', end);
        assert.deepEqual(shownOf(lines, 'payee amount'), wanted);
        if (!lines.startsWith('\uFEFF'))
          assert.deepEqual(shownOf(Buffer.from(lines, 'latin1'), 'payee amount'), wanted);
      }
    const cyrillic = Buffer.from(text.replace('Pé', 'P\xc0'), 'latin1');
    assert.equal(entriesOf(cyrillic, { encoding: 'windows-1251' })[0]!.payee, 'А');
  });
});

describe('dates and amounts of a QIF file', () => {
  const records = (...dates: readonly string[]): string =>
    qif('!Type:Bank', ...dates.map((date) => `D${date};T1.00`));
  const datesOf = (text: string, options: StatementOptions = {}): string =>
    shownOf(text, 'date', options).join();

  it('are decided by all of them, by an option of the file, or by the user', () => {
    assert.equal(datesOf(records('1/2/24', "1/31'24")), '2024-01-02,2024-01-31');
    assert.equal(datesOf(records('1/2/24', '31/1/24')), '2024-02-01,2024-01-31');
    const marked = `!Option:DMY\n${records('1/2/24')}`;
    assert.equal(datesOf(marked), '2024-02-01');
    assert.equal(datesOf(marked, { dateFormat: 'm/d/y' }), '2024-01-02');
    assert.equal(datesOf(records('3/3/24')), '2024-03-03');
    // Records that are left out count, too.
    const invested = '!Type:Invst\nD9/12/97\nNXIn\nT5\n^^\nD10/16/97\nNBuy\nYX\nT5\n^^\n';
    assert.equal(datesOf(invested), '1997-09-12');
    const amounts = qif('!Type:Bank', 'D2024-01-31;T1,010', 'D2024-01-31;T-5,50');
    assert.deepEqual(shownOf(amounts, 'amount'), ['1.01', '-5.5']);
    const split = qif('!Type:Bank', 'D2024-01-31;T1,010;SA;$1,009.50;SB;$0.50');
    assert.deepEqual(shownOf(split, 'amount'), ['1010']);
  });

  it('are refused if they stay ambiguous or contradict each other', () => {
    assert.deepEqual(problemsOf(records('1/2/24')), [
      {
        line: 2,
        column: 'field D',
        value: '1/2/24',
        reason: 'Could be 2024-02-01 (d/m/y) or 2024-01-02 (m/d/y): specify the date format',
      },
    ]);
    const amounts = reasonsOf(qif('!Type:Bank', 'D2024-01-31;T1,010')).join();
    assert.match(amounts, /^3: Could be .* decimal sign$/);
    const dates = reasonsOf(records('31/1/24', '1/31/24')).join();
    assert.match(dates, /^5: Fits m\/d\/y, but "31\/1\/24" on line 2/);
  });

  it('are required, and there must be one of each', () => {
    const fields = ['T1;Px', 'D2024-01-31;Px', 'D2024-02-30;Tfive', 'D2024-01-31;T1;T2', 'Mx'];
    assert.deepEqual(reasonsOf(qif('!Type:Bank', ...fields)), [
      '2: Entry has no date',
      '5: Entry has no amount',
      '8: Not a date',
      '9: Not an amount',
      '13: Entry has a second amount: perhaps a "^" is missing',
    ]);
    const { message } = errorOf(qif('!Type:Bank', 'Dx;T1'));
    assert.equal(message, 'Line 2, field D, value "x": Not a date');
    const empty = qif('!Type:Bank', 'Mx', 'CX');
    assert.deepEqual(leftOutOf(empty), ['2 record without an amount']);
  });
});

describe('splits of a QIF file', () => {
  it('become parts, with their classes and transfers', () => {
    const split = 'LFood/A;SFood/A;Ebread;$-60;S[Savings]/B;$-50.00;SRefund;D1/1/24;$10.00;MMemo';
    assert.equal(
      one(split, 'category tags date payee parts'),
      '- | A, B | 2024-01-31 | Memo | -60 - bread Food, -50 - Transfer: Savings -, 10 - - Refund',
    );
    assert.equal(one('SA;$40.00;SB;$60.00', 'parts'), '-40 - - A, -60 - - B');
    const negated = qif('!Type:Bank', 'D2024-01-31;T3.00;SA;$1.00;SB;$2.00');
    assert.deepEqual(shownOf(negated, 'amount parts', { negate: true }), [
      '-3 | -1 - - A, -2 - - B',
    ]);
  });

  it('may be percentages, whose parts total the amount', () => {
    const thirds = one('SA;%33.33;SB;%33.33;SC;%33.34', 'parts');
    assert.equal(thirds, '-33.33 - - A, -33.33 - - B, -33.34 - - C');
    assert.equal(one('SA;%50%;SB;%50,0', 'parts'), '-50 - - A, -50 - - B');
  });

  it('are left out with a warning if they do not total the amount', () => {
    for (const [fields, reason] of [
      ['SA;$-60.00;SB;$-30.00', 'Splits total -90.0000'],
      ['SA;$=60.00;SB;$-40.00', 'Split amount "=60.00" is invalid'],
      ['SA;$-60.00;SB', 'Split has no amount'],
      ['SA;%60;SB;%30', 'Splits have no amounts and do not total 100 %'],
      ['SA;SB;%100', 'Splits have no amounts and do not total 100 %'],
    ] as const) {
      const [warning = ''] = warningsOf(record(`LFood;${fields}`));
      const said = `: ${reason}: the entry of -100.0000 is read as a whole`;
      assert.ok(warning.endsWith(said), warning);
      assert.equal(one(`LFood;${fields}`, 'parts category amount'), '- | Food | -100');
    }
  });
});

describe('accounts of a QIF file', () => {
  it('are those of its !Account records, each for the sections behind it', () => {
    const text = qif(
      ...'!Option:AutoSwitch,!Account,NGiro;TBank,NVisa;TCCard,NUnused,!Clear:AutoSwitch'.split(
        ',',
      ),
      ...'!Type:Cat,NFood;E,!Account,NGiro;TBank;DMy account;$5.00,!Type:Bank'.split(','),
      ...[ONE, ONE, '!Account', 'NVisa', '!Type:CCard', ONE, '!Account', 'NGiro'],
      ...['!Type:Bank', ONE],
    );
    assert.deepEqual(
      readStatement(sourceOf(text)).accounts.map((account) =>
        [account.name, account.id, account.bankId, account.type, account.entryCount].join('|'),
      ),
      ['Giro|Giro||checking|3', 'Visa|Visa||credit card|1'],
    );
    assert.deepEqual(shownOf(text, 'account'), ['Giro', 'Giro', 'Visa', 'Giro']);
  });

  it('are named by their opening balances or types if there are several without a name', () => {
    const types = ['Bank', 'Cash', 'CCard', 'Oth A', 'Oth L', 'Invst'];
    const all = qif(...types.flatMap((type) => [`!Type:${type}`, ONE]));
    assert.equal(shownOf(all, 'account').join(), 'Checking,Cash,Credit card,Asset,Loan,Investment');
    const list = readStatement(sourceOf(qif('!Account', 'NGiro', 'NVisa', '!Type:Bank', ONE)));
    assert.deepEqual(list.accounts, []);
    const opened = qif('!Type:Bank', 'D2024-01-31;T5.00;POpening Balance;L[Giro]', ONE);
    const named = shownOf(opened, 'account category notes');
    assert.deepEqual(named, ['Giro | - | -', 'Giro | - | -']);
    assert.deepEqual(warningsOf(opened), [
      '2: The opening balance of the account is one of its entries',
    ]);
  });

  it('may be investments, whose cash moves with some records', () => {
    const moved = 'Cash XIn ContribX Div IntInc XOut WithdrwX MiscExp MargInt'.split(' ');
    const others = 'Buy BuyX Sell SellX DivX ReinvDiv ShrsIn StkSplit'.split(' ');
    const records = [...moved, ...others].map((of) => `D2024-01-31;N${of};T10.00;YFund`);
    const text = qif('!Type:Invst', ...records, 'D1/1/24;NCash;L[Portfolio]');
    const wanted = ['10', '10', '10', '10', '10', '-10', '-10', '-10', '-10'];
    assert.deepEqual(
      shownOf(text, 'amount payee'),
      wanted.map((amount) => `${amount} | Fund`),
    );
    assert.deepEqual(leftOutOf(text), ['8 securities transaction', '1 record without an amount']);
  });
});

it('other sections are skipped if they are lists, counted if they are unknown, and one is required', () => {
  const lists = ['Cat', 'Class', 'Memorized', 'Security', 'Budget', 'Tag'].flatMap((type) => {
    return [`!Type:${type}`, 'NX;T5.00;Dtext', 'S^BTC'];
  });
  const prices = '!Type:Prices\n"X",5 1/2,"1/31/04"\n^\n';
  const text = qif(...lists) + prices + qif('!Type:Strange', 'D1', 'D2', '!Type:Bank', ONE);
  assert.equal(entriesOf(text).length, 1);
  assert.deepEqual(leftOutOf(text), ['2 record of an unknown section']);
  const { message } = errorOf('D1/31/24\nT1\n^\n', { format: 'qif' });
  assert.match(message, /^Line 1: File has no "!Type:"/);
  for (const none of ['!Type:Bank\n', '!Account\nNGiro\n^\n'])
    assert.deepEqual(entriesOf(none), []);
});
