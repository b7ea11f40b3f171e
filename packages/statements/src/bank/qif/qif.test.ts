import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../../read-statement.ts';
import type { StatementOptions } from '../../statement/statement.ts';
import {
  entriesOf,
  errorOf,
  leftOutOf,
  problemsOf,
  reasonsOf,
  shownOf,
  warningsOf,
  wholeOf,
} from '../../testing/reading.ts';
import { sourceOf } from '../../testing/sources.ts';
import { isAmount, plainDate, readDate, readQifAmount } from './records.ts';

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
    assert.deepEqual(wholeOf(text), [
      'format: qif | encoding: utf-8 | entryCount: 1 | leftOut: [] | warnings: []',
      'line: 2 | date: 2024-01-31 | amount: -12345000 | currency: null | payee: Shop AG | ' +
        'notes: Bread; No. 1042 | category: Food:Bread | account: null | externalId: null | tags: [Trip]',
    ]);
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
      '2 field D 1/2/24: Could be 2024-02-01 (d/m/y) or 2024-01-02 (m/d/y): specify the date format',
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
  it('have the balances that their records state, on the days that these name', () => {
    const balances = (account: string, ...entries: readonly string[]): string => {
      const text = qif('!Account', `NGiro;TBank;${account}`, '!Type:Bank', ...entries);
      return readStatement(sourceOf(text))
        .accounts.flatMap((each) => each.balances)
        .map(({ kind, date, amount }) => `${kind} ${date} ${amount / 10_000}`)
        .join();
    };
    const rows = ['D13/1/24;T100', 'D15/1/24;T-30.5', 'D20/1/24;T7'];
    const known = 'ledger 2024-01-15 1069.5';
    assert.equal(balances('/15/1/24;$1,069.50', ...rows), known);
    assert.equal(
      balances('/15/1/24;$69.50', ...rows),
      'opening 2024-01-13 0,ledger 2024-01-15 69.5',
    );
    const owed = 'opening 2024-01-13 0,ledger 2024-01-15 -69.5';
    assert.equal(
      balances(
        '/15/1/24;$69.50',
        ...rows.map((row) => row.replace(/T-?/, (t) => (t === 'T' ? 'T-' : 'T'))),
      ),
      owed,
    );
    const opened = 'D1/1/24;T1000;POpening Balance;L[Giro]';
    assert.equal(
      balances('/15/1/24;$1,069', opened, ...rows),
      'opening 2024-01-01 0,ledger 2024-01-15 1069',
    );
    for (const undated of ['$1,076.50', '/no;$1,076.50'])
      assert.equal(balances(undated, ...rows), 'ledger null 1076.5');
    assert.equal(balances('$76.50', ...rows), 'opening 2024-01-13 0,ledger null 76.5');
    for (const none of ['$0.00', '/15/1/24', '/15/1/24;$no'])
      assert.equal(balances(none, ...rows), '');
  });

  it('have the balances of a list of accounts', () => {
    const text = qif(
      '!Account',
      'NGiro',
      'NVisa;/31/1/24;$-1.00',
      '!Type:Cat',
      'NFood',
      '!Account',
      'NVisa',
      '!Type:CCard',
      'D30/1/24;T-1',
    );
    const [{ balances } = { balances: [] }] = readStatement(sourceOf(text)).accounts;
    assert.deepEqual(
      balances.map(({ amount }) => amount),
      [0, -10_000],
    );
  });

  it('are those of its !Account records, each for the sections behind it', () => {
    const text = qif(
      ...'!Option:AutoSwitch,!Account,NGiro;TBank,NVisa;TCCard,NUnused,!Clear:AutoSwitch'.split(
        ',',
      ),
      ...'!Type:Cat,NFood;E,!Account,NGiro;TBank;DMy account;$5.00,!Type:Bank'.split(','),
      ONE,
      ONE,
      '!Account',
      'NVisa',
      '!Type:CCard',
      ONE,
      '!Account',
      'NGiro',
      '!Type:Bank',
      ONE,
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
    const found = shownOf(text, 'amount payee');
    const expected = wanted.map((amount) => `${amount} | Fund`);
    assert.deepEqual(found, expected);
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

describe('dates of QIF', () => {
  it('have many forms', () => {
    const forms = {
      'm/d/y': "1/31'04|1/31' 4| 1/31/04|01/31/2004|1-31-04|1.31.2004|1-31'2004",
      'd/m/y': "31.1'04|31/ 1/04|31.01.2004|31.01.2004.|31/1' 4|31-Jan-2004",
      'y-m-d': '2004-01-31|2004/1/31|20040131|2004-01-31 10:20|2004-01-31T10:20:00',
    } as const;
    for (const order of ['m/d/y', 'd/m/y', 'y-m-d'] as const)
      for (const text of forms[order].split('|'))
        assert.equal(readDate(text, order), '2004-01-31', text);
    assert.equal(readDate(" 1/ 3'04", 'm/d/y'), '2004-01-03');
    assert.equal(readDate('04-01-31', 'y-m-d'), '2004-01-31');
  });

  it('are of this century after an apostrophe, else of the years 1970 to 2069', () => {
    assert.equal(readDate("6/1'94", 'm/d/y'), '2094-06-01');
    assert.equal(readDate('6/1/94', 'm/d/y'), '1994-06-01');
  });

  it('are not other texts', () => {
    const texts = "2/30'04|1/31|1'2|x||13/1'04".split('|');
    for (const text of [...texts, `1/31/${' '.repeat(10_000)}04`])
      assert.equal(readDate(text, 'm/d/y'), null, text);
    assert.equal(plainDate('31 Jan 2004'), '31 Jan 2004');
  });
});

describe('amounts of QIF', () => {
  it('have thousands, currencies and either decimal sign', () => {
    assert.equal(readQifAmount('-1,010.00', 'point'), -10_100_000);
    assert.equal(readQifAmount('1.010,5', 'comma'), 10_105_000);
    assert.equal(readQifAmount("1'234.50", 'point'), 12_345_000);
    assert.equal(readQifAmount('$5.', 'point'), 50_000);
    assert.equal(readQifAmount('-.50', 'point'), -5_000);
    assert.deepEqual([isAmount('=746.36'), isAmount('746,36'), isAmount('')], [false, true, false]);
  });
});

describe('QIF', () => {
  it('without ends of records or with endless lists is read in bounded memory', () => {
    const endless = (begin: string, repeated: string, pieces: number) => ({
      *open() {
        yield Buffer.from(begin);
        const piece = Buffer.from(repeated.repeat(Math.ceil(65_536 / repeated.length)));
        for (let at = 0; at < pieces; at += 1) yield piece;
      },
    });
    const head = '!Type:Bank\nD2024-01-31\nT1.00\n';
    const { message } = errorOf(endless(head, 'SFood\n$1.00\n', 1000));
    assert.equal(message, 'Line 2: Record is too long: perhaps a "^" is missing');
    const found = errorOf(endless(head, `M${'x'.repeat(60_000)}\n`, 100)).message;
    assert.match(found, /Record is too long/);
    assert.match(errorOf(endless(head, 'Mx', 100)).message, /^Line 4: Line is longer than 65536/);
    const lines = (count: number) => `${head}${'AStreet\n'.repeat(count - 2)}^\n`;
    assert.equal(entriesOf(lines(4096)).length, 1);
    assert.match(errorOf(lines(4097)).message, /Record is too long/);
    const list = readStatement(endless('!Type:Prices\n', '"X",5,"1/1/04"\n', 50));
    assert.equal(list.entryCount, 0);
  });
});
