/** What every reader promises of any file. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { runs } from '../../core/src/testing/length.ts';
import { gunzip } from './bytes/unpack.ts';
import { readStatement } from './read-statement.ts';
import { StatementError } from './statement/statement-error.ts';
import type { Entry, StatementOptions } from './statement/statement.ts';
import { camtEntry, camtStatement, camtText } from './testing/camt-text.ts';
import { mtText } from './testing/mt-text.ts';
import { ofxEntry, ofxText } from './testing/ofx-text.ts';
import { entriesOf, errorOf } from './testing/reading.ts';
import { sourceOf, unpackedSource } from './testing/sources.ts';

const ONE: Entry = {
  line: 2,
  date: '2024-01-31',
  amount: -12_345_000,
  currency: 'eur',
  payee: 'Corner shop',
  notes: 'Milk, eggs',
  category: 'Food',
  account: 'Cash',
  externalId: 'x1',
};
const HEADER = 'Date,Amount,Currency,Payee,Notes,Category,Account,External ID';
const ROW = '2024-01-31,-1234.50,EUR,Corner  shop ,"Milk, eggs",Food, Cash,x1';

describe('readStatement', () => {
  it('reads every part of an entry, and may be read again', () => {
    const statement = readStatement(sourceOf(`${HEADER}\n${ROW}\n`));
    assert.deepEqual(
      { ...statement, mapping: null, shape: null, entries: null },
      {
        format: 'csv',
        encoding: 'utf-8',
        entryCount: 1,
        accounts: [],
        leftOut: [],
        mapping: null,
        shape: null,
        entries: null,
      },
    );
    assert.deepEqual([...statement.entries()], [ONE]);
    assert.deepEqual([...statement.entries()], [ONE]);
  });

  it('reads a file as windows-1252 if any byte of it is not UTF-8', () => {
    const rows = '2024-01-31,1.00,Müller\n'.repeat(10_000);
    const text = `Date,Amount,Payee\n${rows}`;
    assert.equal(readStatement(sourceOf(text)).encoding, 'utf-8');
    const statement = readStatement(sourceOf(Buffer.from(text, 'latin1')));
    assert.equal(statement.encoding, 'windows-1252');
    assert.equal([...statement.entries()][9_999]!.payee, 'Müller');
    const late = Buffer.concat([Buffer.from(text), Buffer.from([0x32, 0xe4, 0x2c, 0x35])]);
    assert.match(errorOf(late).message, /^Line 10002, column "Date", value "2ä": Not a date/);
  });

  it('opens a file again only if text beyond ASCII was read before bytes that are not UTF-8', () => {
    const entry = (payee: string) => `D2024-01-31\nT1.00\nP${payee}\n^\n`;
    const late = Buffer.from(entry('Caf\xe9'), 'latin1');
    const openedFor = (payee: string): number => {
      let opened = 0;
      const text = `!Type:Bank\n${entry(payee)}${entry('Shop').repeat(10_000)}`;
      const bytes = Buffer.concat([Buffer.from(text), late]);
      const statement = readStatement({
        open() {
          opened += 1;
          return sourceOf(bytes).open();
        },
      });
      assert.equal(statement.encoding, 'windows-1252');
      assert.equal([...statement.entries()].at(-1)!.payee, 'Café');
      return opened;
    };
    assert.equal(openedFor('Cafe'), 1);
    assert.equal(openedFor('Café'), 2);
  });

  it('reads UTF-16 with a byte order mark or without, and any encoding by its label', () => {
    const text = '\uFEFFDate,Amount,Payee\n2024-01-31,5.00,Żabka\n';
    const utf16 = Buffer.from(text, 'utf16le');
    assert.equal(entriesOf(utf16)[0]!.payee, 'Żabka');
    assert.equal(entriesOf(Buffer.from(utf16).swap16())[0]!.payee, 'Żabka');
    const cp1251 = Buffer.from([...Buffer.from('Date,Amount,Payee\n2024-01-31,5.00,'), 0xc4, 0xe0]);
    assert.equal(entriesOf(cp1251, { encoding: 'windows-1251' })[0]!.payee, 'Да');
    assert.match(errorOf(cp1251, { encoding: 'utf-8' }).message, /Text is not valid utf-8/);
    assert.match(errorOf(text, { encoding: 'klingon' }).message, /Unknown encoding "klingon"/);
    assert.equal(entriesOf(utf16.subarray(2))[0]!.payee, 'Żabka');
    assert.equal(entriesOf(Buffer.from(utf16.subarray(2)).swap16())[0]!.payee, 'Żabka');
  });

  it('reads a header without rows as an empty statement, but refuses an empty file', async () => {
    assert.deepEqual(entriesOf(HEADER), []);
    const packed = await unpackedSource(gzipSync(''));
    for (const empty of ['', '\n', '\uFEFF', ' \r\n;;\n', packed]) {
      assert.equal(errorOf(empty).message, 'Line 1: File is empty');
    }
  });

  it('passes on errors of the source, and closes the source', () => {
    let isOpen = false;
    const source = {
      *open() {
        isOpen = true;
        try {
          yield Buffer.from('Date,Amount\n2024-01-31,5\n');
          throw new Error('Disk was removed');
        } finally {
          isOpen = false;
        }
      },
    };
    assert.throws(() => readStatement(source), { message: 'Disk was removed' });
    assert.equal(isOpen, false);
  });

  it('closes the source when it refuses a file, packed or not', async () => {
    const bytes = Buffer.from(`Date,Amount\n${'2024-01-31,5\n'.repeat(100_000)}`);
    let opened = 0;
    const sourceWith = (content: Uint8Array) => ({
      *open() {
        opened += 1;
        try {
          yield* sourceOf(content).open();
        } finally {
          opened -= 1;
        }
      },
    });
    const maxBytes = 100_000;
    assert.throws(() => readStatement(sourceWith(bytes), { maxBytes }), { name: 'StatementError' });
    assert.equal(opened, 0);
    const packed = sourceWith(gzipSync(bytes, { level: 0 }));
    assert.match(String(await gunzip(packed.open(), () => undefined, maxBytes)), /is longer than/);
    assert.equal(opened, 0);
  });
});

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

    it('opens the file once, and needs it no more for its entries', () => {
      let opened = 0;
      let text = whole;
      const source = {
        open() {
          opened += 1;
          return sourceOf(text, 7).open();
        },
      };
      const statement = readStatement(source, { format });
      text = '';
      assert.deepEqual([...statement.entries()], entriesOf(whole, { format }));
      assert.equal([...statement.entries()].length, statement.entryCount);
      assert.equal(opened, 1);
    });
  });
