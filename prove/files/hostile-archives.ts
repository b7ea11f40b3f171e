import { hostile, type HostileFile } from './hostile-content.ts';
import { zipBytes } from '../../packages/statements/src/testing/zip-bytes.ts';

const table = 'Date,Amount,Payee\n2024-01-31,-5.00,x\n';

/** Returns ZIP archives: bombs, damaged ones, and ones with odd names. */
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
      'spreadsheet.xlsx',
      zipBytes([{ name: '[Content_Types].xml', content: '<a/>' }]),
      /save the sheet as CSV/,
    ),
  ];
}
