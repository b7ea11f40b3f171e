import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { entriesOf, errorOf, problemsOf, reasonsOf } from '../../testing/reading.ts';

describe('the search for the table', () => {
  const table = '2024-01-31;Shop;5,50\n';

  it('finds the header below a preamble of at most 49 rows', () => {
    const preamble = 'Statement;of;x\n\n';
    assert.equal(entriesOf(`${preamble}Datum;Empfänger;Betrag\n${table}`)[0]!.payee, 'Shop');
    const far = (rows: number) => `${'x;y\n'.repeat(rows)}Datum;Text;Betrag (EUR)\n${table}`;
    assert.equal(entriesOf(far(49)).length, 1);
    assert.deepEqual(reasonsOf(far(50)), [
      '1: No header row with a date and an amount among the first 50 rows: map the columns by name or number',
    ]);
  });

  it('compares header names without case, accents, blanks and byte order marks', () => {
    for (const header of [
      '\uFEFF DATE , "amount" ',
      'Booking_Date,Amount (total)',
      'Fecha,IMPORTE',
    ]) {
      assert.equal(entriesOf(`${header}\n2024-01-31,5\n`).length, 1, header);
    }
  });

  it('prefers the day of the transaction to a plain date, to booking and to value', () => {
    const dates = ['2024-01-01', '2024-01-02', '2024-01-03', '2024-01-04'];
    const names = ['Value Date', 'Posted Date', 'Date', 'Transaction Date'];
    for (const count of [4, 3, 2, 1]) {
      const header = [...names.slice(0, count), 'Amount'].join(',');
      const row = [...dates.slice(0, count), '5'].join(',');
      assert.equal(entriesOf(`${header}\n${row}\n`)[0]!.date, dates[count - 1]);
    }
  });

  it('never uses a plain id as an external id', () => {
    const entry = (name: string) => entriesOf(`Date,Amount,${name}\n2024-01-31,5,7\n`)[0]!;
    for (const name of ['id', 'ID', 'Transaction ID']) assert.equal(entry(name).externalId, null);
    for (const name of ['external_id', 'External Id', 'FITID']) {
      assert.equal(entry(name).externalId, '7');
    }
  });

  it('uses the first of two columns with the same name', () => {
    assert.equal(entriesOf('Date,Amount,Payee,payee\n2024-01-31,5,one,two\n')[0]!.payee, 'one');
  });

  it('reads mapped columns by name, by number, or by both', () => {
    const text = 'Day,What it was,"Sum, total"\n2024-01-31,Shop,5\n';
    const map = { date: 'day', amount: 'SUM,  total', payee: '2' };
    assert.deepEqual(entriesOf(text, { map })[0]!.payee, 'Shop');
    assert.deepEqual(reasonsOf(text, { map: { ...map, notes: 'Memo' } }), [
      '1: No header row with a date, an amount and the columns of the map ("day", "SUM,  total", "Memo") among the first 50 rows',
    ]);
  });

  it('needs no header if the map has only numbers, and skips an existing one', () => {
    const map = { date: '1', payee: '2', amount: '3' };
    assert.equal(entriesOf(table, { map })[0]!.amount, 55_000);
    assert.deepEqual(
      entriesOf(`When;Who;What\n${table}`, { map }).map(({ line }) => line),
      [2],
    );
    assert.deepEqual(reasonsOf('a,b\n', { map }), [
      '1: No date in column 1 among the first 50 rows',
    ]);
    assert.deepEqual(problemsOf(`${table}2024-01-31;Shop;x\n`, { map })[0], {
      line: 2,
      column: 'column 3',
      value: 'x',
      reason: 'Not an amount',
    });
  });

  it('chooses the delimiter that gives the most known columns', () => {
    const text = 'Date;Payee;Amount;x,Date,Amount\n2024-01-31;Shop;5;\n';
    assert.equal(entriesOf(text)[0]!.payee, 'Shop');
    const map = { date: '1', amount: '2' };
    assert.equal(entriesOf('2024-01-31 10:00;5,50;Shop\n', { map })[0]!.amount, 55_000);
  });

  it('uses a column for one key only', () => {
    const entry = entriesOf('Date,Description,Amount\n2024-01-31,Shop,5\n')[0]!;
    assert.deepEqual([entry.payee, entry.notes], ['Shop', null]);
  });

  it('does not report a file as empty that begins with empty rows', () => {
    const [reason] = reasonsOf(`${',\n'.repeat(60)}Date,Amount\n2024-01-31,5\n`);
    assert.match(reason!, /^1: No header row/);
  });

  it('mentions the encoding if the file is not UTF-8 and no header is found', () => {
    const russian = Buffer.from([0xc4, 0xe0, 0xf2, 0xe0, 0x3b, 0xd1, 0xf3, 0xec, 0xec, 0xe0]);
    assert.deepEqual(entriesOf(russian), []);
    assert.deepEqual(entriesOf(russian, { encoding: 'cp1251' }), []);
    const other = Buffer.from('Tag;\xfcber;Wert', 'latin1');
    assert.match(errorOf(other).message, /\(not valid utf-8, so read as windows-1252\)$/);
  });
});
