import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import { ofxEntry, ofxText, type OfxAggregate, type OfxStatement } from '../testing/ofx-text.ts';
import { entriesOf, leftOutOf, shownOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';
import { RepeatFinder } from './ids.ts';

const ids = (...entries: OfxAggregate[]): (string | null)[] => idsOf([{ entries }]);
const idsOf = (statements: readonly OfxStatement[]): (string | null)[] =>
  entriesOf(ofxText(statements)).map(({ externalId }) => externalId);
const shop = ofxEntry({ NAME: 'Shop' });
const whole = ofxText([{ entries: [shop] }]);

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
    const [entry] = entriesOf(whole);
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
    const text = whole.replace('<STMTTRN>', `${entries.join('')}<STMTTRN>`);
    assert.throws(() => readStatement(sourceOf(text)), {
      message: /^Line 16: More than 100000 ids occur more than once$/,
    });
  });
});
