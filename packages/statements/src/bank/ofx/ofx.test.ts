import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../../read-statement.ts';
import { StatementError } from '../../statement/statement-error.ts';
import type { StatementOptions } from '../../statement/statement.ts';
import { ofxEntry, ofxText, type OfxAggregate, type OfxStatement } from '../../testing/ofx-text.ts';
import {
  entriesOf,
  errorOf,
  leftOutOf,
  reasonsOf,
  shownOf,
  wholeOf,
} from '../../testing/reading.ts';
import { sourceOf } from '../../testing/sources.ts';
import { RepeatFinder } from '../ids.ts';

const textOf = (...entries: OfxAggregate[]): string => ofxText([{ entries }]);
const one = (tags: OfxAggregate, names: string, options?: StatementOptions): string =>
  shownOf(textOf(ofxEntry(tags)), names, options)[0]!;
const reasons = (tags: OfxAggregate): string[] => reasonsOf(textOf(ofxEntry(tags)));

describe('OFX', () => {
  it('reads every part of an entry and of its account, whatever the style', () => {
    const entry = ofxEntry({
      DTPOSTED: '20240131120000.000[-5:EST]',
      TRNAMT: '-1234.5678',
      NAME: ' Corner   shop & <Café> ',
      MEMO: 'Milk,\teggs',
      CHECKNUM: '1042',
    });
    const rest = {
      LEDGERBAL: { BALAMT: '10,50', DTASOF: '20240201' },
      AVAILBAL: { BALAMT: '-0', DTASOF: '00000000' },
    };
    for (const [style, line] of [
      ['sgml', 16],
      ['closed', 10],
      ['xml', 12],
    ] as const) {
      const file = ofxText([{ currency: 'EUR', entries: [entry], rest }], style);
      assert.deepEqual(wholeOf(file), [
        'format: ofx | encoding: utf-8 | entryCount: 1 | leftOut: []',
        'name: Checking 5678 | id: 0012345678 | bankId: 99 | type: checking | currency: eur | entryCount: 1 | ' +
          'balances: [[ledger 105000 2024-02-01] [available 0 null]]',
        `line: ${line} | date: 2024-01-31 | amount: -12345678 | currency: eur | payee: Corner shop & <Café> | ` +
          'notes: Milk, eggs; No. 1042 | category: null | account: Checking 5678 | ' +
          'externalId: ABC12345 | bankId: [ABC12345 1 false]',
      ]);
    }
  });

  it('reads the payee from NAME, PAYEE or MEMO, and notes from the rest', () => {
    const texts = (tags: OfxAggregate): string => one(tags, 'payee notes');
    assert.equal(texts({ PAYEE: { NAME: 'P', CITY: 'C' }, MEMO: 'M' }), 'P | M');
    assert.equal(texts({ NAME: 'N', PAYEE: { NAME: 'P' }, MEMO: 'N' }), 'N | -');
    assert.equal(texts({ MEMO: 'M', CHECKNUM: '000' }), 'M | -');
    assert.equal(texts({ BANKACCTTO: { NAME: 'X', ACCTID: '1' }, CHECKNUM: '7' }), ' | No. 7');
  });

  it('reads the date as the bank wrote it, without time and zone', () => {
    for (const zone of ['', '000000', '235959[-12:X]', '233000.123[+14:LINT]', ':014', ' 12:00'])
      assert.equal(one({ DTPOSTED: `20240131${zone}` }, 'date'), '2024-01-31', zone);
    assert.equal(one({ DTPOSTED: '2024-01-31T23:59:59' }, 'date'), '2024-01-31');
    for (const date of '20240231 00000000 2024013 202401311 20240131x 13/01/2024'.split(' '))
      assert.deepEqual(reasons({ DTPOSTED: date }), ['18: Not a date'], date);
  });

  it('parses amounts exactly, and reports invalid ones', () => {
    const amounts = {
      '+ 12,34': 12.34,
      '- .5': -0.5,
      '-0': 0,
      '1,234.56': 1234.56,
      '-1.234,5': -1234.5,
      '1,234,567': 1_234_567,
      '1,234': 1.234,
      '7.10000': 7.1,
    };
    for (const [TRNAMT, amount] of Object.entries(amounts))
      assert.equal(one({ TRNAMT }, 'amount'), String(amount), TRNAMT);
    const [least] = entriesOf(textOf(ofxEntry({ TRNAMT: '-900719925474.0991' })));
    assert.equal(least!.amount, -Number.MAX_SAFE_INTEGER);
    const faults = {
      '1.23456': 'More than 4 decimals',
      '900719925474.0992': 'Outside ±900719925474.0991',
    };
    const others = [' . ', '1.2.3', 'NaN', '1e3'].map((text) => [text, 'Not an amount']);
    for (const [TRNAMT, reason] of [...Object.entries(faults), ...others])
      assert.deepEqual(reasons({ TRNAMT: TRNAMT! }), [`19: ${reason}`], TRNAMT);
    assert.equal(one({ TRNAMT: '1,234' }, 'amount', { decimal: 'point' }), '1234');
    assert.equal(one({ TRNAMT: '-5' }, 'amount', { negate: true }), '5');
  });

  it('refuses 1,234 if another amount shows that the comma separates thousands', () => {
    const amounts = ['-1,234', '5.50', '1,234.50'];
    const text = textOf(...amounts.map((TRNAMT, at) => ofxEntry({ TRNAMT, FITID: `id${at}` })));
    const problems = errorOf(text).problems.map(({ line, value }) => `${line} ${value}`);
    assert.deepEqual(problems, ['19 -1,234']);
    assert.deepEqual(shownOf(text, 'amount', { decimal: 'point' }), ['-1234', '5.5', '1234.5']);
  });

  it('prefers the currency of an entry to that of its statement, and ignores the original one', () => {
    assert.equal(one({ CURRENCY: { CURRATE: '1.1', CURSYM: 'gbp' } }, 'currency'), 'gbp');
    assert.equal(one({ CURRENCY: 'CHF' }, 'currency'), 'chf');
    assert.equal(one({ ORIGCURRENCY: { CURSYM: 'GBP' } }, 'currency'), 'usd');
    const wrong = reasons({ CURRENCY: { CURSYM: 'dollars' } });
    assert.deepEqual(wrong, ['22: Not a currency code of three letters']);
    assert.deepEqual(shownOf(ofxText([{ currency: '', entries: [ofxEntry()] }]), 'currency'), [
      '-',
    ]);
  });

  it('reports all problems at once, each with its line and tag', () => {
    const wrong = ofxEntry({ TRNAMT: 'five', DTPOSTED: 'today' });
    const error = errorOf(textOf(wrong, { FITID: 'nothing else' }, ofxEntry()));
    assert.equal(error.message, 'Line 18, <DTPOSTED>, value "today": Not a date (and 3 more)');
    assert.deepEqual(
      error.problems.map(({ line, column, value }) => `${line} ${column} ${value}`),
      ['18 <DTPOSTED> today', '19 <TRNAMT> five', '22 <DTPOSTED> null', '22 <TRNAMT> null'],
    );
  });

  it('reads credit cards and the cash of investments, and counts what it leaves out', () => {
    const invested = ofxText([{ kind: 'INVSTMTRS', entries: [ofxEntry()] }]);
    const trade =
      '<BUYSTOCK><INVBUY><INVTRAN><FITID>T1<MEMO>x</INVTRAN><TOTAL>-9</INVBUY></BUYSTOCK>';
    const pending = '<STMTTRNP><DTTRAN>20240131<TRNAMT>-3<NAME>soon</STMTTRNP>';
    const cash = invested
      .replace('<STMTTRN>', `${trade}<INVBANKTRAN><STMTTRN>`)
      .replace('</STMTTRN>', `</STMTTRN><SUBACCTFUND>CASH</INVBANKTRAN>${trade}${pending}`)
      .replace('<BANKID>', '<BROKERID>');
    assert.deepEqual(leftOutOf(cash), ['2 securities transaction', '1 pending transaction']);
    assert.deepEqual(shownOf(cash, 'externalId account'), ['ABC12345 | Investment 5678']);
    assert.equal(readStatement(sourceOf(cash)).accounts[0]!.bankId, '99');
    const account = { ACCTID: '4111111111111234' };
    const card = readStatement(sourceOf(ofxText([{ kind: 'CCSTMTRS', account, entries: [] }])));
    assert.deepEqual([card.entryCount, card.accounts[0]!.name], [0, 'Credit card 1234']);
  });

  it('leaves out the deletion of an entry, and keeps its replacement', () => {
    const deletion = ofxEntry({ CORRECTFITID: 'OLD12', CORRECTACTION: 'DELETE' });
    const text = textOf(deletion, ofxEntry({ CORRECTACTION: 'REPLACE', FITID: 'NEW12' }));
    assert.deepEqual(leftOutOf(text), ['1 deletion of an earlier entry']);
    assert.deepEqual(shownOf(text, 'externalId'), ['NEW12']);
  });

  it('names accounts by bank, kind and last characters, or by the whole number if that is ambiguous', () => {
    const account = (ACCTID: string): OfxStatement => ({
      account: { BANKID: '1', ACCTID, ACCTTYPE: 'SAVINGS' },
      entries: [ofxEntry()],
    });
    const names = (...ids: string[]): string[] => {
      const org = '<SONRS><FI><ORG>A bank with a rather long name\n</FI></SONRS>';
      const text = ofxText(ids.map(account)).replace('<OFX>', `<OFX>${org}`);
      const { accounts } = readStatement(sourceOf(text));
      return accounts.map(({ name }) => name.replace('A bank with a rather savings', '…'));
    };
    assert.deepEqual(names('DE-00-77', ''), ['… 0077', '…']);
    assert.deepEqual(names('1-5678', '2-5678', '1-5678'), ['… 1-5678', '… 2-5678']);
  });

  it('reads any encoding: UTF-8 if the whole file is valid, else as declared, else windows-1252', () => {
    const text = textOf(ofxEntry({ NAME: 'Łódź' }));
    assert.deepEqual(shownOf(text, 'payee'), ['Łódź']);
    const payeeOf = (name: number[], header: string, options?: StatementOptions): string => {
      const [before = '', after = ''] = text.replace(/^[^<]*/, header).split('Łódź');
      const bytes = [Buffer.from(before), Buffer.from(name), Buffer.from(after)];
      return shownOf(Buffer.concat(bytes), 'payee', options)[0]!;
    };
    const glued = (charset: string): string =>
      `OFXHEADER:100ENCODING:USASCIICHARSET:${charset}COMPRESSION:NONE`;
    for (const charset of ['1252', 'UTF-8', 'NONE', 'ISO-8859-1', '8859-1'])
      assert.equal(payeeOf([0xe9], glued(charset)), 'é', charset);
    assert.equal(payeeOf([0xc4, 0xe0], glued('1251')), 'Да');
    assert.equal(payeeOf([0xc4, 0xe0], 'OFXHEADER:100\nCHARSET:KOI8-R\n'), 'дЮ');
    assert.equal(payeeOf([0xa3], '<?xml version="1.0" encoding="windows-1250"?>'), 'Ł');
    assert.equal(payeeOf([0xa3], glued('1252'), { encoding: 'windows-1250' }), 'Ł');
  });

  it('refuses a file without a statement, and flags for CSV only', () => {
    const none = ['1: File has no account statement'];
    assert.deepEqual(reasonsOf('OFXHEADER:100\n<OFX>\n</OFX>'), none);
    assert.deepEqual(reasonsOf('Date,Amount\n', { format: 'ofx' }), none);
    const text = ofxText([{ entries: [] }]);
    assert.match(reasonsOf(text, { map: { date: '1' } })[0]!, /^1: A column map is for CSV/);
    assert.match(reasonsOf(text, { format: 'csv' })[0]!, /^1: No header row/);
  });

  it('loses no entry silently when a single byte of a tag around entries is changed', () => {
    const whole = ofxText([{ entries: [ofxEntry(), ofxEntry({ FITID: 'two22' })] }]);
    const places = [...whole.matchAll(/<\/?(?:STMTRS|BANKTRANLIST|STMTTRN|OFX|TRNAMT|DTPOSTED)>/g)];
    for (const { 0: tag, index } of places) {
      for (let at = index; at < index + tag.length; at += 1) {
        const changed = `${whole.slice(0, at)}~${whole.slice(at + 1)}`;
        try {
          assert.equal(entriesOf(changed).length, 2, changed.slice(index, index + tag.length));
        } catch (error) {
          assert.ok(error instanceof StatementError, String(error));
        }
      }
    }
  });
});

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

  it('is read if the statement of a card is closed as one of a bank, or the other way round', () => {
    const text = `<OFX><CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS><CURDEF>AUD<CCACCTFROM><ACCTID>1</CCACCTFROM>
      <BANKTRANLIST><STMTTRN><DTPOSTED>20240131<TRNAMT>-5<NAME>Shop</STMTTRN></BANKTRANLIST>
      </STMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>`;
    const other = text
      .replaceAll('CCSTMTRS', 'X')
      .replace('</STMTRS', '</CCSTMTRS')
      .replace('<X', '<STMTRS');
    for (const file of [text, other.replaceAll('CCACCTFROM', 'BANKACCTFROM')])
      assert.deepEqual(shownOf(file, 'amount currency payee'), ['-5 | aud | Shop']);
    assert.match(
      reasonsOf(text.replace('</BANKTRANLIST>', '').replace('</STMTRS>', ''))[0]!,
      /not closed/,
    );
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
    const note = (at: number): void => finder.add('', { ...entry!, externalId: `id ${at}` });
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
