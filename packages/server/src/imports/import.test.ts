import assert from 'node:assert/strict';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { beforeEach, it } from 'node:test';
import { runs } from '../../../core/src/testing/length.ts';
import type { DemoTransaction } from '../demo/book/demo-book.ts';
import { fillDemo } from '../demo/fill.ts';
import { bookArbitrary } from '../pages/testing/page-model.ts';
import { plainId } from './comparison.ts';
import { ImportRefusedError, type ImportEntry } from './entry.ts';
import { entryOf, ImportBook, onBothEngines } from './testing/import-book.ts';
import { rows } from '../db/engine.ts';
import { recordingEngine } from '../db/testing/recording-engine.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { forgetImportSettings, importSettingsOf, saveImportSettings } from './memory.ts';

const entryArbitrary: fc.Arbitrary<ImportEntry> = fc
  .record({
    date: fc.constantFrom('2024-01-31', '2024-02-01'),
    amount: fc.constantFrom(-10_000, 10_000, 0),
    payee: fc.constantFrom('Shop', 'Shop 2', '', 'ünï'),
    account: fc.constantFrom(null, 'Bank', 'Card'),
    category: fc.constantFrom(null, 'Food'),
  })
  .map(entryOf);

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

/** The problems of a refused file: line, column and value. */
async function refusal(refused: Promise<unknown>): Promise<string[]> {
  const error = await refused.catch((caught: unknown) => caught);
  assert.ok(error instanceof ImportRefusedError, String(error));
  assert.equal(error.problemCount, error.problems.length);
  return error.problems.map(({ line, column, value }) => `${line} ${column} ${value}`);
}

onBothEngines('an import', (on) => {
  let book: ImportBook;
  const newBook = () => ImportBook.create(on.engine, null);
  beforeEach(async () => {
    book = await newBook();
  });
  const counts = async () => [(await book.rows()).length, (await book.accounts()).length];

  it('adds nothing when a file is imported again, and matches the n-th identical row of two files', async () => {
    const few = fc.record({ amount: fc.constantFrom(-1, 1), payee: fc.constantFrom('a', 'b') });
    const entry = fc.oneof(few.map(entryOf), entryArbitrary);
    const file = fc.array(entry, { maxLength: 20, size: 'max' });
    await fc.assert(
      fc.asyncProperty(file, file, async (one, two) => {
        const own = await newBook();
        // Equal rows of one file are all real.
        await own.adds(one.length, one);
        assert.equal((await own.load(one)).skippedDuplicates, one.length);
        await own.load(two);
        const rows = (await own.exported()).map(({ accountName, date, amount, payee }) =>
          [accountName, date, amount === 0 ? 0 : -amount, payee].join('|'),
        );
        const expected = union(tally(one.map(rowName)), tally(two.map(rowName)));
        assert.deepEqual(tally(rows), expected);
      }),
      { numRuns: runs(150) },
    );
  });

  it('removes NUL characters and halves of surrogate pairs, and finds the rows again', async () => {
    const odd = (text: string): string => `\0${text}\ud83e\0`;
    const bankId = { id: odd('E'), nth: 1, isRepeated: false };
    const entries = [
      entryOf({ payee: odd('A'), notes: odd('B'), category: odd('C'), account: odd('D') }),
      entryOf({ notes: '\0', account: odd('D'), externalId: odd('E'), bankId }),
      entryOf({ line: 3, externalId: 'F', bankId: { ...bankId, id: 'F\0' } }),
    ];
    await book.adds(3, entries);
    assert.deepEqual(
      (await book.exported()).map((row) =>
        [row.payee, row.notes, row.categoryName, row.accountName, row.externalId].join('|'),
      ),
      ['A\ufffd|B\ufffd|C\ufffd|D\ufffd|', 'Shop|||D\ufffd|E\ufffd', 'Shop||||F'],
    );
    assert.equal((await book.load(entries)).skippedDuplicates, 3);
    assert.equal((await book.accounts()).length, 1);
  });

  it('finds a long id again that is cut within a character', async () => {
    const bankId = { id: `${'x'.repeat(41)}🥂${'y'.repeat(40)}`, nth: 1, isRepeated: false };
    const externalId = plainId(bankId);
    assert.equal(externalId.length, 75);
    for (const count of [1, 0]) await book.adds(count, [entryOf({ externalId, bankId })]);
  });

  it('sums, dates and creations of the summary are those of the file', async () => {
    const most = -(2 ** 53 - 1);
    const summary = await book.load([
      entryOf({ date: '2024-02-29', amount: most, account: 'Bank', category: 'Food' }),
      entryOf({ date: '2023-12-31', amount: most, account: ' bank ', category: 'FOOD' }),
      entryOf({ amount: 12_345, currency: 'eur', account: 'Other' }),
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
      balances: [],
      categoriesCreated: 1,
      firstDate: '2023-12-31',
      lastDate: '2024-02-29',
      sumByCurrency: { usd: -2n * (2n ** 53n - 1n), eur: 12_345n },
      withoutRate: 1,
      currenciesWithoutRate: ['eur'],
    });
  });

  it('stores money out as a debit, and an empty payee as [No Payee]', async () => {
    await book.adds(1, [entryOf({ amount: -135_700, payee: '' })]);
    const [row] = await book.exported();
    assert.deepEqual([row!.amount, row!.payee], [135_700, '[No Payee]']);
  });

  it('skips a row whose bank id the account has, and refuses a bank id twice in one file', async () => {
    const first = entryOf({ externalId: 'F1', account: 'Bank', amount: 1 });
    await book.adds(2, [first, entryOf({ externalId: 'F2', account: 'Other' })]);
    await book.adds(0, [{ ...first, amount: 2 }]);
    await book.adds(1, [{ ...first, account: 'Other' }]);
    const twice = [entryOf({ externalId: 'X' }), entryOf({ externalId: 'X', line: 9 })];
    assert.deepEqual(await refusal(book.load(twice)), ['9 external_id X']);
    assert.equal((await book.rows()).length, 3);
  });

  it('matches a row of a file with a split transaction, not with its parts or a group', async () => {
    const filled = bookArbitrary.filter(({ transactions }) => transactions.length > 0);
    const [template] = fc.sample(filled, { numRuns: 1, seed: 1 });
    const row: DemoTransaction = {
      ...template!.transactions[0]!,
      date: '2024-01-10',
      amount: 100_000,
      payee: 'Shop',
      original_name: null,
      tags: [],
      manualAccount: null,
      plaidAccount: null,
      splitParent: null,
      groupParent: null,
      is_pending: false,
      is_split_parent: false,
      is_group_parent: false,
    };
    const parent = { ...row, is_split_parent: true, payee: 'Split' };
    const transactions = [parent, { ...row, splitParent: 0 }, { ...row, is_group_parent: true }];
    await fillDemo(on.engine, book.id, { ...template!, transactions });
    await book.adds(0, [entryOf({ payee: 'Split' })]);
    await book.adds(1, [entryOf()]);
    const group = template!.categories.find(({ is_group }) => is_group)!.name;
    const wrong = book.load([entryOf({ category: group })]);
    assert.deepEqual(await refusal(wrong), [`2 category ${group}`]);
    const [fits, tooLong] = [100, 101].map((length) => 't'.repeat(length));
    const tagged = book.load([entryOf({ payee: 'Tagged', tags: [fits!, tooLong!] })]);
    assert.deepEqual(await refusal(tagged), [`2 tags ${tooLong}`]);
  });

  it('refuses a whole file if an entry is not valid, and changes nothing', async () => {
    const texts = {
      category: 'c'.repeat(101),
      account: 'a'.repeat(46),
      external_id: 'e'.repeat(76),
    };
    const bad = [
      entryOf({ account: 'New' }),
      entryOf({ line: 2, currency: 'xyz' }),
      entryOf({ line: 3, category: texts.category }),
      entryOf({ line: 4, account: texts.account }),
      entryOf({ line: 5, externalId: texts.external_id }),
    ];
    const problems = await refusal(book.load(bad));
    const named = problems.map((problem) => problem.split(' ').slice(0, 2).join(' '));
    assert.deepEqual(named, ['2 currency', '3 category', '4 account', '5 external_id']);
    assert.deepEqual(await counts(), [0, 0]);
  });

  it('fails if the file cannot be read to its end, and changes nothing', async () => {
    function* broken(): Generator<ImportEntry> {
      yield entryOf({ account: 'Bank' });
      throw new Error('The disk was removed');
    }
    await assert.rejects(book.load([], { entries: broken }), { message: 'The disk was removed' });
    assert.deepEqual(await counts(), [0, 0]);
  });
});

