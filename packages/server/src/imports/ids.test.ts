import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readStatement } from '@coffer/statements/src/read-statement.ts';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { ofxEntry, ofxText } from '../../../statements/src/testing/ofx-text.ts';
import { plainId, sharedId } from './comparison.ts';
import type { ImportEntry } from './entry.ts';
import { ImportBook, onBothEngines } from './testing/import-book.ts';

/** A transaction as the bank has it. */
interface Booked {
  readonly id: string;
  readonly date: string;
  readonly amount: number;
  readonly payee: string;
  readonly notes: string | null;
}

const tellingIds = ['10001', 'NONREF'];
const ids = [...tellingIds, 'Q#2', 'm'.repeat(60), 'k'.repeat(75), 'long '.repeat(40)];

const booked = (parts: Partial<Booked>): Booked => {
  return { id: 'NONREF', date: '2024-01-31', amount: -5, payee: 'Shop', notes: null, ...parts };
};

/** The entries of a file of the bank, in an account without a name. */
function fileOf(transactions: readonly Booked[]): ImportEntry[] {
  const entries = transactions.map(({ id, date, amount, payee, notes }) =>
    ofxEntry({
      FITID: id,
      DTPOSTED: date.replaceAll('-', ''),
      TRNAMT: `${amount < 0 ? '-' : ''}0.${String(Math.abs(amount)).padStart(4, '0')}`,
      NAME: payee,
      ...(notes !== null && { MEMO: notes }),
    }),
  );
  const text = ofxText([{ entries }]);
  const read = [...readStatement({ open: () => [Buffer.from(text)] }).entries()];
  return read.map((entry) => ({ ...entry, account: null, currency: null }));
}

function withoutBankId({ bankId: _, ...entry }: ImportEntry): ImportEntry {
  return entry;
}

function plain(date: string, amount: number): ImportEntry {
  return withoutBankId(fileOf([booked({ id: 'F0001', date, amount })])[0]!);
}

/** Returns an entry as a table has it that was exported: unchanged ids can be parsed again. */
function asInTable(entry: ImportEntry): ImportEntry {
  return tellingIds.includes(entry.bankId!.id) ? withoutBankId(entry) : entry;
}

function rowName({ date, amount, payee, notes }: Omit<Booked, 'id'>): string {
  return [date, amount, payee, notes].join('|');
}

function shuffled<T>(all: readonly T[], seed: number): T[] {
  const left = [...all];
  return all.map((_, at) => left.splice((seed + at * 7) % left.length, 1)[0]!);
}

/** A bank with files of any whole months, in any order. Its ids, amounts and texts often repeat. */
const bankArbitrary = fc
  .array(
    fc.array(
      fc.record({
        id: fc.constantFrom(...ids),
        day: fc.constantFrom('01', '02'),
        amount: fc.constantFrom(-5, 7),
        payee: fc.constantFrom('Shop', 'Café'),
        notes: fc.constantFrom(null, 'x'),
      }),
      { maxLength: 8, size: 'max' },
    ),
    { minLength: 2, maxLength: 4 },
  )
  .map((months) =>
    months.map((month, at) =>
      month.map(({ day, ...rest }): Booked => ({ ...rest, date: `2024-0${at + 1}-${day}` })),
    ),
  )
  .chain((months) =>
    fc.record({
      months: fc.constant(months),
      files: fc.array(
        fc.record({
          picked: fc.uniqueArray(fc.nat({ max: months.length - 1 }), { minLength: 1 }),
          seed: fc.nat(),
          isTable: fc.boolean(),
        }),
        { minLength: 2, maxLength: 5 },
      ),
    }),
  );

