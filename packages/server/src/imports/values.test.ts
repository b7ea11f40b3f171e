import { storeRates } from '../ledger/currencies/actions.ts';
import assert from 'node:assert/strict';
import { before, beforeEach, it } from 'node:test';
import { changesSince } from '../book/testing/changes-since.ts';
import { changing } from '../book/change.ts';
import { undo } from '../book/undo.ts';
import type { ImportEntry } from './entry.ts';
import { entryOf, ImportBook, onBothEngines } from './testing/import-book.ts';

const entry = (rest: Partial<ImportEntry>): ImportEntry =>
  entryOf({ date: '2026-01-02', amount: -10_000, ...rest });

onBothEngines(
  'the values of imported rows',
  (on) => {
    let book: ImportBook;
    before(async () => {
      const series = (rate: string) => new Map([['2026-01-01', rate]]);
      const rates = new Map([
        ['usd', series('1.2')],
        ['gbp', series('0.8')],
      ]);
      await on.engine.write(() => storeRates(rates, 'file'));
    });
    beforeEach(async () => {
      book = await ImportBook.create(on.engine, null);
    });

    const accounts = async () =>
      (await book.accounts()).map((each) => [each.name, each.currency, each.balance, each.to_base]);

    it('are in the currency of the book at the rate of their date, and 0 without a rate', async () => {
      const summary = await book.load([
        entry({ currency: 'gbp', account: 'London' }),
        entry({ currency: 'eur', amount: 10_000 }),
        entry({ currency: 'gbp', date: '2025-12-31' }),
        entry({ currency: 'chf' }),
        entry({ currency: 'chf', amount: 5 }),
        entry({}),
      ]);
      assert.deepEqual([summary.withoutRate, summary.currenciesWithoutRate], [3, ['chf', 'gbp']]);
      const values = (await book.rows()).map(({ amount, to_base }) => [amount, to_base]);
      assert.deepEqual(values, [
        [10_000, 15_000],
        [-10_000, -12_000],
        [10_000, 0],
        [10_000, 0],
        [-5, 0],
        [10_000, 10_000],
      ]);
      const again = await book.load([entry({ currency: 'chf' })]);
      assert.deepEqual([again.withoutRate, again.skippedDuplicates], [0, 1]);
    });

    it('take xxx, no currency, as that of the account, and otherwise of the book', async () => {
      await book.load([entry({ currency: 'gbp', account: 'London' })]);
      const summary = await book.load([entry({ currency: 'xxx', account: 'London', amount: 7 })]);
      await book.load([entry({ currency: 'xxx', account: 'Paris' })]);
      assert.deepEqual(summary.sumByCurrency, { gbp: 7n });
      const currencies = (await accounts()).map(([accountName, code]) => [accountName, code]);
      assert.deepEqual(currencies, [
        ['London', 'gbp'],
        ['Paris', 'usd'],
      ]);
    });

    it('move the balance of each account once, in its currency', async () => {
      const other = entry({ account: 'London', payee: 'B' });
      const rows = [
        entry({ account: 'London', currency: 'gbp', amount: 100_000 }),
        { ...other, currency: 'usd', amount: -15_000 },
        { ...other, currency: 'chf', amount: -15_000 },
        { ...other, currency: 'gbp', amount: -8000, date: '2025-01-01' },
        entry({ account: 'Bank', amount: -1 }),
        entry({ account: 'Idle', amount: 5 }),
        entry({ account: 'Idle', amount: -5 }),
      ];
      await book.load(rows, { dryRun: true });
      assert.deepEqual(await accounts(), []);
      await book.load(rows);
      const expected = [
        ['London', 'gbp', 100_000 - 10_000 - 8000, 123_000],
        ['Bank', 'usd', -1, -1],
        ['Idle', 'usd', 0, 0],
      ];
      assert.deepEqual(await accounts(), expected);
      await book.load(rows);
      assert.deepEqual(await accounts(), expected, 'known rows move nothing');
      await book.load([entry({ account: 'London', currency: 'gbp', payee: 'C', amount: -82_000 })]);
      assert.deepEqual((await accounts())[0], ['London', 'gbp', 0, 0]);
      const versions = await on.engine.read(() => changesSince(book.id, 0));
      await on.engine.write(() =>
        changing({ bookId: book.id, actor: 'test', operation: 'undo' }, (change) =>
          undo(change, versions.at(-1)!.version),
        ),
      );
      assert.deepEqual(await accounts(), expected);
    });

    it('leave a balance alone that no amount can express', async () => {
      const most = entry({ account: 'Bank', amount: Number.MAX_SAFE_INTEGER });
      await book.load([most, most]);
      assert.deepEqual(await accounts(), [['Bank', 'usd', 0, 0]]);
    });
  },
  () => Date.parse('2026-02-01T00:00:00.000Z'),
);
