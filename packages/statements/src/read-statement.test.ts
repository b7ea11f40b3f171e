import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { gunzip } from './bytes/gunzip.ts';
import { readStatement } from './read-statement.ts';
import type { Entry } from './statement.ts';
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

  it('reads the same from any chunks, delimiters, line ends, packings and byte order marks', async () => {
    const shape = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t'),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
      mark: fc.constantFrom('', '\uFEFF'),
      isPacked: fc.boolean(),
      chunkBytes: fc.integer({ min: 1, max: 100 }),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ delimiter, lineEnd, mark, isPacked, chunkBytes }) => {
        const cells = [HEADER.split(','), ROW.replace('"Milk, eggs"', 'Milk').split(',')];
        const text = mark + cells.map((row) => row.join(delimiter) + lineEnd).join('');
        const plain = sourceOf(text, chunkBytes);
        const source = isPacked ? await unpackedSource(gzipSync(text)) : plain;
        const entries = [...readStatement(source).entries()];
        assert.deepEqual(entries, [{ ...ONE, notes: 'Milk' }]);
      }),
    );
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
