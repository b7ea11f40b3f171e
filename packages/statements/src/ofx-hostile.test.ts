import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RepeatFinder } from './ofx/repeat-finder.ts';
import { readStatement } from './read-statement.ts';
import { StatementError } from './statement-error.ts';
import { ofxEntry, ofxText } from './testing/ofx-text.ts';
import { entriesOf } from './testing/reading.ts';
import { sourceOf } from './testing/sources.ts';

/** What is repeated where an entry's name stands; each looks again and again if it is read without care. */
const SHAPES: Readonly<Record<string, string>> = {
  'signs that begin no tag': '<NAME>< <1 </ <! ',
  'tags within tags': '<NAME>x<a<a<a<a<a',
  'references that are none': '<NAME>x&&#&#x&amp&quot',
  'values of blanks': `<MEMO>${' '.repeat(200)}\r\n\t`,
  'tags that nobody closes': '<X>1<Y>2<NAME>3<PAYEE>4',
  'closing tags of nothing': '</X></PAYEE></CURRENCY>',
  'comments and CDATA': '<NAME>x<!-- - -- > --><![CDATA[ ]] ]>]]><?x ?>',
  'entries with one id': '</STMTTRN><STMTTRN><DTPOSTED>20240101<TRNAMT>1<FITID>ABCDE',
};

/** CPU time of a reading that must end in entries or in problems. */
function readingTimeUs(text: Buffer): number {
  const before = process.cpuUsage();
  try {
    const statement = readStatement(sourceOf(text), { format: 'ofx' });
    assert.equal([...statement.entries()].length, statement.entryCount);
  } catch (error) {
    assert.ok(error instanceof StatementError, String(error));
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

describe('hostile OFX', () => {
  const whole = ofxText([{ entries: [ofxEntry({ NAME: 'Shop' })] }]);
  const times = 8;

  for (const [what, shape] of Object.entries(SHAPES)) {
    it(`takes time in proportion to its length: ${what}`, () => {
      const bytes = (length: number): Buffer =>
        Buffer.from(whole.replace('<NAME>Shop', shape.repeat(length / shape.length)));
      const [short, long] = [bytes(60_000), bytes(60_000 * times)];
      const best = (text: Buffer): number =>
        Math.min(readingTimeUs(text), readingTimeUs(text), readingTimeUs(text));
      readingTimeUs(short);
      // Four times as much as in proportion: twice the square would be far beyond.
      assert.ok(best(long) < 4 * times * Math.max(best(short), 2_000));
    });
  }

  it('refuses more ids that stand twice than it keeps account of, at the first one too many', () => {
    const finder = new RepeatFinder();
    const [entry] = entriesOf(whole);
    const note = (at: number): void => finder.note('', { ...entry!, externalId: `id ${at}` });
    for (let at = 0; at < 200_000; at += 1) note(at >> 1);
    assert.equal(finder.repeated.size, 100_000);
    note(100_000);
    assert.throws(() => note(100_000), /^Refusal: More than 100000 ids stand more than once$/);
  });

  it('refuses one id with more contents than it keeps account of', () => {
    const entries = Array.from(
      { length: 100_001 },
      (_, at) => `<STMTTRN><DTPOSTED>20240101<TRNAMT>${at}<FITID>ABCDE</STMTTRN>`,
    );
    const text = whole.replace('<STMTTRN>', `${entries.join('')}<STMTTRN>`);
    assert.throws(() => readStatement(sourceOf(text)), {
      message: /^Line 16: More than 100000 ids stand more than once$/,
    });
  });
});
