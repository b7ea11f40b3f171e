import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { outlineTable, readStatement } from '../read-statement.ts';
import { COLUMN_KEYS, parseColumnMap, type StatementOptions } from '../statement/statement.ts';
import {
  entriesOf,
  errorOf,
  problemsOf,
  reasonsOf,
  shownOf,
  warningsOf,
} from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

const UNKNOWN =
  'Not a currency code of three letters: use --currency for the currency of such amounts';

it('of two columns without names, that with both signs has the amounts, from three rows on', () => {
  const rows = [
    '2024-01-13;Shop;-5,00;100,00',
    '2024-01-14;Pay;20,00;700,00',
    '2024-01-15;Cafe;-3,00;50,00',
  ];
  assert.deepEqual(shownOf(rows.join('\n'), 'payee amount'), [
    'Shop | -5',
    'Pay | 20',
    'Cafe | -3',
  ]);
  assert.match(reasonsOf(rows.slice(0, 2).join('\n'))[0]!, /^1: No header row/);
});

describe('parseColumnMap', () => {
  it('reads names, numbers and quoted names', () => {
    assert.deepEqual(
      parseColumnMap('date=Datum, Amount = 4,payee="Name, first", notes="a ""b"""'),
      {
        date: 'Datum',
        amount: '4',
        payee: 'Name, first',
        notes: 'a "b"',
      },
    );
  });

  it('reads back any map that was printed with quotes', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '');
    const map = fc.dictionary(fc.constantFrom(...COLUMN_KEYS), name, { minKeys: 1 });
    fc.assert(
      fc.property(map, (columns) => {
        const parts = Object.entries(columns).map(
          ([key, column]) => `${key}="${column.replaceAll('"', '""')}"`,
        );
        assert.deepEqual(parseColumnMap(parts.join(',')), { ...columns });
      }),
    );
  });

  it('names the invalid part and the known keys', () => {
    const cases = {
      'date=1,sum=2': 'part "sum=2" has an unknown key',
      'date=1,date=2': 'part "date=2" repeats the key "date"',
      'date=': 'part "date=" has no column',
      'date=" "': 'part "date=" "" has no column',
      'date=1,amount': 'part "amount" does not have the form key=column',
      'date=1,,amount=2': 'part ",amount=2" does not have the form key=column',
      'payee="open': 'part "payee="open" does not have the form key=column',
      'payee=a"b': 'part "payee=a"b" does not have the form key=column',
      'date=1,': 'part "" is empty',
      '': 'part "" does not have the form key=column',
    };
    for (const [text, reason] of Object.entries(cases)) {
      const message = `Column map: ${reason}. The keys are ${COLUMN_KEYS.join(', ')}`;
      assert.throws(() => parseColumnMap(text), { name: 'RangeError', message }, text);
    }
  });

  it('returns a map or throws a RangeError for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[dateamount=," 1]{0,40}$/)), (text) => {
        try {
          assert.ok(Object.values(parseColumnMap(text)).every((column) => column.trim() !== ''));
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
      }),
    );
  });
});

const BANK = 'My bank\n\nDatum;Empfänger;Betrag;Saldo;Memo\n';

function shapeOf(content: string | Uint8Array): string {
  return outlineTable(sourceOf(content))!.shape;
}

function read(content: string, options: StatementOptions = {}) {
  return readStatement(sourceOf(content), options);
}

describe('the shape of a table', () => {
  it('is the same for another file of the bank, in another encoding or letter case', () => {
    const may = `${BANK}01.05.2024;Laden;-1,50;98,50;\n`;
    const june = `${BANK.toUpperCase()}13.06.2024;"A; b";1,00;99,50;note\n\n14.06.2024;B;2,00;101,50;\n`;
    assert.equal(shapeOf(june), shapeOf(may));
    assert.equal(shapeOf(Buffer.from(may, 'latin1')), shapeOf(may));
    assert.equal(read(june).shape, shapeOf(may));
  });

  it('is the same where names are unknown, with or without a map', () => {
    const file = 'When;Who;How much\n03/04/2024;Shop;5\n';
    const map = { date: 'When', payee: 'Who', amount: 'How much' };
    const statement = read(file, { map, dateFormat: 'd/m/y' });
    assert.equal(statement.shape, shapeOf('When;Who;How much\n13/05/2024;Bar;-6,00\n'));
  });

  it('differs by names, their order and the delimiter', () => {
    const heads = [
      'Date,Payee,Amount',
      'Payee,Date,Amount',
      'Date;Payee;Amount',
      'Date,Name,Amount',
    ];
    const shapes = heads.map((head) => shapeOf(`${head}\n`));
    assert.equal(new Set(shapes).size, heads.length);
  });

  it('is of the kinds of columns where there is no header', () => {
    const may = shapeOf('2024-05-01;Shop;;-1.50\n2024-05-02;Bar;;-1.00\n');
    assert.equal(shapeOf('2024-06-01;Baker;note;7.00\n'), may);
    assert.notEqual(shapeOf('Shop;2024-05-01;;-1.50\n'), may);
    assert.notEqual(shapeOf('2024-05-01;Shop;-1.50\n'), may);
  });

  it('is undefined for formats without columns and for texts without a table', () => {
    assert.equal(outlineTable(sourceOf('!Type:Bank\nD01/05/2024\nT-1\n^\n')), null);
    assert.equal(outlineTable(sourceOf('only\ntext\n')), null);
    assert.equal(outlineTable(sourceOf('')), null);
    assert.equal(read('!Type:Bank\nD31/05/2024\nT-1.00\n^\n').shape, undefined);
  });
});

