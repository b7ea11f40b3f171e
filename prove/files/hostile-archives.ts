import { xlsxBytes } from '../../packages/statements/src/testing/xlsx-bytes.ts';
import { zipBytes } from '../../packages/statements/src/testing/zip-bytes.ts';
import { hostiles, type HostileFile } from './hostile-content.ts';

const table = 'Date,Amount,Payee\n2024-01-31,-5.00,x\n';
const damaged = /The ZIP archive is damaged/;

export function hostileArchives(): HostileFile[] {
  const one = (name: string, more = {}): Buffer => zipBytes([{ name, content: table, ...more }]);
  const both = ['a.csv', 'b.csv'].map((name) => ({ name, content: table }));
  const bomb = zipBytes([{ name: 'a.csv', content: Buffer.alloc(17 * 2 ** 20, '\n') }]);
  const many = Array.from({ length: 10_001 }, (_, at) => ({
    ...{ name: `${at}`, content: '', isStored: true },
  }));
  const other = zipBytes([{ name: '[Content_Types].xml', content: '<a/>' }]);
  /** Writes another number into the last entry of the directory. */
  const lying = (bytes: Buffer, value: number, offset: number): Buffer => {
    const entry = bytes.lastIndexOf('PK\x01\x02', undefined, 'latin1');
    bytes.writeUInt32LE(value, entry + offset);
    return bytes;
  };
  return [
    ...hostiles('.zip', {
      plain: [one('a.csv'), 1],
      path: [one('../../../../etc/passwd'), 1],
      absolute: [one('/etc/passwd'), 1],
      escapes: [one('\u001b[2J\0\u202e'), 1],
      bomb: [bomb, /unpacks to more than 200 times its length/],
      nested: [zipBytes([{ name: 'b.zip', content: bomb }]), /another archive/],
      entries: [zipBytes(many), /more than 10000 files/],
      'lying-length': [lying(one('a.csv'), 5, 24), damaged],
      'shared-data': [lying(zipBytes(both), zipBytes(both).length, 20), damaged],
      encrypted: [one('a.csv', { flags: 1 }), /encrypted/],
      method: [one('a.csv', { method: 14 }), /unusual format/],
      cut: [one('a.csv').subarray(0, -30), damaged],
    }),
    ...hostiles('.xlsb', { spreadsheet: [other, /save the sheet as CSV/] }),
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
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`S${at}`, '']));
  const refused = /damaged or too large/;
  const cellOf = '<c t="s"><v>0</v></c>';
  const flood = `<row>${cellOf.repeat(30)}</row>`.repeat(1_000);
  const wide = `<row>${cellOf.repeat(4_000)}</row>`;
  return hostiles('.xlsx', {
    plain: [sheet(rows), 1],
    'blank-rows': [sheet(`${rows}${'<row/>'.repeat(500_000)}`), 1],
    'far-row': [sheet(`${rows}<row r="1048576"/>`), 1],
    'shared-texts': [sheet(flood, shared), /unpacks to more than 200 times its length/],
    'far-column': [sheet('<row><c r="XFD1"><v>1</v></c></row>'), /more than 4096 cells/],
    sheets: [xlsxBytes({ sheets: many }), /More than 1000 sheets/],
    'wide-row': [sheet(wide, shared), /Row is longer than 1048576 characters/],
    deep: [sheet('<row>'.repeat(100)), refused],
    'long-text': [sheet(cells('x'.repeat(70_000))), refused],
    disorder: [sheet('<row r="2"/><row r="1"/>'), refused],
    entity: [zipBytes([{ name: 'xl/workbook.xml', content: laughs }]), /entities/],
    outside: [sheet(rows, { target: '../../../../etc/passwd' }), /has no cells/],
    cut: [sheet(rows).subarray(0, -40), damaged],
  });
}
