import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../../statement/statement-error.ts';
import { MAX_ROW_LENGTH, RowReader } from './rows.ts';
import { runs } from '../../../../core/src/testing/length.ts';

function rowsOf(text: string, delimiter = ',', size = 65_536) {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return [...new RowReader(pieces, delimiter)];
}

function cellsOf(text: string, delimiter = ',', size = 65_536): string[][] {
  return rowsOf(text, delimiter, size).map(({ cells }) => cells);
}

function quote(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

const delimiter = fc.constantFrom(',', ';', '\t');
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const cell = fc.string({
  unit: fc.constantFrom('a', 'ä', '"', ',', ';', '\t', '\r', '\n', ' ', '1'),
});
const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 });

describe('RowReader', () => {
  it('reads back the cells that were written, for every delimiter, line end and quoting', () => {
    const style = fc.record({ delimiter, lineEnd, all: fc.boolean(), last: fc.boolean() });
    fc.assert(
      fc.property(table, style, fc.integer({ min: 1, max: 9 }), (rows, how, size) => {
        const needsQuotes = (text: string) =>
          how.all || /["\r\n]|^ | $/.test(text) || text.includes(how.delimiter);
        const lines = rows.map((cells) =>
          cells.map((text) => (needsQuotes(text) ? quote(text) : text)).join(how.delimiter),
        );
        const text = lines.map((line) => line + how.lineEnd).join('');
        // Without its line end, an empty last line is not a line.
        const canOmit = how.last && lines.at(-1) !== '';
        const whole = canOmit ? text.slice(0, text.length - how.lineEnd.length) : text;
        const filled = rows.filter((_, at) => lines[at] !== '');
        assert.deepEqual(cellsOf(whole, how.delimiter, size), filled);
      }),
      { numRuns: runs(300) },
    );
  });

  it('counts physical lines, also those inside quotes, whatever the line ends', () => {
    const lines = (text: string) => rowsOf(text, ',', 3).map(({ line }) => line);
    assert.deepEqual(lines('a\n"b\nb\r\nb\rb",c\n\nd'), [1, 2, 7]);
    assert.deepEqual(lines('a\r\nb\rc\nd'), [1, 2, 3, 4]);
    assert.deepEqual(lines('a\r\n\r\nb\r\n'), [1, 3]);
  });

  it('ignores blanks around quotes, and keeps quotes inside a bare cell', () => {
    assert.deepEqual(cellsOf('a, "b, c" ,d'), [['a', 'b, c', 'd']]);
    assert.deepEqual(cellsOf('2" pipe,5\'"'), [['2" pipe', '5\'"']]);
  });

  it('marks a cell with text after its closing quote, and continues', () => {
    const rows = rowsOf('a,"b"c,d\n"e",f\n');
    const found = rows.map(({ badCell }) => badCell);
    assert.deepEqual(found, [1, null]);
    assert.deepEqual(rows[1]!.cells, ['e', 'f']);
  });

  it('reports the line of a quote that is never closed', () => {
    const unclosed = new Refusal('Quote is never closed', 3);
    assert.throws(() => rowsOf('a,b\nc,"d\nd",x'.replace('",x', '","x')), unclosed);
    assert.throws(() => rowsOf('a\nb\n"', ',', 1), unclosed);
    assert.throws(() => rowsOf('a\nb\n"c""', ',', 2), unclosed);
  });

  it('refuses a NUL character on its line', () => {
    const found = new Refusal('NUL character: this is not a text file', 3);
    for (const size of [1, 4, 100]) assert.throws(() => rowsOf('a\r\nb\nc\0d\n', ',', size), found);
  });

  it('accepts the longest row and refuses one character more', () => {
    const longest = 'x'.repeat(MAX_ROW_LENGTH);
    assert.equal(rowsOf(`${longest}\ny`)[0]!.cells[0]!.length, MAX_ROW_LENGTH);
    const reason = 'Row is longer than 1048576 characters';
    assert.throws(() => rowsOf(`a\n${longest}x\n`), new Refusal(reason, 2));
    assert.throws(
      () => rowsOf(`a\n"${longest}`),
      new Refusal(`${reason}: perhaps a quote is not closed`, 2),
    );
  });

  it('refuses an endless line before reading much of it', () => {
    let taken = 0;
    function* endless() {
      for (;;) {
        taken += 65_536;
        yield 'x'.repeat(65_536);
      }
    }
    assert.throws(() => [...new RowReader(endless(), ',')], Refusal);
    assert.ok(taken <= MAX_ROW_LENGTH + 2 * 65_536, String(taken));
  });

  it('reads a row of half a million quotes', () => {
    const many = '""'.repeat(500_000);
    assert.deepEqual(cellsOf(`"${many}",b`), [['"'.repeat(500_000), 'b']]);
  });
});
