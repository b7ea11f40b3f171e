import { xlsxBytes } from '../../packages/statements/src/testing/xlsx-bytes.ts';
import { zipBytes } from '../../packages/statements/src/testing/zip-bytes.ts';
import { hostiles, type HostileFile } from './hostile-content.ts';

const table = 'Date,Amount,Payee\n2024-01-31,-5.00,x\n';

/** The tests of packed files have damaged and encrypted ones. */
export function hostileArchives(): HostileFile[] {
  const one = (name: string): Buffer => zipBytes([{ name, content: table }]);
  const bomb = zipBytes([{ name: 'a.csv', content: Buffer.alloc(17 * 2 ** 20, '\n') }]);
  const many = Array.from({ length: 10_001 }, (_, at) => ({
    name: `${at}`,
    content: '',
    isStored: true,
  }));
  return [
    ...hostiles('.zip', {
      plain: [one('a.csv'), 1],
      path: [one('../../../../etc/passwd'), 1],
      absolute: [one('/etc/passwd'), 1],
      escapes: [one('\u001b[2J\0\u202e'), 1],
      bomb: [bomb, /unpacks to more than 200 times its length/],
      entries: [zipBytes(many), /more than 10000 files/],
    }),
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
    sheets: [xlsxBytes({ sheets: many }), /More than 1000 sheets/],
    'wide-row': [sheet(wide, shared), /Row is longer than 1048576 characters/],
    'long-text': [sheet(cells('x'.repeat(70_000))), refused],
    entity: [zipBytes([{ name: 'xl/workbook.xml', content: laughs }]), /entities/],
    outside: [sheet(rows, { target: '../../../../etc/passwd' }), /has no cells/],
  });
}
