/*
 * Imports files of a bank that gives one id to several transactions. The book must have each transaction once, whatever
 * the files and their order.
 */
import { createUser, importEntries, exportBook } from '../../packages/server/src/main.ts';
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readStatement } from '@coffer/statements';
import fc from 'fast-check';
import { parseDatabase, openDatabase } from '../../packages/server/src/main.ts';
import { ofxEntry, ofxText } from '../../packages/statements/src/testing/ofx-text.ts';
import { runs } from '../../packages/core/src/testing/length.ts';

const engine = await openDatabase(parseDatabase('sqlite::memory:'));
after(() => engine.close());

interface Booked {
  readonly FITID: string;
  readonly DTPOSTED: string;
  readonly TRNAMT: string;
  readonly NAME: string;
}

/** Transactions of three months. The ids include short ones, one that a hash makes too long, and one too long. */
const monthsArbitrary = fc
  .tuple(
    ...['01', '02', '03'].map((month) =>
      fc.array(
        fc.record({
          FITID: fc.constantFrom('NONREF', 'A12345', 'm'.repeat(62), 'long '.repeat(40)),
          DTPOSTED: fc.constantFrom(`2024${month}01`, `2024${month}02`),
          TRNAMT: fc.constantFrom('-5.00', '7.00'),
          NAME: fc.constantFrom('Shop', 'Cafe', ''),
        }),
        { maxLength: 6 },
      ),
    ),
  )
  .map((months): readonly (readonly Booked[])[] => months);

const filesArbitrary = fc.array(fc.shuffledSubarray([0, 1, 2], { minLength: 1 }), {
  minLength: 2,
  maxLength: 5,
});

let books = 0;
async function newBook(): Promise<number> {
  books += 1;
  const email = `${books}@example.com`;
  const user = { email, name: 'Me', bookName: 'Book', primaryCurrency: 'usd' };
  return (await engine.write(() => createUser(user))).id;
}

test('ids that a bank repeats lose no entry and double no entry, in files of whole months in any order', async () => {
  await fc.assert(
    fc.asyncProperty(monthsArbitrary, filesArbitrary, async (months, files) => {
      const bookId = await newBook();
      const load = async (picked: readonly number[]): Promise<number> => {
        const text = ofxText([
          { entries: picked.flatMap((at) => months[at]!.map((tags) => ofxEntry({ ...tags }))) },
        ]);
        const statement = readStatement({ open: () => [Buffer.from(text)] });
        const entries = () => statement.entries();
        const plan = { entries, defaultAccount: null, dryRun: false };
        return (await importEntries(engine, bookId, plan)).imported;
      };
      for (const file of files) await load(file);
      const { transactions } = await exportBook(engine, bookId);
      const rows = (await Array.fromAsync(transactions)).map(({ date, amount, payee }) =>
        [date.replaceAll('-', ''), -amount, payee].join('|'),
      );
      const seen = [...new Set(files.flat())].flatMap((at) => months[at]!);
      const booked = seen.map(({ DTPOSTED, TRNAMT, NAME }) =>
        [DTPOSTED, Number(TRNAMT) * 10_000, NAME === '' ? '[No Payee]' : NAME].join('|'),
      );
      assert.deepEqual(rows.toSorted(), booked.toSorted());
      for (const file of [...files, ...files.toReversed()]) assert.equal(await load(file), 0);
    }),
    { numRuns: runs(100) },
  );
});
