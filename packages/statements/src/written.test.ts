/* What is written in a format is read again, in any chunks and encoding. CSV and journals have tests of their own. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatAmount } from '@coffer/core/money';
import fc from 'fast-check';
import { runs } from '../../core/src/testing/length.ts';
import {
  camtDetail,
  camtDetails,
  camtEntry,
  camtStatement,
  camtText,
} from './testing/camt-text.ts';
import { mtText } from './testing/mt-text.ts';
import { ofxEntry, ofxText, type OfxStyle } from './testing/ofx-text.ts';
import { entriesOf, shownOf } from './testing/reading.ts';
import { sourceOf } from './testing/sources.ts';

/** Words with characters of markup, and letters of many scripts. */
const words = fc
  .array(
    fc.string({
      unit: fc.constantFrom(...Array.from('abXY019&<>;#x/!?-"\']^\u00e9\u017b\u{1f600}')),
      minLength: 1,
      maxLength: 12,
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((all) => all.join(' '));
const entry = fc.record({
  day: fc.integer({ min: 1, max: 28 }),
  cents: fc.integer({ min: -1e9, max: 1e9 }),
  payee: words.map((text) => `p${text}`),
  // Not "na", which banks write where they have no text.
  notes: words.map((text) => `m${text}`),
});
type Written = typeof entry extends fc.Arbitrary<infer W> ? W : never;

const date = ({ day }: Written): string => `2024-02-${String(day).padStart(2, '0')}`;

function camtOf(entries: readonly Written[]): string {
  const elements = entries.map((each) => {
    const isOut = each.cents < 0;
    const RltdPties = { [isOut ? 'Cdtr' : 'Dbtr']: { Pty: { Nm: each.payee } } };
    return camtEntry({
      Amt: { '@Ccy': 'EUR', '': formatAmount(Math.abs(each.cents) * 100) },
      CdtDbtInd: isOut ? 'DBIT' : 'CRDT',
      BookgDt: { Dt: date(each) },
      ...camtDetails(camtDetail('1', { RltdPties, RmtInf: { Ustrd: each.notes } })),
    });
  });
  return camtText({ prefix: 'ns2:', statements: [camtStatement(elements)] });
}

/** MT940 has no markup: its texts are in parts of 27 characters, and lines of 65. */
function mtOf(entries: readonly Written[]): string {
  const parts = (text: string, codes: readonly number[]) =>
    codes
      .map((code, at) => [code, text.slice(at * 27, (at + 1) * 27)] as const)
      .filter(([, part]) => part !== '');
  const lines = entries.map((each, at) => {
    const mark = each.cents < 0 ? ['D', 'RC'][at % 2]! : ['C', 'RD'][at % 2]!;
    const amount = formatAmount(Math.abs(each.cents) * 100).replace('.', ',');
    const all = [
      ...parts(`SVWZ+${each.notes}`, [20, 21, 22, 23, 24, 25]),
      ...parts(each.payee, [32, 33]),
    ];
    const details = `166?00TEXT${all.map(([code, part]) => `?${code}${part}`).join('')}`;
    return {
      line: `${date(each).replaceAll('-', '').slice(2)}${mark}${amount}NTRFNONREF`,
      details: details.replace(/.{65}/gu, '$&\n'),
    };
  });
  return mtText({ entries: lines });
}

function withoutMarkup(each: Written): Written {
  const plain = (text: string): string => text.replaceAll(/[^a-z0-9é ]/giu, 'x');
  return { ...each, payee: plain(each.payee).slice(0, 54).trim(), notes: plain(each.notes) };
}

function qifOf(entries: readonly Written[]): string {
  const records = entries.map(
    (each) =>
      `D${date(each)}\nT${formatAmount(each.cents * 100)}\nP${each.payee}\nM${each.notes}\n^\n`,
  );
  return `!Type:Bank\n${records.join('')}`;
}

const ofxIn = (style: OfxStyle) => (entries: readonly Written[]) =>
  ofxText(
    [
      {
        entries: entries.map((each, at) =>
          ofxEntry({
            DTPOSTED: date(each).replaceAll('-', ''),
            FITID: `ENTRY-${at}`,
            TRNAMT: formatAmount(each.cents * 100),
            NAME: each.payee,
            MEMO: each.notes,
          }),
        ),
      },
    ],
    style,
  );

const same = (each: Written): Written => each;
for (const [format, write, normal] of [
  ['CAMT', camtOf, same],
  ['MT940', mtOf, withoutMarkup],
  ['QIF', qifOf, same],
  ['OFX in SGML', ofxIn('sgml'), same],
  ['OFX in closed SGML', ofxIn('closed'), same],
  ['OFX in XML', ofxIn('xml'), same],
] as const)
  it(`${format} is read as it was written`, () => {
    const chunk = fc.integer({ min: 1, max: 300 });
    const encoding = fc.constantFrom('utf8', 'utf16le');
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), chunk, encoding, (all, chunkBytes, code) => {
        const entries = all.map(normal);
        const bytes = Buffer.from(`\uFEFF${write(entries)}`, code);
        assert.deepEqual(
          entriesOf(sourceOf(bytes, chunkBytes)).map((each) => [
            each.date,
            each.amount,
            each.payee,
            each.notes,
          ]),
          entries.map((each) => [date(each), each.cents * 100, each.payee, each.notes]),
        );
      }),
      { numRuns: runs(150) },
    );
  });

it('XML is read in the encoding that it has, whatever it declares', () => {
  for (const declared of ['UTF-8', 'UTF-16', 'utf-16le', 'ISO-8859-1', 'klingon']) {
    const declaration = `<?xml version="1.0" encoding="${declared}"?>\n`;
    const entry = camtEntry({ AddtlNtryInf: 'Łódź' });
    const header = `${declaration}<?OFX OFXHEADER="200"?>\n`;
    for (const text of [
      camtText({ statements: [camtStatement([entry])] }, declaration),
      ofxText([{ entries: [ofxEntry({ NAME: 'Łódź' })] }], 'xml', header),
    ]) {
      const wide = Buffer.from(text, 'utf16le');
      const swapped = Buffer.from(wide).swap16();
      for (const bytes of [Buffer.from(text), wide, swapped, Buffer.from(`\uFEFF${text}`)])
        assert.deepEqual(shownOf(bytes, 'payee'), ['Łódź'], declared);
      const latin = Buffer.from(text.replace('Łódź', 'Café'), 'latin1');
      assert.deepEqual(shownOf(latin, 'payee'), ['Café'], declared);
    }
  }
});
