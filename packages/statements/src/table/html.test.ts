import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import { errorOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

const PAGE =
  '<html><head><style>td > x</style><script>"<table><tr><td>1"</script></head><body><!-- <table> -->' +
  '<table><tr><td>Title</td></tr></table>\n<table border="1"><tr><th>Date<th>Payee<th>Amount</tr>\n' +
  '<tr><td>31/01/2024</td><td>Caf&eacute;&nbsp;&amp; Bar</td><td>-5.50</td></tr>\n' +
  '<tr><td>01/02/2024</td><td>A &lt; B<br>C</td><td>1,000.00</td></tr></table></body></html>';

it('reads the largest table, whatever the chunks', () => {
  for (const chunk of [1, 7, 65_536]) {
    const statement = readStatement(sourceOf(PAGE, chunk));
    assert.equal(statement.format, 'html');
    const rows = [...statement.entries()].map(({ line, date, payee, amount }) => [
      line,
      date,
      payee,
      amount,
    ]);
    assert.deepEqual(rows, [
      [3, '2024-01-31', 'Café & Bar', -55_000],
      [4, '2024-02-01', 'A < B C', 10_000_000],
    ]);
  }
});

it('reads a table on one line, with the number of the row as its line', () => {
  const [first, second, ...more] = readStatement(sourceOf(PAGE.replaceAll('\n', ''))).entries();
  assert.deepEqual([first!.line, second!.line, more.length], [2, 3, 0]);
});

it('reads a spreadsheet in the XML of Excel 2003', () => {
  const cell = (text: string, more = ''): string =>
    `<Cell${more}><Data ss:Type="String">${text}</Data></Cell>`;
  const row = (...cells: string[]): string => `<Row>${cells.join('')}</Row>\n`;
  const text =
    '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns:ss="x"><Worksheet><Table>\n' +
    row(cell('Date'), cell('Payee'), cell('Amount')) +
    row(cell('2024-01-31T00:00:00.000'), cell('5', ' ss:Index="3"')) +
    '</Table></Worksheet></Workbook>';
  const [entry] = [...readStatement(sourceOf(text)).entries()];
  const found = [entry!.line, entry!.date, entry!.amount, entry!.payee];
  assert.deepEqual(found, [4, '2024-01-31', 50_000, '']);
  const wide = text.replace('ss:Index="3"', 'ss:Index="5000"');
  assert.match(errorOf(wide).message, /more than 4096 cells/);
});

it('refuses pages without a table, and tables that are too deep, too wide or too many', () => {
  assert.match(errorOf('<html><p>Hello</p></html>').message, /No table in the HTML file/);
  assert.match(errorOf('<table><tr><td>'.repeat(60)).message, /nested more than 50 deep/);
  assert.match(errorOf(`<table><tr>${'<td>x'.repeat(5000)}`).message, /more than 4096 cells/);
  assert.match(errorOf('<table></table>'.repeat(10_001)).message, /More than 10000 tables/);
  assert.match(errorOf(`<table><tr><td>${'x'.repeat(2_000_000)}`).message, /longer than 1048576/);
});
