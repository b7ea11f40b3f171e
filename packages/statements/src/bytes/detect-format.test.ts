import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { detectFormat } from './detect-format.ts';
import { readStatement } from '../read-statement.ts';
import { sourceOf } from '../testing/sources.ts';

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
