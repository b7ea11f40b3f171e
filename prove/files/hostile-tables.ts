import { gzipSync } from 'node:zlib';
import { endless, repeated, flood, hostile, type HostileFile } from './hostile-content.ts';

const gigabyte = 2 ** 30;
const head = 'Date,Amount,Payee\n';
const row = '2024-01-31,-5.00,x\n';
const tooLong = /Row is longer than 1048576 characters/;
const nul = /NUL character/;

export function hostileTables(): HostileFile[] {
  return [...endlessTables(), ...texts(), ...packed()];
}

function endlessTables(): HostileFile[] {
  return [
    flood('line-of-1-gb.csv', '', 'x', tooLong, { sparseBytes: gigabyte }),
    hostile('nuls-1-gb.csv', [head], nul, gigabyte),
    flood('long-row.csv', head + row, 'x', tooLong),
    hostile('quote-without-end.csv', endless('x\n', 2 ** 26, `${head}2024-01-31,5,"`), tooLong),
    flood('quotes.csv', head, '"', tooLong),
    flood('delimiters.csv', head, ',', tooLong),
    flood('blank-lines.csv', '', '\n', /File is empty/, { length: 10_000_000 }),
    hostile('wide-header.csv', endless('a,', 1_000_000, '', '\n'), /Row has more than 4096 cells/),
    flood('continued-text.csv', head + row, ',,more text\n', /Text of one entry is longer/, {
      length: 4_000_000,
    }),
    {
      ...hostile(
        'ten-million-rows.csv',
        repeated(row.repeat(1_000), 10_000, head, '2024-02-30,1,x\n'),
        /:10000002: .*Not a date/,
      ),
      isLong: true,
    },
    flood(
      'without-end.mt940',
      ':20:X\n:25:1\n:28C:1\n:60F:C240101EUR1,\n:61:2401310131D5,00NMSC\n:86:x\n',
      'x\n',
      /Field is longer than 65536 characters/,
    ),
    flood('without-end.qif', '!Type:Bank\n', 'D1/2\n', /Record is too long/),
    flood('line-without-end.sta', ':20:X\n:25:1\n:86:', 'x', /Line is longer than 65536/),
    flood('tables.html', '<html>', '<table><tr><td>', /nested more than 50 deep/),
    flood('cells.html', '<table><tr>', '<td>x', /more than 4096 cells/),
    flood('rows.html', '<html><table>', '<tr>', /File is empty/, { length: 2_000_000 }),
    flood('postings.journal', '2024-01-31 x\n', '  Assets:Cash  $1\n', /more than 10000/),
    flood('line.journal', '2024-01-31 x\n  Assets:Cash  $1 ;', 'x', tooLong),
    flood('string.beancount', '2024-01-31 * "', 'x\n', /String is never closed/),
  ];
}

function texts(): HostileFile[] {
  return [
    hostile('empty.csv', '', /File is empty/),
    hostile('nul-in-cell.csv', `${head}2024-01-31,5,a\0b\n`, nul),
    hostile(
      'wrong-rows.csv',
      head + row + '2024-01-31,five,x\n'.repeat(50_000),
      /Not an amount[^]*and 49,900 more/,
    ),
    hostile(
      'escapes-in-problem.csv',
      `${head}2024-01-31,\u001b]0;x\u0007\u001b[2J,x\n`,
      /value "\\u001b\]0;x/,
    ),
    hostile('formulas.csv', `${head}2024-01-31,5,=HYPERLINK("x")\n2024-01-31,5,@SUM(1)\n`, 2),
    hostile('utf-16-little.csv', Buffer.from(`\uFEFF${head}${row}`, 'utf16le'), 1),
    hostile('utf-16-big.csv', Buffer.from(`\uFEFF${head}${row}`, 'utf16le').swap16(), 1),
    hostile('utf-16-unmarked.csv', Buffer.from(head + row, 'utf16le'), 1),
    hostile(
      'utf-16-half.csv',
      Buffer.concat([Buffer.from(`\uFEFF${head}`, 'utf16le'), Buffer.from([0x00, 0xd8, 0x41])]),
      /not valid utf-16le/,
    ),
    hostile(
      'utf-32.csv',
      Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), Buffer.alloc(400, 'D\0\0\0')]),
      nul,
    ),
    hostile('utf-7.csv', `${head}2024-01-31,-5.00,+AD0-1+-1\n`, 1),
    hostile('overlong.csv', Buffer.from(`${head}2024-01-31,5,\xc0\xaf\xff\n`, 'latin1'), 1),
    hostile(
      'statement.pdf',
      `%PDF-1.7\n${'\x00\xff'.repeat(5_000)}`,
      /PDF files are not supported/,
    ),
    hostile(
      'statement.xls',
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      /save the sheet as CSV/,
    ),
    hostile('cut.xlsx', 'PK\x03\x04\x14\x00\x08\x00', /The ZIP archive is damaged/),
    hostile('program.csv', Buffer.from('\x7fELF\x02\x01\x01\x00\x03', 'latin1'), nul),
  ];
}

function packed(): HostileFile[] {
  const blank = gzipSync(Buffer.alloc(2 ** 24, '\n'), { level: 9 });
  const bomb = gzipSync(Buffer.alloc(43 * 2 ** 20, 'x'), { level: 9 });
  const whole = gzipSync(head + row.repeat(100));
  const wrong = Buffer.from(whole);
  wrong[wrong.length - 6]! ^= 0xff;
  const ratio = /unpacks to more than 200 times its length/;
  return [
    hostile('bomb-42-kb.csv.gz', bomb, tooLong),
    hostile('bomb-4-gb.csv.gz', repeated(blank, 256), ratio),
    hostile('bomb-of-nuls.csv.gz', repeated(gzipSync(Buffer.alloc(2 ** 24)), 256), nul),
    hostile('bomb-of-bombs.csv.gz', gzipSync(gzipSync(bomb)), nul),
    hostile(
      'bomb-in-ofx.ofx.gz',
      gzipSync(`OFXHEADER:100\n<OFX>${' '.repeat(2 ** 24)}`),
      /is longer than 65536 characters/,
    ),
    hostile('cut.csv.gz', whole.subarray(0, -20), /Gzip data ends too early/),
    hostile('checksum.csv.gz', wrong, /does not match its checksum/),
    hostile(
      'garbage.csv.gz',
      Buffer.concat([Buffer.from([31, 139, 8, 0, 0, 0, 0, 0, 0, 3]), Buffer.alloc(5_000, 0xaa)]),
      /Gzip data/,
    ),
    hostile(
      'name-without-end.csv.gz',
      endless('n', 2 ** 26, Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3])),
      /a name that is too long/,
    ),
    hostile('empty-parts.csv.gz', repeated(gzipSync(''), 500_000), /too many members/),
  ];
}
