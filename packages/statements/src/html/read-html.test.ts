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

it('refuses pages without a table, and tables that are too deep, too wide or too many', () => {
  assert.match(errorOf('<html><p>Hello</p></html>').message, /No table in the HTML file/);
  assert.match(errorOf('<table><tr><td>'.repeat(60)).message, /nested more than 50 deep/);
  assert.match(errorOf(`<table><tr>${'<td>x'.repeat(5000)}`).message, /more than 4096 cells/);
  assert.match(errorOf('<table></table>'.repeat(10_001)).message, /More than 10000 tables/);
  assert.match(errorOf(`<table><tr><td>${'x'.repeat(2_000_000)}`).message, /longer than 1048576/);
});
