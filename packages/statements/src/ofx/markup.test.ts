import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import { ofxEntry, ofxText, type OfxAggregate, type OfxStatement } from '../testing/ofx-text.ts';
import { entriesOf, leftOutOf, reasonsOf, shownOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';
import { RepeatFinder } from './ids.ts';

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
      const found = reasons.some((line) => reason.test(line));
      assert.ok(found, `${reason}: ${reasons.join('; ')}`);
    }
    const long = 'y'.repeat(65_000);
    assert.equal(payeeOf(long), long);
    assert.deepEqual(reasonsOf(`OFXHEADER:100${' '.repeat(70_000)}${whole}`), [
      '1: Text before the first tag is longer than 65536 characters',
    ]);
  });
});

const ids = (...entries: OfxAggregate[]): (string | null)[] => idsOf([{ entries }]);
const idsOf = (statements: readonly OfxStatement[]): (string | null)[] =>
  entriesOf(ofxText(statements)).map(({ externalId }) => externalId);
const shop = ofxEntry({ NAME: 'Shop' });
const shopFile = ofxText([{ entries: [shop] }]);

describe("a bank's id", () => {
  it('is kept unchanged; a long one is shortened and ends with a hash', () => {
    assert.deepEqual(ids(ofxEntry({ FITID: ' 20240131-5.00 x ' })), ['20240131-5.00 x']);
    const [long, other] = ids(
      ofxEntry({ FITID: 'a'.repeat(255) }),
      ofxEntry({ FITID: `${'a'.repeat(254)}b` }),
    );
    assert.match(long!, /^a{42}~[0-9a-f]{32}$/);
    assert.notEqual(long, other);
    assert.deepEqual(ids(ofxEntry({ FITID: 'a'.repeat(75) })), ['a'.repeat(75)]);
  });

  it('is null if it is missing or a counter of the file', () => {
    for (const FITID of ['', '0', '000000000000', '1', '0042', '000009999']) {
      assert.deepEqual(ids(ofxEntry({ FITID })), [null], FITID);
    }
    for (const FITID of ['10000', 'A1', '1.5']) assert.deepEqual(ids(ofxEntry({ FITID })), [FITID]);
  });

  it('that is repeated with the same content means two purchases', () => {
    assert.deepEqual(ids(shop), ['ABC12345']);
    assert.deepEqual(ids(shop, shop, shop), ['ABC12345', 'ABC12345#2', 'ABC12345#3']);
  });

  it('that is repeated with other content stays with the oldest entry, in any order', () => {
    const old = ofxEntry({ DTPOSTED: '20240101', NAME: 'Old' });
    const young = ofxEntry({ DTPOSTED: '20240201', NAME: 'Young' });
    const [first, second] = ids(old, young);
    assert.equal(first, 'ABC12345');
    assert.match(second!, /^ABC12345~[0-9a-f]{15}$/);
    assert.deepEqual(ids(young, old), [second, first]);
    assert.deepEqual(ids(young, old, ofxEntry({ DTPOSTED: '20240301' }))[0], second);
    assert.deepEqual(ids(old, ofxEntry({ ...young, NAME: 'Changed' }))[0], first);
  });

  it('belongs to its account', () => {
    const other = { BANKID: '99', ACCTID: '777', ACCTTYPE: 'CHECKING' };
    const two = [{ entries: [shop] }, { account: other, entries: [shop] }];
    assert.deepEqual(idsOf(two), ['ABC12345', 'ABC12345']);
  });

  it('in two statements of one account, but in other currencies, is two entries', () => {
    const none = ofxEntry({ FITID: '1' });
    const two = ['USD', 'EUR', 'EUR'].map((currency) => ({ currency, entries: [shop, none] }));
    assert.deepEqual(idsOf(two), ['ABC12345', null, 'ABC12345#2', null]);
  });

  it('in two statements of one account is one entry, and the repetition is counted', () => {
    const file = ofxText([
      { entries: [shop, shop, ofxEntry({ FITID: '1' })] },
      { entries: [shop, ofxEntry({ FITID: '1' }), shop, shop, ofxEntry({ FITID: 'new22' })] },
    ]);
    const kept = ['ABC12345', 'ABC12345#2', '-', 'ABC12345#3', 'new22'];
    assert.deepEqual(shownOf(file, 'externalId'), kept);
    assert.deepEqual(leftOutOf(file), ['3 repetition of an entry']);
    assert.equal(readStatement(sourceOf(file)).accounts[0]!.entryCount, 5);
  });

  it('is refused at the first repetition beyond the maximum', () => {
    const finder = new RepeatFinder();
    const [entry] = entriesOf(shopFile);
    const note = (at: number): void => finder.note('', { ...entry!, externalId: `id ${at}` });
    for (let at = 0; at < 200_000; at += 1) note(at >> 1);
    assert.equal(finder.repeated.size, 100_000);
    note(100_000);
    assert.throws(() => note(100_000), /^Refusal: More than 100000 ids occur more than once$/);
  });

  it('with more contents than the maximum is refused', () => {
    const entries = Array.from(
      { length: 100_001 },
      (_, at) => `<STMTTRN><DTPOSTED>20240101<TRNAMT>${at}<FITID>ABCDE</STMTTRN>`,
    );
    const text = shopFile.replace('<STMTTRN>', `${entries.join('')}<STMTTRN>`);
    assert.throws(() => readStatement(sourceOf(text)), {
      message: /^Line 16: More than 100000 ids occur more than once$/,
    });
  });
});
