/** What every reader promises of any file. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readStatement } from './read-statement.ts';
import { StatementError } from './statement-error.ts';
import type { StatementOptions } from './statement.ts';
import { camtEntry, camtStatement, camtText } from './testing/camt-text.ts';
import { mtText } from './testing/mt-text.ts';
import { ofxEntry, ofxText } from './testing/ofx-text.ts';
import { entriesOf } from './testing/reading.ts';
import { sourceOf } from './testing/sources.ts';
import { runs } from '../../core/src/testing/length.ts';

interface Reader {
  readonly format: NonNullable<StatementOptions['format']>;
  /** A file with two entries or more, which each have the amount 5.00. */
  readonly whole: string;
  /** Pieces that mean something in the format, separated by spaces. */
  readonly pieces: string;
  readonly cases: number;
}

const record = "D2/28'24\nT-5.00\nPShop\nMBread\nLFood\nSFood\n$-3.00\nSHome\n$-2.00\n^\n";
const booked = (date: string) =>
  `${date} * Shop | Bread  ; :food:\n  Assets:Cash  $-5.00\n  Expenses:Food  $3.00\n  Expenses:Home\n\n`;
const directed =
  '2024-01-31 * "Shop" "Bread" #food\n  Assets:Cash  -5.00 USD\n  Expenses:Food  3.00 USD\n  Expenses:Home\n\n';
const journalPieces = '" ; ( { = @ - ! : comment 9 2024 | * Assets:Cash $';
const readers: readonly Reader[] = [
  {
    format: 'csv',
    whole: `Date;Amount;Payee\n${'2024-01-31;-5.00;"a ""b"""\n'.repeat(3)}`,
    pieces: '" ; , . - 9 / Date CR ( ) " 1.000,0 x;y',
    cases: 400,
  },
  {
    format: 'camt',
    whole: camtText({ statements: [camtStatement([camtEntry(), camtEntry()])] }),
    pieces: '< > </ <Ntry> </Ntry> <!-- & <?xml <![CDATA[ />',
    cases: 600,
  },
  {
    format: 'ofx',
    whole: ofxText([{ entries: ['1', '2', '3'].map((n) => ofxEntry({ FITID: `entry${n}` })) }]),
    pieces: '< > </ <STMTTRN> </STMTTRN> <!-- &',
    cases: 800,
  },
  {
    format: 'mt940',
    whole: mtText({
      entries: [{ details: '166?20SVWZ+Bread?32Shop' }, { line: '240131RC5,00NTRF', details: 'x' }],
    }),
    pieces: ': - { } -} {4: :61: ?20 , / é :86: :20:',
    cases: 300,
  },
  {
    format: 'qif',
    whole: `!Account\nNGiro\nTBank\n^\n!Type:Bank\n${record.repeat(2)}`,
    pieces: "! ^ D T S L $ % ' / . , - 1 [ ] é !Type:",
    cases: 300,
  },
  { format: 'beancount', whole: directed.repeat(2), pieces: journalPieces, cases: 200 },
  {
    format: 'hledger',
    whole: booked('2024-01-31').repeat(2),
    pieces: journalPieces,
    cases: 200,
  },
  {
    format: 'ledger',
    whole: booked('2024/01/31').repeat(2),
    pieces: journalPieces,
    cases: 200,
  },
];

for (const { format, whole, pieces, cases } of readers)
  describe(`the reader of ${format}`, () => {
    const read = (content: string | Uint8Array) => readStatement(sourceOf(content), { format });

    it('returns entries or a StatementError, whatever is changed in a file', () => {
      const bytes = Buffer.from(whole);
      const signs = ['\n', ' ', '\0', ...pieces.split(' ')].map((sign) => Buffer.from(sign));
      const change = fc.record({
        at: fc.nat(bytes.length),
        put: fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.constantFrom(...signs)),
        removed: fc.nat(12),
      });
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
          const changed = changes.reduce(
            (so, { at, put, removed }) =>
              Buffer.concat([so.subarray(0, at), put, so.subarray(at + removed)]),
            bytes,
          );
          try {
            const statement = read(changed);
            assert.equal([...statement.entries()].length, statement.entryCount);
          } catch (error) {
            assert.ok(error instanceof StatementError, String(error));
            assert.ok(error.problems.every(({ line }) => line >= 1));
          }
        }),
        { numRuns: runs(cases) },
      );
    });

    it('returns the same for chunks of any size and any line ends, again and again', () => {
      const entries = entriesOf(whole, { format });
      assert.ok(entries.length >= 2);
      for (const end of ['\n', '\r\n', '\r'])
        for (const chunkBytes of [1, 2, 3, 7, 50, 65_536]) {
          const source = sourceOf(whole.replaceAll('\n', end), chunkBytes);
          const statement = readStatement(source, { format });
          for (let times = 0; times < 2; times += 1)
            assert.deepEqual([...statement.entries()], entries);
        }
    });

    it('refuses to continue if the file has changed since it was examined', () => {
      const changes = [whole.replace(/5[.,]00/, 'x'), whole.slice(0, whole.length / 2), ''];
      // A table ends where it ended before, and CAMT leaves out repetitions.
      if (format !== 'csv' && format !== 'camt') changes.push(whole + whole);
      for (const change of changes) {
        let text = whole;
        const statement = readStatement({ open: () => sourceOf(text).open() }, { format });
        text = change;
        assert.throws(
          () => [...statement.entries()],
          {
            name: 'StatementError',
            message: /File changed while it was being read$/,
          },
          change,
        );
      }
    });
  });
