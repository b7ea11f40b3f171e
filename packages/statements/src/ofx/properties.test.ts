import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readStatement } from '../read-statement.ts';
import { StatementError } from '../statement-error.ts';
import { ofxEntry, ofxText, type OfxAggregate, type OfxStatement } from '../testing/ofx-text.ts';
import { entriesOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';
import { runs } from '../../../core/src/testing/length.ts';

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
