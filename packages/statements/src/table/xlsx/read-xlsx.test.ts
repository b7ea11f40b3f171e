import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isZip } from '@coffer/core/zip';
import { unzip } from '../../unzip.ts';
import { readStatement } from '../../read-statement.ts';
import { StatementError } from '../../statement/statement-error.ts';
import type { Statement } from '../../statement/statement.ts';
import { xlsxBytes, type XlsxParts } from '../../testing/xlsx-bytes.ts';
import { zipBytes } from '../../testing/zip-bytes.ts';
import { dateText, isDateFormat, numberText } from './sheet.ts';

/** Reads an archive as the command does. */
async function read(archive: Buffer): Promise<Statement> {
  const pieces: Uint8Array[] = [];
  const at = (from: number, length: number) => archive.subarray(from, from + length);
  const bytes = { length: archive.length, read: at };
  const fault = isZip(archive)
    ? await unzip(bytes, (piece) => pieces.push(Buffer.from(piece)))
    : 'spreadsheet';
  return readStatement({
    *open() {
      yield* fault === 'spreadsheet' ? [archive] : pieces;
      if (fault instanceof Error) throw fault;
    },
  });
}

async function reasonOf(parts: XlsxParts | Buffer): Promise<string> {
  try {
    await read(Buffer.isBuffer(parts) ? parts : xlsxBytes(parts));
  } catch (error) {
    assert.ok(error instanceof StatementError, String(error));
    return error.message;
  }
  return assert.fail('The file was accepted');
}

const HEADER = '<row r="3"><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>';
const STRINGS = [
  '<t>Date</t>',
  '<t>Payee</t>',
  '<r><t>Amo</t></r><r><t>unt</t></r><rPh><t>x</t></rPh>',
];
const row = (number: number, date: string, payee: string, amount: string): string =>
  `<row r="${number}"><c r="A${number}" s="1"><v>${date}</v></c>` +
  `<c r="B${number}" t="inlineStr"><is><t>${payee}</t></is></c>` +
  `<c r="C${number}"><f>1+1</f><v>${amount}</v></c></row>`;
const ROWS =
  row(4, '45322', 'A &lt;b&gt; &amp; c', '-12.299999999999999') + row(9, '45323.5', 'x', '1000');
const parts: XlsxParts = {
  sheets: { Notes: '<row><c t="str"><v>Hi</v></c></row>', 'A &amp; B': HEADER + ROWS },
  strings: STRINGS,
  formats: ['d/m/yy;@'],
};

describe('an .xlsx file', () => {
  it('is read by its largest visible sheet, with the numbers of rows as lines', async () => {
    const statement = await read(xlsxBytes(parts));
    assert.equal(statement.format, 'xlsx');
    assert.deepEqual(
      [...statement.entries()].map(({ line, date, payee, amount }) => [line, date, payee, amount]),
      [
        [4, '2024-01-31', 'A <b> & c', -123_000],
        [9, '2024-02-01', 'x', 10_000_000],
      ],
    );
    const found = statement.warnings![0]!.text;
    assert.equal(found, 'Only the sheet "A & B" is read, the largest of 2: save the others as CSV');
    const hidden = await read(xlsxBytes({ ...parts, hidden: ['Notes'] }));
    assert.ok(!hidden.warnings!.some(({ text }) => text.includes('sheet')));
    const only = { ...parts, hidden: ['Notes', 'A &amp; B'] };
    assert.equal((await read(xlsxBytes(only))).entryCount, 2);
    assert.match(await reasonOf({ ...parts, hidden: ['A &amp; B'] }), /No header row/);
  });

  it('counts days from 1904 if it says so', async () => {
    const statement = await read(xlsxBytes({ ...parts, is1904: true }));
    assert.equal([...statement.entries()][0]!.date, '2028-02-01');
  });

  it('is refused if it is damaged, hostile or too large', async () => {
    const sheet = (content: string): XlsxParts => ({ ...parts, sheets: { A: content } });
    const entity = '<!DOCTYPE a [<!ENTITY b "c">]><sst/>';
    const long = `<t>${'x'.repeat(30_000)}</t>`;
    const flood = (count: number, rows: number): XlsxParts => ({
      ...parts,
      strings: [long],
      sheets: { A: `<row>${'<c t="s"><v>0</v></c>'.repeat(count)}</row>`.repeat(rows) },
    });
    for (const [file, reason] of [
      [sheet(''), /The spreadsheet has no cells/],
      [sheet('<row><c><v>1</v></row>'), /damaged or too large/],
      [sheet(`${HEADER}${HEADER}`), /not in order/],
      [sheet('<row><c r="ZZZ1"><v>1</v></c></row>'), /more than 4096 cells/],
      [sheet('<row><c r="\u00e41"><v>1</v></c></row>'), /not in order/],
      [zipBytes([{ name: 'xl/workbook.xml', content: entity }]), /Document types and entities/],
      [flood(1_000, 1), /Row is longer than 1048576 characters/],
      [flood(30, 100), /File unpacks to more than 200 times its length/],
      [xlsxBytes(parts).subarray(0, -40), /damaged/],
    ] as const)
      assert.match(await reasonOf(file), reason);
  });

  it('is refused if it is another kind of spreadsheet, with what to do', async () => {
    const others = ['mimetype', 'Index/Document.iwa', 'xl/workbook.bin'].map((name) =>
      zipBytes([
        { name, content: 'x' },
        { name: name.startsWith('xl') ? '[Content_Types].xml' : 'content.xml', content: '<a/>' },
      ]),
    );
    const old = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0]);
    for (const archive of [...others, old]) {
      const reason = await reasonOf(archive);
      assert.match(reason, /only \.xlsx without a password .* save the sheet as CSV/);
    }
  });
});

