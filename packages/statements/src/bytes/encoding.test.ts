import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { declaredByXml, decode, encodingName, fallbackOf, NotUtf8, utf16Of } from './encoding.ts';

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

function decoded(bytes: Uint8Array, encoding: string, size = 65_536): string {
  return [...decode(cut(bytes, size), encoding)].join('');
}

describe('decode', () => {
  it('returns the same text wherever the bytes are cut', () => {
    const text = fc
      .string({ unit: 'binary', maxLength: 40 })
      .filter((s) => !s.startsWith('\uFEFF'));
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
