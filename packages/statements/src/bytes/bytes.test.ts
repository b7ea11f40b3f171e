import { NotUtf8 } from '../statement/statement-error.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../core/src/testing/any-text.ts';
import { readStatement } from '../read-statement.ts';
import { sourceOf } from '../testing/sources.ts';
import { detectFormat } from './detect-format.ts';
import { declaredByXml, decode, encodingName, fallbackOf, utf16Of } from './content.ts';
import { TextLines } from './text-lines.ts';

function cut<T extends { length: number; slice(from: number, to: number): T }>(
  whole: T,
  size: number,
): T[] {
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
    whole.slice(at * size, (at + 1) * size),
  );
}

function decoded(bytes: Uint8Array, encoding: string, size = 65_536): string {
  return [...decode(cut(bytes, size), encoding)].join('');
}

describe('decode', () => {
  it('returns the same text wherever the bytes are cut', () => {
    const text = anyText({ maxLength: 40 }).filter((s) => !s.startsWith('\uFEFF'));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (whole, size) => {
        const content = whole.replace(/\0+$/, '');
        assert.equal(decoded(Buffer.from(content), 'utf-8', size), content);
        assert.equal(decoded(Buffer.from(content, 'utf16le'), 'utf-16le', size), content);
      }),
    );
  });

  it('removes NULs at the end, up to 65,536, but none before text', () => {
    for (const size of [1, 3, 65_536]) {
      assert.equal(decoded(Buffer.from('a\0\0b\0\0\0'), 'utf-8', size), 'a\0\0b');
      assert.equal(decoded(Buffer.from('ab\0\0', 'utf16le'), 'utf-16le', size), 'ab');
    }
    assert.ok(decoded(Buffer.from(`a${'\0'.repeat(70_000)}`), 'utf-8', 1000).includes('\0'));
  });

  it('removes one byte order mark, however it is cut', () => {
    for (const size of [1, 2, 3, 100]) {
      assert.equal(decoded(Buffer.from('\uFEFFa\uFEFF'), 'utf-8', size), 'a\uFEFF');
      assert.equal(decoded(Buffer.from('\uFEFFa', 'utf16le'), 'utf-16le', size), 'a');
    }
  });

  it('reports bytes that are not UTF-8, even half a character at the end', () => {
    for (const bytes of [[0x61, 0xff], [0xc3], [0xe2, 0x82], [0xc0, 0x80], [0xed, 0xa0, 0x80]]) {
      for (const size of [1, 8]) {
        assert.throws(() => decoded(Uint8Array.from(bytes), 'utf-8', size), NotUtf8);
      }
    }
  });

  it('reads windows-1252 beyond Latin-1, and other encodings by their label', () => {
    assert.equal(decoded(Uint8Array.of(0x80, 0xe4), 'windows-1252'), '€ä');
    assert.equal(decoded(Uint8Array.of(0xc4, 0xe0), encodingName('cp1251')), 'Да');
    assert.throws(() => decoded(Uint8Array.of(0x81), 'shift_jis'), /Text is not valid shift_jis/);
    assert.equal(encodingName('latin1'), 'windows-1252');
    assert.equal(encodingName('UTF8'), 'utf-8');
  });

  it('uses what XML declares, unless it cannot be true', () => {
    const declared = (encoding: string): string =>
      declaredByXml(Buffer.from(`<?xml version="1.0" encoding="${encoding}"?>`));
    assert.equal(declared('ISO-8859-2'), 'iso-8859-2');
    for (const wrong of ['UTF-16', 'utf-8', 'klingon', '']) {
      assert.equal(declared(wrong), 'windows-1252', wrong);
    }
    assert.equal(fallbackOf('1251'), 'windows-1251');
    assert.equal(fallbackOf(), 'windows-1252');
  });

  it('detects UTF-16 by its byte order mark, and in XML without one', () => {
    assert.equal(utf16Of(Buffer.from('<?xm', 'utf16le')), 'utf-16le');
    assert.equal(utf16Of(Buffer.from('<?xm', 'utf16le').swap16()), 'utf-16be');
    assert.equal(utf16Of(Uint8Array.of(0xff, 0xfe, 0x61, 0)), 'utf-16le');
    assert.equal(utf16Of(Uint8Array.of(0xfe, 0xff, 0, 0x61)), 'utf-16be');
    assert.equal(utf16Of(Uint8Array.of(0xef, 0xbb, 0xbf)), null);
    for (const text of ['Date,Amount', ':20:STARTUMS', '!Type:Bank', 'OFXHEADER:100']) {
      assert.equal(utf16Of(Buffer.from(text, 'utf16le')), 'utf-16le');
      assert.equal(utf16Of(Buffer.from(text, 'utf16le').swap16()), 'utf-16be');
      assert.equal(utf16Of(Buffer.from(`${text}\0`)), null);
      assert.equal(utf16Of(Buffer.from(`\0${text}\0\0`)), null);
    }
    assert.equal(utf16Of(Uint8Array.of()), null);
  });
});

