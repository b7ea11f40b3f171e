import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { changing, type Change } from '../book/change.ts';
import type { Steps } from '../db/engine.ts';
import type { RowUpdate } from '../db/table.ts';
import { transactions } from '../db/tables/tables.ts';
import { mergeAccount } from '../ledger/merge.ts';
import { removeTransactions, updateTransactions } from '../ledger/transactions/writes.ts';
import { sharedId } from './comparison.ts';
import type { ImportEntry, ImportPlan } from './entry.ts';
import { undoImport } from './operations/records.ts';
import { entryOf, entryWithId, ImportBook, onBothEngines } from './testing/import-book.ts';

type Columns = RowUpdate<typeof transactions>;

onBothEngines('what a user changed after a file had it', (on) => {
  let book: ImportBook;
  beforeEach(async () => {
    book = await ImportBook.create(on.engine);
  });

  const write = (work: (change: Change) => Steps<unknown>) =>
    on.engine.write(() =>
      changing({ bookId: book.id, actor: 'user 1', operation: 'test' }, function* (change) {
        yield* work(change);
      }),
    );
  /** Changes or deletes the nth transaction, and returns its id. */
  const edit = async (nth: number, columns: Columns | null): Promise<number> => {
    const before = (await book.rows())[nth]!;
    await write((change) =>
      columns === null
        ? removeTransactions(change, [before])
        : updateTransactions(change, [{ before, columns }]),
    );
    return before.id;
  };
  /** What the import of a file decides about each entry, as lines of words. */
  const decided = async (file: readonly ImportEntry[], plan: Partial<ImportPlan> = {}) => {
    const lines: string[] = [];
    await book.load(file, {
      dryRun: true,
      format: 'csv',
      ...plan,
      onVerdict: ({ number, verdict, knownId, why, isImported }) => {
        lines[number - 1] = [verdict, knownId ?? '-', isImported ? 'in' : 'out', why ?? ''].join(
          ' ',
        );
      },
    });
    return lines;
  };

  const forms = {
    'with ids': [entryWithId('F1'), entryWithId('F2', { payee: 'Café', amount: -5 })],
    'without ids': [entryOf(), entryOf({ payee: 'Café', amount: -5 })],
  };
  for (const [name, file] of Object.entries(forms))
    it(`is doubtful and left out ${name}, with the reason`, async () => {
      await book.adds(2, file, 'csv');
      await book.adds(1, [entryOf({ account: 'Card', payee: 'Other' })], 'csv');
      const card = (await book.accounts())[1]!.id;
      const cases: readonly [Columns | null, string][] = [
        [{ date: '2024-01-12' }, 'you changed the date of it from 2024-01-10 to 2024-01-12'],
        [{ date: '2024-06-30' }, 'you changed the date of it from 2024-01-10 to 2024-06-30'],
        [
          { date: '2024-01-10', amount: 120_000 },
          'you changed the amount of it from -10.0000 to -12.0000',
        ],
        [{ amount: 100_000, manual_account_id: card }, 'you moved it to another account'],
        [null, 'you deleted it'],
      ];
      for (const [columns, why] of cases) {
        const id = await edit(0, columns);
        const expected = `doubtful ${id} out ${why.replace(' it', ` transaction ${id}`).replace('of it', `of transaction ${id}`)}`;
        const [first, second] = await decided(file);
        assert.deepEqual([first, second?.startsWith('known ')], [expected, true]);
        // Another time, and in another format.
        await book.adds(0, file, 'csv');
        const other = file.map((each) => ({ ...each, payee: 'X', externalId: null }));
        await book.adds(0, other, 'ofx');
      }
      // Asked for, it is a new transaction, which the next import knows.
      const again = await book.load(file, { format: 'csv', onDoubt: 'keep' });
      assert.equal(again.imported, 1);
      const [first] = (await book.rows()).filter((row) => row.import_id === again.importId);
      assert.equal(first!.external_id, file[0]!.externalId);
      const known = await decided(file);
      assert.ok(
        known.every((line) => line.startsWith('known ')),
        known.join('\n'),
      );
    });

  it('is a row like others after the user changed it back, and in the account to which it was moved', async () => {
    const file = [entryOf()];
    await book.adds(1, file, 'csv');
    await book.adds(1, [entryOf({ account: 'Card', payee: 'Other' })], 'csv');
    const card = (await book.accounts())[1]!.id;
    const { date, amount, manual_account_id } = (await book.rows())[0]!;
    await edit(0, { date: '2025-01-01', amount: 7, manual_account_id: card });
    assert.match((await decided(file))[0]!, /^doubtful/);
    await edit(0, { date, amount });
    assert.match(
      (await decided(file))[0]!,
      /^doubtful \d+ out you moved transaction \d+ to another account$/,
    );
    assert.match((await decided(file, { defaultAccount: 'Card' }))[0]!, /^known/);
    await edit(0, { manual_account_id });
    assert.match((await decided(file))[0]!, /^known/);
  });

  it('is known in the account with which its own was merged', async () => {
    const file = [entryOf(), entryOf({ payee: 'Café' })];
    await book.adds(2, file, 'csv');
    await book.adds(1, [entryOf({ account: 'Card', payee: 'Other' })], 'csv');
    const id = await edit(0, null);
    const [bank, card] = await book.accounts();
    await write((change) => mergeAccount(change, bank!, { into_id: card!.id }));
    const [first, second] = await decided(file, { defaultAccount: 'Card' });
    assert.equal(first, `doubtful ${id} out you deleted transaction ${id}`);
    assert.match(second!, /^known/);
  });

  it('does not hide other entries that are equal to it', async () => {
    const two = [entryOf(), entryOf()];
    const next = entryOf({ date: '2024-01-11' });
    await book.adds(3, [...two, next], 'csv');
    await edit(0, null);
    // A purchase of the next day that the user moved to the day of another one.
    await edit(0, { date: '2024-01-11' });
    const lines = await decided([...two, next]);
    assert.deepEqual(
      lines.map((line) => line.split(' ')[0]),
      ['doubtful', 'doubtful', 'known'],
    );
    await book.adds(1, [...two, next, next], 'csv');
  });

  it('agrees with a file that says the same now', async () => {
    await book.adds(2, [entryWithId('F1'), entryOf()], 'csv');
    await edit(0, { amount: 120_000 });
    await edit(1, { amount: 120_000 });
    const lines = await decided([
      entryWithId('F1', { amount: -120_000 }),
      entryOf({ amount: -120_000 }),
    ]);
    assert.match(lines[0]!, /^known \d+ out same id$/);
    assert.match(
      lines[1]!,
      /^doubtful \d+ out same date, amount and payee as it has now; you changed/,
    );
  });

  it('is new again after its import was undone', async () => {
    const file = [entryWithId('F1'), entryOf({ payee: 'Café' })];
    await book.adds(1, [entryOf({ payee: 'Other', amount: 7 })], 'csv');
    const { importId } = await book.load(file, { format: 'csv' });
    await edit(1, null);
    assert.match((await decided(file))[0]!, /^doubtful/);
    const cause = { bookId: book.id, actor: 'user 1', operation: 'undo' };
    await undoImport(on.engine, cause, importId!, 'skip');
    assert.deepEqual(await decided(file), ['new - in ', 'new - in ']);
    await book.adds(2, file, 'csv');
    await book.adds(0, file, 'csv');
  });

  it('is posted although the user changed it while it was pending, but not if it was deleted', async () => {
    const pending = [entryOf({ isPending: true }), entryOf({ isPending: true, payee: 'Café' })];
    await book.adds(2, pending, 'csv');
    await edit(0, { amount: 110_000 });
    await edit(1, null);
    const posted = [
      entryOf({ date: '2024-01-12' }),
      entryOf({ date: '2024-01-12', payee: 'Café' }),
    ];
    const lines = await decided(posted);
    assert.match(lines[0]!, /^replaces/);
    assert.match(lines[1]!, /^doubtful \d+ out you deleted/);
    await book.adds(0, posted, 'csv');
    const [row] = await book.rows();
    assert.deepEqual([row!.amount, row!.is_pending], [100_000, false]);
    for (const file of [pending, posted])
      assert.deepEqual(
        (await decided(file)).map((line) => line.split(' ')[0]),
        ['known', 'doubtful'],
      );
  });

  it('lists an id with another amount with both amounts, until somebody decides', async () => {
    await book.adds(1, [entryWithId('F1')], 'csv');
    const [row] = await book.rows();
    const changes = { amount: -123_400, date: '2024-01-12', payee: 'SHOP 12' };
    const corrected = [entryWithId('F1', changes)];
    const why = 'same id, but the amount is -12.3400 instead of -10.0000';
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(await decided(corrected), [`doubtful ${row!.id} out ${why}`]);
      await book.adds(0, corrected, 'csv');
    }
    await book.load(corrected, { format: 'csv', onDoubt: 'skip' });
    assert.match((await decided(corrected))[0]!, /^known/);
    const choices = new Map([[1, 'keep']] as const);
    assert.equal((await book.load(corrected, { format: 'csv', choices })).imported, 1);
    await book.adds(0, corrected, 'csv');
  });

  it('lists an id with another currency with both', async () => {
    await book.adds(1, [entryWithId('F1', { currency: 'usd' })], 'csv');
    const [row] = await book.rows();
    const why = 'same id, but the amount is -10.0000 EUR instead of -10.0000 USD';
    const other = entryWithId('F1', { currency: 'eur' });
    assert.deepEqual(await decided([other]), [`doubtful ${row!.id} out ${why}`]);
  });

  it('is found again under an id that others share, and without a memory of rows that no file had', async () => {
    const bankId = { id: 'F1', nth: 1, isRepeated: true };
    const file = ['Shop', 'Café'].map((payee) => {
      const entry = entryOf({ payee, bankId });
      return { ...entry, externalId: sharedId(bankId, entry) };
    });
    await book.adds(2, file, 'csv');
    await edit(1, null);
    assert.deepEqual(
      (await decided(file)).map((line) => line.split(' ')[0]),
      ['known', 'doubtful'],
    );
    // Nobody can know whether a deleted transaction without a file is the one of a file.
    const { manual_account_id } = (await book.rows())[0]!;
    const own = { id: 1, manual_account_id, date: '2024-01-10', amount: 7, to_base: 7 };
    const typed = { ...own, currency: 'usd', payee: 'Own', status: 'reviewed', source: 'api' };
    await write((change) => change.insert(transactions, typed));
    await edit(0, null);
    assert.deepEqual(await decided([entryOf({ payee: 'Own', amount: -7 })]), ['new - in ']);
  });
});