describe('cells of a spreadsheet', () => {
  it('have the numbers that people see', () => {
    const wanted = {
      '12.299999999999999': '12.30',
      '1.0000000000000001E-2': '0.01',
      '-0.0': '0',
      '1E3': '1000',
      '1.2345E+20': '123450000000000000000',
      '1.234': '1.2340',
      '-1234.5': '-1234.50',
      '100': '100',
      '.5': '0.50',
      x: 'x',
      '1e999': '1e999',
      '123456789012345': '123456789012345',
      '5.0000000000000001E-4': '0.0005',
    };
    for (const [written, shown] of Object.entries(wanted)) assert.equal(numberText(written), shown);
    const cents = fc.integer({ min: -10_000_000_000_000, max: 10_000_000_000_000 });
    fc.assert(
      fc.property(cents, (units) => {
        assert.equal(Math.round(Number(numberText(String(units / 100))) * 100), units);
      }),
    );
  });

  it('have dates of both calendars, and times', () => {
    const dates: [serial: string, in1900: string | null, in1904: string | null][] = [
      ['1', '1900-01-01', '1904-01-02'],
      ['59', '1900-02-28', '1904-02-29'],
      ['61', '1900-03-01', '1904-03-02'],
      ['45351.999999999', '2024-03-01', '2028-03-02'],
      ['45322.75', '2024-01-31 18:00:00', '2028-02-01 18:00:00'],
      ['0.5', '12:00:00', '1904-01-01 12:00:00'],
      ['-1', null, null],
      ['2958466', null, null],
      ['x', null, null],
    ];
    for (const [serial, in1900, in1904] of dates) {
      assert.deepEqual([dateText(serial, false), dateText(serial, true)], [in1900, in1904], serial);
    }
  });

  it('are dates by their number formats', () => {
    for (const id of [14, 22, 30, 57]) assert.ok(isDateFormat(id, undefined));
    for (const id of [0, 2, 10, 44, 46, 49]) assert.ok(!isDateFormat(id, undefined));
    const codes = ['yyyy-mm-dd', '[$-407]d/ mmm/ yy;@', 'dd"."mm\\.yyyy', 'D.M.YYYY hh:mm'];
    for (const code of codes) assert.ok(isDateFormat(164, code), code);
    const others = ['General', '0.00_);[Red](0.00)', '#,##0.00 "day"', '[h]:mm', '0\\d', '"m"0'];
    for (const code of [...others, '@']) assert.ok(!isDateFormat(164, code), code);
  });
});