describe('the columns of a file', () => {
  it('are listed with a sample each, whether or not they are known', () => {
    const columnsOf = (text: string) =>
      outlineTable(sourceOf(text))?.columns.map(({ number, name, sample }) =>
        [number, name, sample].join(' '),
      );
    const columns = ['1 When 03/04/2024', '2 Who Bar', '3 How much 5'];
    assert.deepEqual(columnsOf('When;Who;How much\n03/04/2024;;5\n03/04/2024;Bar;6\n'), columns);
    const html = '<table><tr><td>When<td>Sum</tr><tr><td>03/04/2024<td>5</tr></table>';
    assert.deepEqual(columnsOf(html), ['1 When 03/04/2024', '2 Sum 5']);
  });

  it('have the part of an entry that they became', () => {
    const { mapping } = read(`${BANK}31.05.2024;Laden;-1.000,50;98,50;\n`);
    assert.deepEqual(
      mapping?.columns.map((column) => Object.values(column).join(' ')),
      [
        'date 1 Datum false',
        'payee 2 Empfänger false',
        'amount 3 Betrag false',
        'balance 4 Saldo false',
        'notes 5 Memo false',
      ],
    );
    const { dateOrder, decimal, delimiter, encoding, isNegated, seen } = mapping;
    const others = [dateOrder, decimal, delimiter, encoding, isNegated, seen.length];
    assert.deepEqual(others, ['d/m/y', 'comma', ';', 'utf-8', false, 5]);
  });

  it('say whether a word or all signs decide', () => {
    const words = read('Date,Type,Amount\n2024-05-01,Debit,5\n2024-05-01,Credit,7\n');
    const found = words.mapping?.columns.map(({ key }) => key);
    assert.deepEqual(found, ['date', 'direction', 'amount']);
    const turned = read('Date,Payee,Amount\n2024-05-01,Shop,5\n', { negate: true });
    assert.equal(turned.mapping?.isNegated, true);
  });
});

