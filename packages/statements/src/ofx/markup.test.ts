import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ofxEntry, ofxText } from '../testing/ofx-text.ts';
import { entriesOf, reasonsOf, shownOf } from '../testing/reading.ts';

const whole = ofxText([{ entries: [ofxEntry({ NAME: 'Shop' }), ofxEntry({ FITID: 'two22' })] }]);
const payeeOf = (name: string): string => entriesOf(whole.replace('Shop', name))[0]!.payee;

describe('the markup of an OFX file', () => {
  it('may have its header in lines, in one line, or no header, and any line ends', () => {
    const glued = whole.replace(/^[^<]*/, 'OFXHEADER:100DATA:OFXSGMLVERSION:102');
    const oneLine = `OFXHEADER:100 ${whole.slice(whole.indexOf('<')).replaceAll('\n', '')}`;
    const bare = whole.slice(whole.indexOf('<'));
    const blank = `\n\n \n${whole}`;
    const crlf = whole.replaceAll('\n', '\r\n');
    const cr = whole.replaceAll('\n', '\r');
    const entries = entriesOf(whole);
    for (const text of [glued, oneLine, bare, blank]) {
      const read = entriesOf(text).map((entry, at) => ({ ...entry, line: entries[at]!.line }));
      assert.deepEqual(read, entries);
    }
    for (const text of [crlf, cr]) assert.deepEqual(entriesOf(text), entries);
  });

  it('may have comments, instructions, CDATA, empty tags, attributes and lower-case tags', () => {
    const text = whole
      .replace(
        '<NAME>Shop',
        '<CLASS><!-- > <STMTTRN> --><NAME><![CDATA[<A> &amp; B]]> &amp; C<?x <y> ?>',
      )
      .replace('<OFX>', '<OFX xmlns="x">')
      .replace('</STMTTRN>', '<EMPTY/><MEMO></MEMO></STMTTRN>')
      .replace('<DTPOSTED>', '<dtposted>');
    assert.equal(entriesOf(text)[0]!.payee, '<A> &amp; B & C');
  });

  it('may have a bare < in a value', () => {
    for (const name of ['a < b', 'I <3 you', 'x <a@b.c> y', '<', 'a<', '</ >']) {
      assert.equal(payeeOf(name), name);
    }
  });

  it('has its references resolved once, and unknown ones unchanged', () => {
    const names: Record<string, string> = {
      'A &amp; B &lt;C&gt; &quot;D&quot; E&apos;s': `A & B <C> "D" E's`,
      '&#65;&#x42;&#X1F600;&nbsp;C': 'AB😀 C',
      '&amp;lt;': '&lt;',
      '&eacute; &AMP; &amp &; &#; &#x; &#0; &#xD800; &#1114112; &#27;':
        '&eacute; &AMP; &amp &; &#; &#x; &#0; &#xD800; &#1114112; &#27;',
    };
    for (const [written, read] of Object.entries(names)) assert.equal(payeeOf(written), read);
  });

  it('is refused at the first declaration of a document type or an entity', () => {
    const declarations = ['<!DOCTYPE OFX SYSTEM "file:///x">', '<!ENTITY a "b">', '<![IGNORE['];
    for (const declaration of declarations) {
      const text = `OFXHEADER:100\n\n${declaration}\n${whole.slice(whole.indexOf('<'))}`;
      assert.deepEqual(reasonsOf(text), ['3: Document types and entities are not supported']);
    }
    const declared = whole.replace('Shop', 'Shop<!ENTITY x "y">');
    assert.deepEqual(reasonsOf(declared), ['21: Document types and entities are not supported']);
  });

  it('is refused, not read in part, if tags around entries are missing', () => {
    const lost: [cut: string, ...reasons: string[]][] = [
      ['<STMTTRN>', '19: Is outside an entry', '22: Closes a tag that is not open'],
      ['</STMTTRN>', '16: Is not closed before the <STMTTRN> on line 23'],
      ['<STMTRS>', '16: Is outside a statement'],
      ['</STMTRS>', '8: Is not closed before the </OFX> on line 31'],
      ['</OFX>', '7: Is never closed'],
      ['<TRNAMT>-5.00', '16: Entry has no amount'],
      ['<DTPOSTED>20240131', '16: Entry has no date'],
    ];
    for (const [cut, ...wanted] of lost) {
      const found = reasonsOf(whole.replace(cut, '')).join('; ');
      for (const reason of wanted)
        assert.ok(`; ${found}`.includes(`; ${reason}`), `${cut}: ${found}`);
    }
  });

  it('is read if only the list of its entries is not closed, or closed twice', () => {
    for (const other of ['', '</BANKTRANLIST></BANKTRANLIST>'])
      assert.deepEqual(shownOf(whole.replace('</BANKTRANLIST>', other), 'amount'), ['-5', '-5']);
  });

  it('is refused wherever it is cut off', () => {
    for (let length = 8; length < whole.trimEnd().length; length += 1)
      assert.notEqual(reasonsOf(whole.slice(0, length), { format: 'ofx' }).length, 0);
  });

  it('is refused if a tag, a value or the depth exceeds its limit', () => {
    const bounds: [place: string, reason: RegExp][] = [
      [`<${'A'.repeat(300)}>`, /^21: Tag is longer than 256 characters$/],
      [`<A ${'b="c" '.repeat(50)}>`, /^21: Tag is longer than 256 characters$/],
      ['x'.repeat(65_537), /^21: Text after <NAME> is longer than 65536 characters$/],
      [`<!--${' '.repeat(65_537)}-->`, /^21: Text after <NAME> is longer/],
      [`<![CDATA[${' '.repeat(65_537)}]]>`, /^21: Text after <NAME> is longer/],
      ['<A>'.repeat(65), /^21: Tags are nested deeper than 64$/],
      ['<PAYEE>'.repeat(65), /^21: Tags are nested deeper than 64$/],
      ['\0', /^21: NUL character/],
      ['<!--', /^\d+: File ends before "-->"$/],
    ];
    for (const [place, reason] of bounds) {
      const reasons = reasonsOf(whole.replace('Shop', `Shop${place}`));
      assert.ok(
        reasons.some((line) => reason.test(line)),
        `${reason}: ${reasons.join('; ')}`,
      );
    }
    const long = 'y'.repeat(65_000);
    assert.equal(payeeOf(long), long);
    assert.deepEqual(reasonsOf(`OFXHEADER:100${' '.repeat(70_000)}${whole}`), [
      '1: Text before the first tag is longer than 65536 characters',
    ]);
  });
});
