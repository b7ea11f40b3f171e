import { gzipSync } from 'node:zlib';
import { endless, floods, hostiles, repeated, type HostileFile } from './hostile-content.ts';

const gigabyte = 2 ** 30;
const head = 'Date,Amount,Payee\n';
const row = '2024-01-31,-5.00,x\n';
const tooLong = /Row is longer than 1048576 characters/;
const nul = /NUL character/;

export function hostileTables(): HostileFile[] {
  return [...endlessTables(), ...texts(), ...packed()];
}

function endlessTables(): HostileFile[] {
  const entry = ':20:X\n:25:1\n:28C:1\n:60F:C240101EUR1,\n:61:2401310131D5,00NMSC\n:86:x\n';
  const millions = repeated(row.repeat(1_000), 10_000, head, '2024-02-30,1,x\n');
  const long = hostiles('.csv', { 'ten-million-rows': [millions, /:10000002: .*Not a date/] });
  return [
    ...long.map((each) => ({ ...each, isLong: true }) as const),
    ...hostiles('.csv', {
      'nuls-1-gb': [[head], nul, gigabyte],
      'quote-without-end': [endless('x\n', 2 ** 26, `${head}2024-01-31,5,"`), tooLong],
      'wide-header': [endless('a,', 1_000_000, '', '\n'), /Row has more than 4096 cells/],
    }),
    ...floods('.csv', {
      'line-of-1-gb': ['', 'x', tooLong, { sparseBytes: gigabyte }],
      'long-row': [head + row, 'x', tooLong],
      quotes: [head, '"', tooLong],
      delimiters: [head, ',', tooLong],
      'blank-lines': ['', '\n', /File is empty/, { length: 10_000_000 }],
      'continued-text': [
        head + row,
        ',,more text\n',
        /Text of one entry is/,
        { length: 4_000_000 },
      ],
    }),
    ...floods('', {
      'without-end.mt940': [entry, 'x\n', /Field is longer than 65536 characters/],
      'without-end.qif': ['!Type:Bank\n', 'D1/2\n', /Record is too long/],
      'line-without-end.sta': [':20:X\n:25:1\n:86:', 'x', /Line is longer than 65536/],
      'tables.html': ['<html>', '<table><tr><td>', /nested more than 50 deep/],
      'cells.html': ['<table><tr>', '<td>x', /more than 4096 cells/],
      'rows.html': ['<html><table>', '<tr>', /File is empty/, { length: 2_000_000 }],
      'postings.journal': ['2024-01-31 x\n', '  Assets:Cash  $1\n', /more than 10000/],
      'line.journal': ['2024-01-31 x\n  Assets:Cash  $1 ;', 'x', tooLong],
      'string.beancount': ['2024-01-31 * "', 'x\n', /String is never closed/],
    }),
  ];
}

function texts(): HostileFile[] {
  const marked = Buffer.from(`\uFEFF${head}${row}`, 'utf16le');
  const half = [Buffer.from(`\uFEFF${head}`, 'utf16le'), Buffer.from([0x00, 0xd8, 0x41])];
  const wide = [Buffer.from([0xff, 0xfe, 0, 0]), Buffer.alloc(400, 'D\0\0\0')];
  const escapes = `${head}2024-01-31,\u001b]0;x\u0007\u001b[2J,x\n`;
  return hostiles('.csv', {
    'nul-in-cell': [`${head}2024-01-31,5,a\0b\n`, nul],
    'escapes-in-problem': [escapes, /value "\\u001b\]0;x/],
    formulas: [`${head}2024-01-31,5,=HYPERLINK("x")\n2024-01-31,5,@SUM(1)\n`, 2],
    'utf-16-little': [marked, 1],
    'utf-16-big': [Buffer.from(marked).swap16(), 1],
    'utf-16-unmarked': [Buffer.from(head + row, 'utf16le'), 1],
    'utf-16-half': [Buffer.concat(half), /not valid utf-16le/],
    'utf-32': [Buffer.concat(wide), nul],
    'utf-7': [`${head}2024-01-31,-5.00,+AD0-1+-1\n`, 1],
    overlong: [Buffer.from(`${head}2024-01-31,5,\xc0\xaf\xff\n`, 'latin1'), 1],
    program: [Buffer.from('\x7fELF\x02\x01\x01\x00\x03', 'latin1'), nul],
  });
}

function packed(): HostileFile[] {
  const blank = gzipSync(Buffer.alloc(2 ** 24, '\n'), { level: 9 });
  const bomb = gzipSync(Buffer.alloc(43 * 2 ** 20, 'x'), { level: 9 });
  const named = Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3]);
  const markup = gzipSync(`OFXHEADER:100\n<OFX>${' '.repeat(2 ** 24)}`);
  return [
    ...hostiles('.csv.gz', {
      'bomb-42-kb': [bomb, tooLong],
      'bomb-4-gb': [repeated(blank, 256), /unpacks to more than 200 times its length/],
      'bomb-of-nuls': [repeated(gzipSync(Buffer.alloc(2 ** 24)), 256), nul],
      'bomb-of-bombs': [gzipSync(gzipSync(bomb)), nul],
      'name-without-end': [endless('n', 2 ** 26, named), /a name that is too long/],
      'empty-parts': [repeated(gzipSync(''), 500_000), /too many members/],
    }),
    ...hostiles('.ofx.gz', { 'bomb-in-ofx': [markup, /is longer than 65536 characters/] }),
  ];
}