onBothEngines('an import of ids that a bank repeats', (on) => {
  const rowsOf = async (book: ImportBook): Promise<string[]> =>
    (await book.exported())
      .map(({ date, amount, payee, notes }) => rowName({ date, amount: -amount, payee, notes }))
      .toSorted();
  const idsOf = async (book: ImportBook) =>
    (await book.exported()).map(({ externalId }) => externalId);

  it('keeps each transaction once, for files of whole months in any order', async () => {
    await fc.assert(
      fc.asyncProperty(bankArbitrary, async ({ months, files }) => {
        const book = await ImportBook.create(on.engine);
        const entries = files.map(({ picked, seed, isTable }) => {
          const file = fileOf(
            shuffled(
              picked.flatMap((at) => months[at]!),
              seed,
            ),
          );
          return isTable ? file.map(asInTable) : file;
        });
        for (const file of entries) await book.load(file);
        const seen = [...new Set(files.flatMap(({ picked }) => picked))];
        const expected = seen.flatMap((at) => months[at]!).map(rowName);
        assert.deepEqual(await rowsOf(book), expected.toSorted());
        for (const file of [...entries, ...entries.toReversed()]) await book.adds(0, file);
      }),
      { numRuns: runs(150) },
    );
  });

  it('keeps both transactions if two files use one id with other dates and amounts', async () => {
    const [one, two] = [plain('2024-01-31', 1), plain('2024-02-29', 2)];
    const book = await ImportBook.create(on.engine);
    for (const count of [1, 0]) for (const file of [one, two]) await book.adds(count, [file]);
    // The format of ids in existing books: the first 15 digits of the SHA-256 of the JSON text
    // ["2024-02-29",2,"Shop",null].
    assert.deepEqual(await idsOf(book), ['F0001', 'F0001~e4e5fd36187da89']);
  });

  it('keeps transactions with one id and amount that are a week or more apart', async () => {
    const book = await ImportBook.create(on.engine);
    for (const count of [1, 0])
      for (const date of ['2024-01-01', '2024-01-08', '2024-02-01'])
        await book.adds(count, [plain(date, -900)]);
  });

  it('matches a transaction whose date, amount or text the bank corrected', async () => {
    const book = await ImportBook.create(on.engine);
    const first = plain('2024-01-31', 1);
    await book.adds(1, [first]);
    await book.adds(0, [plain('2024-01-31', 2)]);
    await book.adds(0, [plain('2024-02-06', 1)]);
    await book.adds(0, [{ ...first, payee: 'SHOP LTD', notes: 'settled' }]);
  });

  it('matches each row with the most similar entry, anywhere in the file', async () => {
    const shop = booked({});
    for (const change of [{ payee: 'Café' }, { amount: 7 }, { notes: 'x' }]) {
      const near = booked(change);
      const both = fileOf([shop, near]).map((entry, at) => {
        const idFor = at === 0 ? plainId : sharedId;
        return { ...entry, externalId: idFor(entry.bankId!, entry) };
      });
      for (const file of [both, both.toReversed()]) {
        const book = await ImportBook.create(on.engine);
        await book.adds(1, fileOf([shop]));
        await book.adds(1, file);
        await book.adds(0, file);
        assert.deepEqual(await rowsOf(book), [rowName(shop), rowName(near)].toSorted());
      }
    }
  });

  it('finds rows whose ids another file would assign differently', async () => {
    const old = booked({ date: '2024-01-01', amount: 1 });
    const young = booked({ date: '2024-03-01', amount: 2 });
    const both = fileOf([old, young]);
    const [book, other] = [await ImportBook.create(on.engine), await ImportBook.create(on.engine)];
    for (const file of [[young], [old]]) await book.adds(1, fileOf(file));
    await other.adds(2, both);
    for (const file of [fileOf([young]), fileOf([old]), both, both.map(withoutBankId)])
      for (const each of [book, other]) await each.adds(0, file);
  });

  it('handles ids of a table column in the same way, and never uses an id twice', async () => {
    const book = await ImportBook.create(on.engine);
    const [one, two] = [plain('2024-01-01', 1), plain('2024-03-01', 2)];
    const shared = sharedId({ id: 'F0001', nth: 1, isRepeated: true }, two);
    const taken = { ...one, externalId: shared, date: '2024-05-01', amount: 5 };
    const file = [{ ...two, line: 3 }, taken];
    await book.adds(1, [one]);
    await book.adds(2, file);
    for (const again of [[one], file]) await book.adds(0, again);
    assert.equal(new Set(await idsOf(book)).size, 3);
  });

  it('distinguishes ids of other accounts, and longer ids with the same start', async () => {
    const book = await ImportBook.create(on.engine);
    const entry = plain('2024-01-01', 1);
    const alike = 'F0001 F0001#2 F0001#1 F00011 F0001~ F0001~abc f0001'.split(' ');
    const files = alike.map((externalId) => [{ ...entry, externalId }]);
    const other = [{ ...entry, account: 'Other' }];
    for (const file of [...files, other]) await book.adds(1, file);
    for (const file of [other, ...files]) await book.adds(0, file);
  });
});
