import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import type { StatementOptions } from '../statement/statement.ts';
import { sourceOf } from '../testing/sources.ts';

/** The balances of a table, such as `A eur: 2024-01-01 100, 2024-01-02 95`: the opening and the closing one. */
function statedIn(text: string, options: StatementOptions = {}): string {
  const { stated = [], warnings = [] } = readStatement(sourceOf(text), options);
  const texts = stated.map(({ account, currency, balances }) => {
    const all = balances.map(({ date, amount }) => `${date} ${amount / 10_000}`);
    return `${[account, currency].join(' ').trim()}: ${all.join(', ')}`;
  });
  const unlike = warnings.flatMap(({ text: each }) => (each.startsWith('The bal') ? [each] : []));
  return [...texts, ...unlike].join(' | ');
}

const lines = (...rows: readonly string[]): string => `${rows.join('\n')}\n`;
const HEADER = 'Date,Payee,Amount,Balance';
const ROWS = ['2024-01-01,x,-5,95', '2024-01-02,y,-10,85', '2024-01-02,z,2,87'];
const all = (rows: readonly string[], header = HEADER): string => lines(header, ...rows);

describe('balances of a table', () => {
  it('are the first and the last of rows in any order, also where rows are without one', () => {
    const [first = '', second = '', third = ''] = ROWS;
    const known = ': 2024-01-01 100, 2024-01-02 87';
    for (const rows of [
      ROWS,
      ROWS.toReversed(),
      [first, '2024-01-02,y,-10,', third],
      ['2024-01-01,x,-5,', second, third],
      [first, second, '2024-01-02,z,2,'],
      // Before each row.
      ['2024-01-01,x,-5,100', '2024-01-02,y,-10,95', '2024-01-02,z,2,85'],
      ['2024-01-02,z,2,85', '2024-01-02,y,-10,95', '2024-01-01,x,-5,100'],
    ])
      assert.equal(statedIn(all(rows)), known, rows.join());
    assert.equal(statedIn(all([first])), ': 2024-01-01 100, 2024-01-01 95');
    assert.equal(
      statedIn(lines('Datum;Name;Betrag;Saldo', '31.01.2024;x;-1.005,50;-5,50 EUR')),
      ': 2024-01-31 1000, 2024-01-31 -5.5',
    );
  });

  it('are not invented where a row contradicts them, or too few rows show them', () => {
    for (const rows of [
      [...ROWS, '2024-01-03,x,-1,85'],
      ['2024-01-01,x,-5,95', '2024-01-02,y,-10,', '2024-01-02,z,2,'],
      // Newest first, or oldest first.
      ['2024-01-01,x,5,100', '2024-01-01,y,-5,95'],
      ['2024-01-01,x,-5,', '2024-01-02,y,-10,'],
    ])
      for (const name of ['Balance', 'Closing balance'])
        assert.equal(statedIn(all(rows, HEADER.replace('Balance', name))), '', rows.join());
    const bad = all([...ROWS.slice(0, 2), '2024-01-02,z,?,87']);
    assert.equal(statedIn(bad, { skipBadRows: true }), ': 2024-01-01 100, 2024-01-02 85');
  });

  it('leave pending rows out, and follow what is owed where money out is positive', () => {
    const header = `Status,${HEADER}`;
    const rows = ['Pending,2024-01-03,w,-9,', ...ROWS.map((row) => `Booked,${row}`)];
    assert.equal(statedIn(all(rows, header)), ': 2024-01-01 100, 2024-01-02 87');
    const owed = ['2024-01-01,x,5,105', '2024-01-02,y,10,115', '2024-01-03,z,20,135'];
    assert.equal(statedIn(all(owed), { negate: true }), ': 2024-01-01 -100, 2024-01-03 -135');
    assert.equal(statedIn(all(owed.slice(1)), { negate: true }), '', 'two rows are too few');
  });

  it('are those of each account that has one currency', () => {
    const header = `Account,Currency,${HEADER}`;
    const of = (account: string, currency: string, rows = ROWS) =>
      rows.map((row) => `${account},${currency},${row}`);
    const [a, b] = ['A1', 'A2'];
    const broken = ['2024-01-05,x,-5,1', '2024-01-06,x,-5,1'];
    const two = all([...of(b, 'EUR', broken), ...of(a, 'USD')], header);
    assert.equal(statedIn(two), `${a} usd: 2024-01-01 100, 2024-01-02 87`);
    assert.equal(statedIn(all([...of(a, 'EUR'), ...of(a, 'USD')], header)), '');
  });

  it('are read from lines around the table', () => {
    const table = ['Date,Payee,Amount', '2024-01-01,x,-5', '2024-01-02,y,-10'];
    const proved = ': 2024-01-01 100, 2024-01-31 85';
    assert.equal(
      statedIn(lines('Opening balance,100', 'Closing balance 31/01/2024,85', ...table)),
      proved,
    );
    // The last balance before the table is that before its rows.
    assert.equal(
      statedIn(lines('Last statement balance,100', ...table, 'Ending balance,2024-01-31,85')),
      proved,
    );
    const above = (...head: readonly string[]) => statedIn(lines(...head, ...table));
    assert.equal(above('Closing balance 31/01/2024,85'), ': 2024-01-31 85');
    assert.equal(
      above('Ledger balance: 85.00 EUR', 'Period 2024-01-01 - 2024-01-30'),
      ': 2024-01-30 85',
    );
    assert.equal(above('Account,Closing balance', 'Main,85'), ': 2024-01-02 85');
    assert.equal(above('Closing balance,85', 'Printed on 2026-11-27'), ': 2026-11-27 85');
    const period = ['Closing balance,85', 'From,2024-01-01,to,2024-01-30'];
    assert.equal(above(...period, 'Printed on 2026-11-27'), ': 2024-01-30 85');
    for (const line of [
      'Solde au 15/01/2024 1 234.50 €',
      'Dernier solde,1234.50,15/01/2024',
      'Ledger balance : 1234.50 as of 15/01/2024',
    ])
      assert.equal(above(line), ': 2024-01-15 1234.5', line);
    assert.equal(
      above('openingBalance,100', 'closingBalance,85'),
      ': 2024-01-01 100, 2024-01-02 85',
    );
    assert.equal(
      above('Opening balance,100', 'Closing balance,90'),
      'The balance changes from 100.0000 to 90.0000, but the entries do not make this difference',
    );
    for (const head of [
      ['Opening balance,100'],
      ['Available balance,85'],
      ['Closing balance,85', 'Ending balance,90'],
      ['Credit card statement', 'Closing balance,85'],
    ])
      assert.equal(above(...head), '', head.join());
    assert.equal(statedIn(lines('Closing balance,85', ...table), { negate: true }), '');
  });

  it('have the direction of their line, and are no turnovers', () => {
    const rows = (opening: string, closing: string) =>
      lines(
        'Kliendi konto;Kuupäev;Saaja/Maksja;Selgitus;Summa;Valuuta;Deebet/Kreedit',
        ...[`01.01.2024;;Algsaldo;${opening}`, '10.01.2024;x;Palk;150,00;EUR;K'],
        ...['14.01.2024;y;Ost;25,00;EUR;D', '15.01.2024;;Käive;25,00;EUR;D'],
        ...['15.01.2024;;Käive;150,00;EUR;K', `15.01.2024;;Lõppsaldo;${closing}`],
      ).replaceAll(/^(?=\d)/gm, 'EE38;');
    const of = (from: number, to: number) => `EE38 eur: 2024-01-10 ${from}, 2024-01-15 ${to}`;
    assert.equal(statedIn(rows('100,00;EUR;K', '225,00;EUR;K')), of(100, 225));
    assert.equal(statedIn(rows('200,00;EUR;D', '75,00;EUR;D')), of(-200, -75));
  });

  it('are on a last line that ends with the number of the account, in a table without names', () => {
    const rows = [
      '27/12/2023;-10,00;Carte;;CB MARCHE 26/12/23;;0;Divers',
      '28/12/2023;1500,00;Virement;;VIREMENT SALAIRE;;0;Divers',
      '29/12/2023;-35,20;Prélèvement;;PRLV SEPA EDF;;0;Divers',
    ];
    const read = (last: string, ...header: string[]): [string, number] => {
      const text = lines(...header, ...rows, last);
      return [statedIn(text), readStatement(sourceOf(text)).entryCount];
    };
    const balance = '31/12/2023;1734,56;;01234 123456A';
    assert.deepEqual(read(balance), [': 2023-12-31 1734.56', 3]);
    // Transactions: without a payee, with a word, of another account, and in a table with names.
    assert.deepEqual(read('31/12/2023;1734,56;;'), ['', 4]);
    assert.deepEqual(read('31/12/2023;1734,56;;Virement'), ['', 4]);
    assert.deepEqual(read('31/12/2023;-5,00;Carte;;LOYER;;0;01234 123456A'), ['', 4]);
    const names = 'Date;Montant;Type;Chèque;Libellé;Note;Frais;Catégorie';
    assert.deepEqual(read(balance, names), ['', 4]);
  });
});
