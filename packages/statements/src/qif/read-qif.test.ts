import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import type { Entry, Statement, StatementOptions } from '../statement.ts';
import { entriesOf, errorOf, problemsOf, reasonsOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

/** A file of records; `;` separates the fields of one. */
function qif(...parts: readonly string[]): string {
  return parts
    .map((part) => (part.startsWith('!') ? part : `${part.replaceAll(';', '\n')}\n^`))
    .map((part) => `${part}\n`)
    .join('');
}

function read(text: string, options: StatementOptions = {}): Statement {
  return readStatement(sourceOf(text), options);
}

/** The entry of a record with date and amount. */
function entryOf(fields: string, type = 'Bank'): Entry {
  const [entry] = entriesOf(qif(`!Type:${type}`, `D2024-01-31;T-100.00;${fields}`));
  return entry!;
}

function warningsOf(text: string): string[] {
  return (read(text).warnings ?? []).map(({ line, text: of }) => `${line}: ${of}`);
}

describe('a QIF file', () => {
  it('gives entries', () => {
    const text = qif(
      '!Type:Bank',
      "D1/31'24;U-1,234.50;T-1,234.50;CX;N1042;PShop  AG;MBread;AStreet;LFood:Bread/Trip",
    );
    const statement = read(text);
    assert.deepEqual([...statement.entries()], [...statement.entries()]);
    assert.deepEqual(
      [...statement.entries()],
      [
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
    );
    const { format, encoding, accounts, leftOut, warnings } = statement;
    assert.deepEqual([format, encoding, accounts, leftOut, warnings], ['qif', 'utf-8', [], [], []]);
  });

  it('has other texts, numbers, classes and transfers', () => {
    const textsOf = (fields: string) => {
      const { payee, notes, category, tags = [] } = entryOf(fields);
      return [payee, notes, category, tags.join()];
    };
    assert.deepEqual(textsOf('MOnly a memo'), ['Only a memo', null, null, '']);
    assert.deepEqual(textsOf('PA;MA;N000;L--Split--'), ['A', null, null, '']);
    assert.deepEqual(textsOf('PA;NATM;LFood/Trip/Anna'), ['A', 'ATM', 'Food', 'Trip,Anna']);
    assert.deepEqual(textsOf('PA;Mb;L[Savings]/Trip'), ['A', 'b; Transfer: Savings', null, 'Trip']);
    assert.deepEqual(textsOf('L[Savings]'), ['Savings', 'Transfer: Savings', null, '']);
    assert.deepEqual(textsOf('PA;L;SFood/X;Ebread;$-100.00'), ['A', 'bread', 'Food', 'X']);
  });

  it('may have any line ends, a byte order mark, no last "^", comments and blank lines', () => {
    const text = qif('!Type:Bank ', 'D2024-01-31;T5;Pé', 'D2024-02-01;T6;PÜ');
    const wanted = entriesOf(text).map(({ payee, amount }) => [payee, amount]);
    assert.deepEqual(wanted, [
      ['é', 50_000],
      ['Ü', 60_000],
    ]);
    const shapes = [
      `\uFEFF${text}`,
      `# note\nT7\n\n${text}`,
      text.slice(0, -3),
      `${text}!Type:Cat\nNx\n`,
    ];
    const readAll = (content: Buffer | string) =>
      entriesOf(content).map(({ payee, amount }) => [payee, amount]);
    for (const shape of [...shapes, text.replaceAll('\n', '\n \n')]) {
      for (const end of ['\n', '\r\n', '\r']) {
        const lines = shape.replaceAll('\n', end);
        assert.deepEqual(readAll(lines), wanted);
        if (!lines.startsWith('\uFEFF'))
          assert.deepEqual(readAll(Buffer.from(lines, 'latin1')), wanted);
      }
    }
    const cyrillic = Buffer.from(text.replace('Pé', 'P\xc0'), 'latin1');
    assert.equal(entriesOf(cyrillic, { encoding: 'windows-1251' })[0]!.payee, 'А');
  });
});

describe('dates and amounts of a QIF file', () => {
  const records = (...dates: readonly string[]) =>
    qif('!Type:Bank', ...dates.map((date) => `D${date};T1.00`));
  const datesOf = (text: string, options: StatementOptions = {}) =>
    entriesOf(text, options).map(({ date }) => date);

  it('are decided by all of them, by an option of the file, or by the user', () => {
    assert.deepEqual(datesOf(records('1/2/24', "1/31'24")), ['2024-01-02', '2024-01-31']);
    assert.deepEqual(datesOf(records('1/2/24', '31/1/24')), ['2024-02-01', '2024-01-31']);
    assert.deepEqual(datesOf(`!Option:DMY\n${records('1/2/24')}`), ['2024-02-01']);
    const given = { dateFormat: 'm/d/y' } as const;
    assert.deepEqual(datesOf(`!Option:DMY\n${records('1/2/24')}`, given), ['2024-01-02']);
    assert.deepEqual(datesOf(records('3/3/24')), ['2024-03-03']);
    const amounts = qif('!Type:Bank', 'D2024-01-31;T1,010', 'D2024-01-31;T-5,50');
    assert.deepEqual(
      entriesOf(amounts).map(({ amount }) => amount),
      [10_100, -55_000],
    );
    const split = qif('!Type:Bank', 'D2024-01-31;T1,010;SA;$1,009.50;SB;$0.50');
    assert.equal(entriesOf(split)[0]!.amount, 10_100_000);
  });

  it('are refused if they stay ambiguous or contradict each other', () => {
    assert.deepEqual(problemsOf(records('1/2/24')), [
      {
        ...{ line: 2, column: 'field D', value: '1/2/24' },
        reason: 'Could be 2024-02-01 (d/m/y) or 2024-01-02 (m/d/y): specify the date format',
      },
    ]);
    assert.match(
      reasonsOf(qif('!Type:Bank', 'D2024-01-31;T1,010')).join(),
      /^3: Could be .* decimal sign$/,
    );
    assert.match(
      reasonsOf(records('31/1/24', '1/31/24')).join(),
      /^5: Fits m\/d\/y, but "31\/1\/24" on line 2/,
    );
  });

  it('are required, and there must be one of each', () => {
    const text = qif(
      '!Type:Bank',
      'T1;Px',
      'D2024-01-31;Px',
      'D2024-02-30;Tfive',
      'D2024-01-31;T1;T2',
      'Mx',
    );
    assert.deepEqual(reasonsOf(text), [
      '2: Entry has no date',
      '5: Entry has no amount',
      '8: Not a date',
      '9: Not an amount',
      '13: Entry has a second amount: perhaps a "^" is missing',
    ]);
    assert.equal(
      errorOf(qif('!Type:Bank', 'Dx;T1')).message,
      'Line 2, field D, value "x": Not a date',
    );
    const empty = read(qif('!Type:Bank', 'Mx', 'CX'));
    assert.deepEqual(empty.leftOut, [{ what: 'record without an amount', count: 2 }]);
  });
});

describe('splits of a QIF file', () => {
  const part = (amount: number, category: string | null, notes: string | null = null) => ({
    ...{ amount: Math.round(amount * 10_000), payee: null, notes, category },
  });

  it('become parts, with their classes and transfers', () => {
    const entry = entryOf(
      'LFood/A;SFood/A;Ebread;$-60;S[Savings]/B;$-50.00;SRefund;D1/1/24;$10.00;MMemo',
    );
    assert.deepEqual(entry.parts, [
      part(-60, 'Food', 'bread'),
      part(-50, null, 'Transfer: Savings'),
      part(10, 'Refund'),
    ]);
    assert.deepEqual([entry.category, entry.tags, entry.date], [null, ['A', 'B'], '2024-01-31']);
    assert.equal(entry.payee, 'Memo');
    const unsigned = entryOf('SA;$40.00;SB;$60.00');
    assert.deepEqual(unsigned.parts, [part(-40, 'A'), part(-60, 'B')]);
    const [negated] = entriesOf(qif('!Type:Bank', 'D2024-01-31;T3.00;SA;$1.00;SB;$2.00'), {
      negate: true,
    });
    assert.deepEqual([negated!.amount, negated!.parts], [-30_000, [part(-1, 'A'), part(-2, 'B')]]);
  });

  it('may be percentages, whose parts total the amount', () => {
    assert.deepEqual(entryOf('SA;%33.33;SB;%33.33;SC;%33.34').parts, [
      ...[part(-33.33, 'A'), part(-33.33, 'B'), part(-33.34, 'C')],
    ]);
    assert.deepEqual(entryOf('SA;%50%;SB;%50,0').parts, [part(-50, 'A'), part(-50, 'B')]);
  });

  it('are left out with a warning if they do not total the amount', () => {
    for (const [fields, reason] of [
      ['SA;$-60.00;SB;$-30.00', 'Splits total -90.0000'],
      ['SA;$=60.00;SB;$-40.00', 'Split amount "=60.00" is invalid'],
      ['SA;$-60.00;SB', 'Split has no amount'],
      ['SA;%60;SB;%30', 'Splits have no amounts and do not total 100 %'],
      ['SA;SB;%100', 'Splits have no amounts and do not total 100 %'],
    ] as const) {
      const text = qif('!Type:Bank', `D2024-01-31;T-100.00;LFood;${fields}`);
      const [warning = ''] = warningsOf(text);
      assert.ok(
        warning.endsWith(`: ${reason}: the entry of -100.0000 is read as a whole`),
        warning,
      );
      const [{ parts, category, amount } = {}] = entriesOf(text);
      assert.deepEqual([parts, category, amount], [undefined, 'Food', -1_000_000]);
    }
  });
});

describe('accounts of a QIF file', () => {
  const ONE = 'D2024-01-31;T1.00';

  it('are those of its !Account records, each for the sections behind it', () => {
    const statement = read(
      qif(
        ...[
          '!Option:AutoSwitch',
          '!Account',
          'NGiro;TBank',
          'NVisa;TCCard',
          'NUnused',
          '!Clear:AutoSwitch',
        ],
        ...[
          '!Type:Cat',
          'NFood;E',
          '!Account',
          'NGiro;TBank;DMy account;$5.00',
          '!Type:Bank',
          ONE,
          ONE,
        ],
        ...['!Account', 'NVisa', '!Type:CCard', ONE, '!Account', 'NGiro', '!Type:Bank', ONE],
      ),
    );
    assert.deepEqual(
      statement.accounts.map(({ name, id, bankId, type, entryCount }) => [
        name,
        id,
        bankId,
        type,
        entryCount,
      ]),
      [
        ['Giro', 'Giro', null, 'checking', 3],
        ['Visa', 'Visa', null, 'credit card', 1],
      ],
    );
    const names = [...statement.entries()].map(({ account }) => account);
    assert.deepEqual(names, ['Giro', 'Giro', 'Visa', 'Giro']);
  });

  it('are named by their opening balances or types if there are several without a name', () => {
    const types = ['Bank', 'Cash', 'CCard', 'Oth A', 'Oth L', 'Invst'];
    const statement = read(qif(...types.flatMap((type) => [`!Type:${type}`, ONE])));
    assert.deepEqual(
      [...statement.entries()].map(({ account }) => account),
      ['Checking', 'Cash', 'Credit card', 'Asset', 'Loan', 'Investment'],
    );
    const list = read(qif('!Account', 'NGiro', 'NVisa', '!Type:Bank', ONE));
    assert.deepEqual(list.accounts, []);
    const opened = qif('!Type:Bank', 'D2024-01-31;T5.00;POpening Balance;L[Giro]', ONE);
    const entries = entriesOf(opened).map(({ account, category, notes }) => [
      account,
      category,
      notes,
    ]);
    assert.deepEqual(entries, [
      ['Giro', null, null],
      ['Giro', null, null],
    ]);
    assert.deepEqual(warningsOf(opened), [
      '2: The opening balance of the account is one of its entries',
    ]);
  });

  it('may be investments, whose cash moves with some records', () => {
    const record = (action: string, rest = '') => `D2024-01-31;N${action};T10.00${rest}`;
    const moved = [
      'Cash',
      'XIn',
      'XOut',
      'ContribX',
      'WithdrwX',
      'Div',
      'IntInc',
      'MiscExp',
      'MargInt',
    ];
    const others = ['Buy', 'BuyX', 'Sell', 'SellX', 'DivX', 'ReinvDiv', 'ShrsIn', 'StkSplit'];
    const text = qif(
      '!Type:Invst',
      ...moved.map((action) => record(action, ';YFund')),
      ...others.map((action) => record(action, ';YFund')),
      'D1/1/24;NCash;L[Portfolio]',
    );
    const statement = read(text);
    assert.deepEqual(
      [...statement.entries()].map(({ amount, payee }) => `${amount / 100_000}${payee}`),
      ['1Fund', '1Fund', '-1Fund', '1Fund', '-1Fund', '1Fund', '1Fund', '-1Fund', '-1Fund'],
    );
    assert.deepEqual(statement.leftOut, [
      { what: 'securities transaction', count: others.length },
      { what: 'record without an amount', count: 1 },
    ]);
  });
});

it('knows the order of dates also from records that are left out, and ends at `^^`', () => {
  const text = '!Type:Invst\nD9/12/97\nNXIn\nT5\n^^\nD10/16/97\nNBuy\nYX\nT5\n^^\n';
  const entries = entriesOf(text);
  assert.deepEqual(
    entries.map(({ date }) => date),
    ['1997-09-12'],
  );
});

describe('other sections of a QIF file', () => {
  it('are skipped if they are lists, and counted if they are unknown', () => {
    const lists = ['Cat', 'Class', 'Memorized', 'Security', 'Budget', 'Tag'].flatMap((type) => [
      ...[`!Type:${type}`, 'NX;T5.00;Dtext', 'S^BTC'],
    ]);
    const prices = '!Type:Prices\n"X",5 1/2,"1/31/04"\n^\n';
    const statement = read(
      qif(...lists) + prices + qif('!Type:Strange', 'D1', 'D2', '!Type:Bank', 'D2024-01-31;T1'),
    );
    assert.equal(statement.entryCount, 1);
    assert.deepEqual(statement.leftOut, [{ what: 'record of an unknown section', count: 2 }]);
  });

  it('are required', () => {
    const format = 'qif';
    assert.match(errorOf('D1/31/24\nT1\n^\n', { format }).message, /^Line 1: File has no "!Type:"/);
    assert.equal(read('!Type:Bank\n').entryCount, 0);
    assert.equal(read('!Account\nNGiro\n^\n').entryCount, 0);
  });
});
