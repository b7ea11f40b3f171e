import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outlineTable, readStatement } from '../read-statement.ts';
import type { StatementOptions } from '../statement.ts';
import { sourceOf } from '../testing/sources.ts';

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
    const outline = outlineTable(sourceOf('When;Who;How much\n03/04/2024;;5\n03/04/2024;Bar;6\n'));
    assert.deepEqual(outline?.columns, [
      { number: 1, name: 'When', sample: '03/04/2024' },
      { number: 2, name: 'Who', sample: 'Bar' },
      { number: 3, name: 'How much', sample: '5' },
    ]);
    const html = '<table><tr><td>When<td>Sum</tr><tr><td>03/04/2024<td>5</tr></table>';
    assert.deepEqual(
      outlineTable(sourceOf(html))?.columns.map(({ name }) => name),
      ['When', 'Sum'],
    );
  });

  it('have the part of an entry that they became', () => {
    const { mapping } = read(`${BANK}31.05.2024;Laden;-1.000,50;98,50;\n`);
    assert.deepEqual(mapping?.columns, [
      { key: 'date', number: 1, name: 'Datum', isFallback: false },
      { key: 'payee', number: 2, name: 'Empfänger', isFallback: false },
      { key: 'amount', number: 3, name: 'Betrag', isFallback: false },
      { key: 'balance', number: 4, name: 'Saldo', isFallback: false },
      { key: 'notes', number: 5, name: 'Memo', isFallback: false },
    ]);
    const { dateOrder, decimal, delimiter, encoding, isNegated, seen } = mapping;
    assert.deepEqual([dateOrder, decimal, delimiter], ['d/m/y', 'comma', ';']);
    assert.deepEqual([encoding, isNegated, seen.length], ['utf-8', false, 5]);
  });

  it('say whether a word or all signs decide', () => {
    const words = read('Date,Type,Amount\n2024-05-01,Debit,5\n2024-05-01,Credit,7\n');
    assert.deepEqual(
      words.mapping?.columns.map(({ key }) => key),
      ['date', 'direction', 'amount'],
    );
    const turned = read('Date,Payee,Amount\n2024-05-01,Shop,5\n', { negate: true });
    assert.equal(turned.mapping?.isNegated, true);
  });
});
