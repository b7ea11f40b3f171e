import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../db/engine.ts';
import { engines } from '../db/testing/engines.ts';
import { fillDemo } from '../demo/fill.ts';
import { exported } from '../pages/testing/filled-book.ts';
import { bookArbitrary } from '../pages/testing/page-model.ts';
import type { DemoTransaction } from '../demo/demo-book.ts';
import { exportBook } from '../resources/transactions/export/export.ts';
import type { Book } from '../resources/users/identity.ts';
import { newBook as newBookOf } from '../resources/users/testing/new-book.ts';
import { plainId } from './bank-ids.ts';
import type { ImportEntry, ImportPlan, ImportSummary } from './entry.ts';
import { ImportRefusedError } from './entry.ts';
import { importEntries } from './import.ts';
import { runs } from '../../../core/src/testing/length.ts';

for (const { name, skip, open } of engines) {
  describe(`an import on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });
    const newBook = () => newBookOf(engine);
    const load = (
      book: Book,
      entries: readonly ImportEntry[],
      plan: Partial<ImportPlan> = {},
    ): Promise<ImportSummary> =>
      importEntries(engine, book.id, {
        entries: () => entries,
        defaultAccount: null,
        dryRun: false,
        ...plan,
      });
    const count = async (book: Book): Promise<number> => (await exported(engine, book)).length;

    it('adds nothing when a file is imported again, and keeps equal purchases', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(entryArbitrary, { maxLength: 30 }), async (entries) => {
          const book = await newBook();
          const first = await load(book, entries);
          assert.equal(first.imported, entries.length, 'equal rows of one file are all real');
          const second = await load(book, entries);
          assert.deepEqual([second.imported, second.skippedDuplicates], [0, entries.length]);
          assert.equal(await count(book), entries.length);
        }),
        { numRuns: runs(100) },
      );
    });

    it('removes NUL characters and halves of surrogate pairs, and finds the rows again', async () => {
      const book = await newBook();
      const odd = (text: string): string => `\0${text}\ud83e\0`;
      const bankId = { id: odd('E'), nth: 1, isRepeated: false };
      const entries = [
        { ...entry({}), payee: odd('A'), notes: odd('B'), category: odd('C'), account: odd('D') },
        { ...entry({}), line: 2, notes: '\0', account: odd('D'), externalId: odd('E'), bankId },
        { ...entry({}), line: 3, externalId: 'F', bankId: { ...bankId, id: 'F\0' } },
      ];
      assert.equal((await load(book, entries)).imported, 3);
      const kept = (await exported(engine, book)).map(
        ({ payee, notes, categoryName, accountName, externalId }) => [
          ...[payee, notes, categoryName, accountName, externalId],
        ],
      );
      assert.deepEqual(kept, [
        ['A\ufffd', 'B\ufffd', 'C\ufffd', 'D\ufffd', null],
        [entry({}).payee, null, null, 'D\ufffd', 'E\ufffd'],
        [entry({}).payee, null, null, null, 'F'],
      ]);
      assert.equal((await load(book, entries)).skippedDuplicates, 3);
      assert.equal(await accountCount(engine, book), 1);
    });

    it('finds a long id again that is cut within a character', async () => {
      const book = await newBook();
      const bankId = { id: `${'x'.repeat(41)}🥂${'y'.repeat(40)}`, nth: 1, isRepeated: false };
      const externalId = plainId(bankId);
      assert.equal(externalId.length, 75);
      const entries = [entry({ externalId, bankId })];
      assert.equal((await load(book, entries)).imported, 1);
      assert.equal((await load(book, entries)).skippedDuplicates, 1);
    });

    it('matches the n-th identical row of a file with the n-th of the book', async () => {
      const few = fc.record({ amount: fc.constantFrom(-1, 1), payee: fc.constantFrom('a', 'b') });
      const file = fc.array(fc.oneof(few.map(entry), entryArbitrary), {
        maxLength: 20,
        size: 'max',
      });
      const files = fc.tuple(file, file);
      await fc.assert(
        fc.asyncProperty(files, async ([one, two]) => {
          const book = await newBook();
          await load(book, one);
          await load(book, two);
          assert.deepEqual(
            tally(await rowsOf(engine, book)),
            union(tally(one.map(rowName)), tally(two.map(rowName))),
          );
        }),
        { numRuns: runs(100) },
      );
    });

    it('sums, dates and creations of the summary are those of the file', async () => {
      const book = await newBook();
      const summary = await load(book, [
        entry({ date: '2024-02-29', amount: -(2 ** 53 - 1), account: 'Bank', category: 'Food' }),
        entry({ date: '2023-12-31', amount: -(2 ** 53 - 1), account: ' bank ', category: 'FOOD' }),
        entry({ amount: 12_345, currency: 'eur', account: 'Other' }),
      ]);
      assert.deepEqual(summary, {
        importId: summary.importId,
        imported: 3,
        skippedDuplicates: 0,
        replaced: 0,
        skippedByChoice: 0,
        doubtful: { count: 0, entries: [] },
        tagsCreated: 0,
        accountsCreated: 2,
        categoriesCreated: 1,
        firstDate: '2023-12-31',
        lastDate: '2024-02-29',
        sumByCurrency: { usd: -2n * (2n ** 53n - 1n), eur: 12_345n },
        withoutRate: 1,
        currenciesWithoutRate: ['eur'],
      });
    });

    it('stores money out as a debit, and an empty payee as [No Payee]', async () => {
      const book = await newBook();
      await load(book, [entry({ amount: -135_700, payee: '' })]);
      const [row] = await exported(engine, book);
      assert.equal(row?.amount, 135_700);
      assert.equal(row.payee, '[No Payee]');
    });

    it('skips a row whose bank id the account has, and refuses a bank id twice in one file', async () => {
      const book = await newBook();
      const first = entry({ externalId: 'F1', account: 'Bank', amount: 1 });
      await load(book, [first, entry({ externalId: 'F2', account: 'Other' })]);
      assert.equal((await load(book, [{ ...first, amount: 2 }])).skippedDuplicates, 1);
      assert.equal((await load(book, [{ ...first, account: 'Other' }])).imported, 1);
      await assertRefused(
        load(book, [entry({ externalId: 'X' }), entry({ externalId: 'X', line: 9 })]),
        {
          line: 9,
          column: 'external_id',
          value: 'X',
        },
      );
      assert.equal(await count(book), 3);
    });

    it('matches a row of a file with a split transaction, not with its parts or a group', async () => {
      const book = await newBook();
      const [template] = fc.sample(
        bookArbitrary.filter(({ transactions }) => transactions.length > 0),
        { numRuns: 1, seed: 1 },
      );
      const row: DemoTransaction = {
        ...template!.transactions[0]!,
        ...{ date: '2024-01-01', amount: 10_000, payee: 'Shop', originalName: null, tags: [] },
        ...{ manualAccount: null, plaidAccount: null, splitParent: null, groupParent: null },
        ...{ isPending: false, isSplitParent: false, isGroupParent: false },
      };
      const parent = { ...row, isSplitParent: true, payee: 'Split' };
      const transactions = [parent, { ...row, splitParent: 0 }, { ...row, isGroupParent: true }];
      await fillDemo(engine, book.id, { ...template!, transactions });
      assert.equal((await load(book, [entry({ payee: 'Split' })])).skippedDuplicates, 1);
      assert.equal((await load(book, [entry({ payee: 'Shop' })])).imported, 1);
      const group = template!.categories.find(({ isGroup }) => isGroup)!;
      await assertRefused(load(book, [entry({ category: group.name })]), {
        line: 2,
        column: 'category',
        value: group.name,
      });
    });

    it('refuses a whole file if an entry is not valid, and changes nothing', async () => {
      const book = await newBook();
      const bad = [
        entry({ line: 2, currency: 'xyz' }),
        entry({ line: 3, category: 'c'.repeat(101) }),
        entry({ line: 4, account: 'a'.repeat(46) }),
        entry({ line: 5, externalId: 'e'.repeat(76) }),
      ];
      const error = await load(book, [entry({ account: 'New' }), ...bad]).catch(
        (caught: unknown) => caught,
      );
      assert.ok(error instanceof ImportRefusedError);
      assert.equal(error.problemCount, 4);
      assert.deepEqual(
        error.problems.map(({ line, column }) => [line, column]),
        [
          [2, 'currency'],
          [3, 'category'],
          [4, 'account'],
          [5, 'external_id'],
        ],
      );
      assert.equal(await count(book), 0);
      assert.equal(await accountCount(engine, book), 0);
    });

    it('does everything and keeps nothing on a dry run', async () => {
      const book = await newBook();
      const dry = await load(book, [entry({ account: 'Bank' })], { dryRun: true });
      assert.deepEqual([dry.imported, dry.accountsCreated], [1, 1]);
      assert.equal(await count(book), 0);
      assert.equal(await accountCount(engine, book), 0);
    });

    it('separates the books of two users: the same file is complete in both', async () => {
      const [one, two] = [await newBook(), await newBook()];
      const entries = [
        ...[entry({ externalId: 'SAME', account: 'Bank' }), entry({ account: 'Bank' })],
        // Without an account only the book distinguishes them.
        ...[entry({ externalId: 'ALONE' }), entry({ payee: 'Alone' })],
      ];
      assert.equal((await load(one, entries)).imported, 4);
      assert.equal((await load(two, entries)).imported, 4);
    });

    it('fails if the file cannot be read to its end, and changes nothing', async () => {
      const book = await newBook();
      function* broken(): Generator<ImportEntry> {
        yield entry({ account: 'Bank' });
        throw new Error('The disk was removed');
      }
      const load2 = importEntries(engine, book.id, {
        entries: broken,
        defaultAccount: null,
        dryRun: false,
      });
      await assert.rejects(load2, { message: 'The disk was removed' });
      assert.equal(await count(book), 0);
    });
  });
}

async function assertRefused(
  refused: Promise<unknown>,
  problem: { line: number; column: string; value: string },
): Promise<void> {
  const error = await refused.catch((caught: unknown) => caught);
  assert.ok(error instanceof ImportRefusedError);
  const [first] = error.problems;
  assert.deepEqual({ line: first?.line, column: first?.column, value: first?.value }, problem);
}

function entry(parts: Partial<ImportEntry>): ImportEntry {
  return {
    line: 2,
    date: '2024-01-01',
    amount: -10_000,
    currency: null,
    payee: 'Shop',
    notes: null,
    category: null,
    account: null,
    externalId: null,
    ...parts,
  };
}

/** Entries with few values, so that identical rows are common. */
const entryArbitrary: fc.Arbitrary<ImportEntry> = fc
  .record({
    date: fc.constantFrom('2024-01-31', '2024-02-01'),
    amount: fc.constantFrom(-10_000, 10_000, 0),
    payee: fc.constantFrom('Shop', 'Shop 2', '', 'ünï'),
    account: fc.constantFrom(null, 'Bank', 'Card'),
    category: fc.constantFrom(null, 'Food'),
  })
  .map(entry);

async function rowsOf(engine: Engine, book: Book): Promise<string[]> {
  return (await exported(engine, book)).map(({ accountName, date, amount, payee }) =>
    [accountName, date, amount === 0 ? 0 : -amount, payee].join('|'),
  );
}

function rowName({ account, date, amount, payee }: ImportEntry): string {
  return [account, date, amount, payee === '' ? '[No Payee]' : payee].join('|');
}

function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Returns each row as often as the file that has it more often. */
function union(one: Map<string, number>, two: Map<string, number>): Map<string, number> {
  const both = new Map(one);
  for (const [name, times] of two) both.set(name, Math.max(times, both.get(name) ?? 0));
  return both;
}

async function accountCount(engine: Engine, book: Book): Promise<number> {
  const { manualAccounts, transactions } = await exportBook(engine, book.id);
  await Array.fromAsync(transactions);
  return manualAccounts.length;
}
