import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { readStatement } from '../read-statement.ts';
import { StatementError } from '../statement-error.ts';
import type { StatementOptions } from '../statement.ts';
import { ofxEntry, ofxText, type OfxAggregate, type OfxStatement } from '../testing/ofx-text.ts';
import { entriesOf, errorOf, leftOutOf, reasonsOf, shownOf, wholeOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

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

  it('reads OFX 2 in the encoding that it has, whatever it declares', () => {
    for (const declared of ['UTF-8', 'UTF-16', 'utf-16le', 'ISO-8859-1', 'klingon']) {
      const header = `<?xml version="1.0" encoding="${declared}"?>\n<?OFX OFXHEADER="200"?>\n`;
      const text = ofxText([{ entries: [ofxEntry({ NAME: 'Łódź' })] }], 'xml', header);
      const wide = Buffer.from(text, 'utf16le');
      const swapped = Buffer.from(wide).swap16();
      for (const bytes of [Buffer.from(text), wide, swapped, Buffer.from(`\uFEFF${text}`)])
        assert.deepEqual(shownOf(bytes, 'payee'), ['Łódź'], declared);
      const latin = Buffer.from(text.replace('Łódź', 'Café'), 'latin1');
      assert.deepEqual(shownOf(latin, 'payee'), ['Café'], declared);
    }
  });

  it('refuses a file without a statement, and flags for CSV only', () => {
    const none = ['1: File has no account statement'];
    assert.deepEqual(reasonsOf('OFXHEADER:100\n<OFX>\n</OFX>'), none);
    assert.deepEqual(reasonsOf('Date,Amount\n', { format: 'ofx' }), none);
    const text = ofxText([{ entries: [] }]);
    assert.match(reasonsOf(text, { map: { date: '1' } })[0]!, /^1: A column map is for CSV/);
    assert.match(reasonsOf(text, { format: 'csv' })[0]!, /^1: No header row/);
  });
});

/** Texts with characters of markup and references, spaces, and letters of many scripts. */
const text = fc
  .string({
    unit: fc.constantFrom(...Array.from('abAB 12&<>;#x/!?-"\']\u00e9\u017b\u{1f600}')),
    maxLength: 30,
  })
  .map((value) => value.trim())
  .filter((value) => value !== '');
const amount = fc
  .tuple(fc.constantFrom('', '-', '+'), fc.nat(1e9), fc.constantFrom('', '.5', ',25', '.1234'))
  .map((parts) => parts.join(''));
const date = fc
  .tuple(fc.integer({ min: 1950, max: 2099 }), fc.integer({ min: 101, max: 128 }))
  .map(([year, monthless]) => `${year}02${String(monthless).slice(1)}`);
const entry: fc.Arbitrary<OfxAggregate> = fc
  .record(
    { DTPOSTED: date, TRNAMT: amount, FITID: text, NAME: text, MEMO: text, CHECKNUM: text },
    { requiredKeys: ['DTPOSTED', 'TRNAMT'] },
  )
  .map((tags) => ({ TRNTYPE: 'OTHER', ...tags }));
const statement: fc.Arbitrary<OfxStatement> = fc.record({
  kind: fc.constantFrom('STMTRS', 'CCSTMTRS', 'INVSTMTRS'),
  currency: fc.constantFrom('USD', 'EUR'),
  account: text.map((ACCTID) => ({ ACCTID })),
  entries: fc.array(entry, { maxLength: 5 }),
});

describe('OFX', () => {
  it('reads the same from SGML, closed SGML and XML, in any chunks', () => {
    const chunkBytes = fc.integer({ min: 1, max: 200 });
    fc.assert(
      fc.property(fc.array(statement, { minLength: 1, maxLength: 3 }), chunkBytes, (file, size) => {
        const [sgml, ...others] = (['sgml', 'closed', 'xml'] as const).map((style) => {
          const read = readStatement(sourceOf(ofxText(file, style), size));
          const entries = [...read.entries()];
          assert.equal(entries.length, read.entryCount);
          return { ...read, entries: entries.map((one) => ({ ...one, line: 0 })) };
        });
        for (const other of others) assert.deepEqual(other, sgml);
        const given = file.reduce((sum, { entries }) => sum + entries.length, 0);
        const leftOut = sgml!.leftOut.reduce((sum, { count }) => sum + count, 0);
        assert.equal(sgml!.entryCount + leftOut, given, 'nothing is lost');
      }),
      { numRuns: runs(200) },
    );
  });

  it('returns what was written, character by character', () => {
    fc.assert(
      fc.property(text, text, (name, memo) => {
        const [read] = entriesOf(ofxText([{ entries: [ofxEntry({ NAME: name, MEMO: memo })] }]));
        const single = (value: string) => value.replaceAll(/\s+/g, ' ');
        assert.equal(read!.payee, single(name));
        assert.equal(read!.notes, single(memo) === single(name) ? null : single(memo));
      }),
    );
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