describe('TextLines', () => {
  it('finds the lines that are not empty, with their numbers, in any pieces', () => {
    const parts = fc.array(fc.constantFrom('', 'a', ' ', 'bc', 'é'), { maxLength: 12 });
    const end = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(parts, end, fc.integer({ min: 1, max: 5 }), (lines, lineEnd, length) => {
        const read = [...new TextLines(cut(lines.join(lineEnd), length))];
        const all = lines.map((text, at) => ({ line: at + 1, text }));
        const wanted = all.filter(({ text }) => text !== '');
        assert.deepEqual(read, wanted);
      }),
    );
  });

  it('refuses a NUL, and a line that is too long before all of it is in memory', () => {
    assert.throws(() => [...new TextLines(['a\nb\0'])], { message: /^NUL character/, line: 1 });
    function* endless() {
      yield 'first\n';
      for (;;) yield 'x'.repeat(10_000);
    }
    const lines = new TextLines(endless());
    assert.throws(() => [...lines], { message: 'Line is longer than 65536 characters', line: 2 });
    assert.equal([...new TextLines([`${'x'.repeat(65_536)}\n`])].length, 1);
  });

  it('skips millions of empty lines ', () => {
    const lines = new TextLines(Array.from({ length: 64 }, () => '\n'.repeat(65_536)));
    assert.deepEqual([...lines], []);
    assert.equal(lines.line, 64 * 65_536 + 1);
  });
});

const FILES = {
  ofx: [
    'OFXHEADER:100\nDATA:OFXSGML',
    '\n\nOFXHEADER:100',
    '<?xml version="1.0"?><?OFX OFXHEADER="200"?>',
    '<OFX>',
    'DATA:OFXSGML\nENCODING:UTF-8\n<OFX>',
    '<START><OFXHEADER>100</OFXHEADER></START>\n<ofx>',
  ],
  qif: [
    '!Type:Bank\nD1/2/24\n',
    '\uFEFF!Account\n',
    '# a comment\n!Option:X\n',
    '!type:CCard\n',
    '!Account\nNCash\n^\n',
  ],
  mt940: [
    ':20:STARTUMS\r\n:25:100/200\r\n',
    '\x01\n:20:X\n:28C:1\n',
    '{1:F01X}{2:I940}{4:\n:20:X\n:25:Y\n',
    ':61:2401310131d5,00NTRFNONREF\n',
    ':60F:C240131EUR1,\n',
  ],
  mt942: [
    ':20:X\n:25:1\n:28C:1\n:34F:EURD0,\n:13D:2401311200+0100\n',
    '{1:F01X}{2:O9420000X}{4::20:X\r\n:25:1\r\n',
  ],
  camt: [
    '<?xml version="1.0"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">',
  ],
  beancount: [
    '2024-01-31 open Assets:Cash\n',
    ';; comment\n* Heading\n2024-01-31 * "Shop"\n  Assets:Cash  5 USD\n',
    'option "title" "x"\n',
    `${'; long comment\n'.repeat(1_000)}2024-01-31 txn "Shop"\n`,
  ],
  hledger: [
    '# hledger\n2024-01-31 Shop\n    Assets:Cash  $5\n    Income\n',
    'account Assets:Cash  ; type: C\n\n2024-01-31 Shop | x\n    a  5\n    b\n',
    'decimal-mark ,\n',
  ],
  ledger: [
    '2024/01/31 * Shop, the\n  Assets:Cash  $5\n  Income\n',
    '01/31\n\tCash\t$5\n\tIncome\n',
    '\uFEFF; -*- ledger -*-\r\n\r\n= /Food/\r\n  (x)  1\r\n\r\n2024/1/31=2/1 (12) 7 Eleven\r\n  a  $5\r\n  b\r\n',
    'comment\nDate,Amount\nend comment\n!account Home:x\n2024.1.31 x\n  ; note\n  a:b\n',
    `${'; long comment\n'.repeat(1_000)}2024/01/31 x\n  a:b  5\n  c\n2024/01/31 cut`,
  ],
  pdf: ['%PDF-1.7\n'],
  xlsx: ['<table class="xlsx" data-sheet="A"><tr>'],
  spreadsheet: ['PK\x03\x04\x14'],
  csv: [
    'Date,Amount\n',
    ":20 o'clock,x\n",
    'OFX,HEADER\n',
    '<b>,Date\n',
    'Type,!Type:\n',
    'Date,Amount\n2024-01-31,5\n',
    '2024-01-31,"Shop\n  Mall:West  5"\n2024-02-01,5,x\n',
    '2024-01-31;5;x\n  continued: 5\n',
    '2024-01-31\t5\tShop\n  more: 5\n',
    '31.01.2024 5,00 Shop\n32.01.2024 6,00 Shop\n',
    'account;date;amount\nAssets:Cash;2024-01-31;5\n',
    'account,type\nx:y,5\n',
    '; comment\n# comment\n',
    'Statement of account\n2024-01-31 Shop\n    Card: 5\n',
    '',
  ],
} as const;

describe('detectFormat', () => {
  it('detects formats by their first bytes, and leaves other texts alone', () => {
    for (const [format, contents] of Object.entries(FILES)) {
      for (const content of contents) {
        assert.equal(detectFormat(Buffer.from(content)), format, JSON.stringify(content));
      }
    }
    assert.equal(detectFormat(Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1)), 'xls');
  });

  it('never reads another format as a table', () => {
    assert.throws(() => readStatement(sourceOf('%PDF-1.7\n')), {
      name: 'StatementError',
      message: 'Line 1: PDF files are not supported: use CSV, OFX, CAMT or MT940',
    });
  });
});