onBothEngines('rows of the book', (on, name) => {
  it('are not joined with the amounts of a file, whatever the statistics say', async () => {
    const engine = recordingEngine(on.engine);
    const book = await ImportBook.create(engine);
    const entries = Array.from({ length: 20 }, (_, at) => entryOf({ line: at + 2, amount: at }));
    await book.adds(20, entries);
    engine.operation = 'again';
    await book.adds(0, entries);
    const [wanted] = engine.recorded.flatMap(({ operation, step }) =>
      operation === 'again' && 'text' in step && step.text.includes(' wanted') ? [step] : [],
    );
    assert.ok(wanted);
    if (name === 'SQLite') return;
    const plan = await on.engine.read(() => rows<Record<string, string>>(sql`EXPLAIN ${wanted}`));
    const steps = plan.flatMap((each) => Object.values(each)).join('\n');
    assert.match(steps, /hashed SubPlan/);
    assert.doesNotMatch(steps, /Join|Nested Loop/);
  });
});

onBothEngines(
  'settings of imports',
  (on) => {
    it('are kept, replaced and forgotten by book and shape', async () => {
      const [one, other] = [(await newBook(on.engine)).id, (await newBook(on.engine)).id];
      const read = (bookId: number, shape: string) =>
        on.engine.read(() => importSettingsOf(bookId, shape));
      const keep = (bookId: number, shape: string, decimal: 'point' | 'comma') =>
        on.engine.write(() => saveImportSettings(bookId, { shape, format: 'csv' }, { decimal }));
      const forget = (bookId: number, shape: string | null) =>
        on.engine.write(() => forgetImportSettings(bookId, shape));
      assert.equal(await read(one, 'a'), null);
      await keep(one, 'a', 'point');
      await keep(one, 'a', 'comma');
      await keep(one, 'b', 'point');
      await keep(other, 'a', 'point');
      assert.deepEqual(await read(one, 'a'), { decimal: 'comma' });
      assert.equal(await forget(one, 'a'), 1);
      assert.equal(await forget(one, 'a'), 0);
      assert.deepEqual(await read(one, 'b'), { decimal: 'point' });
      assert.equal(await forget(one, null), 1);
      assert.equal(await read(one, 'b'), null);
      assert.deepEqual(await read(other, 'a'), { decimal: 'point' });
    });
  },
  () => Date.parse('2026-02-01T00:00:00.000Z'),
);
