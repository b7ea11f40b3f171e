import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dateOfDay, dayNumber } from '@coffer/core/dates';
import fc from 'fast-check';
import { readStatement } from '../read-statement.ts';
import type { StatementOptions } from './statement.ts';
import { errorOf, problemsOf, shownOf, warningsOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';
import { runs } from '../../../core/src/testing/length.ts';

const TODAY = '2026-11-26';
const table = (...dates: string[]) =>
  `Date,Payee,Amount\n${dates.map((date) => `${date},Shop,-1.00\n`).join('')}`;
const thai = (...dates: string[]) => table(...dates).replace('Date,Payee', 'วันที่,รายการ');
const qif = (date: string) => `!Type:Bank\nD${date}\nT-1.00\nPShop\n^\n`;
const ofx = (date: string) =>
  `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM>` +
  `<BANKTRANLIST><STMTTRN><DTPOSTED>${date}<TRNAMT>-1.00<FITID>1<NAME>Shop</STMTTRN></BANKTRANLIST>` +
  `</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`;
const camt = (date: string) =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>1</Id><Acct><Id>` +
  `<IBAN>DE89370400440532013000</IBAN></Id></Acct><Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>` +
  `<Sts>BOOK</Sts><BookgDt><Dt>${date}</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>`;
const hledger = (date: string) => `${date} Shop\n  expenses:food  1.00 EUR\n  assets:bank\n`;
const datesOf = (text: string, options: StatementOptions = {}) =>
  shownOf(text, 'date', { today: TODAY, ...options });

describe('years', () => {
  it('that cannot be are refused with their place and the option, in every format', () => {
    const reason = (year: string) =>
      `The year ${year} cannot be right: to import it as it is, use --any-year`;
    const cases: [text: string, place: string, year: string, asItIs: string][] = [
      [table('13/01/0024'), '2 Date 13/01/0024', '0024', '0024-01-13'],
      [table('2024-01-13', '1402-10-23'), '3 Date 1402-10-23', '1402', ''],
      [table('1445-07-01'), '2 Date 1445-07-01', '1445', '1445-07-01'],
      [table('1899-12-31'), '2 Date 1899-12-31', '1899', '1899-12-31'],
      [table('2080-01-13'), '2 Date 2080-01-13', '2080', '2080-01-13'],
      [table('13/01/2204'), '2 Date 13/01/2204', '2204', '2204-01-13'],
      [table('2027-11-27'), '2 Date 2027-11-27', '2027', '2027-11-27'],
      [table('13/01/67'), '2 Date 13/01/67', '2067', '2067-01-13'],
      [qif('13/01/1402'), '2 field D 13/01/1402', '1402', '1402-01-13'],
      [ofx('20800113'), '3 <DTPOSTED> 2080-01-13', '2080', '2080-01-13'],
      [camt('1024-01-13'), '1 <Dt> 1024-01-13', '1024', '1024-01-13'],
      [hledger('2204-01-13'), '3 null 2204-01-13', '2204', '2204-01-13'],
    ];
    for (const [text, place, year, asItIs] of cases) {
      assert.deepEqual(problemsOf(text, { today: TODAY }), [`${place}: ${reason(year)}`]);
      const [{ choices = [] } = {}] = errorOf(text, { today: TODAY }).problems;
      assert.deepEqual(
        choices.map((choice) => choice.options),
        [{ anyYear: true }],
      );
      if (asItIs !== '') assert.deepEqual(datesOf(text, { anyYear: true }), [asItIs]);
    }
  });

  it('up to a year ahead are fine, and up to 2099 where nobody knows the day', () => {
    assert.deepEqual(datesOf(table('1900-01-01', '2027-11-26')), ['1900-01-01', '2027-11-26']);
    assert.deepEqual(shownOf(table('2099-12-31'), 'date'), ['2099-12-31']);
    assert.equal(errorOf(table('2100-01-01')).problemCount, 1);
  });

  it('of the Buddhist era are converted and said, if all dates can be then', () => {
    const cases: [text: string, dates: string[]][] = [
      [table('13/01/2567', '14/02/2567'), ['2024-01-13', '2024-02-14']],
      [table('2567-01-13'), ['2024-01-13']],
      [table('29/02/2567'), ['2024-02-29']],
      [qif('13/01/2567'), ['2024-01-13']],
      [ofx('25670113').replace('CURDEF>EUR', 'CURDEF>THB'), ['2024-01-13']],
      [thai('13/01/2567', '31/12/2569'), ['2024-01-13', '2026-12-31']],
      [thai('13/01/67', '13/01/69'), ['2024-01-13', '2026-01-13']],
      [thai('13/01/70'), ['2027-01-13']],
      [thai('๑๓/๐๑/๒๕๖๗'), ['2024-01-13']],
    ];
    for (const [text, dates] of cases) {
      assert.deepEqual(datesOf(text), dates);
      const said = warningsOf(text, { today: TODAY }).filter((each) => each.includes('Buddhist'));
      assert.equal(said.length, 1);
      assert.match(said[0]!, new RegExp(`is read as ${dates[0]}`));
    }
    assert.deepEqual(datesOf(table('13/01/2567'), { anyYear: true }), ['2567-01-13']);
  });

  it('of the common era stay under Thai names, and mixed eras are refused', () => {
    assert.deepEqual(datesOf(thai('13/01/2024', '14/01/24')), ['2024-01-13', '2024-01-14']);
    const mixed = [
      table('13/01/2567', '13/01/2024'),
      thai('13/01/2567', '13/01/2024'),
      table('13/01/2567', '13/01/2580'),
      // Neither 2568 nor 2025 fits: only one of them has such a day.
      table('29/02/2568'),
    ];
    for (const text of mixed) assert.throws(() => datesOf(text), { name: 'StatementError' }, text);
    assert.deepEqual(problemsOf(table('29/02/2567'), { anyYear: true }), [
      '2 Date 29/02/2567: Not a date',
    ]);
  });

  it('of two digits may be those of an era where the language of the file has one', () => {
    const named = (names: string, ...dates: string[]): string =>
      table(...dates).replace('Date,Payee,Amount', names);
    const thaiFiles = [
      named('Date,Payee,Amount (THB)', '13/01/67'),
      `ธนาคาร,,\n${table('13/01/67')}`,
    ];
    for (const text of thaiFiles) assert.deepEqual(datesOf(text), ['2024-01-13']);
    const [persian, japanese] = ['تاریخ,شرح,Amount', '日付,内容,金額'];
    const open = [named(persian, '25/10/02'), named(japanese, '06/01/13')];
    for (const text of open) assert.match(errorOf(text).problems[0]!.reason, /cannot be right/);
    assert.deepEqual(datesOf(named(persian, '2024/10/23')), ['2024-10-23']);
    assert.deepEqual(datesOf(named(japanese, '24/01/13', '24.1.4')), ['2024-01-13', '2024-01-04']);
  });

  it('of two digits may be in front, which is asked where dates are otherwise far apart or old', () => {
    const open = [['24-01-13'], ['24/01/13', '24/12/29'], ['19/01/13', '20/02/17']];
    for (const dates of open) {
      const [{ reason, choices = [] } = { reason: '' }] = errorOf(table(...dates), {
        today: TODAY,
      }).problems;
      assert.match(reason, /^Could be 20\d\d-\d\d-\d\d \(y-m-d\) or .*: specify the date format$/);
      const [first] = datesOf(table(...dates), choices[0]!.options);
      assert.equal(first, `20${dates[0]!.replaceAll('/', '-')}`);
    }
    const usual = [['25/01/24'], ['13/01/15', '14/02/15'], ['13/01/19', '28/01/20'], ['24.01.13']];
    for (const dates of usual)
      assert.match(datesOf(table(...dates))[0]!, new RegExp(`^20${dates[0]!.slice(-2)}-`));
  });

  it('that cannot be make bad rows where those are left out, unless all of them are', () => {
    const read = (text: string) =>
      readStatement(sourceOf(text), { today: TODAY, skipBadRows: true });
    const statement = read(table('13/01/0024', '13/01/2024', 'x'));
    const { badRows, entryCount } = statement;
    assert.deepEqual([entryCount, [...statement.entries()].length, badRows?.count], [1, 1, 2]);
    assert.deepEqual(
      badRows?.problems.map(({ line }) => line),
      [2, 4],
    );
    assert.throws(() => read(table('13/01/0024')), { name: 'StatementError' });
  });

  it('of a file are all read as they are or all converted, whatever they are', () => {
    const day = fc.integer({ min: dayNumber('1900-01-01'), max: dayNumber('2026-12-31') });
    const property = fc.property(fc.array(day, { minLength: 1, maxLength: 5 }), (days) => {
      const dates = days.map(dateOfDay);
      const inEra = dates.map((date) => `${Number(date.slice(0, 4)) + 543}${date.slice(4)}`);
      assert.deepEqual(datesOf(table(...dates)), dates);
      assert.deepEqual(datesOf(table(...inEra)), dates);
    });
    fc.assert(property, { numRuns: runs(100) });
  });
});
