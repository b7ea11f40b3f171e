import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readStatement } from '../read-statement.ts';
import {
  camtDetail,
  camtDetails,
  camtEntry,
  camtStatement,
  camtText,
  type CamtElement,
} from '../testing/camt-text.ts';
import { entriesOf, errorOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';
import { runs } from '../../../core/src/testing/length.ts';

/** Texts with characters of markup, spaces, and letters of many scripts. */
const text = fc
  .string({
    unit: fc.constantFrom(...Array.from('abAB 12&<>;#x/!?"\']\u00e9\u017b\u{1f600}')),
    maxLength: 30,
  })
  .map((value) => `t${value.trim()}`);
const figure = fc.record({ units: fc.nat(1e9), cents: fc.integer({ min: 0, max: 99 }) });
const day = fc.integer({ min: 1, max: 28 }).map((one) => `2024-02-${String(one).padStart(2, '0')}`);
const row = fc.record({ figure, day, isOut: fc.boolean(), payee: text, notes: text, at: fc.nat() });
type Row = typeof row extends fc.Arbitrary<infer R> ? R : never;

function elementOf(
  { figure: { units, cents }, day: date, isOut, payee, notes }: Row,
  at: number,
): CamtElement {
  const party = { Pty: { Nm: payee } };
  return camtEntry({
    Amt: { '@Ccy': 'EUR', '': `${units}.${String(cents).padStart(2, '0')}` },
    CdtDbtInd: isOut ? 'DBIT' : 'CRDT',
    BookgDt: { Dt: date },
    AcctSvcrRef: `REFERENCE-${at}`,
    ...camtDetails(
      camtDetail('1', {
        RltdPties: { [isOut ? 'Cdtr' : 'Dbtr']: party },
        RmtInf: { Ustrd: notes },
      }),
    ),
  });
}

const single = (value: string): string => value.replaceAll(/\s+/g, ' ').trim();
const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

describe('CAMT', () => {
  it('returns what was written, from any chunks, encodings and prefixes', () => {
    const shape = fc.record({
      rows: fc.array(row, { maxLength: 6 }),
      chunkBytes: fc.integer({ min: 1, max: 300 }),
      prefix: fc.constantFrom('', 'ns2:'),
      encoding: fc.constantFrom('utf-8', 'utf-16le', 'marked'),
      // What the file declares may be wrong.
      declared: fc.constantFrom('UTF-8', 'UTF-16', 'ISO-8859-1', 'made-up'),
    });
    fc.assert(
      fc.property(shape, ({ rows, chunkBytes, prefix, encoding, declared }) => {
        const xml = camtText(
          { prefix, statements: [camtStatement(rows.map((one, at) => elementOf(one, at)))] },
          declaration.replace('UTF-8', declared),
        );
        const bytes =
          encoding === 'utf-8'
            ? Buffer.from(xml)
            : Buffer.from(encoding === 'marked' ? `\uFEFF${xml}` : xml, 'utf16le');
        const read = readStatement(sourceOf(bytes, chunkBytes));
        const seen = [...read.entries()].map((each) => [
          each.date,
          each.amount,
          each.payee,
          each.notes,
        ]);
        const written = rows.map(({ figure: { units, cents }, day: date, isOut, payee, notes }) => {
          const amount = units * 10_000 + cents * 100;
          const signed = isOut && amount > 0 ? -amount : amount;
          const same = single(payee).toLowerCase() === single(notes).toLowerCase();
          return [date, signed, single(payee), same ? null : single(notes)];
        });
        assert.deepEqual(seen, written);
      }),
      { numRuns: runs(150) },
    );
  });

  const whole = camtText({ statements: [camtStatement([camtEntry()])] });
  const inEntry = (content: string): string => whole.replace('</Ntry>', `${content}</Ntry>`);

  it('refuses document types, entities, and what is too deep, long or much', () => {
    const doctype = '<!DOCTYPE Document [\n<!ENTITY x SYSTEM "file:///etc/passwd">]>\n';
    const long = 'y'.repeat(1_000_000);
    const attributes = Array.from({ length: 70 }, (_, at) => ` a${at}=""`).join('');
    const notes = `<AddtlNtryInf>${'y'.repeat(60_000)}</AddtlNtryInf>`;
    const entries: [string, RegExp][] = [
      ['<X>&nbsp;</X>', /^Line 30: Document types and entities/],
      ['<a>'.repeat(70), /^Line 30: Tags are nested deeper than 64/],
      [`<X>${'y'.repeat(70_000)}</X>`, /^Line 30: Text, tag or comment is longer than 65536/],
      [`<X y="${long}"/>`, /^Line 30: Text, tag or comment is longer/],
      [`<!--${long}-->`, /Text, tag or comment is longer/],
      [`<${'y'.repeat(300)}/>`, /^Line 30: Tag is longer than 256/],
      [`<X${attributes}/>`, /^Line 30: Tag has more than 64 attributes/],
      [notes.repeat(20), /Text of one entry is longer than 1048576/],
      ['\0', /^Line 30: Not well-formed XML: disallowed character/],
      ['</X>', /^Line 30: Not well-formed XML: unexpected close tag/],
    ];
    const balances = whole.replace('</Stmt>', '<Bal></Bal>'.repeat(1_001) + '</Stmt>');
    const files: [string, RegExp][] = [
      [`${doctype}${inEntry('&x;').slice(22)}`, /^Line 1: Document types and entities are not/],
      [balances, /more than 1000 balances/],
      [whole.slice(0, -20), /^Line 32: File ends too early: unclosed tag/],
      [`${whole}x`, /Not well-formed XML: text data outside of root/],
    ];
    for (const [content, reason] of entries)
      assert.match(errorOf(inEntry(content)).message, reason);
    for (const [content, reason] of files) assert.match(errorOf(content).message, reason);
    assert.equal(entriesOf(inEntry(`<X>${'y'.repeat(65_000)}</X>`)).length, 1);
  });

  it('refuses the same with the same line, from any chunks', () => {
    for (const content of ['<a>'.repeat(70), '</X>', '&x;', '\0', `<X>${'y'.repeat(70_000)}</X>`]) {
      const messages = [7, 1_000, 65_536].map(
        (size) => errorOf(sourceOf(inEntry(content), size)).message,
      );
      assert.equal(new Set(messages).size, 1, messages.join('\n'));
    }
  });
});
