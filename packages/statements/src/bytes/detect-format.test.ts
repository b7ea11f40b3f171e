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
  qif: ['!Type:Bank\nD1/2/24\n', '\uFEFF!Account\n', '# a comment\n!Option:X\n', '!type:CCard\n'],
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
  pdf: ['%PDF-1.7\n'],
  xlsx: ['<table class="xlsx" data-sheet="A"><tr>'],
  spreadsheet: ['PK\x03\x04\x14'],
  csv: ['Date,Amount\n', ":20 o'clock,x\n", 'OFX,HEADER\n', '<b>,Date\n', 'Type,!Type:\n', ''],
} as const;

describe('detectFormat', () => {
  it('detects formats by their first bytes', () => {
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