describe('the examination', () => {
  it('reports every problem with line, column, value and reason, keeps 100 and counts all', () => {
    const text = 'Date,Amount,Payee\n2024-01-31,5,x\n31/01/2024,five,x\n,,x,y\n2024-02-30,5,\n';
    assert.deepEqual(problemsOf(text), [
      '3 Date 31/01/2024: Fits d/m/y, but "2024-01-31" on line 2 fits only y-m-d',
      '3 Amount five: Not an amount',
      '4 column 4 y: The table has only 3 columns',
      '4 Date : Date is empty',
      '4 Amount : Amount is empty',
      '5 Date 2024-02-30: Not a date',
    ]);
    const first = /^Line 3, column "Date", value "31\/01\/2024": .* \(and 5 more\)$/;
    assert.match(errorOf(text).message, first);
    const many = errorOf(`Date,Amount\n${'2024-01-31,x\n'.repeat(250)}`);
    assert.deepEqual([many.problems.length, many.problemCount], [100, 250]);
  });

  it('detects the order of dates from the whole column, and refuses a column that fits two', () => {
    const first = (rows: string, options?: StatementOptions) =>
      entriesOf(`Date,Amount\n${rows}`, options)[0]!.date;
    assert.equal(first('01/02/2024,5\n13/02/2024,5\n'), '2024-02-01');
    assert.equal(first('01/02/2024,5\n02/13/2024,5\n'), '2024-01-02');
    assert.equal(first('06/06/2024,5\n'), '2024-06-06');
    assert.equal(first('12-Dec-2019,5\n'), '2019-12-12');
    assert.equal(first('01/02/2024,5\n', { dateFormat: 'm/d/y' }), '2024-01-02');
    assert.equal(first('01/02/03,5\n', { dateFormat: 'y-m-d' }), '2001-02-03');
    assert.deepEqual(problemsOf('Date,Amount\n06/06/2024,5\n06/12/2021,5\n07/12/2021,5\n'), [
      '3 Date 06/12/2021: Could be 2021-12-06 (d/m/y) or 2021-06-12 (m/d/y): specify the date format',
    ]);
  });

  it('reports dates that fit only different orders', () => {
    assert.deepEqual(reasonsOf('Date,Amount\n01/02/2024,5\n13/02/2024,5\n02/14/2024,5\n'), [
      '4: Fits m/d/y, but "13/02/2024" on line 3 fits only d/m/y',
    ]);
    assert.deepEqual(reasonsOf('Date,Amount\n13/02/2024,5\n', { dateFormat: 'm/d/y' }), [
      '2: Fits d/m/y, but m/d/y is given',
    ]);
  });

  it('detects the decimal sign from all amounts, and refuses amounts that fit two', () => {
    const amounts = (rows: string, options?: StatementOptions) =>
      shownOf(`Date,Amount\n${rows}`, 'amount', options).map(Number);
    assert.deepEqual(amounts('2024-01-31,"1,234"\n2024-01-31,5.50\n'), [1234, 5.5]);
    assert.deepEqual(amounts('2024-01-31,"1,234"\n2024-01-31,"5,50"\n'), [1.234, 5.5]);
    assert.deepEqual(amounts('2024-01-31,1234\n'), [1234]);
    assert.deepEqual(amounts('2024-01-31,"1,234"\n', { decimal: 'comma' }), [1.234]);
    assert.deepEqual(reasonsOf('Date,Amount\n2024-01-31,5\n2024-01-31,"1,234"\n'), [
      '3: Could be 1234 (decimal point) or 1.234 (decimal comma): specify the decimal sign',
    ]);
    assert.deepEqual(reasonsOf('Date;Amount\n2024-01-31;5,50\n2024-01-31;5.50\n'), [
      '3: Fits decimal point, but "5,50" on line 2 fits only decimal comma',
    ]);
  });

  it('derives the sign from debit and credit columns, where a negative number takes back', () => {
    const rows =
      '2024-01-31,5.00,\n2024-01-31,-6.00,0.00\n2024-01-31,0.00,7.00\n2024-01-31,,-8.00\n';
    const amounts = (options: StatementOptions) =>
      shownOf(`Date,Debit,Credit\n${rows}`, 'amount', options).map(Number);
    assert.deepEqual(amounts({}), [-5, 6, 7, -8]);
    assert.deepEqual(amounts({ negate: true }), [5, -6, -7, 8]);
    assert.deepEqual(reasonsOf('Date,Debit,Credit\n2024-01-31,5.00,6.00\n'), [
      '2: "Debit" and "Credit" both hold an amount',
    ]);
    const [empty] = reasonsOf('Date,Debit,Credit,Payee\n2024-01-31,,,x\n');
    assert.equal(empty, '2: "Debit" and "Credit" are empty');
  });

  it('prefers an amount column, unless the map names debit or credit', () => {
    const text = 'Date,Amount,Debit,Credit\n2024-01-31,-1.50,2.50,\n';
    for (const [map, amount] of [
      [{}, '-1.5'],
      [{ debit: 'Debit' }, '-2.5'],
      [{ debit: 'Debit', amount: 'Amount' }, '-1.5'],
    ] as const)
      assert.deepEqual(shownOf(text, 'amount', { map }), [amount]);
  });

  it('derives the sign from a column of directions, if every cell is a known direction', () => {
    const amounts = (header: string, words: string[], options?: StatementOptions) => {
      const rows = words.map((word) => `2024-01-31,5.50,${word}\n`).join('');
      return shownOf(`Date,Amount,${header}\n${rows}`, 'amount', options).map(Number);
    };
    assert.deepEqual(amounts('Transaction Type', ['debit', 'Credit']), [-5.5, 5.5]);
    assert.deepEqual(amounts('Af Bij', ['Af', 'Bij']), [-5.5, 5.5]);
    const words = ['PŘÍJEM', 'PRIJEM', 'Výběr', 'vydaj'];
    assert.deepEqual(amounts('Type', words), [5.5, 5.5, -5.5, -5.5]);
    assert.deepEqual(amounts('Type', ['credit', 'Card payment']), [5.5, 5.5]);
    // A mark for one direction: a blank cell is the other.
    assert.deepEqual(amounts('Type', ['CR', '']), [5.5, -5.5]);
    const turned = { map: { direction: 'which' }, negate: true };
    assert.deepEqual(amounts('Which', ['C'], turned), [-5.5]);
  });

  it('requires a known direction in a mapped column', () => {
    const text = 'Date,Amount,Way\n2024-01-31,5,up\n2024-01-31,5,\n';
    assert.deepEqual(reasonsOf(text, { map: { direction: 'Way' } }), [
      '2: Not a known direction',
      '3: Direction is empty',
    ]);
  });

  it('checks the form of currencies and reads old and short names', () => {
    const text = 'Date,Amount,Currency\n2024-01-31,5,RUR\n2024-01-31,5,\n2024-01-31,5,€\n';
    assert.deepEqual(shownOf(text, 'currency'), ['rub', '-', 'eur']);
    assert.deepEqual(reasonsOf(`${text}2024-01-31,5,Eurox\n2024-01-31,5,constructor\n`), [
      `5: ${UNKNOWN}`,
      `6: ${UNKNOWN}`,
    ]);
    const given = { currency: 'EUR' };
    assert.deepEqual(shownOf(`${text}2024-01-31,5,Points\n`, 'currency notes', given).slice(3), [
      'eur | Points',
    ]);
  });

  it('fills cells that are missing at the end of a row, and skips empty rows', () => {
    const text = '\n,,\nDate,Amount,Category,\n\n2024-01-31,5\n ,,\n2024-02-01,6,x,\n';
    assert.deepEqual(shownOf(text, 'line category'), ['5 | -', '7 | x']);
  });

  it('appends a row with only a payee to the previous notes, and skips other headings', () => {
    const text =
      'Date,Payee,Amount,Notes\n,too early\n2024-01-31,Shop,5,n\n,more  text,,\nCARD 1\n,,,x\n,end\n2024-02-01,Bar,6,\n';
    assert.deepEqual(shownOf(text, 'payee notes'), ['Shop | n more text end', 'Bar | -']);
    const payeeFirst = 'Payee,Date,Amount\nShop,2024-01-31,5\nmore text,,\nBar,2024-02-01,6\n';
    assert.deepEqual(shownOf(payeeFirst, 'payee notes'), ['Shop | more text', 'Bar | -']);
  });

  it('requires both cells in a table of two columns', () => {
    assert.deepEqual(reasonsOf('Date,Amount\nEvening,\n'), ['2: Not a date', '2: Amount is empty']);
    assert.deepEqual(entriesOf('Date,Amount\nTotal,\n'), []);
  });

  it('limits the text that rows add to one entry', () => {
    const line = `,${'x'.repeat(1000)}\n`;
    const { problems } = errorOf(`Date,Payee,Amount\n2024-01-31,Shop,5\n${line.repeat(1100)}`);
    const entry = `2024-01-31,Shop,5\n${line.repeat(600)}`;
    assert.equal(entriesOf(`Date,Payee,Amount\n${entry}${entry}`).length, 2);
    assert.equal(problems.at(-1)!.reason, 'Text of one entry is longer than 1048576 characters');
  });

  it('removes the apostrophe that protects a spreadsheet, once and nowhere else', () => {
    const notes = ["'=1+1", "'+5", "'-5", "'@x", "''=1", "'tis", "'", "'\t x ", ' plain ', "'＝1"];
    const rows = notes.map((text) => `2024-01-31,5,"${text}","${text}"\n`).join('');
    const entries = entriesOf(`Date,Amount,Notes,Payee\n${rows}`);
    const read = ['=1+1', '+5', '-5', '@x', "''=1", "'tis", "'", '\t x ', 'plain', '＝1'];
    const found = entries.map(({ notes, payee }) => [notes, payee]);
    const wanted = read.map((text) => [text, text.trim()]);
    assert.deepEqual(found, wanted);
  });

  it('reports text after a closing quote and continues', () => {
    assert.deepEqual(reasonsOf('Date,Amount,Payee\n2024-01-31,5,"a"b\n2024-01-31,x,c\n'), [
      '2: Text after the closing quote',
      '3: Not an amount',
    ]);
  });
});

describe('one date that fits two orders', () => {
  it('has the month first beside US dollars and a time zone of the USA', () => {
    const text = (zone: string, currency: string) =>
      `Date,Time Zone,Currency,Amount\n6/4/2016,${zone},${currency},-5\n`;
    for (const zone of ['PDT', 'EST', '10:00 CST'])
      assert.deepEqual(shownOf(text(zone, 'USD'), 'date'), ['2016-06-04']);
    const said = /"6\/4\/2016" is read as m\/d\/y, as .* for another order use --date-format/;
    assert.match(warningsOf(text('PDT', 'USD')).join(), said);
    const others = [text('CET', 'USD'), text('PDT', 'EUR'), text('CASTED', 'USD')];
    for (const each of others) assert.match(reasonsOf(each)[0]!, /Could be 2016-/);
  });
});
