import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../db/engine.ts';
import { engines } from '../db/testing/engines.ts';
import { exported } from '../pages/testing/filled-book.ts';
import type { Book } from '../resources/users/identity.ts';
import { newBook as newBookOf } from '../resources/users/testing/new-book.ts';
import { plainId, sharedId } from './bank-ids.ts';
import type { ImportEntry, ImportSummary } from './entry.ts';
import { importEntries } from './import.ts';
import { runs } from '../../../core/src/testing/length.ts';

/** A transaction as the bank has it. */
interface Booked {
  readonly id: string;
  readonly date: string;
  readonly amount: number;
  readonly payee: string;
  readonly notes: string | null;
}

for (const { name, skip, open } of engines) {
  describe(`an import of ids that a bank repeats, on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });
    const newBook = () => newBookOf(engine);
    const load = (book: Book, entries: readonly ImportEntry[]): Promise<ImportSummary> =>
      importEntries(engine, book.id, {
        entries: () => entries,
        defaultAccount: 'Bank',
        dryRun: false,
      });
    const loadAll = async (
      book: Book,
      files: readonly (readonly ImportEntry[])[],
    ): Promise<number[]> => {
      const imported: number[] = [];
      for (const file of files) imported.push((await load(book, file)).imported);
      return imported;
    };
    const rowsOf = async (book: Book): Promise<string[]> =>
      (await exported(engine, book))
        .map(({ date, amount, payee, notes }) => rowName({ date, amount: -amount, payee, notes }))
        .toSorted();
    const idsOf = async (book: Book): Promise<(string | null)[]> =>
      (await exported(engine, book)).map(({ externalId }) => externalId);

    it('keeps each transaction once, for files of whole months in any order', async () => {
      await fc.assert(
        fc.asyncProperty(bankArbitrary, async ({ months, files }) => {
          const book = await newBook();
          const entries = files.map(({ picked, seed, isTable }) => {
            const transactions = picked.flatMap((at) => months[at]!);
            const statement = statementOf(shuffled(transactions, seed));
            return isTable ? statement.map(asInTable) : statement;
          });
          await loadAll(book, entries);
          const seen = [...new Set(files.flatMap(({ picked }) => picked))];
          assert.deepEqual(
            await rowsOf(book),
            seen
              .flatMap((at) => months[at]!)
              .map(rowName)
              .toSorted(),
          );
          assert.ok((await loadAll(book, entries)).every((imported) => imported === 0));
          assert.ok(
            (await loadAll(book, entries.toReversed())).every((imported) => imported === 0),
          );
        }),
        { numRuns: runs(150) },
      );
    });

    it('keeps both transactions if two files use one id with other dates and amounts', async () => {
      const [one, two] = [plain('2024-01-31', 1), plain('2024-02-29', 2)];
      const book = await newBook();
      assert.deepEqual(await loadAll(book, [[one], [two], [one], [two]]), [1, 1, 0, 0]);
      // The format of ids in existing books: the first 15 digits of the SHA-256 of the JSON text
      // ["2024-02-29",2,"Shop",null].
      assert.deepEqual(await idsOf(book), ['F0001', 'F0001~e4e5fd36187da89']);
    });

    it('keeps transactions with one id and amount that are a week or more apart', async () => {
      const rents = ['2024-01-01', '2024-01-08', '2024-02-01'].map((date) => [plain(date, -900)]);
      const book = await newBook();
      assert.deepEqual(await loadAll(book, [...rents, ...rents]), [1, 1, 1, 0, 0, 0]);
    });

    it('matches a transaction whose date or amount the bank corrected', async () => {
      const book = await newBook();
      const corrections = [
        plain('2024-01-31', 1),
        plain('2024-01-31', 2),
        plain('2024-02-06', 1),
        { ...plain('2024-01-31', 1), payee: 'SHOP LTD', notes: 'settled' },
      ];
      assert.deepEqual(
        await loadAll(
          book,
          corrections.map((entry) => [entry]),
        ),
        [1, 0, 0, 0],
      );
    });

    it('matches each row with the most similar entry, anywhere in the file', async () => {
      const shop = booked({});
      for (const near of [
        booked({ payee: 'Café' }),
        booked({ amount: 7 }),
        booked({ notes: 'x' }),
      ]) {
        for (const file of [statementOf([shop, near]), statementOf([near, shop])]) {
          const book = await newBook();
          assert.deepEqual(await loadAll(book, [statementOf([shop]), file, file]), [1, 1, 0]);
          assert.deepEqual(await rowsOf(book), [rowName(shop), rowName(near)].toSorted());
        }
      }
    });

    it('finds rows whose ids another file would assign differently', async () => {
      const old = booked({ date: '2024-01-01', amount: 1 });
      const young = booked({ date: '2024-03-01', amount: 2 });
      const both = statementOf([old, young]);
      const book = await newBook();
      const files = [statementOf([young]), statementOf([old]), both, both.map(withoutBankId)];
      assert.deepEqual(await loadAll(book, files), [1, 1, 0, 0]);
      const other = await newBook();
      assert.deepEqual(await loadAll(other, [both, ...files]), [2, 0, 0, 0, 0]);
    });

    it('handles ids of a table column in the same way, and never uses an id twice', async () => {
      const book = await newBook();
      const one = plain('2024-01-01', 1);
      const two = plain('2024-03-01', 2);
      const taken = {
        ...one,
        externalId: sharedId({ id: 'F0001', nth: 1, isRepeated: true }, two),
      };
      const files = [
        [one],
        [
          { ...two, line: 3 },
          { ...taken, date: '2024-05-01', amount: 5 },
        ],
      ];
      assert.deepEqual(await loadAll(book, [...files, ...files]), [1, 2, 0, 0]);
      assert.equal(new Set(await idsOf(book)).size, 3);
    });

    it('distinguishes ids of other accounts, and longer ids with the same start', async () => {
      const book = await newBook();
      const entry = plain('2024-01-01', 1);
      const alike = ['F0001', 'F0001#2', 'F0001#1', 'F00011', 'F0001~', 'F0001~abc', 'f0001'];
      const files = alike.map((externalId) => [{ ...entry, externalId }]);
      const other = [{ ...entry, account: 'Other' }];
      assert.deepEqual(await loadAll(book, [...files, other]), [1, 1, 1, 1, 1, 1, 1, 1]);
      assert.deepEqual(await loadAll(book, [other, ...files]), [0, 0, 0, 0, 0, 0, 0, 0]);
    });
  });
}

const tellingIds = ['10001', 'NONREF'];
const ids = [...tellingIds, 'Q#2', 'm'.repeat(60), 'k'.repeat(75), 'long '.repeat(40)];

function booked(parts: Partial<Booked>): Booked {
  return { id: 'NONREF', date: '2024-01-31', amount: -5, payee: 'Shop', notes: null, ...parts };
}

function plain(date: string, amount: number): ImportEntry {
  return withoutBankId(statementOf([booked({ id: 'F0001', date, amount })])[0]!);
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

/** Returns the entries of a file as its parser does: the oldest of those that share an id keeps it. */
function statementOf(transactions: readonly Booked[]): ImportEntry[] {
  const counts = new Map<string, number>();
  const entries = transactions.map(({ id, ...rest }, at): ImportEntry & { ofBank: string } => {
    const name = id + rowName(rest);
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const isRepeated = transactions.filter((other) => other.id === id).length > 1;
    const bankId = { id, nth, isRepeated };
    const none = { currency: null, category: null, account: null, externalId: null };
    return { line: at + 2, ...none, ...rest, bankId, ofBank: id };
  });
  return entries.map(({ ofBank, ...entry }) => {
    const rivals = entries.filter((other) => other.ofBank === ofBank);
    const [oldest] = rivals.map(rowName).toSorted();
    const isOldest = rowName(entry) === oldest;
    const externalId = isOldest ? plainId(entry.bankId!) : sharedId(entry.bankId!, entry);
    return { ...entry, externalId };
  });
}

function withoutBankId({ bankId: _, ...entry }: ImportEntry): ImportEntry {
  return entry;
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
