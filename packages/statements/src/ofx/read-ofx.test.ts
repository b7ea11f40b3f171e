import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import type { Entry, StatementOptions } from '../statement.ts';
import { ofxEntry, ofxText, type OfxAggregate, type OfxStatement } from '../testing/ofx-text.ts';
import { entriesOf, errorOf, reasonsOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

const read = (text: string | Uint8Array, options?: StatementOptions) =>
  readStatement(sourceOf(text), options);
const one = (tags: OfxAggregate, options?: StatementOptions): Entry =>
  entriesOf(ofxText([{ entries: [ofxEntry(tags)] }]), options)[0]!;
const reasons = (tags: OfxAggregate, options?: StatementOptions): string[] =>
  reasonsOf(ofxText([{ entries: [ofxEntry(tags)] }]), options);

describe('OFX', () => {
  it('reads every part of an entry and of its account, whatever the style', () => {
    const tags = {
      DTPOSTED: '20240131120000.000[-5:EST]',
      TRNAMT: '-1234.5678',
      NAME: ' Corner   shop & <Café> ',
      MEMO: 'Milk,\teggs',
      CHECKNUM: '1042',
    };
    const balances = {
      LEDGERBAL: { BALAMT: '10,50', DTASOF: '20240201' },
      AVAILBAL: { BALAMT: '-0', DTASOF: '00000000' },
    };
    const statement: OfxStatement = { currency: 'EUR', entries: [ofxEntry(tags)], rest: balances };
    for (const style of ['sgml', 'closed', 'xml'] as const) {
      const found = read(ofxText([statement], style));
      assert.deepEqual(
        { ...found, entries: null },
        {
          format: 'ofx',
          encoding: 'utf-8',
          entryCount: 1,
          entries: null,
          leftOut: [],
          accounts: [
            {
              name: 'Checking 5678',
              id: '0012345678',
              bankId: '99',
              type: 'checking',
              currency: 'eur',
              entryCount: 1,
              balances: [
                { kind: 'ledger', amount: 105_000, date: '2024-02-01' },
                { kind: 'available', amount: 0, date: null },
              ],
            },
          ],
        },
      );
      const line = { sgml: 16, closed: 10, xml: 12 }[style];
      assert.deepEqual(
        [...found.entries()],
        [
          {
            line,
            date: '2024-01-31',
            amount: -12_345_678,
            currency: 'eur',
            payee: 'Corner shop & <Café>',
            notes: 'Milk, eggs; No. 1042',
            category: null,
            account: 'Checking 5678',
            externalId: 'ABC12345',
            bankId: { id: 'ABC12345', nth: 1, isRepeated: false },
          },
        ],
      );
    }
  });

  it('reads the payee from NAME, PAYEE or MEMO, and notes from the rest', () => {
    const texts = (tags: OfxAggregate) => {
      const { payee, notes } = one(tags);
      return [payee, notes];
    };
    assert.deepEqual(texts({ PAYEE: { NAME: 'P', CITY: 'C' }, MEMO: 'M' }), ['P', 'M']);
    assert.deepEqual(texts({ NAME: 'N', PAYEE: { NAME: 'P' }, MEMO: 'N' }), ['N', null]);
    assert.deepEqual(texts({ MEMO: 'M', CHECKNUM: '000' }), ['M', null]);
    assert.deepEqual(texts({ BANKACCTTO: { NAME: 'X', ACCTID: '1' }, CHECKNUM: '7' }), [
      '',
      'No. 7',
    ]);
  });

  it('reads the date as the bank wrote it, without time and zone', () => {
    for (const zone of ['', '000000', '235959[-12:X]', '233000.123[+14:LINT]', ':014', ' 12:00']) {
      assert.equal(one({ DTPOSTED: `20240131${zone}` }).date, '2024-01-31', zone);
    }
    assert.equal(one({ DTPOSTED: '2024-01-31T23:59:59' }).date, '2024-01-31');
    for (const date of [
      '20240231',
      '00000000',
      '2024013',
      '202401311',
      '20240131x',
      '13/01/2024',
    ]) {
      assert.deepEqual(reasons({ DTPOSTED: date }), ['18: Not a date'], date);
    }
  });

  it('parses amounts exactly, and reports invalid ones', () => {
    const amounts: Record<string, number> = {
      '+ 12,34': 123_400,
      '- .5': -5000,
      '-0': 0,
      '1,234.56': 12_345_600,
      '-1.234,5': -12_345_000,
      '1,234,567': 12_345_670_000,
      '1,234': 12_340,
      '7.10000': 71_000,
      '-900719925474.0991': -Number.MAX_SAFE_INTEGER,
    };
    for (const [text, amount] of Object.entries(amounts)) {
      assert.equal(one({ TRNAMT: text }).amount, amount, text);
    }
    const faults: Record<string, string> = {
      '1.23456': 'More than 4 decimals',
      '900719925474.0992': 'Outside ±900719925474.0991',
      ' . ': 'Not an amount',
      '1.2.3': 'Not an amount',
      NaN: 'Not an amount',
      '1e3': 'Not an amount',
    };
    for (const [text, reason] of Object.entries(faults)) {
      assert.deepEqual(reasons({ TRNAMT: text }), [`19: ${reason}`], text);
    }
    assert.equal(one({ TRNAMT: '1,234' }, { decimal: 'point' }).amount, 12_340_000);
    assert.equal(one({ TRNAMT: '-5' }, { negate: true }).amount, 50_000);
  });

  it('refuses 1,234 if another amount shows that the comma separates thousands', () => {
    const amounts = ['-1,234', '5.50', '1,234.50'];
    const text = ofxText([
      { entries: amounts.map((TRNAMT, at) => ofxEntry({ TRNAMT, FITID: `id${at}` })) },
    ]);
    const [problem, ...more] = errorOf(text).problems;
    assert.deepEqual(more, []);
    assert.deepEqual([problem!.line, problem!.value], [19, '-1,234']);
    const read = entriesOf(text, { decimal: 'point' }).map(({ amount }) => amount);
    assert.deepEqual(read, [-12_340_000, 55_000, 12_345_000]);
  });

  it('prefers the currency of an entry to that of its statement, and ignores the original one', () => {
    assert.equal(one({ CURRENCY: { CURRATE: '1.1', CURSYM: 'gbp' } }).currency, 'gbp');
    assert.equal(one({ CURRENCY: 'CHF' }).currency, 'chf');
    assert.equal(one({ ORIGCURRENCY: { CURSYM: 'GBP' } }).currency, 'usd');
    assert.deepEqual(reasons({ CURRENCY: { CURSYM: 'dollars' } }), [
      '22: Not a currency code of three letters',
    ]);
    const none = ofxText([{ currency: '', entries: [ofxEntry()] }]);
    assert.equal(entriesOf(none)[0]!.currency, null);
  });

  it('reports all problems at once, each with its line and tag', () => {
    const error = errorOf(
      ofxText([
        {
          entries: [
            ofxEntry({ TRNAMT: 'five', DTPOSTED: 'today' }),
            { FITID: 'nothing else' },
            ofxEntry(),
          ],
        },
      ]),
    );
    assert.equal(error.message, 'Line 18, <DTPOSTED>, value "today": Not a date (and 3 more)');
    const said = error.problems.map(({ line, column, value }) => [line, column, value]);
    assert.deepEqual(said, [
      [18, '<DTPOSTED>', 'today'],
      [19, '<TRNAMT>', 'five'],
      [22, '<DTPOSTED>', null],
      [22, '<TRNAMT>', null],
    ]);
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
    const statement = read(cash);
    assert.deepEqual(statement.leftOut, [
      { what: 'securities transaction', count: 2 },
      { what: 'pending transaction', count: 1 },
    ]);
    const [account] = statement.accounts;
    assert.deepEqual([account!.name, account!.bankId], ['Investment 5678', '99']);
    assert.equal([...statement.entries()][0]!.externalId, 'ABC12345');
    const card = ofxText([
      { kind: 'CCSTMTRS', account: { ACCTID: '4111111111111234' }, entries: [] },
    ]);
    assert.deepEqual(entriesOf(card), []);
    assert.equal(read(card).accounts[0]!.name, 'Credit card 1234');
  });

  it('leaves out the deletion of an entry, and keeps its replacement', () => {
    const correction = { CORRECTFITID: 'OLD12', CORRECTACTION: 'DELETE' };
    const entries = [ofxEntry(correction), ofxEntry({ CORRECTACTION: 'REPLACE', FITID: 'NEW12' })];
    const statement = read(ofxText([{ entries }]));
    assert.deepEqual(statement.leftOut, [{ what: 'deletion of an earlier entry', count: 1 }]);
    assert.deepEqual(
      [...statement.entries()].map(({ externalId }) => externalId),
      ['NEW12'],
    );
  });

  it('names accounts by bank, kind and last characters, or by the whole number if that is ambiguous', () => {
    const account = (ACCTID: string): OfxStatement => ({
      account: { BANKID: '1', ACCTID, ACCTTYPE: 'SAVINGS' },
      entries: [ofxEntry()],
    });
    const names = (...ids: string[]) => {
      const org = '<SONRS><FI><ORG>A bank with a rather long name\n</FI></SONRS>';
      const text = ofxText(ids.map(account)).replace('<OFX>', `<OFX>${org}`);
      return read(text).accounts.map(({ name }) => name);
    };
    assert.deepEqual(names('DE-00-77', ''), [
      'A bank with a rather savings 0077',
      'A bank with a rather savings',
    ]);
    assert.deepEqual(names('1-5678', '2-5678', '1-5678'), [
      'A bank with a rather savings 1-5678',
      'A bank with a rather savings 2-5678',
    ]);
  });

  it('reads any encoding: UTF-8 if the whole file is valid, else as declared, else windows-1252', () => {
    const text = ofxText([{ entries: [ofxEntry({ NAME: 'Łódź' })] }]);
    assert.equal(entriesOf(text)[0]!.payee, 'Łódź');
    assert.equal(entriesOf(Buffer.from(`\uFEFF${text}`, 'utf16le'))[0]!.payee, 'Łódź');
    const payeeOf = (name: number[], header: string, options?: StatementOptions) => {
      const [before = '', after = ''] = text.replace(/^[^<]*/, header).split('Łódź');
      const bytes = [Buffer.from(before), Buffer.from(name), Buffer.from(after)];
      return entriesOf(Buffer.concat(bytes), options)[0]!.payee;
    };
    const glued = (charset: string) =>
      `OFXHEADER:100ENCODING:USASCIICHARSET:${charset}COMPRESSION:NONE`;
    for (const charset of ['1252', 'UTF-8', 'NONE', 'ISO-8859-1', '8859-1']) {
      assert.equal(payeeOf([0xe9], glued(charset)), 'é', charset);
    }
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
      for (const bytes of [Buffer.from(text), wide, swapped, Buffer.from(`\uFEFF${text}`)]) {
        assert.equal(entriesOf(bytes)[0]!.payee, 'Łódź', declared);
      }
      const latin = Buffer.from(text.replace('Łódź', 'Café'), 'latin1');
      assert.equal(entriesOf(latin)[0]!.payee, 'Café', declared);
    }
  });

  it('refuses a file without a statement, and flags for CSV only', () => {
    assert.deepEqual(reasonsOf('OFXHEADER:100\n<OFX>\n</OFX>'), [
      '1: File has no account statement',
    ]);
    const text = ofxText([{ entries: [] }]);
    assert.match(reasonsOf(text, { map: { date: '1' } })[0]!, /^1: A column map is for CSV/);
    assert.match(reasonsOf(text, { format: 'csv' })[0]!, /^1: No header row/);
    assert.match(reasonsOf('Date,Amount\n', { format: 'ofx' })[0]!, /has no account statement/);
  });
});
