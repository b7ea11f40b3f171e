import { hostile, type HostileFile } from './hostile-content.ts';
import { xlsxBytes } from '../../packages/statements/src/testing/xlsx-bytes.ts';
import { zipBytes } from '../../packages/statements/src/testing/zip-bytes.ts';

const table = 'Date,Amount,Payee\n2024-01-31,-5.00,x\n';

export function hostileArchives(): HostileFile[] {
  const one = (name: string, more = {}): Buffer => zipBytes([{ name, content: table, ...more }]);
  const bomb = zipBytes([{ name: 'a.csv', content: Buffer.alloc(17 * 2 ** 20, '\n') }]);
  const many = Array.from({ length: 10_001 }, (_, at) => ({
    ...{ name: `${at}`, content: '', isStored: true },
  }));
  const lying = one('a.csv');
  lying.writeUInt32LE(5, lying.lastIndexOf('PK\x01\x02', undefined, 'latin1') + 24);
  const shared = zipBytes([
    { name: 'a.csv', content: table },
    { name: 'b.csv', content: table },
  ]);
  shared.writeUInt32LE(shared.length, shared.lastIndexOf('PK\x01\x02', undefined, 'latin1') + 20);
  return [
    hostile('plain.zip', one('a.csv'), 1),
    hostile('path.zip', one('../../../../etc/passwd'), 1),
    hostile('absolute.zip', one('/etc/passwd'), 1),
    hostile('escapes.zip', one('\u001b[2J\0\u202e'), 1),
    hostile('bomb.zip', bomb, /unpacks to more than 200 times its length/),
    hostile('nested.zip', zipBytes([{ name: 'b.zip', content: bomb }]), /another archive/),
    hostile('entries.zip', zipBytes(many), /more than 10000 files/),
    hostile('lying-length.zip', lying, /The ZIP archive is damaged/),
    hostile('shared-data.zip', shared, /The ZIP archive is damaged/),
    hostile('encrypted.zip', one('a.csv', { flags: 1 }), /encrypted/),
    hostile('method.zip', one('a.csv', { method: 14 }), /unusual format/),
    hostile('cut.zip', one('a.csv').subarray(0, -30), /The ZIP archive is damaged/),
    hostile(
      'spreadsheet.xlsb',
      zipBytes([{ name: '[Content_Types].xml', content: '<a/>' }]),
      /save the sheet as CSV/,
    ),
    ...hostileSheets(),
  ];
}

const cells = (...texts: string[]): string =>
  `<row>${texts.map((text) => `<c t="str"><v>${text}</v></c>`).join('')}</row>`;
const rows = cells('Date', 'Amount', 'Payee') + cells('2024-01-31', '-5.00', 'x');

function hostileSheets(): HostileFile[] {
  const sheet = (content: string, more = {}): Buffer =>
    xlsxBytes({ sheets: { A: content }, ...more });
  const laughs = '<!DOCTYPE a [<!ENTITY b "c">]><workbook>&b;</workbook>';
  const shared = { strings: [`<t>${'x'.repeat(32_000)}</t>`] };
  const many: [string, string][] = Array.from({ length: 1_001 }, (_, at) => [`S${at}`, '']);
  const refused = /damaged or too large/;
  const cellOf = '<c t="s"><v>0</v></c>';
  const flood = `<row>${cellOf.repeat(30)}</row>`.repeat(1_000);
  const wide = `<row>${cellOf.repeat(4_000)}</row>`;
  return [
    hostile('plain.xlsx', sheet(rows), 1),
    hostile('blank-rows.xlsx', sheet(`${rows}${'<row/>'.repeat(500_000)}`), 1),
    hostile('far-row.xlsx', sheet(`${rows}<row r="1048576"/>`), 1),
    hostile('shared-texts.xlsx', sheet(flood, shared), /unpacks to more than 200 times its length/),
    hostile(
      'far-column.xlsx',
      sheet('<row><c r="XFD1"><v>1</v></c></row>'),
      /more than 4096 cells/,
    ),
    hostile(
      'sheets.xlsx',
      xlsxBytes({ sheets: Object.fromEntries(many) }),
      /More than 1000 sheets/,
    ),
    hostile('wide-row.xlsx', sheet(wide, shared), /Row is longer than 1048576 characters/),
    hostile('deep.xlsx', sheet('<row>'.repeat(100)), refused),
    hostile('long-text.xlsx', sheet(cells('x'.repeat(70_000))), refused),
    hostile('disorder.xlsx', sheet('<row r="2"/><row r="1"/>'), refused),
    hostile('entity.xlsx', zipBytes([{ name: 'xl/workbook.xml', content: laughs }]), /entities/),
    hostile('outside.xlsx', sheet(rows, { target: '../../../../etc/passwd' }), /has no cells/),
    hostile('cut.xlsx', sheet(rows).subarray(0, -40), /The ZIP archive is damaged/),
  ];
}
